"""Answers as plain text of a certain width: for the log, and for hosts that draw nothing better."""

from collections.abc import Iterable
from typing import assert_never

from holdfast.commands.answers import (
    Bar,
    Choose,
    Cleared,
    CommandAnswer,
    Confirm,
    Copied,
    Data,
    DocumentFile,
    Facts,
    Moved,
    Note,
    PickBranch,
    PickSession,
    PlainLines,
    Plot,
    Prose,
    Quit,
    SwitchTo,
    Table,
    Themed,
    Transcript,
    Typed,
)
from holdfast.commands.text.width import clip, flat, pad, width, wrap
from holdfast.records.printable import printable

NARROW = 60
"""Below this many columns the rows of a table stand one below the other."""
WIDEST = 32
"""The most that a column takes which is not the last."""
_HEIGHTS = "▁▂▃▄▅▆▇█"
_SIGNS = "█▓▒░▚▞▤▥"
_FREE = "·"


def text_of(answers: Iterable[CommandAnswer], columns: int) -> str:
    """What is shown of answers, safe to print; nothing of those that are only done."""
    return "\n\n".join(text for each in answers if (text := "\n".join(lines_of(each, columns)).strip("\n")))


def lines_of(answer: CommandAnswer, columns: int) -> list[str]:
    """The lines of one answer, none wider than `columns`, but for those that stay as they are."""
    match answer:
        case Prose() | Note() | Moved() | Confirm():
            return list(wrap(printable(_words(answer)), columns))
        case PlainLines():
            return [printable(line) for line in answer.lines]
        case Facts():
            return _facts(answer, columns)
        case Table():
            return _table(answer, columns)
        case Bar():
            return _bar(answer, columns)
        case Plot():
            return _plot(answer, columns)
        case Choose():
            lines = [*answer.question.split("\n"), *(f"{each.then}: {each.text}" for each in answer.choices)]
            return [part for line in lines for part in wrap(printable(line), columns)]
        case PickBranch():
            return [clip(line, columns) for line in printable(answer.drawing).split("\n")]
        case _:
            return _nothing(answer)


def _words(answer: Prose | Note | Moved | Confirm) -> str:
    match answer:
        case Prose():
            return answer.markdown
        case Note():
            return answer.text
        case Moved():
            return answer.said
        case Confirm():
            return answer.question
        case _:
            assert_never(answer)


def _nothing(
    answer: DocumentFile | Transcript | Data | SwitchTo | PickSession | Typed | Copied | Cleared | Themed | Quit,
) -> list[str]:
    """Nothing is shown of what is only done, or read by the host itself."""
    del answer
    return []


def _facts(facts: Facts, columns: int) -> list[str]:
    longest = max((width(each.name) for each in facts.facts), default=0)
    lines = [*wrap(flat(facts.title), columns)] if facts.title else []
    for each in facts.facts:
        first, *rest = wrap(flat(each.value), max(8, columns - longest - 2))
        lines.append(f"{pad(each.name, longest)}  {first}".rstrip())
        lines += [f"{' ' * longest}  {line}" for line in rest]
    return lines


def _table(table: Table, columns: int) -> list[str]:
    lines = [*wrap(flat(table.title), columns)] if table.title else []
    rows = [tuple(flat(cell) for cell in row) for row in table.rows]
    if rows:
        lines += _stacked(table, rows, columns) if columns < NARROW else _aligned(table, rows, columns)
    if table.note:
        lines += ["", *wrap(flat(table.note), columns)]
    return lines


def _aligned(table: Table, rows: list[tuple[str, ...]], columns: int) -> list[str]:
    heads = tuple(each.name for each in table.columns)
    widths = [min(WIDEST, max(width(row[index]) for row in (heads, *rows))) for index in range(len(table.columns) - 1)]
    indent = sum(widths) + 2 * len(widths)
    lines = []
    for row in (heads, *rows) if any(heads) else rows:
        cells = [
            pad(clip(cell, wide), wide, right=column.right)
            for cell, wide, column in zip(row, widths, table.columns, strict=False)
        ]
        last, *rest = wrap(row[-1], max(12, columns - indent))
        lines.append("  ".join([*cells, last]).rstrip())
        lines += [" " * indent + line for line in rest]
    return lines


def _stacked(table: Table, rows: list[tuple[str, ...]], columns: int) -> list[str]:
    """Each row as lines of its own: the first cells together, the last below them."""
    lines: list[str] = []
    for row in rows:
        named = [
            f"{column.name.lower()} {cell}" if column.right and column.name else cell
            for cell, column in zip(row[:-1], table.columns, strict=False)
            if cell
        ]
        lines += _filled(named, columns)
        lines += [f"  {line}" for line in wrap(row[-1], columns - 2) if line]
    return lines


def _filled(cells: Iterable[str], columns: int) -> list[str]:
    """Cells beside each other as long as there is room; none is broken that fits into a line."""
    lines: list[str] = []
    for cell in cells:
        if lines and width(lines[-1]) + 2 + width(cell) <= columns:
            lines[-1] += f"  {cell}"
        else:
            lines += wrap(cell, columns)
    return lines


def _bar(bar: Bar, columns: int) -> list[str]:
    total, room = sum(each.amount for each in bar.pieces), min(columns, 64)
    signs = iter(_SIGNS * (1 + len(bar.pieces) // len(_SIGNS)))
    signed = [(each, _FREE if each.free else next(signs)) for each in bar.pieces if each.amount]
    # Each piece ends where the summarize to it ends, so that rounding adds up; what is there is seen.
    drawn, reached = "", 0
    for each, sign in signed:
        reached += each.amount
        end = round(reached / max(1, total) * room)
        drawn += sign * max(end - len(drawn), 0 if each.free else 1)
    longest = max((width(each.name) for each, _ in signed), default=0)
    lines = [*wrap(flat(bar.title), columns), drawn[:room]]
    for each, sign in signed:
        share = each.amount * 100 / max(1, total)
        percent = f"{share:.0f} %" if share >= 1 else "< 1 %"
        lines.append(f"{sign} {pad(each.name, longest)}  {each.amount:>9,}  {percent:>5}")
    if bar.note:
        lines += ["", *wrap(flat(bar.note), columns)]
    return lines


def _plot(plot: Plot, columns: int) -> list[str]:
    points = plot.points[-max(1, columns - 2) :]
    most = max((each.amount for each in points), default=0)
    drawn = "".join(
        _HEIGHTS[-(-each.amount * (len(_HEIGHTS) - 1) // most)] if each.amount else _FREE for each in points
    )
    lines = [*wrap(flat(f"{plot.title} (the highest: {most:,} {plot.unit})"), columns), f"  {drawn}"]
    ends = points[0].label, points[-1].label
    if len(points) > sum(map(len, ends)):
        lines.append(f"  {ends[0]}{ends[1]:>{len(points) - len(ends[0])}}")
    return lines
