"""The state of a log as it stands: read back to its last checkpoint, and folded from there."""

import asyncio
from collections.abc import AsyncIterator

import msgspec

from holdfast.ids import Position, SessionKey
from holdfast.log.store import LogStore
from holdfast.records.codec import Record
from holdfast.session.checkpoints import restored
from holdfast.session.references import TURN
from holdfast.session.state import SessionState, fold

HELD_BYTES = 4 * 1024 * 1024
"""How many bytes of entries are held in memory while the last checkpoint is looked for."""


async def load_state(store: LogStore, key: SessionKey) -> tuple[SessionState, int]:
    """The state of a log, reading back to its last checkpoint; and the bytes of entries since that.

    Where many entries follow it, as in a log that another program wrote without any, they are read once more, forwards:
    never more than a bounded part of them is in memory.
    """
    state, start, unsaved = SessionState(), Position(0), 0
    since: list[Record] = []
    async for record in store.read_back(key):
        found = restored(record)
        if found is not None:
            state, start = found, Position(record.pos + 1)
            break
        unsaved += len(record.raw)
        if unsaved <= HELD_BYTES:
            since.append(record)
        else:
            since.clear()
    records = store.read(key, start=start) if unsaved > HELD_BYTES else _oldest_first(since)
    folded = 0
    async for record in records:
        state = fold(state, record)
        folded += 1
        if folded % TURN == 0:
            await asyncio.sleep(0)  # other sessions go on meanwhile
    # The entry that says the key may be damaged, and everything else still counts.
    return msgspec.structs.replace(state, key=key), unsaved


async def _oldest_first(records: list[Record]) -> AsyncIterator[Record]:
    for record in reversed(records):
        yield record
