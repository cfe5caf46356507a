"""The catalog in memory, where its database cannot be written: on a full disk, or in a place that is only to be read.

It begins as a copy of what is on the disk, or empty if that cannot be read, and is brought
up to the logs. Marks stay where they are: the database on the disk has yet to catch up.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from holdfast.stores.files.catalog import schema
from holdfast.stores.files.catalog.rescan import boot, oldest_first
from holdfast.stores.files.catalog.rows import catch_up


@contextmanager
def in_memory(root: Path, marked: Iterable[str]) -> Iterator[sqlite3.Connection]:
    """A catalog of the store that leaves nothing behind."""
    with closing(_begun(root)) as db:
        sessions = root / "sessions"
        here = set(os.listdir(sessions))
        kept = {str(folder) for (folder,) in db.execute("select folder from sessions")}
        # A restart of the machine may have lost marks.
        same_boot = schema.fact(db, "marked").startswith(f"{boot()} ")
        names = (here ^ kept).union(marked) if same_boot else here | kept
        for name in oldest_first(sessions, names):
            catch_up(db, sessions, name)
        yield db


def _begun(root: Path) -> sqlite3.Connection:
    with suppress(sqlite3.DatabaseError):
        schema.refuse_others(root)
        return _prepared(root / schema.FILE)
    return _prepared(None)


def _prepared(kept: Path | None) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        if kept is not None:
            _copy(kept, db)
        schema.prepare(db)
    except BaseException:
        db.close()
        raise
    return db


def _copy(kept: Path, db: sqlite3.Connection) -> None:
    # Beside its write-ahead log a database may not be read alone, and to read both SQLite needs a third file.
    log = kept.with_name(f"{kept.name}-wal")
    alone = "" if log.exists() and log.stat().st_size else "&immutable=1"
    with closing(sqlite3.connect(f"{kept.as_uri()}?mode=ro{alone}", uri=True)) as source:
        source.backup(db)
