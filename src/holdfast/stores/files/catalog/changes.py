"""What changed in the list of a file store: each row has a number that grows with every change.

A row that was removed leaves no name behind. So whoever asks keeps the keys that there were, and compares them when
the count of removals has grown.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from holdfast.ids import SessionKey
from holdfast.session.catalog import ChangedRows, Listed
from holdfast.stores.files.catalog import schema
from holdfast.stores.files.catalog.database import Work
from holdfast.stores.files.catalog.rows import COLUMNS, to_row

MOST = 2**31
"""Rows that are given at once, at most: of a copy in memory all are."""


class _Seen(msgspec.Struct, frozen=True, kw_only=True):
    """How far somebody has seen the changes."""

    made: str = ""
    """Which database; '' for none yet."""
    changes: int = 0
    removals: int = 0
    keys: frozenset[SessionKey] = frozenset()
    shown: tuple[Listed, ...] = ()
    """Rows that were given from a copy in memory, in which the numbers do not last."""


Look = Callable[[Work[tuple[ChangedRows, _Seen]]], Awaitable[tuple[ChangedRows, _Seen] | None]]
"""Asks the database, once it has caught up with the logs; None while there is none."""


class FileRowChanges:
    """Asks again and again what changed."""

    def __init__(self, look: Look) -> None:
        """Begin with the first `take`."""
        self._look = look
        self._seen: _Seen | None = None

    async def take(self, limit: int = 100) -> ChangedRows:
        """What changed since this was asked last."""
        found = await self._look(partial(_take, seen=self._seen, limit=limit))
        if found is None:
            found = ChangedRows(), self._seen or _Seen()
        changed, self._seen = found
        return changed


def _take(db: sqlite3.Connection, seen: _Seen | None, limit: int) -> tuple[ChangedRows, _Seen]:
    made = schema.fact(db, schema.MADE)
    changes, removals = int(schema.fact(db, schema.CHANGES)), int(schema.fact(db, schema.REMOVALS))
    if seen is None or seen.made not in {"", made}:
        now = _Seen(made=made, changes=changes, removals=removals, keys=_keys(db))
        return ChangedRows(lost=seen is not None), now
    copied = _is_copy(db)
    limit = MOST if copied else min(max(limit, 1), MOST)
    query = f"select {COLUMNS}, changed from sessions where changed > ? order by changed limit ?"  # noqa: S608
    found = db.execute(query, (seen.changes, limit + 1)).fetchall()
    rows = tuple(to_row(each[:-1]).listed for each in found[:limit])
    keys, removed = seen.keys, tuple[SessionKey, ...]()
    if removals != seen.removals:
        keys = _keys(db)
        removed = tuple(sorted(seen.keys - keys))
    if new := {row.key for row in rows} - keys:
        keys |= new
    if copied:
        fresh = tuple(row for row in rows if row not in seen.shown)
        now = msgspec.structs.replace(seen, keys=keys, shown=rows)
        return ChangedRows(rows=fresh, removed=removed), now
    reached = found[:limit][-1][-1] if rows else seen.changes
    now = _Seen(made=made, changes=reached, removals=removals, keys=keys)
    return ChangedRows(rows=rows, removed=removed, more=len(found) > limit), now


def _keys(db: sqlite3.Connection) -> frozenset[SessionKey]:
    found = db.execute("select key from sessions").fetchall()
    return frozenset(SessionKey(key.decode("utf-8", "surrogatepass")) for (key,) in found)


def _is_copy(db: sqlite3.Connection) -> bool:
    """Whether it is in memory, because the one on the disk cannot be written."""
    return not next(file for _, name, file in db.execute("pragma database_list") if name == "main")
