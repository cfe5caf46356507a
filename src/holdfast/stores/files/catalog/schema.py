"""The catalog's database: SQLite beside the sessions, made anew whenever it is not right.

Everything in it stands in the logs too. So a database that is missing, damaged or of
another version is thrown away, and nothing here ever asks a person to mend it.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from holdfast.stores.files import disk
from holdfast.stores.files.catalog import index, sizes

FILE = "catalog.db"
FILES = (FILE, f"{FILE}-wal", f"{FILE}-shm")
BUSY_SECONDS = 10.0
MADE, CHANGES, REMOVALS = "made", "changes", "removals"
"""Facts: which database this is, and how many rows were written and removed in it."""


def m001_sessions(db: sqlite3.Connection) -> None:
    """One row a session, with how far its log has been read."""
    db.execute("create table facts (name text primary key, value) without rowid")
    # Keys and titles are bytes, because SQLite's text cannot hold a lone surrogate.
    db.execute(
        "create table sessions (id integer primary key autoincrement, folder text not null unique, key blob not null,"
        " title blob not null, preview text not null, created integer not null, updated integer not null,"
        " entries integer not null, messages integer not null, turns integer not null, size integer not null,"
        " tags text not null, archived integer not null, damaged integer not null,"
        " birth text not null, segment integer not null, offset integer not null, next integer not null)"
    )
    db.execute("create index newest on sessions (updated desc, id desc)")


def m002_search(db: sqlite3.Connection) -> None:
    """What was said, by its words."""
    index.create(db)


def m003_workspaces(db: sqlite3.Connection) -> None:
    """Which folder a session is about."""
    db.execute("alter table sessions add column workspace text not null default ''")
    db.execute("create index newest_about on sessions (workspace, updated desc, id desc)")


def m004_any_workspace(db: sqlite3.Connection) -> None:
    """Bytes, like keys and titles, because it may hold a lone surrogate too."""
    db.execute("update sessions set workspace = cast(workspace as blob)")


def m005_attachments(db: sqlite3.Connection) -> None:
    """Which attachments are counted in the size of a session."""
    sizes.create(db)
    db.execute(f"alter table sessions add column attached integer not null default {sizes.NOT_COUNTED}")


def m006_owners(db: sqlite3.Connection) -> None:
    """Who a session belongs to, and whether its last message came from elsewhere."""
    db.execute("alter table sessions add column owner blob not null default x''")
    db.execute("alter table sessions add column elsewhere integer not null default 0")
    db.execute("create index newest_of on sessions (owner, updated desc, id desc)")


def m007_pending(db: sqlite3.Connection) -> None:
    """Which sessions have yet to be looked at, and how far the words of each are in the index."""
    db.execute(
        "create table pending (folder text primary key, written integer not null, words integer not null) without rowid"
    )
    db.execute("create index pending_order on pending (words, written, folder)")
    for name in ("indexed_segment", "indexed_offset", "indexed_next"):
        db.execute(f"alter table sessions add column {name} integer not null default 0")
    db.execute("alter table sessions add column proof text not null default ''")
    db.execute("update sessions set indexed_segment = segment, indexed_offset = offset, indexed_next = next")
    db.execute("insert into pending select folder, 0, 0 from sessions")  # each gets its proof before it is copied


def m008_wakes(db: sqlite3.Connection) -> None:
    """When a session is to be woken."""
    db.execute("alter table sessions add column wakes text not null default '[]'")
    db.execute("alter table sessions add column due integer")
    db.execute("create index soonest on sessions (due) where due is not null")


def m009_questions(db: sqlite3.Connection) -> None:
    """Who said each message, on which day, and whether it asks something; that is not in an older index."""
    if db.execute("select 1 from sqlite_master where name = 'search_runs'").fetchone():
        return
    # The list stays; the words of each session are read again, in the background where there are many.
    for table in ("search_words", "search_docs", "search_suffixes", "search_terms", "search_speakers"):
        db.execute(f"drop table if exists {table}")
    index.create(db)
    db.execute("update sessions set indexed_segment = 0, indexed_offset = 0, indexed_next = 0")
    db.execute("insert or replace into pending select folder, 0, 1 from sessions")


def m010_changes(db: sqlite3.Connection) -> None:
    """In which order rows changed, for those who follow the list. What was removed leaves a number and no name."""
    db.execute("alter table sessions add column changed integer not null default 0")
    db.execute("create index changes on sessions (changed)")
    db.executemany("insert into facts values (?, ?)", [(MADE, token_hex(8)), (CHANGES, 0), (REMOVALS, 0)])
    db.execute(
        "create trigger row_changed after insert on sessions begin"
        " update facts set value = value + 1 where name = 'changes';"
        " update sessions set changed = (select value from facts where name = 'changes') where id = new.id; end"
    )
    db.execute(
        "create trigger row_removed after delete on sessions begin"
        " update facts set value = value + 1 where name = 'removals'; end"
    )


def m011_memory(db: sqlite3.Connection) -> None:
    """What sessions say about memory, and the facts that it comes to. No log said anything of it before."""
    db.execute(
        "create table if not exists memory_entries (session integer not null, pos integer not null, line blob not null,"
        " primary key (session, pos)) without rowid"
    )
    db.execute(
        "create table if not exists memory_scopes (owner blob primary key, stale integer not null,"
        " log integer not null, rest blob not null) without rowid"
    )
    db.execute(
        "create table if not exists memory_facts (number integer primary key, owner blob not null, id text not null,"
        " rank integer not null, holds integer not null, fact blob not null)"
    )
    db.execute("create index if not exists memory_by_id on memory_facts (owner, id)")
    db.execute("create index if not exists memory_best on memory_facts (owner, holds, rank)")


def m012_speakers(db: sqlite3.Connection) -> None:
    """Who spoke in a session, and what it was forked or imported from."""
    # Rows of an earlier version do not say so, and everything else in them is right: each is filled with a rebuild.
    db.execute("alter table sessions add column speaker text not null default ''")
    db.execute("alter table sessions add column origin blob")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    m001_sessions,
    m002_search,
    m003_workspaces,
    m004_any_workspace,
    m005_attachments,
    m006_owners,
    m007_pending,
    m008_wakes,
    m009_questions,
    m010_changes,
    m011_memory,
    m012_speakers,
)
"""Add at the end; never edit, never reorder."""


def connect(root: Path) -> sqlite3.Connection:
    """The database of a store, with all its tables."""
    disk.make_folder(root)
    path = root / FILE
    refuse_others(root)
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        prepare(db)
    except BaseException:
        db.close()
        raise
    return db


def refuse_others(root: Path) -> None:
    """Raise `DatabaseError` where a link, a pipe or the like stands in place of a file of the database.

    Through a link SQLite would write into another file.
    """
    try:
        for name in FILES:
            disk.refuse_others(root / name)
    except disk.NoFileError as error:
        raise sqlite3.DatabaseError(str(error)) from error


def _tagged(tags: str, tag: str) -> bool:
    # SQLite's own reading of JSON ends at a NUL, and cannot be asked for a lone surrogate.
    return json.loads(tag) in json.loads(tags)


def prepare(db: sqlite3.Connection) -> None:
    """Bring a database to the newest version, and set what holds for a connection alone."""
    db.create_function("tagged", 2, _tagged, deterministic=True)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = normal")
    db.execute("pragma secure_delete = on")
    db.execute("pragma temp_store = memory")
    db.execute("pragma cache_size = -16000")
    (version,) = db.execute("pragma user_version").fetchone()
    if version == len(MIGRATIONS):
        return
    if version > len(MIGRATIONS):
        raise sqlite3.DatabaseError(f"made by a later version ({version})")
    db.execute("begin immediate")
    (version,) = db.execute("pragma user_version").fetchone()
    for migration in MIGRATIONS[version:]:
        migration(db)
    db.execute(f"pragma user_version = {len(MIGRATIONS)}")
    db.execute("commit")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of a block's changes, or none."""
    db.execute("begin immediate")
    try:
        yield
    except BaseException:
        db.execute("rollback")
        raise
    db.execute("commit")


def number(root: Path) -> int:
    """Which file the database is; -1 while there is none."""
    try:
        return (root / FILE).stat().st_ino
    except FileNotFoundError:
        return -1


def discard(root: Path) -> None:
    """Throw the database away."""
    for name in FILES:
        (root / name).unlink(missing_ok=True)


def fact(db: sqlite3.Connection, name: str) -> str:
    """Something the catalog noted about itself; '' if it did not."""
    row = db.execute("select value from facts where name = ?", (name,)).fetchone()
    return str(row[0]) if row else ""


def note(db: sqlite3.Connection, name: str, value: str) -> None:
    """Note something."""
    db.execute("insert or replace into facts values (?, ?)", (name, value))
