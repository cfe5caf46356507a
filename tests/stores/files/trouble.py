"""Trouble that a file store must bear: calls of the system that fail, and segments written by hand."""

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, ParamSpec, TypeVar

from holdfast.ids import Position
from holdfast.records.codec import encode_line, stamp
from holdfast.records.entries import Entry
from holdfast.stores.files.segments import segment_path
from tests.contracts.talk import said

P = ParamSpec("P")
R = TypeVar("R")


class Refusing(Generic[P, R]):
    """A call of the system that fails some times, counted from its next use, and then works again."""

    def __init__(self, call: Callable[P, R], number: int, times: int = 1) -> None:
        self._call, self._number = call, number
        self.times = times

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self.times:
            self.times -= 1
            raise OSError(self._number, os.strerror(self._number))
        return self._call(*args, **kwargs)


class Counting(Generic[P, R]):
    """A call of the system that remembers what it gave."""

    def __init__(self, call: Callable[P, R]) -> None:
        self._call = call
        self.given: list[R] = []

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        answer = self._call(*args, **kwargs)
        self.given.append(answer)
        return answer


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """The kernel itself lets no file grow further: the write that crosses it is short, and the next one fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def no_more_files() -> Iterator[None]:
    """The kernel itself lets this process open nothing more."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open("/dev/null", os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def line(pos: int, text: str = "", *, entry: Entry | None = None) -> bytes:
    """A whole line of a log."""
    return encode_line(pos, stamp(1_794_787_200_000_000_000), entry or said(text or f"word {pos}")) + b"\n"


def lines(*positions: int) -> bytes:
    """Whole lines for some positions."""
    return b"".join(line(pos) for pos in positions)


def write_segments(folder: Path, *segments: bytes) -> Path:
    """A session folder with these segments; gives the last one's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(segments, 1):
        segment_path(folder, number).write_bytes(data)
    return segment_path(folder, len(segments))


def place(number: int) -> Position:
    """A position."""
    return Position(number)
