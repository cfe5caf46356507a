"""Catching up with the logs, in steps that a question can wait for.

What this process wrote comes first, then the sessions that are marked, then those that are pending.
Each step is kept in the database, so it does not matter where anyone stops. One process at a time
works on what is pending: it holds a lock on the folder of marks, which ends with the process.
"""

import fcntl
import os
import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from holdfast.errors import CatalogBusy
from holdfast.stores.files import disk
from holdfast.stores.files.catalog import backlog, index, schema
from holdfast.stores.files.catalog.database import BUSY, Database
from holdfast.stores.files.catalog.dirty import FOLDER, DirtyMarks
from holdfast.stores.files.catalog.follow_log import catching_up
from holdfast.stores.files.catalog.forget import VACUUM, forget_bytes, is_quick
from holdfast.stores.files.catalog.rows import load
from holdfast.stores.files.catalog.unchanged import unchanged

SOME = 200
"""How many pending sessions are looked at together."""
BUSY_SECONDS = 0.1
"""How long another process that writes is waited for, where an answer can do without."""
CLEANS_AFTER = 60.0
"""Seconds before the database is written anew once more, where another process that reads it was in the way."""
WAITS_FROM = 0.05
"""Seconds of work below which nobody stops for the time that passed: a busy machine would then get nothing done."""


class Patience:
    """How long to go on: so many seconds of work, or four times as many where the disk or the machine is slow."""

    def __init__(self, seconds: float) -> None:
        """Begin now."""
        self._seconds, self._began, self._worked = seconds, time.monotonic(), time.thread_time()

    @property
    def over(self) -> bool:
        """Whether it is time to stop."""
        worked = time.thread_time() - self._worked
        late = time.monotonic() - self._began > 4 * self._seconds
        return worked >= self._seconds or (late and worked > WAITS_FROM)


class Behind(msgspec.Struct, frozen=True, kw_only=True):
    """What the catalog has yet to do."""

    listed: int = 0
    """Sessions that may be missing from the list, or may have changed."""
    found: int = 0
    """Those whose words may be missing as well."""
    more: bool = False
    """Whether there is something left to do, in this process or in another one."""


class CatchUp:
    """The work of catching up with the logs of one store."""

    def __init__(self, root: Path, marks: DirtyMarks, database: Database) -> None:
        """Catch up with the logs below `root`."""
        self._root, self._sessions, self._marks, self._database = root, root / "sessions", marks, database
        self._lock, self._cleaned = -1, -CLEANS_AFTER
        self._wordless: set[str] = set()
        """Sessions of which the list has everything, and the search does not."""

    def settle(
        self, db: sqlite3.Connection, names: Collection[str], patience: Patience, *, words: bool = True
    ) -> set[str]:
        """Catch up with some sessions, and take their marks away; those that are left were not finished.

        Without `words`, those of a log that has grown by much are left for later.
        """
        left = set(names)
        for name in names:
            if patience.over:
                break
            if self._marks.settle(name, lambda name=name: self._follow(db, name, patience, words=words)):  # type: ignore[misc]
                left.discard(name)
        return left

    def settle_if_free(self, db: sqlite3.Connection, names: Collection[str], patience: Patience) -> set[str]:
        """The same, without waiting for a process that is writing."""
        left = set(names)
        with suppress_busy(db):
            for name in names:
                left -= {name} - self.settle(db, [name], patience)
        return left

    def _follow(self, db: sqlite3.Connection, name: str, patience: Patience, *, words: bool) -> bool:
        """Catch up with a session; tell whether that is done, in the database whose name is still its own."""
        self._wordless.discard(name)
        for _ in catching_up(db, self._sessions, name, rows_first=not words):
            if patience.over:
                return False
        row = None if words else load(db, name)
        if row is not None and row.indexed != row.cursor:
            self._wordless.add(name)
            return False
        return self._database.is_current

    def look(self, db: sqlite3.Connection, patience: Patience) -> list[str]:
        """Look at what is pending, as far as patience goes; tell which sessions are done."""
        done: list[str] = []
        with suppress_busy(db):
            for names in self._steps(db):
                done += names
                if patience.over:
                    break
            else:
                self._cleaned = time.monotonic()
                with suppress(CatalogBusy):  # the fact is kept, and whoever has time does it
                    forget_bytes(db)
        return done

    def _steps(self, db: sqlite3.Connection) -> Iterator[Collection[str]]:
        while backlog.give_times(db, self._sessions, SOME):
            yield ()
        while first := backlog.first(db, SOME):
            same = unchanged(db, self._sessions, list(first))
            if same:
                backlog.remove(db, same)
                yield same
            for name, words in first.items():
                if name not in same:
                    yield from self._read(db, name, rows_first=not words)
                    yield (name,)
        while schema.fact(db, backlog.UNSETTLED):
            if index.settle(db):
                schema.note(db, backlog.UNSETTLED, "")
            yield ()

    def _read(self, db: sqlite3.Connection, name: str, *, rows_first: bool) -> Iterator[Collection[str]]:
        for _ in catching_up(db, self._sessions, name, rows_first=rows_first):
            yield ()
        row = load(db, name)
        if row is not None and row.indexed != row.cursor:
            backlog.words_later(db, name)
        else:
            backlog.remove(db, [name])

    def behind(self, db: sqlite3.Connection, left: Collection[str]) -> Behind:
        """What has yet to be done, with the sessions that could not be finished."""
        found = backlog.count(db, words=True, among=left)
        unclean = schema.fact(db, VACUUM) and time.monotonic() - self._cleaned > CLEANS_AFTER
        more = bool(found or unclean or schema.fact(db, backlog.UNSETTLED))
        listed = backlog.count(db, words=False, among=set(left) - self._wordless) if found else 0
        return Behind(listed=listed, found=found, more=more)

    def clean(self, db: sqlite3.Connection) -> None:
        """Leave nothing of what was removed, unless that takes long and can be done later."""
        if schema.fact(db, VACUUM) and is_quick(db):
            with suppress_busy(db), suppress(CatalogBusy):
                forget_bytes(db)

    @property
    def has_turn(self) -> bool:
        """Whether this process is the one that looks at what is pending."""
        return self._lock >= 0

    def take_turn(self) -> bool:
        """Become the one process that looks at what is pending; False if it is another one."""
        if self._lock >= 0:
            return True
        disk.make_folder(self._root / FOLDER)
        self._lock = disk.open_file(self._root / FOLDER, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.give_turn()
            return False
        return True

    def give_turn(self) -> None:
        """Let another process do it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


@contextmanager
def suppress_busy(db: sqlite3.Connection) -> Iterator[None]:
    """Stop where another process is writing, instead of waiting for it."""
    db.execute(f"pragma busy_timeout = {int(min(BUSY_SECONDS, schema.BUSY_SECONDS) * 1000)}")
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in BUSY:
            raise
    finally:
        with suppress(sqlite3.ProgrammingError):
            db.execute(f"pragma busy_timeout = {int(schema.BUSY_SECONDS * 1000)}")
