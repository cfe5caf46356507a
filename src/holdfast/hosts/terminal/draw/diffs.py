"""A unified diff for people: line numbers, colours, and the longest ones folded."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.commands.text.width import clip
from holdfast.hosts.terminal.draw.spans import Span, drawn, folded, wrapped
from holdfast.hosts.terminal.draw.theme import Role, Theme
from holdfast.records.printable import printable

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ROLES: dict[str, Role] = {"+": "added", "-": "removed"}


class DiffRow(NamedTuple):
    """One line of a diff."""

    sign: str
    """+, -, a space, `@` where lines are left out, or '' for a remark."""
    text: str
    number: int = 0
    """Where it stands: in the old text for a line that goes, else in the new one."""


def rows_of(diff: str) -> list[DiffRow]:
    """The lines of a unified diff, without the names of the files."""
    return list(_rows(diff))


def _rows(diff: str) -> Iterator[DiffRow]:
    old = new = old_left = new_left = 0
    begun = False
    for line in printable(diff).expandtabs(4).removesuffix("\n").split("\n"):
        if old_left <= 0 and new_left <= 0:
            if found := _HUNK.match(line):
                old, new = int(found[1]), int(found[3])
                old_left, new_left = int(found[2] or 1), int(found[4] or 1)
                if begun:
                    yield DiffRow("@", "")
                begun = True
            elif not line.startswith(("--- ", "+++ ", "\\")):
                yield DiffRow("", line)
            continue
        sign, text = line[:1] or " ", line[1:]
        if sign == "\\":
            continue
        yield DiffRow(sign, text, old if sign == "-" else new)
        gone, come = sign != "+", sign != "-"
        old, old_left = old + gone, old_left - gone
        new, new_left = new + come, new_left - come


def changed(diff: str) -> tuple[int, int]:
    """How many lines come and how many go."""
    signs = [row.sign for row in _rows(diff)]
    return signs.count("+"), signs.count("-")


def diff_lines(diff: str, width: int, theme: Theme, *, most: int | None = None) -> list[str]:
    """The lines of a diff for a width; with `most`, what is longer is folded, and says how much is left."""
    rows = rows_of(diff)
    digits = len(str(max((row.number for row in rows), default=0)))
    shown = rows if most is None or len(rows) <= most + 1 else rows[:most]
    lines = [line for row in shown for line in _drawn(row, digits, width, theme)]
    left = rows[len(shown) :]
    if left:
        signs = [row.sign for row in left]
        counts = f"+{signs.count('+'):,} -{signs.count('-'):,}"
        more = f"{' ' * digits} … {len(left):,} more lines ({counts})"
        lines.append(theme.painted(clip(more, width), "dim"))
    return lines


def _drawn(row: DiffRow, digits: int, width: int, theme: Theme) -> list[str]:
    if row.sign == "@":
        return [theme.painted(f"{' ' * digits} ⋮", "hunk")]
    if not row.sign:
        return [drawn(line, theme) for line in wrapped([Span(row.text, ("dim",))], width)]
    role = _ROLES.get(row.sign)
    head = [Span(f"{row.number:>{digits}} ", ("dim",)), Span(f"{row.sign} ", (role,) if role else ())]
    again = [Span(" " * (digits + 3))]
    body = folded([Span(row.text.rstrip(), (role,) if role else ())], width - digits - 3)
    return [drawn([*(again if index else head), *line], theme).rstrip() for index, line in enumerate(body)]
