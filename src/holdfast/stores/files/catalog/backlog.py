"""Sessions that the catalog has yet to look at: after a restart of the machine, and where it is new or was replaced.

They stand in a table, so that whoever comes next goes on where a process stopped or was killed. Marks
are not synced to the disk, so a power cut may lose some; it also restarts the machine, which is noticed here.
"""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from holdfast.stores.files.catalog import schema
from holdfast.stores.files.segments import segment_numbers, segment_path

BOOT = Path("/proc/sys/kernel/random/boot_id")
UNTIMED, LAST = -1, 2**62
"""When a session was last written to: not known yet; and what comes after all that were."""
MANY = 100
"""So many new sessions make the search index worth a rearrangement."""
UNSETTLED = "unsettled"
"""The fact that much was added to the search index since it was last rearranged."""


def plan(db: sqlite3.Connection, root: Path) -> None:
    """Note every session if marks may have been missed; otherwise, those that came or went."""
    sessions = root / "sessions"
    marked = boot_and_file(root)
    changed = str(sessions.stat().st_mtime_ns) if sessions.is_dir() else ""
    whole = schema.fact(db, "marked") != marked
    if not whole and schema.fact(db, "changed") == changed:
        return
    with schema.transaction(db):
        if whole:
            db.execute("insert or ignore into pending select folder, 0, 0 from sessions")
        if schema.fact(db, "changed") != changed:
            here = set(filter(_is_text, os.listdir(sessions))) if sessions.is_dir() else set()
            kept = {str(folder) for (folder,) in db.execute("select folder from sessions")}
            _add(db, here - kept, UNTIMED)
            _add(db, kept - here, 0)
            if len(here - kept) > MANY:
                schema.note(db, UNSETTLED, "yes")
        schema.note(db, "marked", marked)
        schema.note(db, "changed", changed)


def _add(db: sqlite3.Connection, names: Iterable[str], written: int) -> None:
    db.executemany("insert or ignore into pending values (?, ?, 0)", [(name, written) for name in names])


def _is_text(name: str) -> bool:
    """Whether a database can hold a name. All that this program makes are plain letters."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def boot_and_file(root: Path) -> str:
    """What changes with every start of the machine, and where the catalog was replaced or copied."""
    return f"{boot()} {schema.number(root)}"


def boot() -> str:
    """What changes with every start of the machine."""
    return BOOT.read_text().strip() if BOOT.exists() else ""


def count(db: sqlite3.Connection, *, words: bool, among: Iterable[str] = ()) -> int:
    """How many sessions wait, with some others: for the list, or also for the search."""
    (waiting,) = db.execute("select count(*) from pending where words <= ?", (words,)).fetchone()
    return int(waiting) + sum(not _is_noted(db, name, words=words) for name in set(among))


def _is_noted(db: sqlite3.Connection, name: str, *, words: bool) -> bool:
    found = db.execute("select 1 from pending where folder = ? and words <= ?", (name, words)).fetchone()
    return found is not None


def give_times(db: sqlite3.Connection, sessions: Path, most: int) -> bool:
    """Find out when some sessions were last written to; False if none is left.

    A search prefers what was indexed last.
    """
    names = [name for (name,) in db.execute("select folder from pending where written = ? limit ?", (UNTIMED, most))]
    times = [(_written_at(sessions / name), name) for name in names]
    with schema.transaction(db):
        db.executemany("update pending set written = ? where folder = ?", times)
    return bool(names)


def _written_at(folder: Path) -> int:
    with suppress(OSError):  # not ours, not readable, or removed just now
        numbers = segment_numbers(folder)
        return segment_path(folder, numbers[-1]).stat().st_mtime_ns if numbers else 0
    return 0


def first(db: sqlite3.Connection, most: int) -> dict[str, bool]:
    """The sessions to look at next, oldest first, those of which only the words are missing last; whether it is one."""
    query = "select folder, words from pending order by words, written, folder limit ?"
    return {str(name): bool(words) for name, words in db.execute(query, (most,))}


def remove(db: sqlite3.Connection, names: Iterable[str]) -> bool:
    """Some sessions need not be looked at any more; tell whether any was noted."""
    with schema.transaction(db):
        removed = db.executemany("delete from pending where folder = ?", [(name,) for name in names])
    return removed.rowcount > 0


def words_later(db: sqlite3.Connection, name: str) -> None:
    """The list has everything of a session; its words come after the rows of all others."""
    with schema.transaction(db):
        db.execute("insert or replace into pending values (?, ?, 1)", (name, LAST))
