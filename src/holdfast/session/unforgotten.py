"""Rows of the list and finds, without what was forgotten: in a session, and in what a fork shares with its original."""

from collections.abc import Sequence

import msgspec

from holdfast.ids import Position, SessionKey
from holdfast.log.store import LogStore
from holdfast.records.entries import Fork, UserSaid
from holdfast.records.facts import ForgottenWords
from holdfast.session.catalog import Catalog, ChangedRows, Listed, RowChanges
from holdfast.session.load_state import load_state


class Unforgotten:
    """What may be shown of the sessions of a store."""

    def __init__(self, logs: LogStore, catalog: Catalog) -> None:
        """Look into these logs; the catalog knows what was forgotten."""
        self._logs, self._catalog = logs, catalog

    async def rows(self, rows: Sequence[Listed]) -> tuple[Listed, ...]:
        """Rows without the previews that were forgotten."""
        gone = await self._catalog.forgotten()
        keys = {words.key for words in gone}
        touched = [bool(gone) and (each.key in keys or isinstance(each.origin, Fork)) for each in rows]
        return tuple(
            [await self._row(each, gone) if may_be else each for each, may_be in zip(rows, touched, strict=True)]
        )

    async def _row(self, listed: Listed, gone: frozenset[ForgottenWords]) -> Listed:
        async for record in self._logs.read(listed.key):
            if isinstance(record.entry, UserSaid):
                forgotten = await self.is_gone(listed.key, record.pos, gone)
                return msgspec.structs.replace(listed, preview="[forgotten]") if forgotten else listed
        return listed

    async def positions(self, key: SessionKey) -> frozenset[Position]:
        """Where something is forgotten in a session, also in what it shares with those it was forked from."""
        left, found = await self._catalog.forgotten(), set[Position]()
        name: SessionKey | None = key
        while name is not None and left:
            found |= {words.pos for words in left if words.key == name}
            origin = (await load_state(self._logs, name))[0].origin if await self._logs.exists(name) else None
            fork = origin if isinstance(origin, Fork) else None
            left = frozenset(words for words in left if fork is not None and words.pos <= fork.pos)
            name = None if fork is None else fork.key
        return frozenset(found)

    async def is_gone(self, key: SessionKey | None, pos: Position, gone: frozenset[ForgottenWords]) -> bool:
        """Whether an entry is forgotten, there or in the session that this one shares its beginning with."""
        while key is not None:
            if ForgottenWords(key=key, pos=pos) in gone:
                return True
            origin = (await load_state(self._logs, key))[0].origin if await self._logs.exists(key) else None
            key = origin.key if isinstance(origin, Fork) and pos <= origin.pos else None
        return False


class ShownChanges:
    """Changes of the list, without what was forgotten."""

    def __init__(self, changes: RowChanges, unforgotten: Unforgotten) -> None:
        """Show the rows of these changes."""
        self._changes, self._unforgotten = changes, unforgotten

    async def take(self, limit: int = 100) -> ChangedRows:
        """What changed since this was asked last."""
        found = await self._changes.take(limit)
        return msgspec.structs.replace(found, rows=await self._unforgotten.rows(found.rows))
