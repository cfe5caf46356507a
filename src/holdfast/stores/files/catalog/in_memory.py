"""The catalog in memory, where its database cannot be written: on a full disk or a read-only file system.

It begins as a copy of what is on the disk, or empty if that cannot be read, and is brought
up to the logs. Marks stay where they are: the database on the disk has yet to catch up.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from holdfast.stores.files.catalog import backlog, schema
from holdfast.stores.files.catalog.follow_log import catch_up
from holdfast.stores.files.catalog.unchanged import unchanged

SOME = 200
"""How many sessions are looked at together."""


@contextmanager
def in_memory(root: Path, marked: Iterable[str]) -> Iterator[sqlite3.Connection]:
    """A catalog of the store that leaves nothing behind."""
    with closing(_begun(root)) as db:
        sessions = root / "sessions"
        if schema.fact(db, "marked").startswith(f"{backlog.boot()} "):  # a restart of the machine may have lost marks
            schema.note(db, "marked", backlog.boot_and_file(root))
        backlog.plan(db, root)
        while backlog.give_times(db, sessions, SOME):
            pass
        while names := backlog.first(db, SOME):
            same = unchanged(db, sessions, list(names))
            for name in [each for each in names if each not in same]:
                catch_up(db, sessions, name)
            backlog.remove(db, names)
        for name in marked:
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
