"""A log whose disk takes its time: what others do meanwhile is done while it waits."""

from collections.abc import Awaitable, Callable, Sequence

from holdfast import Session
from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.lease import Holder
from holdfast.log.store import Ack, Damaged, LogWriter
from holdfast.records.codec import Record
from holdfast.records.entries import Drafted, Entry
from holdfast.session.writer import open_session
from holdfast.stores.volatile import VolatileStore

Meanwhile = Callable[[], Awaitable[object]]
"""What happens while the log is busy."""


class SlowWriter:
    """A writer that lets something happen before an append returns, and before a commit does."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer
        self.appending: dict[str, Meanwhile] = {}
        """By the kind of an entry: what happens, once, while the first of that kind is appended."""
        self.committing: list[Meanwhile] = []
        """What happens, once each, during the next commits."""

    @property
    def holder(self) -> Holder:
        return self._writer.holder

    @property
    def end(self) -> Position:
        return self._writer.end

    @property
    def repaired(self) -> tuple[Damaged, ...]:
        return self._writer.repaired

    async def append(self, entries: Sequence[Entry], *, expect: Position) -> Sequence[Record]:
        records = await self._writer.append(entries, expect=expect)
        for entry in entries:
            if meanwhile := self.appending.pop(type(entry).__name__, None):
                await meanwhile()
        return records

    async def commit(self) -> Ack:
        if self.committing:
            await self.committing.pop(0)()
        return await self._writer.commit()

    async def check(self) -> None:
        await self._writer.check()

    async def put_blob(self, data: bytes) -> BlobId:
        return await self._writer.put_blob(data)

    async def draft(self, piece: Drafted) -> None:
        await self._writer.draft(piece)

    async def drop_draft(self) -> None:
        await self._writer.drop_draft()

    async def release(self, *, discard: bool = False) -> None:
        await self._writer.release(discard=discard)


async def slow_session(logs: VolatileStore, key: str = "talk") -> tuple[Session, SlowWriter]:
    """A session in memory on such a log."""
    name = SessionKey(key)
    writer = SlowWriter(await logs.acquire(name))
    return await open_session(logs, writer, name), writer
