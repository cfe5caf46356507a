"""Reading a session's segments, from either end and from any position.

Readers never change anything. A record that stands in two segments counts in the
later one: a segment is only ever given up when what it holds from there on was
not acknowledged. Nothing here holds more than a block and the longest line in
memory, and a position is found by halving, so a long log costs as much as a short one.
"""

import math
import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from holdfast.ids import Position
from holdfast.records.codec import Record, verified
from holdfast.records.scan import Damage, place_of
from holdfast.stores.files.blocks import BLOCK, FIRST_BLOCK, backward, forward
from holdfast.stores.files.disk import open_file

_NAME = re.compile(r"(\d{6,})\.jsonl")


def segment_path(folder: Path, number: int) -> Path:
    """The file of one segment."""
    return folder / f"{number:06d}.jsonl"


def segment_numbers(folder: Path) -> list[int]:
    """The segments of a session, oldest first; none if there is no such folder."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(int(match[1]) for name in names if (match := _NAME.fullmatch(name)))


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """A descriptor to read a segment by."""
    descriptor = open_file(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def first_position(folder: Path, segment: int) -> Position | None:
    """The position of a segment's first good record."""
    with opened(segment_path(folder, segment)) as descriptor:
        begins = _line_at(descriptor, 0)
        if begins is not None and begins[1] is not None:
            return Position(begins[1])
        for block in forward(descriptor, segment, 0):
            if block.lines.records:
                return block.lines.records[0].pos
    return None


class Last(msgspec.Struct, frozen=True):
    """How far a segment goes: its highest position, and where its last good line begins and ends."""

    pos: Position = Position(-1)
    start: int = 0
    end: int = 0
    tidy: bool = True
    """Whether that line has that position; not where lines were copied within the file."""


def last_line(folder: Path, segment: int) -> Last:
    """How far a segment goes; position -1 if it has no good line."""
    with opened(segment_path(folder, segment)) as descriptor:
        for block in backward(descriptor, segment, os.fstat(descriptor).st_size):
            if block.lines.records:
                record, end = block.lines.records[-1], block.lines.ends[-1]
                ended = os.pread(descriptor, 1, end - 1) == b"\n"
                top = max(each.pos for each in block.lines.records)
                return Last(top, end - len(record.raw) - ended, end, tidy=top == record.pos)
    return Last()


def in_order(folder: Path) -> list[int]:
    """The segments of a session as they count: of two that hold a position, the one further back is right.

    It is the order of their numbers, except for a copy that someone made under a later
    number: it stands in front of what holds its positions or later ones, so that it neither hides
    what was said since nor ends the log.
    """
    return _arranged(folder, segment_numbers(folder))


def _arranged(folder: Path, numbers: list[int]) -> list[int]:
    if not numbers[1:]:
        return numbers
    placed: dict[int, Position] = {}
    copies: list[int] = []
    furthest = Position(-1)
    for number in numbers:
        first = first_position(folder, number)
        behind = first is not None and first <= furthest
        later = [each for each, begins in placed.items() if first is not None and first <= begins] if behind else []
        if any(_copied(folder, number, each, alike=first == placed[each]) for each in later):
            copies.append(number)
        else:
            placed[number] = Position(-1) if first is None else first
            furthest = max(furthest, placed[number])
    order = list(placed)
    for copy in reversed(_arranged(folder, copies)):
        first = first_position(folder, copy)
        order.insert(next(at for at, each in enumerate(order) if last_line(folder, each).pos >= (first or 0)), copy)
    return order


def _copied(folder: Path, segment: int, earlier: int, *, alike: bool) -> bool:
    """Whether a segment, which begins no later than an earlier one, says less than that.

    Where both begin `alike`, the next writer may have begun it by repeating one line, or all that
    was in doubt. It goes on otherwise then; a copy is the other's beginning, byte for byte.
    """
    ours, theirs = last_line(folder, segment), last_line(folder, earlier)
    if not alike or ours.pos >= theirs.pos:
        return ours.pos < theirs.pos
    return ours.start > 0 and _line(folder, segment, ours) == _line(folder, earlier, ours)


def _line(folder: Path, segment: int, place: Last) -> bytes:
    with opened(segment_path(folder, segment)) as descriptor:
        return os.pread(descriptor, place.end - place.start, place.start)


def offsets_of(descriptor: int, target: Position) -> tuple[int, int]:
    """Past the last whole line before a position, and at the first one from it on, or the file's end.

    Unless the log is damaged there, the two are the same. A damaged stretch between them may
    hold good records of either side, so reading forwards begins at the first offset, and
    reading backwards at the second.
    """
    low, answer = _around(descriptor, target)
    at = low
    while at < answer and (line := _line_at(descriptor, at)) is not None:
        end, position = line
        if position is not None and position >= target:
            return low, at
        at = end
        low = low if position is None else end
    return low, answer


def _around(descriptor: int, target: Position) -> tuple[int, int]:
    """The start of a line not far before a position, and that of one from it on, or the file's end."""
    low, high = 0, os.fstat(descriptor).st_size
    answer = high
    while high - low > FIRST_BLOCK:
        middle = (low + high) // 2
        found = _next_line(descriptor, middle, high)
        if found is None:
            high = middle
        elif found[1] < target:
            low = found[0]
        else:
            answer, high = found[0], middle
    return low, answer


def _next_line(descriptor: int, after: int, before: int) -> tuple[int, int] | None:
    """The first verified line that begins between two offsets, and its position."""
    at = _line_end(descriptor, after)
    while at is not None and at < before:
        found = _line_at(descriptor, at)
        if found is None:
            return None
        end, position = found
        if position is not None:
            return at, position
        at = end
    return None


