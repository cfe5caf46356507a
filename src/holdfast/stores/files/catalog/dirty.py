"""Dirty marks: which sessions the catalog must read again, one empty file each, made before the first append.

A mark is made when a writer opens a session, and taken away once the catalog has
caught up with a session that nobody holds. So after a crash the marks name what has
to be read, and an undisturbed store of any size is listed without looking at it.

Opening a session always changes the time of the folder of marks. While that time stays, a
session that this process holds changes only by what this process appends, which the catalog
is told. Sessions that others hold are compared by the size of their files.
"""

import fcntl
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from holdfast.stores.files import disk
from holdfast.stores.files.lease import LOCK
from holdfast.stores.files.segments import segment_numbers, segment_path

FOLDER = "dirty"
TICK_NS = 100_000_000
"""Times of files are told apart no better than this, so a younger time may stay the same over a change."""


class _Sign(NamedTuple):
    """What changes with every append to a session, and with every new segment."""

    changed: int
    segment: str
    size: int


class DirtyMarks:
    """The marks of one store."""

    def __init__(self, root: Path) -> None:
        """Use the folder of marks below `root`."""
        self._folder, self._sessions = root / FOLDER, root / "sessions"
        self._names: frozenset[str] = frozenset()
        self._read_at: int | None = None
        self._held: dict[str, int] = {}
        self._signs: dict[str, _Sign] = {}

    def set(self, name: str) -> None:
        """Mark a session."""
        disk.make_folder(self._folder)
        with suppress(disk.NoFileError):  # something has its name, and the name is all that counts
            os.close(disk.open_file(self._folder / name, os.O_CREAT | os.O_WRONLY))
        os.utime(self._folder)  # others see that it was opened, also where it was marked before

    def hold(self, name: str) -> None:
        """Mark a session whose lease this process has just taken."""
        with suppress(OSError):  # then it is looked at like one that another process holds
            self._held[name] = (self._sessions / name / LOCK).stat().st_ino
        self.set(name)

    def let_go(self, name: str) -> None:
        """This process has given the lease back."""
        self._held.pop(name, None)

    def all(self) -> list[str]:
        """Every marked session."""
        return os.listdir(self._folder) if self._folder.is_dir() else []

    def doubtful(self) -> frozenset[str]:
        """The marked sessions that others may have changed since they were last caught up with."""
        changed = _changed_at(self._folder)
        if changed is None or changed != self._read_at:
            self._names = frozenset(self.all())
            self._held = {name: lock for name, lock in self._held.copy().items() if self._is_held(name, lock)}
            self._read_at = changed if _is_settled(changed) else None
        return frozenset([name for name in self._names if name not in self._held and not self._is_same(name)])

    def _is_held(self, name: str, lock: int) -> bool:
        """Whether this process still holds a session: whoever takes it over puts another lock file in place."""
        try:
            return os.stat(f"{self._sessions}/{name}/{LOCK}").st_ino == lock
        except OSError:
            return False

    def _is_same(self, name: str) -> bool:
        sign = self._signs.get(name)
        return sign is not None and sign == _sign(f"{self._sessions}/{name}", sign.segment)

    def forget_looks(self) -> None:
        """The catalog was made anew: what was caught up with before does not count."""
        self._signs.clear()

    def settle(self, name: str, catch_up: Callable[[], bool]) -> bool:
        """Catch up with a session, and take its mark away if nobody can be writing to it meanwhile.

        `catch_up` tells whether what it did lasts: another process may have made the catalog anew just before.
        So does this method.
        """
        self._signs.pop(name, None)
        sign = _new_sign(self._sessions / name)
        lasts = catch_up()
        if name in self._held or not lasts:
            return lasts  # and where much is left to read, nobody is kept from opening it meanwhile
        lock = self._sessions / name / LOCK
        try:
            descriptor = disk.open_file(lock, os.O_RDONLY)
        except FileNotFoundError:
            # Deleted, in the trash, or a fork that nobody opened yet. Whoever opens it marks it again.
            (self._folder / name).unlink(missing_ok=True)
            lasts = catch_up()
            if not lasts or lock.exists():
                self.set(name)
            return lasts
        except OSError:
            return lasts  # not ours to read, or not readable, so nobody can tell what is going on there
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lasts = catch_up()
            if lasts:
                (self._folder / name).unlink(missing_ok=True)
        except BlockingIOError:
            if lasts and sign is not None:
                self._signs[name] = sign
        finally:
            os.close(descriptor)
        return lasts


def _changed_at(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _is_settled(changed: int | None) -> bool:
    """Whether a later change would show in a time; not where the clock was set back behind it."""
    return changed is not None and time.time_ns() - changed > TICK_NS


def _new_sign(folder: Path) -> _Sign | None:
    """How a session looks now; None if a change might not show."""
    if not _is_settled(_changed_at(folder)):
        return None
    with suppress(OSError):
        numbers = segment_numbers(folder)
        return _sign(f"{folder}", f"{segment_path(folder, numbers[-1])}") if numbers else None
    return None


def _sign(folder: str, segment: str) -> _Sign | None:
    try:
        return _Sign(os.stat(folder).st_mtime_ns, segment, os.stat(segment).st_size)
    except OSError:
        return None
