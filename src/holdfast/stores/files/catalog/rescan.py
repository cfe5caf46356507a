"""Looking at every session: after a restart of the machine, and when the catalog is new or was replaced.

Marks are not synced to the disk, so a power cut may lose some; it also restarts the
machine, which the catalog notices here. Removing words for good needs the whole
database to be written anew, because SQLite leaves copies of moved rows in its pages.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from holdfast.errors import CatalogBusy
from holdfast.stores.files.catalog import index, schema
from holdfast.stores.files.catalog.rows import catch_up
from holdfast.stores.files.segments import segment_numbers, segment_path

BOOT = Path("/proc/sys/kernel/random/boot_id")
VACUUM = "vacuum"
"""The fact that rows were dropped since the database was last written anew."""


def rescan(db: sqlite3.Connection, root: Path) -> None:
    """Catch up with every session if marks may have been missed; otherwise, with those that came or went."""
    sessions = root / "sessions"
    marked = f"{boot()} {schema.number(root)}"
    changed = str(sessions.stat().st_mtime_ns) if sessions.is_dir() else ""
    if schema.fact(db, "marked") == marked and schema.fact(db, "changed") == changed:
        return
    here = set(os.listdir(sessions)) if sessions.is_dir() else set()
    kept = {str(folder) for (folder,) in db.execute("select folder from sessions")}
    whole = schema.fact(db, "marked") != marked
    for name in oldest_first(sessions, here | kept if whole else here ^ kept):
        catch_up(db, sessions, name)
    if whole:
        index.settle(db)
    schema.note(db, "marked", marked)
    schema.note(db, "changed", changed)


def oldest_first(sessions: Path, names: set[str]) -> list[str]:
    """Sessions in the order in which they were last written to: a search prefers what was indexed last."""
    return sorted(names, key=lambda name: _written_at(sessions / name))


def _written_at(folder: Path) -> int:
    with suppress(OSError):  # not ours, not readable, or removed just now
        numbers = segment_numbers(folder)
        return segment_path(folder, numbers[-1]).stat().st_mtime_ns if numbers else 0
    return 0


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


def boot() -> str:
    """What changes with every start of the machine."""
    return BOOT.read_text().strip() if BOOT.exists() else ""