def _line_at(descriptor: int, start: int) -> tuple[int, int | None] | None:
    """Where the line that begins here ends, and its position if it verifies; None at the end of the file."""
    end = _line_end(descriptor, start)
    if end is None:
        return None
    line = os.pread(descriptor, end - 1 - start, start)
    return end, place_of(line) if verified(line) else None


def _line_end(descriptor: int, start: int) -> int | None:
    """The offset past the next line feed, if there is one."""
    length = 4096
    while data := os.pread(descriptor, length, start):
        found = data.find(b"\n")
        if found >= 0:
            return start + found + 1
        start += len(data)
        length = min(length * 2, BLOCK)
    return None


class SegmentSpan(msgspec.Struct, frozen=True):
    """What of a segment counts."""

    number: int
    first: Position | None
    """The position of its first good record."""
    limit: Position | None
    """From here on a segment further back counts."""


def spans(folder: Path) -> list[SegmentSpan]:
    """What counts of each segment of a session, in order."""
    found: list[SegmentSpan] = []
    limit: Position | None = None
    for number in reversed(in_order(folder)):
        first = first_position(folder, number)
        found.append(SegmentSpan(number, first, limit))
        limit = _lower(first, limit)
    return found[::-1]


def _lower(one: Position | None, other: Position | None) -> Position | None:
    """The lower of two limits."""
    return min((each for each in (one, other) if each is not None), default=None)


def read_forward(folder: Path, start: Position, stop: Position | None) -> Iterator[list[Record]]:
    """Records of a session from a position on, in handfuls, superseded ones left out.

    An empty handful announces that the next one has a long line.
    """
    return read_spans(folder, spans(folder), start, stop)


def read_spans(
    folder: Path, among: list[SegmentSpan], start: Position, stop: Position | None
) -> Iterator[list[Record]]:
    """The same, where it is known what counts."""
    for span in among[bisect_right([_end(span) for span in among], start) :]:
        limit = _lower(span.limit, stop)
        with opened(segment_path(folder, span.number)) as descriptor:
            offset = _around(descriptor, start)[0] if start > (span.first or 0) else 0
            for block in forward(descriptor, span.number, offset):
                records = ordered(rising(block.lines.records), start, limit)
                if records:
                    start = Position(records[-1].pos + 1)
                if records or block.is_pause:
                    yield records
                if len(records) < len(block.lines.records) and limit is not None and start >= limit:
                    break
        if stop is not None and stop <= _end(span):
            return


def _end(span: SegmentSpan) -> float:
    """Up to where a segment counts."""
    return math.inf if span.limit is None else span.limit


def ordered(records: list[Record], start: Position, limit: Position | None) -> list[Record]:
    """Those from a position on and before a limit, each position once."""
    usual = records and records[0].pos >= start and records[-1].pos - records[0].pos == len(records) - 1
    if usual and (limit is None or records[-1].pos < limit):
        return records
    kept: list[Record] = []
    for record in records:
        if record.pos >= start and (limit is None or record.pos < limit):
            kept.append(record)
            start = Position(record.pos + 1)
    return kept


def rising(records: list[Record]) -> list[Record]:
    """Records by their positions, also where lines were copied within a file."""
    if not records or records[-1].pos - records[0].pos == len(records) - 1:
        return records
    return sorted(records, key=lambda record: record.pos)


def read_backward(folder: Path, before: Position | None) -> Iterator[list[Record]]:
    """Records of a session before a position, newest first, in handfuls, of which empty ones announce long lines."""
    for number in reversed(in_order(folder)):
        with opened(segment_path(folder, number)) as descriptor:
            end = os.fstat(descriptor).st_size if before is None else offsets_of(descriptor, before)[1]
            for block in backward(descriptor, number, end):
                records = ordered(rising(block.lines.records), Position(0), before)
                if records:
                    before = records[0].pos
                if records or block.is_pause:
                    yield records[::-1]


class Cursor(msgspec.Struct, frozen=True):
    """How far a session has been read: up to where, and which position comes next."""

    segment: int = 0
    offset: int = 0
    next: Position = Position(0)


def cursor_at(folder: Path, start: Position) -> Cursor:
    """A cursor in front of the first record at or after a position."""
    numbers = in_order(folder)
    for number in reversed(numbers):
        first = first_position(folder, number)
        if number == numbers[0] or (first is not None and first <= start):
            with opened(segment_path(folder, number)) as descriptor:
                return Cursor(number, offsets_of(descriptor, start)[0], start)
    return Cursor(next=start)


class ReadBlock(msgspec.Struct, frozen=True):
    """What one block held, and how far it has been read with it."""

    records: list[Record]
    damage: list[Damage]
    cursor: Cursor


def advance(folder: Path, cursor: Cursor, at_first: int = FIRST_BLOCK) -> Iterator[ReadBlock]:
    """What was written since a cursor, block by block.

    A cursor stands behind a good record, never behind damage: what ends a log may be a
    line still being written, or torn bytes that the next writer will cut away.
    """
    numbers = in_order(folder)
    if cursor.segment in numbers:
        numbers = numbers[numbers.index(cursor.segment) :]
    firsts = [first_position(folder, number) for number in numbers[1:]]
    for index, number in enumerate(numbers):
        last = index == len(numbers) - 1
        limit = min((first for first in firsts[index:] if first is not None), default=None)
        offset = cursor.offset if number == cursor.segment else 0
        with opened(segment_path(folder, number)) as descriptor:
            for block in forward(descriptor, number, offset, whole=not last, at_first=at_first):
                if not block.lines.records:
                    continue
                records = ordered(rising(block.lines.records), cursor.next, limit)
                end = block.lines.ends[-1]
                cursor = Cursor(number, end, Position(records[-1].pos + 1) if records else cursor.next)
                yield ReadBlock(records, [each for each in block.lines.damage if each.start < end], cursor)
