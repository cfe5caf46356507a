"""Says things into sessions, and says aloud what it said and what was acknowledged.

Every text carries a token, so that each record can be recognised wherever it turns
up. Marks go to a file of their own, where strace sees them between the other calls.
"""

import os
from pathlib import Path

from holdfast.clock import Clock, SystemClock
from holdfast.errors import NotWritten
from holdfast.ids import Position
from holdfast.records.entries import Drafted, ModelReplied, UserSaid
from holdfast.records.parts import Text
from holdfast.session.store import Store
from holdfast.session.writer import Session
from holdfast.stores.files.store import SEGMENT_BYTES, FileStore
from holdfast.stores.scan_catalog import ScanningCatalog
from tests.crash.marks import Acked, AnyMark, Appended, Refused, WillSay, encoded, fingerprint


class Speaker:
    """A voice with a name, so that two of them never use one token twice."""

    def __init__(self, store: Store, marks: Path, name: str = "w") -> None:
        """Marks are appended to the file `marks`."""
        self.store = store
        self._descriptor = os.open(marks, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        self._name = name
        self._count = 0

    def mark(self, mark: AnyMark) -> None:
        """Say something about what happens."""
        # Not `write`: a fault that is injected into the store's writes must not hit its own report.
        os.writev(self._descriptor, [encoded(mark)])

    def token(self, key: str) -> str:
        """A new token, which from now on may be in the session."""
        self._count += 1
        token = f"#{self._name}{self._count}#"
        self.mark(WillSay(key=key, token=token))
        return token

    async def say(self, session: Session, size: int = 60) -> None:
        """Append one text of about this size."""
        token = self.token(session.key)
        try:
            await session.append(saying(token, size))
        except NotWritten:
            self.mark(Refused(key=session.key, token=token))
            raise
        self.mark(Appended(key=session.key, token=token))

    async def stream(self, session: Session, pieces: int) -> str:
        """Draft a reply piece by piece; give its token."""
        token = self.token(session.key)
        place = Position(session.state.last + 1)
        for number in range(pieces):
            await session.draft(Drafted(reply=place, text=token if number == 0 else f" {number}"))
            self.mark(Appended(key=session.key, token=token))
        return token

    async def finish(self, session: Session, token: str) -> None:
        """End the reply that was drafted."""
        await session.finish(ModelReplied(parts=(Text(text=token),)))
        await self.safe(session)

    async def safe(self, session: Session) -> None:
        """Commit, and say which records were acknowledged: all that can be read up to there."""
        ack = await session.commit()
        self.mark(Acked(key=session.key, records=await self.records(session.key, ack.position)))

    async def records(self, key: str, upto: int) -> dict[int, str]:
        """Position and fingerprint of each record up to a position."""
        return {record.pos: fingerprint(record.raw) async for record in self.store.read(key, stop=upto + 1)}


def open_plain(root: Path, *, segment_bytes: int = SEGMENT_BYTES, clock: Clock | None = None) -> Store:
    """A store in files whose catalog is no file: only the log and what belongs to it is looked at."""
    clock = clock or SystemClock()
    logs = FileStore(root, clock=clock, segment_bytes=segment_bytes)
    return Store(logs, ScanningCatalog(logs), clock)


def saying(token: str, size: int) -> UserSaid:
    """A text with a token in it, of about this size, with what a parser may stumble over."""
    filler = (f'"{token[1:-1]}"\n\u2028{{"v":1,"pos":7,\\ é ' * (size // 24 + 1))[:size]
    return UserSaid(parts=(Text(text=f"{token} {filler}"),))
