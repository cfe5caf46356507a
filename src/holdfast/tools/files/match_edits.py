"""Matches edits with a text: where each stands, and what is wrong if it does not."""

import re
from difflib import get_close_matches
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from holdfast.errors import ToolFailed

MOST_COMPARED = 5000
"""Lines that are compared to find the nearest."""
SHOWN = 160
"""Characters of a line that is near."""
MOST_NAMED = 5


class Edit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One piece to replace."""

    old: Annotated[str, Meta(min_length=1, description="The text to replace, exactly as it stands, with its indent.")]
    new: Annotated[str, Meta(description="What to put in its place.")]
    all: Annotated[bool, Meta(description="Replace it wherever it stands.")] = False


class _Span(NamedTuple):
    """What takes the place of a piece of the text, and of which edit it is."""

    start: int
    end: int
    text: str
    edit: int


def edited(text: str, edits: tuple[Edit, ...], path: str, *, most: int) -> str:
    """A text with all edits made. Raises `ToolFailed` if one does not fit, or more than `most` characters come."""
    ends = text.count("\r\n")
    windows, mixed = ends and ends == text.count("\n"), 0 < ends < text.count("\n")
    spans: list[_Span] = []
    for number, edit in enumerate(edits, 1):
        old, new = (_ended(each) if windows else each for each in (edit.old, edit.new))
        which = f"Edit {number}" if len(edits) > 1 else "The edit"
        if old == new:
            raise ToolFailed(f"{which} changes nothing: `old` and `new` are the same.")
        if mixed and "\n" in old:
            found = [_Span(at, at + len(piece), _with_ends_of(new, piece), number) for at, piece in _across(text, edit)]
        else:
            starts = _starts(text, old, len(old) if edit.all else 1)
            found = [_Span(start, start + len(old), new, number) for start in starts]
        if not found:
            raise _not_found(text, old, f"{which} does not fit {path}")
        if len(found) > 1 and not edit.all:
            raise _too_often(text, [each.start for each in found], f"{which} does not fit {path}")
        spans += found
    # Before it is made: a piece that stands there a million times may become a million long ones.
    if len(text) + sum(len(span.text) - (span.end - span.start) for span in spans) > most:
        raise too_long(path)
    return _replaced(text, sorted(spans))


def too_long(path: str) -> ToolFailed:
    """More would come of it than a file may hold."""
    return ToolFailed(f"{path} would become too long.", hint="Put less in, or change it with a command.")


def _ended(text: str) -> str:
    """A text with the line ends of Windows, as the file has them."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _across(text: str, edit: Edit) -> list[tuple[int, str]]:
    """Where it stands, and how, in a file that has both ends of lines: which one it is cannot be seen."""
    pattern = r"\r?\n".join(map(re.escape, _lines(edit.old)))
    # Without `all`, also where it stands within another of its kind: then it is there too often.
    return [(each.start(), each[1]) for each in re.finditer(f"({pattern})" if edit.all else f"(?=({pattern}))", text)]


def _with_ends_of(text: str, before: str) -> str:
    """A text whose lines end as those that it replaces, one by one; further ones as the last of them."""
    ends = re.findall(r"\r?\n", before) or ["\n"]
    first, *others = _lines(text)
    return first + "".join(f"{ends[min(at, len(ends) - 1)]}{line}" for at, line in enumerate(others))


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _starts(text: str, old: str, step: int) -> list[int]:
    starts, at = [], text.find(old)
    while at >= 0:
        starts.append(at)
        at = text.find(old, at + step)
    return starts


def _replaced(text: str, spans: list[_Span]) -> str:
    pieces, end, last = [], 0, 0
    for start, stop, new, number in spans:
        if start < end:
            raise ToolFailed(f"Edits {last} and {number} overlap.", hint="Make one edit of them.")
        pieces += [text[end:start], new]
        end, last = stop, number
    return "".join([*pieces, text[end:]])


def _not_found(text: str, old: str, what: str) -> ToolFailed:
    lines = [line[:SHOWN].rstrip("\r") for line in text.split("\n")]
    wanted = next((line for line in old.splitlines() if line.strip()), old)[:SHOWN]
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines[:MOST_COMPARED], 1):
        numbers.setdefault(line, number)
    near = get_close_matches(wanted, [line for line in numbers if line.strip()], n=3)
    shown = "".join(f"\n{numbers[line]:>6}\t{line}" for line in near)
    hint = f"The nearest lines are:{shown}" if near else "Read the file and copy the text exactly, with its spaces."
    return ToolFailed(f"{what}: `old` was found 0 times.", hint=hint)


def _too_often(text: str, starts: list[int], what: str) -> ToolFailed:
    numbers = [str(text.count("\n", 0, start) + 1) for start in starts[:MOST_NAMED]]
    more = ", …" if len(starts) > MOST_NAMED else ""
    return ToolFailed(
        f"{what}: `old` was found {len(starts)} times, in lines {', '.join(numbers)}{more}.",
        hint="Give more of the text around it, or set `all`.",
    )
