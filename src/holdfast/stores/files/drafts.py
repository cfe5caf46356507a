"""The pieces of a reply while it streams, in a file of their own.

Same lines as the log's, so the same reader finds what a crash left. The finished
reply is committed to the log first and the draft dropped afterwards; each piece
names the position of its reply, so a draft that outlives it says nothing twice.
"""

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from holdfast.records.codec import encode_line
from holdfast.records.entries import Drafted
from holdfast.records.scan import parse
from holdfast.stores.files import disk

DRAFT = "draft.jsonl"


class DraftFile:
    """The draft of one session, for its one writer."""

    def __init__(self, folder: Path) -> None:
        """Open nothing until there is something to write."""
        self._path = folder / DRAFT
        self._descriptor = -1
        self._size = 0
        self.pieces = 0
        """How many were added to the file that is open."""

    def add(self, piece: Drafted, at: str) -> None:
        """Write one piece."""
        line = encode_line(self.pieces, at, piece) + b"\n"
        if self._descriptor < 0:
            self._descriptor = disk.open_file(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            self._size = os.fstat(self._descriptor).st_size
            if self._size and os.pread(self._descriptor, 1, self._size - 1) != b"\n":
                line = b"\n" + line  # a crash tore the last piece
        disk.append(self._descriptor, line, self._size)
        self._size += len(line)
        self.pieces += 1

    def drop(self) -> None:
        """Forget every piece."""
        self.close()
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the file as it is."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self._size = self.pieces = 0


class DraftReader:
    """The draft of one session, for one who watches: each piece once, and of the file only what is new."""

    def __init__(self, folder: Path) -> None:
        """Open nothing until there is something to read."""
        self._path = folder / DRAFT
        self._descriptor = -1
        self._read = 0

    def fresh(self) -> tuple[Drafted, ...]:
        """The pieces that were added since the last look, to this draft and to the next one."""
        if self._is_there():
            return self._rest()
        found = self._rest()
        self.close()
        with suppress(FileNotFoundError):
            self._descriptor = disk.open_file(self._path, os.O_RDONLY)
            self._read = 0
        return found + self._rest()

    def close(self) -> None:
        """Look no more."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        """Use it for a block of code."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _is_there(self) -> bool:
        """Whether the draft that is open is still the one; while it is open, no other file can have its number."""
        try:
            return self._descriptor >= 0 and os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def _rest(self) -> tuple[Drafted, ...]:
        """What was added; a line that has no end yet waits for it."""
        if self._descriptor < 0:
            return ()
        size = os.fstat(self._descriptor).st_size
        data = os.pread(self._descriptor, max(0, size - self._read), self._read)
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        return _pieces(whole)


def read_drafts(folder: Path) -> tuple[Drafted, ...]:
    """The pieces that are there, oldest first; what a crash tore is left out."""
    try:
        return _pieces(disk.read_file(folder / DRAFT))
    except FileNotFoundError:
        return ()


def _pieces(data: bytes) -> tuple[Drafted, ...]:
    return tuple(record.entry for record in parse(data).records if isinstance(record.entry, Drafted))
