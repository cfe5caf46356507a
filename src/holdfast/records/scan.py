"""Scans the bytes of a segment for good records and the damage between them.

Lines are split on line feeds alone. A stretch that does not verify may still hold
whole records, for instance when the damaged byte was the line feed between two of
them; a quote inside a record's text is always escaped, so where a record begins
and ends can be found again exactly. Only what is left over counts as damaged.
"""

import re
from bisect import bisect_right

import msgspec

from holdfast.errors import BadLine
from holdfast.records.checksum import crc32
from holdfast.records.codec import START, SUFFIX_LENGTH, Record, all_verified, decode_line, decode_verified, verified

_STARTS = re.compile(re.escape(START))
_ENDS = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_PLACE = re.compile(rb'\{"v":\d{1,9},"pos":(\d{1,18}),')
NESTED = 4
"""Before how many following beginnings an ending is looked for: another program may write one inside a record."""


class PlacedRecord(msgspec.Struct, frozen=True, gc=False):
    """A record and the offsets of its bytes; `end` is past its line feed, if it has one."""

    record: Record
    start: int
    end: int


class Damage(msgspec.Struct, frozen=True, gc=False):
    """Bytes that are no record."""

    start: int
    end: int


class Scan(msgspec.Struct, frozen=True):
    """What a block of bytes holds, in order."""

    records: list[Record]
    ends: list[int]
    """Where each record ends, its line feed included."""
    damage: list[Damage]


def parse(block: bytes, base: int = 0) -> Scan:
    """Read a block that ends with a line feed, or with the end of its file; offsets count from `base`."""
    lines = block.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if all_verified(lines):
        try:
            records = decode_verified(block, lines)
        except BadLine:
            return _parse_slowly(lines, base)
        return Scan(records, _ends(lines, base, base + len(block)), [])
    return _parse_slowly(lines, base)


def _ends(lines: list[bytes], base: int, limit: int) -> list[int]:
    ends, at = [], base
    for line in lines:
        at += len(line) + 1
        ends.append(at)
    if ends and ends[-1] > limit:
        ends[-1] = limit  # the last line has no line feed
    return ends


def _parse_slowly(lines: list[bytes], base: int) -> Scan:
    found = Scan([], [], [])
    at = base
    for line in lines:
        if line:
            for piece in _pieces(line, at):
                if isinstance(piece, Damage):
                    found.damage.append(piece)
                else:
                    found.records.append(piece.record)
                    found.ends.append(piece.end + 1 if piece.end == at + len(line) else piece.end)
        at += len(line) + 1
    return found


def _pieces(line: bytes, base: int) -> list[PlacedRecord | Damage]:
    """Whole records inside one stretch between line feeds, and what lies between them."""
    pieces: list[PlacedRecord | Damage] = []
    done = 0
    for placed in _salvage(line):
        if placed.start > done:
            pieces.append(Damage(base + done, base + placed.start))
        pieces.append(PlacedRecord(placed.record, base + placed.start, base + placed.end))
        done = placed.end
    if done < len(line):
        pieces.append(Damage(base + done, base + len(line)))
    return pieces


def _salvage(line: bytes) -> list[PlacedRecord]:
    """Whole records inside a stretch, in time linear in its length.

    A record holds no beginning of another one, unless another program wrote it. So each beginning is tried with the
    endings before the next few beginnings, and its checksum goes on from one ending to the next.
    """
    found: list[PlacedRecord] = []
    starts = [match.start() for match in _STARTS.finditer(line)]
    ends = [match.end() for match in _ENDS.finditer(line)] if starts else []
    done = first = 0
    for index, start in enumerate(starts):
        if start < done:
            continue
        limit = starts[index + NESTED] if index + NESTED < len(starts) else len(line)
        first = bisect_right(ends, start, first)
        placed = _record_from(line, start, ends, first, limit)
        if placed is not None:
            found.append(placed)
            done = placed.end
    return found


def ends_with(ending: bytes, summed: int) -> bool:
    """Whether the ending of a line holds this checksum."""
    return ending == b',"crc":"%08x"}' % summed


def _record_from(line: bytes, start: int, ends: list[int], first: int, limit: int) -> PlacedRecord | None:
    """The record that begins here and ends at one of the endings up to a limit; None if there is none."""
    summed, at = 0, start
    for index in range(first, len(ends)):
        end = ends[index]
        body = end - SUFFIX_LENGTH
        if end > limit:
            break
        # A checksum that goes on from the last ending: however many there are, each byte is summed once.
        summed, at = crc32(memoryview(line)[at:body], summed), body
        if ends_with(line[body:end], summed):
            try:
                return PlacedRecord(decode_line(line[start:end]), start, end)
            except BadLine:
                return None
    return None


def lines_lost(stretch: bytes) -> int:
    """How many lines of a stretch look like whole entries and are damaged; they may have been acknowledged once.

    A line that is good was cut off by the next writer because one who was fenced wrote it meanwhile, for nobody.
    """
    return sum(line.startswith(START) and not verified(line) for line in stretch.split(b"\n")[:-1])


def place_of(line: bytes) -> int | None:
    """The position a line names, read without verifying it."""
    match = _PLACE.match(line)
    return int(match[1]) if match else None
