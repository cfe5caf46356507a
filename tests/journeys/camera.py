"""A store of files that is copied at every append, as it would be found if the process died right then."""

import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.clock import SystemClock
from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.lease import Holder
from holdfast.log.store import Ack, Damaged, LogWriter
from holdfast.records.codec import Record
from holdfast.records.entries import Drafted, Entry
from holdfast.records.parts import Value
from holdfast.session.writer import Session, open_session
from holdfast.stores.files.store import FileStore


class Remains(Value, frozen=True, kw_only=True):
    """What a crash leaves."""

    root: str
    torn: bool
    """Whether the last line is there in half."""
    acknowledged: Position
    """What had been promised by then."""
    written: Position
    """What is there, whole."""


class Camera:
    """Takes two pictures at every append while it is on: one as it is, and one with the last line torn."""

    def __init__(self, root: Path, key: str, album: Path) -> None:
        """Keep copies of the store below `root` in the album."""
        self._root, self._key, self._album = root, key, album
        self.on = False
        self.acknowledged = Position(-1)
        self.taken: list[Remains] = []

    def take(self, written: Position) -> None:
        """Something was appended."""
        for torn in (False, True) if self.on else ():
            copy = self._album / str(len(self.taken))
            shutil.copytree(self._root, copy)
            if torn:
                _tear(max(FileStore(copy).folder(SessionKey(self._key)).glob("[0-9]*.jsonl")))
            whole = Position(written - torn)
            self.taken.append(Remains(root=str(copy), torn=torn, acknowledged=self.acknowledged, written=whole))


def _tear(segment: Path) -> None:
    whole = segment.read_bytes()
    start = whole.rfind(b"\n", 0, -1) + 1
    segment.write_bytes(whole[: (start + len(whole)) // 2])


class Watched:
    """A writer with a camera behind it."""

    def __init__(self, writer: LogWriter, camera: Camera) -> None:
        """Write with the writer."""
        self._writer, self._camera = writer, camera

    @property
    def holder(self) -> Holder:
        """Who holds the session."""
        return self._writer.holder

    @property
    def end(self) -> Position:
        """The position of the last record."""
        return self._writer.end

    @property
    def repaired(self) -> tuple[Damaged, ...]:
        """What was found damaged."""
        return self._writer.repaired

    async def append(self, entries: Sequence[Entry], *, expect: Position) -> Sequence[Record]:
        """Write, and take a picture."""
        records = await self._writer.append(entries, expect=expect)
        self._camera.take(records[-1].pos)
        return records

    async def check(self) -> None:
        """Look whether it is still ours."""
        await self._writer.check()

    async def commit(self) -> Ack:
        """Promise."""
        last = self._writer.end
        ack = await self._writer.commit()
        self._camera.acknowledged = last
        return ack

    async def put_blob(self, data: bytes) -> BlobId:
        """Keep content."""
        return await self._writer.put_blob(data)

    async def draft(self, piece: Drafted) -> None:
        """Keep a piece of a reply."""
        await self._writer.draft(piece)

    async def drop_draft(self) -> None:
        """Forget the pieces."""
        await self._writer.drop_draft()

    async def release(self, *, discard: bool = False) -> None:
        """Give the session back."""
        await self._writer.release(discard=discard)


@asynccontextmanager
async def watched(root: Path, key: str, camera: Camera) -> AsyncIterator[Session]:
    """A session in files below `root`, before a camera."""
    name = SessionKey(key)
    async with FileStore(root, clock=SystemClock(), durability="os") as logs:
        session = await open_session(logs, Watched(await logs.acquire(name), camera), name)
        try:
            yield session
        finally:
            await session.close()
