"""Reading one segment block by block, from either end.

Nothing here holds more than a block and the longest line in memory. Where a line is long, an empty block comes
first: whoever reads in an event loop takes the next step in a thread.
"""

import os
from collections.abc import Iterator

import msgspec

from holdfast.records.scan import Scan, parse

BLOCK = 256 * 1024
"""How much is read at once."""
FIRST_BLOCK = 4 * 1024
"""How much is read first: who wants one record does not wait for a thousand."""
LONG = 1024 * 1024
"""It takes long to read and check a line above this size."""
_FIRST_LONG = 2 * LONG
"""The first length above it that is read: lengths are doubled."""


class Block(msgspec.Struct, frozen=True):
    """What one stretch of one segment holds; one that is empty announces that the next one takes long."""

    segment: int
    start: int
    end: int
    lines: Scan

    @property
    def is_pause(self) -> bool:
        """Whether it holds nothing, and the next one has a long line."""
        return self.start == self.end


def _pause(segment: int, at: int) -> Block:
    return Block(segment, at, at, Scan([], [], []))


def forward(
    descriptor: int, segment: int, offset: int, *, whole: bool = True, at_first: int = FIRST_BLOCK
) -> Iterator[Block]:
    """A segment from an offset on, block by block, beginning with one of about `at_first` bytes.

    `whole` reads to the very end of the file; otherwise a last line without its line
    feed, which its writer may still be writing, is left for later.
    """
    length = usual = at_first
    while data := os.pread(descriptor, length, offset):
        cut = data.rfind(b"\n") + 1
        if not cut and len(data) == length:
            length *= 2  # one line longer than a block
            if length == _FIRST_LONG:
                yield _pause(segment, offset)
            continue
        if len(data) < length and whole:
            cut = len(data)
        if not cut:
            return
        block = Block(segment, offset, offset + cut, parse(data[:cut], offset))
        del data  # where a thread read it, it is freed there: that takes long too
        yield block
        offset += cut
        length = usual = min(usual * 4, BLOCK)


def backward(descriptor: int, segment: int, end: int) -> Iterator[Block]:
    """A segment from an offset back to its start, block by block."""
    length = BLOCK // 4
    while end > 0:
        start = max(0, end - length)
        data = os.pread(descriptor, end - start, start)
        # What comes before the first line feed belongs to the block before this one. A
        # line feed in the very last byte ends the block's only line: look further back.
        cut = data.find(b"\n", 0, len(data) - 1) + 1 if start else 0
        if start and not cut:
            length *= 2
            if length == _FIRST_LONG:
                yield _pause(segment, end)
            continue
        block = Block(segment, start + cut, end, parse(data[cut:], start + cut))
        del data
        yield block
        end = start + cut
        length = min(length * 2, BLOCK)
