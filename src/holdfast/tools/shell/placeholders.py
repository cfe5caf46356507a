"""Empty folders and files that stand where nothing is, while commands run that must not make something there.

A sandbox can only cover what exists. Before a command runs, what is missing is made, and noted in a file of ours
that is locked as long as the command runs; when the last command that needs it has ended, it is removed if it is
still empty. What a killed process left behind is found by its note, which nobody holds any more.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from uuid import uuid4

import msgspec

from holdfast.errors import ToolFailed
from holdfast.tools.shell.sandbox_view import PlaceholderPath

_LOCK, _LINKED = "lock", "linked"
_NOT_NEEDED = frozenset(
    (errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
)
"""It is there, or cannot be made."""


class Placeholders:
    """Those of one user."""

    def __init__(self, notes: Path) -> None:
        """Keep notes in a folder, there or not."""
        self._folder = notes

    def sweep(self) -> None:
        """Remove what killed processes left."""
        if self._folder.is_dir():
            with suppress(OSError), self._alone():
                self._forget(self._dead())

    def hold(self, wanted: Sequence[PlaceholderPath]) -> Callable[[], None]:
        """Make what is missing, and give what is to be called when it is no longer needed."""
        try:
            with self._alone():
                self._forget(self._dead())
                others = self._noted()
                mine = [each for each in wanted if not each.stays]
                mine = [each for each in mine if str(each.path) in others or not _is_there(each.path)]
                note = self._folder / uuid4().hex
                held = os.open(note, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                fcntl.flock(held, fcntl.LOCK_EX)
                os.write(held, _written(str(each.path) for each in mine))
                os.fsync(held)  # after a power cut a note without its places is nothing; places without a note stay
                for each in wanted:
                    _make(each)
        except OSError as error:
            raise ToolFailed(
                f"The sandbox cannot be made ready: {error.strerror} ({error.filename}).",
                hint="Without it the command is not run. Check who owns that folder, and whether the disk is full.",
            ) from error
        return partial(self._release, note, held)

    def remembered(self) -> list[Path]:
        """Secrets that a link once led to; they stay hidden when a command has renamed the link."""
        with suppress(OSError):
            return [Path(each) for each in sorted(_paths(self._folder / _LINKED))]
        return []

    def remember(self, linked: Sequence[Path]) -> None:
        """Remember what links lead to."""
        known = set(self.remembered())
        if known.issuperset(linked):
            return
        with self._alone():
            there = (str(path) for path in known.union(linked) if _is_there(path))
            new = self._folder / f"{_LINKED}.new"
            new.write_bytes(_written(there))
            new.replace(self._folder / _LINKED)

    def _release(self, note: Path, held: int) -> None:
        with suppress(OSError), self._alone():
            os.close(held)
            self._forget([note])

    def _forget(self, notes: Iterable[Path]) -> None:
        """Remove the notes, and what only they name, from the bottom up."""
        done: set[str] = set()
        for note in notes:
            done |= _paths(note)
            note.unlink(missing_ok=True)
        for path in sorted(done - self._noted(), key=len, reverse=True):
            _remove(Path(path))

    def _notes(self) -> Iterator[Path]:
        return (path for path in self._folder.iterdir() if path.name.partition(".")[0] not in {_LOCK, _LINKED})

    def _noted(self) -> set[str]:
        return {path for note in self._notes() for path in _paths(note)}

    def _dead(self) -> list[Path]:
        """Notes that nobody holds."""
        found = []
        for note in self._notes():
            with open(note, "rb") as file, suppress(BlockingIOError):  # noqa: PTH123 - closing it gives the lock back
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                found.append(note)
        return found

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(self._folder / _LOCK, "ab") as file:  # noqa: PTH123 - closing it gives the lock back
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _paths(note: Path) -> set[str]:
    with suppress(msgspec.MsgspecError, UnicodeDecodeError):  # half a note names nothing that was made
        return {os.fsdecode(each) for each in msgspec.json.decode(note.read_bytes(), type=list[bytes])}
    return set()


def _written(paths: Iterable[str]) -> bytes:
    """Paths as JSON, in base64: they need not be text."""
    return msgspec.json.encode([os.fsencode(each) for each in sorted(paths)])


def _is_there(path: Path) -> bool:
    with suppress(OSError):
        path.lstat()
        return True
    return False


def _make(wanted: PlaceholderPath) -> None:
    """Make a place; where we may not, a command may not either."""
    try:
        if wanted.folder:
            wanted.path.mkdir(mode=0o700)
        else:
            os.close(os.open(wanted.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError as error:
        if error.errno not in _NOT_NEEDED:
            raise


def _remove(path: Path) -> None:
    with suppress(OSError):  # it is gone, or somebody has filled it
        found = path.lstat()
        if stat.S_ISDIR(found.st_mode):
            path.rmdir()
        elif stat.S_ISREG(found.st_mode) and not found.st_size:
            path.unlink()
