"""Leaving nothing of what was removed in the files of the database.

Removing words for good needs the whole database to be written anew, because SQLite
leaves copies of moved rows in its pages.
"""

import sqlite3

from holdfast.errors import CatalogBusy
from holdfast.stores.files.catalog import schema

VACUUM = "vacuum"
"""The fact that rows were dropped since the database was last written anew."""
QUICK_BYTES = 8_000_000
"""A database of this size is written anew in a moment."""


def is_quick(db: sqlite3.Connection) -> bool:
    """Whether a question can wait for it."""
    (pages,), (size,) = (db.execute(f"pragma {name}").fetchone() for name in ("page_count", "page_size"))
    return bool(pages * size <= QUICK_BYTES)


def forget_bytes(db: sqlite3.Connection) -> None:
    """After rows were dropped: leave nothing of them in the database's files."""
    if not schema.fact(db, VACUUM):
        return
    db.execute("vacuum")
    schema.note(db, VACUUM, "")
    (busy, *_) = db.execute("pragma wal_checkpoint(truncate)").fetchone()
    if busy:
        schema.note(db, VACUUM, "needed")
        raise CatalogBusy(
            "The session is gone, but another process is reading the catalog, where words of it may be left.",
            hint="They are removed the next time the catalog is used; `holdfast sessions` does it now.",
        )
