"""Reads one log without holding the event loop.

Most steps take less time than a thread takes to wake up, so they are taken in the event loop. A step that may read
a long line is taken in a thread, and what such a line says is decoded there.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from holdfast.errors import BeyondEnd, NoSession
from holdfast.ids import Position, SessionKey
from holdfast.records.codec import Record
from holdfast.stores.files import disk
from holdfast.stores.files.blocks import BLOCK, LONG
from holdfast.stores.files.segments import (
    Cursor,
    ReadBlock,
    advance,
    cursor_at,
    opened,
    read_backward,
    read_forward,
    segment_numbers,
    segment_path,
)

LOOK_SECONDS = 0.05
"""How often a follower looks for what other processes wrote."""

T = TypeVar("T")


class InThread(Protocol):
    """Runs something in a thread."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """Do the work and give what comes of it."""
        ...


def existing(folder: Path, key: SessionKey) -> Path:
    """The folder of a log. Raises `NoSession` if there is none."""
    with disk.in_our_words(folder):
        if not segment_numbers(folder):
            raise NoSession(key)
    return folder


@contextmanager
def reading(folder: Path, key: SessionKey) -> Iterator[None]:
    """Say so if the session is removed under the one who reads it."""
    with disk.in_our_words(folder):
        try:
            yield
        except FileNotFoundError:
            existing(folder, key)
            raise


def check_same(folder: Path, key: SessionKey, place: int) -> None:
    """Make sure that a session is still the one whose folder was opened."""
    if not os.path.samestat(os.fstat(place), existing(folder, key).stat()):
        raise NoSession(key, replaced=True)


class LogReader:
    """Reads one log."""

    def __init__(self, folder: Path, key: SessionKey, in_thread: InThread) -> None:
        """Read the log in a folder, which has one. Raises `NoSession` if it has none."""
        self._folder, self._key, self._in_thread = existing(folder, key), key, in_thread

    def forward(self, start: Position, stop: Position | None) -> "Steps":
        """Records from a position on, oldest first."""
        return self._steps(read_forward(self._folder, start, stop))

    def backward(self, before: Position | None) -> "Steps":
        """Records before a position, newest first."""
        return self._steps(read_backward(self._folder, before))

    def _steps(self, handfuls: Iterator[list[Record]]) -> "Steps":
        return Steps(handfuls, self._in_thread, is_long=self._is_much_unread(Cursor()))

    async def follow(self, after: Position, event: asyncio.Event) -> AsyncGenerator[list[Record], None]:
        """Records after a position, then each new one; the event says that something was appended in this process."""
        # While it is open, no other folder can have its number.
        with opened(self._folder) as place:
            cursor = await self._in_thread(lambda: self._cursor(after))
            while True:
                event.clear()
                blocks, is_long = advance(self._folder, cursor), self._is_much_unread(cursor)
                while True:
                    found = await self._in_thread(partial(_next_block, blocks)) if is_long else next(blocks, None)
                    check_same(self._folder, self._key, place)
                    if found is None:
                        break
                    yield found.records
                    cursor = found.cursor
                with suppress(TimeoutError):
                    await asyncio.wait_for(event.wait(), LOOK_SECONDS)

    def _cursor(self, after: Position) -> Cursor:
        newest = next(filter(None, read_backward(self._folder, None)), [])
        if newest and after > newest[0].pos:
            raise BeyondEnd(after, newest[0].pos)
        return cursor_at(self._folder, Position(after + 1))

    def _is_much_unread(self, cursor: Cursor) -> bool:
        """Whether a first step may come upon long lines: it looks at the first line of each segment, and halves."""
        numbers = segment_numbers(self._folder)
        if len(numbers) != 1:
            return True
        read = cursor.offset if cursor.segment == numbers[0] else 0
        return segment_path(self._folder, numbers[0]).lstat().st_size - read > LONG


class Steps:
    """Takes the steps of reading, one after the other."""

    def __init__(self, handfuls: Iterator[list[Record]], in_thread: InThread, *, is_long: bool) -> None:
        """Take the first one in a thread if it is long. An empty handful announces that the next one is."""
        self._handfuls, self._in_thread, self._is_long = handfuls, in_thread, is_long

    async def next(self) -> list[Record]:
        """The next handful; empty at the end."""
        while True:
            step = partial(_next, self._handfuls)
            found = await self._in_thread(step) if self._is_long else next(self._handfuls, None)
            self._is_long = found == []
            if found or found is None:
                return found or []


def _next(handfuls: Iterator[list[Record]]) -> list[Record] | None:
    """The next handful, with what its long lines say."""
    records = next(handfuls, None)
    _decode(records or [])
    return records


def _next_block(blocks: Iterator[ReadBlock]) -> ReadBlock | None:
    found = next(blocks, None)
    _decode(found.records if found is not None else [])
    return found


def _decode(records: list[Record]) -> None:
    for record in records:
        if len(record.raw) > BLOCK:
            _ = record.entry  # kept in the record from here on
