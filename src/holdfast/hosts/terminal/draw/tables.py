"""A table of Markdown in columns; where it has no room, each row as a list of its cells."""

import re
from collections.abc import Callable
from itertools import zip_longest

from holdfast.commands.text.blocks import TableBlock
from holdfast.commands.text.width import width as cells
from holdfast.hosts.terminal.draw.spans import Span, wrapped

LEFT, MIDDLE, RIGHT = 0.0, 0.5, 1.0
NARROWEST = 8
"""Cells that a column has at least, unless it needs fewer."""
BETWEEN = "  "

_BARS = re.compile(r"(?<!\\)\|")

Inline = Callable[[str], list[Span]]
"""Makes spans of the text of a cell."""


def table_lines(table: TableBlock, width: int, inline: Inline) -> list[list[Span]]:
    """The lines of a table."""
    head = _cells(table.rows[0])
    count = len(head)
    rows = [_cells(row, count) for row in table.rows[1:]]
    grid = [[inline(cell) for cell in row + [""] * (count - len(row))] for row in (head, *rows)]
    widths = _widths([[_width(cell) for cell in row] for row in grid], width - len(BETWEEN) * (count - 1))
    if widths is None:
        return _records(grid, width)
    sides = ([_side(mark) for mark in _cells(table.delimiters)] + [LEFT] * count)[:count]
    strong = [[Span(span.text, (*span.roles, "strong")) for span in cell] for cell in grid[0]]
    rule = [Span(BETWEEN.join("─" * each for each in widths), ("mark",))]
    body = [line for row in grid[1:] for line in _row(row, widths, sides)]
    return [*_row(strong, widths, sides), rule, *body]


def _side(mark: str) -> float:
    """How much of the free space of a column stands before its cells."""
    if not mark.endswith(":"):
        return LEFT
    return MIDDLE if mark.startswith(":") else RIGHT


def _cells(row: str, most: int = 0) -> list[str]:
    """The cells of a row. Where it has more than the head, the last one holds the rest, so that no word is lost."""
    bare = row.strip().removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    found = _BARS.split(bare)
    while len(found) > most > 0 and not found[-1].strip():
        found.pop()
    if len(found) > most > 0:
        found[most - 1 :] = ["|".join(found[most - 1 :])]
    return [cell.strip().replace("\\|", "|") for cell in found]


def _width(cell: list[Span]) -> int:
    return sum(cells(span.text) for span in cell)


def _widths(grid: list[list[int]], room: int) -> list[int] | None:
    """How wide each column is; None if they do not fit side by side."""
    wanted = [max(1, *column) for column in zip(*grid, strict=True)]
    least = [min(each, NARROWEST) for each in wanted]
    if sum(least) > room:
        return None
    given, left = least, room - sum(least)
    while left > 0 and given != wanted:
        hungry = [index for index, each in enumerate(given) if each < wanted[index]]
        share = max(1, left // len(hungry))
        for index in hungry:
            more = min(share, wanted[index] - given[index], left)
            given[index] += more
            left -= more
    return given


def _row(row: list[list[Span]], widths: list[int], sides: list[float]) -> list[list[Span]]:
    columns = [wrapped(cell, each) for cell, each in zip(row, widths, strict=True)]
    lines = []
    for pieces in zip_longest(*columns, fillvalue=list[Span]()):
        line: list[Span] = []
        for index, piece in enumerate(pieces):
            space = max(0, widths[index] - _width(piece))
            before = int(space * sides[index])
            line += [Span(BETWEEN)] * bool(index)
            line += [Span(" " * before), *piece, Span(" " * (space - before))]
        lines.append(line)
    return lines


def _records(grid: list[list[list[Span]]], width: int) -> list[list[Span]]:
    head, *rows = grid
    lines: list[list[Span]] = []
    for number, row in enumerate(rows or [head]):
        lines += [[]] if number else []
        for name, cell in zip(head, row, strict=True):
            label = [Span(span.text, (*span.roles, "dim")) for span in name]
            lines += wrapped([*label, Span(": ", ("dim",)), *cell] if rows and label else cell, width)
    return lines
