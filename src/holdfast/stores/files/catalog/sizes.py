"""How much a session takes on the disk, without looking at every attachment each time.

Attachments are counted when an entry first names them, and their names are kept so that none
is counted twice. The other files are few, and are looked at.
"""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from holdfast.ids import BlobId
from holdfast.stores.files import disk
from holdfast.stores.files.blob_files import BLOBS, references

NOT_COUNTED = -1
"""The attachments of a session that an earlier version of the catalog has read."""


def create(db: sqlite3.Connection) -> None:
    """Create the table of attachments."""
    db.execute(
        "create table attachments (session integer not null, name blob not null, primary key (session, name))"
        " without rowid"
    )


def counted(db: sqlite3.Connection, session: int, folder: Path, lines: Iterable[bytes]) -> int:
    """The bytes of the attachments that some lines are the first to name."""
    names = {name for line in lines for name in references(line)}
    return sum(_size(folder, name) for name in sorted(names) if _is_new(db, session, name))


def counted_all(db: sqlite3.Connection, session: int, folder: Path) -> int:
    """The bytes of all attachments that are there."""
    with suppress(FileNotFoundError, NotADirectoryError):
        names = [name for name in os.listdir(folder / BLOBS) if not name.startswith(".")]
        return sum(_size(folder, BlobId(name)) for name in names if _is_new(db, session, BlobId(name)))
    return 0


def size_beside(folder: Path) -> int:
    """The bytes of all files of a session but its attachments."""
    return disk.size_below(folder, without=BLOBS)


def remove(db: sqlite3.Connection, session: int) -> None:
    """Forget the attachments of a session."""
    db.execute("delete from attachments where session = ?", (session,))


def _is_new(db: sqlite3.Connection, session: int, name: BlobId) -> bool:
    added = db.execute("insert or ignore into attachments values (?, ?)", (session, os.fsencode(name)))
    return added.rowcount > 0


def _size(folder: Path, name: BlobId) -> int:
    with suppress(OSError):  # not there, or not readable: `verify` tells
        return os.stat(folder / BLOBS / name).st_size
    return 0
