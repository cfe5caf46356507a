"""Which sessions the catalog must look at: one empty file each, made before the first append.

A mark is made when a writer opens a session, and taken away once the catalog has
caught up with a session that nobody holds. So after a crash the marks name what has
to be read, and an undisturbed store of any size is listed without looking at it.
"""

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from holdfast.stores.files import disk
from holdfast.stores.files.lease import LOCK

FOLDER = "dirty"


class Marks:
    """The marks of one store."""

    def __init__(self, root: Path) -> None:
        """Use the folder of marks below `root`."""
        self._folder, self._sessions = root / FOLDER, root / "sessions"

    def set(self, name: str) -> None:
        """Mark a session."""
        disk.make_folder(self._folder)
        with suppress(disk.NoFileError):  # something has its name, and the name is all that counts
            os.close(disk.open_file(self._folder / name, os.O_CREAT | os.O_WRONLY))

    def all(self) -> list[str]:
        """Every marked session."""
        return os.listdir(self._folder) if self._folder.is_dir() else []

    def settle(self, name: str, catch_up: Callable[[], bool]) -> None:
        """Catch up with a session, and take its mark away if nobody can be writing to it meanwhile.

        `catch_up` tells whether what it did lasts: another process may have made the catalog anew just before.
        """
        catch_up()
        lock = self._sessions / name / LOCK
        try:
            descriptor = disk.open_file(lock, os.O_RDONLY)
        except FileNotFoundError:
            # Deleted, in the trash, or a fork that nobody opened yet. Whoever opens it marks it again.
            (self._folder / name).unlink(missing_ok=True)
            if not catch_up() or lock.exists():
                self.set(name)
            return
        except OSError:
            return  # not ours to read, or not readable, so nobody can tell what is going on there
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if catch_up():
                (self._folder / name).unlink(missing_ok=True)
        except BlockingIOError:
            return
        finally:
            os.close(descriptor)
