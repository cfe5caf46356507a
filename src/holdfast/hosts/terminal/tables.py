"""A table of Markdown in columns; where it has no room, each row as a list of its cells."""

import re
from collections.abc import Callable
from itertools import zip_longest

from holdfast.hosts.terminal.blocks import Table
from holdfast.hosts.terminal.spans import Span, cells, wrapped

NARROWEST = 8
"""Cells that a column has at least, unless it needs fewer."""
BETWEEN = "  "

_BARS = re.compile(r"(?<!\\)\|")

Inline = Callable[[str], list[Span]]
"""Makes spans of the text of a cell."""


def table_lines(table: Table, width: int, inline: Inline) -> list[list[Span]]:
    """The lines of a table."""
    head, *rows = [_cells(row) for row in table.rows]
    count = len(head)
    grid = [[inline(cell) for cell in (row + [""] * count)[:count]] for row in (head, *rows)]
    widths = _widths([[_width(cell) for cell in row] for row in grid], width - len(BETWEEN) * (count - 1))
    if widths is None:
        return _records(grid, width)
    right = [mark.strip().endswith(":") for mark in _cells(table.delimiters)]
    right = (right + [False] * count)[:count]
    strong = [[Span(span.text, (*span.roles, "strong")) for span in cell] for cell in grid[0]]
    rule = [Span(BETWEEN.join("─" * each for each in widths), ("mark",))]
    body = [line for row in grid[1:] for line in _row(row, widths, right)]
    return [*_row(strong, widths, right), rule, *body]


def _cells(row: str) -> list[str]:
    bare = row.strip().removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BARS.split(bare)]


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


def _row(row: list[list[Span]], widths: list[int], right: list[bool]) -> list[list[Span]]:
    columns = [wrapped(cell, each) for cell, each in zip(row, widths, strict=True)]
    lines = []
    for pieces in zip_longest(*columns, fillvalue=list[Span]()):
        line: list[Span] = []
        for index, piece in enumerate(pieces):
            space = Span(" " * max(0, widths[index] - _width(piece)))
            line += [Span(BETWEEN)] * bool(index)
            line += [space, *piece] if right[index] else [*piece, space]
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
