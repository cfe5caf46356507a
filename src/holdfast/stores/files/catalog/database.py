"""The connection to the catalog's database: opened when it is needed, and made anew whenever it is not right.

It is used in one thread alone.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from holdfast.errors import CatalogBusy, ReadOnly
from holdfast.stores.files.catalog import backlog, schema

TRIES = 2
"""How often a question is asked again whose database is damaged, or made anew by another process."""
BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
UNWRITABLE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR})

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""Something to do with the database, in its thread."""


class Database:
    """The database of one store."""

    def __init__(self, root: Path, made: Callable[[], None]) -> None:
        """Use the database below `root`; `made` is called before another one than before is used."""
        self._root, self._made = root, made
        self._db: sqlite3.Connection | None = None
        self._file = -1

    @property
    def is_current(self) -> bool:
        """Whether the database that is open is still the one whose name leads to it."""
        return schema.number(self._root) == self._file

    def run(self, work: Work[T]) -> T:
        """Do some work, with another database if this one is damaged or was replaced."""
        for _ in range(TRIES):
            try:
                return work(self._connected())
            except sqlite3.DatabaseError as error:
                if not self.is_current:
                    self.close()  # another process made it anew under us
                    continue
                _refuse(error, self._root)
            # Damaged, or not ours: everything in it stands in the logs, so it is made anew.
            self._discard()
        try:
            return work(self._connected())
        except sqlite3.DatabaseError as error:
            raise _unwritable(error, self._root) from error

    def make_anew(self) -> None:
        """Throw the database away, and begin with an empty one."""
        self._discard()
        try:
            self._connect()
        except sqlite3.DatabaseError as error:
            raise _unwritable(error, self._root) from error

    def _connected(self) -> sqlite3.Connection:
        if self._db is not None and not self.is_current:
            self.close()  # another process made it anew
        if self._db is not None:
            return self._db
        db = self._connect()
        backlog.plan(db, self._root)
        return db

    def _connect(self) -> sqlite3.Connection:
        while True:
            self._file = schema.number(self._root)
            self._made()
            self._db = schema.connect(self._root)
            if self.is_current:
                return self._db
            self.close()  # made just now, by us or by another process

    def _discard(self) -> None:
        self.close()
        schema.discard(self._root)

    def close(self) -> None:
        """Let go of the files."""
        if self._db is not None:
            self._db.close()
            self._db = None


def _refuse(error: sqlite3.DatabaseError, root: Path) -> None:
    """Raise what a new database would not mend, in our words."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in BUSY:
        raise CatalogBusy(
            "Another process has been working on the catalog for too long.", hint="Try again in a moment."
        ) from error
    if code in UNWRITABLE:
        raise _unwritable(error, root) from error


def _unwritable(error: sqlite3.DatabaseError, root: Path) -> ReadOnly:
    return ReadOnly(
        f"The catalog in {root} cannot be written: {error}.",
        hint="Check the space and the permissions there. The conversations themselves are safe.",
    )
