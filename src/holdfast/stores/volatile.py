"""Logs in memory: for tests, for trying things out, and for sessions that must leave no trace.

It keeps lines, not entries, and reads them back through the same codec as files do.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Sequence
from secrets import token_hex
from types import TracebackType
from typing import Self

from holdfast.clock import Clock, SystemClock, at_time
from holdfast.errors import AlreadyThere, BeyondEnd, Closed, Conflict, Fenced, Held, NoBlob, NoSession
from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.blobs import blob_id
from holdfast.log.lease import Holder
from holdfast.log.store import Ack, Damaged, Durability, StoreAbout, Trashed, Verdict
from holdfast.records.codec import Record, decode_line, encode
from holdfast.records.entries import Drafted, Entry, Fork, Opened, attached
from holdfast.records.slices import take_long

WAIT_SECONDS = 0.02


class Log:
    """One log in memory."""

    def __init__(self) -> None:
        """Begin empty."""
        self.lines: list[bytes] = []
        self.blobs: dict[BlobId, bytes] = {}
        self.drafts: list[Drafted] = []
        self.holder: Holder | None = None
        self.epoch = 0
        self.grown = asyncio.Event()
        self.removed = False

    def grow(self) -> None:
        """Wake those who follow."""
        self.grown.set()
        self.grown = asyncio.Event()

    def record(self, position: int) -> Record:
        """The record at a position."""
        return decode_line(self.lines[position])


class VolatileWriter:
    """The one writer of one log in memory."""

    def __init__(self, log: Log, holder: Holder, clock: Clock, durability: Durability) -> None:
        """Hold the log until released or taken over."""
        self._log, self._holder, self._clock, self._durability = log, holder, clock, durability
        self._closed = False

    @property
    def holder(self) -> Holder:
        """Who holds the lease: this writer."""
        return self._holder

    @property
    def end(self) -> Position:
        """The position of the last entry; -1 when the log is empty."""
        return Position(len(self._log.lines) - 1)

    @property
    def repaired(self) -> tuple[Damaged, ...]:
        """Nothing: memory does not tear."""
        return ()

    def _usable(self) -> None:
        if self._closed:
            raise Closed("The session was closed.", hint="Open it again.")
        if self._log.holder is not self._holder:
            raise Fenced("Another writer took this session over.", hint="Read it again, and open it anew to go on.")

    async def append(self, entries: Sequence[Entry], *, expect: Position) -> Sequence[Record]:
        """Write entries, the first of them at `expect`, and return them as they stand in the log."""
        now = self._clock.now_ns()
        if take_long(entries):
            records, _ = await asyncio.to_thread(encode, entries, expect, now)
        else:
            records, _ = encode(entries, expect, now)
        self._usable()
        if expect != len(self._log.lines):
            raise Conflict(expect, len(self._log.lines))
        self._log.lines += [record.raw for record in records]
        self._log.grow()
        return records

    async def check(self) -> None:
        """Raise `Fenced` if another writer took over."""
        self._usable()

    async def commit(self) -> Ack:
        """Say that it is as durable as memory can be."""
        self._usable()
        return Ack(position=self.end, durability=self._durability)

    async def put_blob(self, data: bytes) -> BlobId:
        """Keep content under its hash."""
        self._usable()
        name = blob_id(data)
        self._log.blobs[name] = data
        return name

    async def draft(self, piece: Drafted) -> None:
        """Add a piece of a reply that is still streaming."""
        self._usable()
        self._log.drafts.append(piece)
        self._log.grow()

    async def drop_draft(self) -> None:
        """Forget the draft: its reply is in the log."""
        self._usable()
        self._log.drafts = []

    async def release(self, *, discard: bool = False) -> None:
        """Give the lease back, and become unusable; with `discard`, an empty log leaves nothing."""
        self._closed = True
        if self._log.holder is self._holder:
            self._log.holder = None
            if discard and not self._log.lines:
                self._log.blobs.clear()


class VolatileStore:
    """Many logs in memory."""

    def __init__(self, *, clock: Clock | None = None, durability: Durability = "os") -> None:
        """Begin empty."""
        self._clock = clock or SystemClock()
        self._durability = durability
        self._logs: dict[SessionKey, Log] = {}
        self._trash: dict[str, tuple[SessionKey, Log, int]] = {}

    def about(self, key: SessionKey | None = None) -> StoreAbout:
        """Nobody can look into it."""
        del key
        return StoreAbout(place="memory", kept=False)

    async def acquire(
        self, key: SessionKey, *, create: bool = True, doing: str = "", wait: float = 0.0, take_over: bool = False
    ) -> VolatileWriter:
        """Take a log's lease."""
        waited = 0.0
        while True:
            # Asked for each time: it may be removed while we wait.
            log = self._logs.setdefault(key, Log()) if create else self._existing(key)
            if log.holder is None or take_over:
                break
            if waited >= wait:
                raise Held(key, str(log.holder))
            await self._clock.sleep(WAIT_SECONDS)
            waited += WAIT_SECONDS
        log.epoch += 1
        since = at_time(self._clock.now_ns())
        log.holder = Holder(pid=os.getpid(), host=socket.gethostname(), since=since, doing=doing, epoch=log.epoch)
        return VolatileWriter(log, log.holder, self._clock, self._durability)

    def _existing(self, key: SessionKey) -> Log:
        log = self._logs.get(key)
        if log is None or not log.lines:
            raise NoSession(key)
        return log

    async def exists(self, key: SessionKey) -> bool:
        """Whether there is a log under this key with anything in it."""
        return key in self._logs and bool(self._logs[key].lines)

    async def holder(self, key: SessionKey) -> Holder | None:
        """Who holds the lease now, if anyone."""
        return self._logs[key].holder if key in self._logs else None

    async def read(
        self, key: SessionKey, *, start: Position = Position(0), stop: Position | None = None
    ) -> AsyncIterator[Record]:
        """Records from `start` up to, not including, `stop`, oldest first."""
        log = self._existing(key)
        for position in range(max(0, start), len(log.lines) if stop is None else min(stop, len(log.lines))):
            yield log.record(position)

    async def load(
        self, key: SessionKey, *, start: Position = Position(0), stop: Position | None = None
    ) -> list[Record]:
        """The same records at once."""
        return [record async for record in self.read(key, start=start, stop=stop)]

    async def read_back(self, key: SessionKey, *, before: Position | None = None) -> AsyncIterator[Record]:
        """Records before `before` (or all), newest first."""
        log = self._existing(key)
        end = len(log.lines) if before is None else min(before, len(log.lines))
        for position in range(end - 1, -1, -1):
            yield log.record(position)

    async def follow(self, key: SessionKey, *, after: Position = Position(-1)) -> AsyncIterator[Record]:
        """Every record after `after`, then each new one as it is appended; no gap, no repeat."""
        log = self._existing(key)
        if after >= len(log.lines):
            raise BeyondEnd(after, len(log.lines) - 1)
        position = max(0, after + 1)
        while True:
            grown = log.grown
            while position < len(log.lines):
                yield log.record(position)
                position += 1
            if log.removed:
                raise NoSession(key)
            await grown.wait()

    async def drafts(self, key: SessionKey) -> tuple[Drafted, ...]:
        """The pieces of a reply that was streaming when its writer let go, or is streaming now."""
        return tuple(self._logs[key].drafts) if key in self._logs else ()

    async def follow_draft(self, key: SessionKey) -> AsyncIterator[tuple[Drafted, ...]]:
        """The pieces that are there, then each new one."""
        log = self._existing(key)
        draft, given = log.drafts, 0
        while True:
            grown = log.grown
            if log.drafts is not draft:
                draft, given = log.drafts, 0
            if pieces := tuple(draft[given:]):
                given += len(pieces)
                yield pieces
            if log.removed:
                raise NoSession(key)
            await grown.wait()

    async def get_blob(self, key: SessionKey, blob: BlobId) -> bytes:
        """Content that an entry of this log names."""
        log = self._logs.get(key)
        if log is None or blob not in log.blobs:
            raise NoBlob(f"The attachment {blob} is not there.", hint="`holdfast verify` lists what is missing.")
        return log.blobs[blob]

    async def fork(self, source: SessionKey, target: SessionKey, *, at: Position) -> None:
        """Make a log that shares `source` up to and including `at`, then says where it came from."""
        log = self._existing(source)
        if not 0 <= at < len(log.lines):
            raise BeyondEnd(at, len(log.lines) - 1)
        if await self._taken(target):
            raise AlreadyThere(f"There is already a session {target!r}.", hint="Choose another name.")
        new = Log()
        new.lines = log.lines[: at + 1]
        new.blobs = {name: log.blobs[name] for name in mentioned(new) if name in log.blobs}
        opened = Opened(key=target, origin=Fork(key=source, pos=at))
        records, _ = encode([opened], Position(at + 1), self._clock.now_ns())
        new.lines.append(records[0].raw)
        self._logs[target] = new

    async def _taken(self, key: SessionKey) -> bool:
        """Whether a key is in use, also by one who has not begun yet."""
        return await self.exists(key) or await self.holder(key) is not None

    async def delete(self, key: SessionKey) -> None:
        """Remove a log and its blobs for good."""
        self._take(key)

    def _take(self, key: SessionKey) -> Log:
        log = self._existing(key)
        if log.holder is not None:
            raise Held(key, str(log.holder))
        log.removed = True
        log.grown.set()
        return self._logs.pop(key)

    async def throw_away(self, key: SessionKey) -> None:
        """Move a log into the trash."""
        now = self._clock.now_ns()
        self._trash[f"{now}+{token_hex(4)}+{key}"] = (key, self._take(key), now)

    async def trash(self) -> tuple[Trashed, ...]:
        """What lies in the trash, newest first."""
        found = [
            Trashed(name=name, key=key, at=at_time(at), size=sum(map(len, log.lines)))
            for name, (key, log, at) in self._trash.items()
        ]
        return tuple(sorted(found, key=lambda each: each.at, reverse=True))

    async def bring_back(self, name: str) -> SessionKey:
        """Move a log out of the trash."""
        if name not in self._trash:
            raise NoSession(name)
        key, log, _ = self._trash[name]
        if await self._taken(key):
            hint = "To keep that one, fork it under another name; then delete it, and this can come back."
            raise AlreadyThere(f"There is already a session {key!r}.", hint=hint)
        log.removed, log.grown = False, asyncio.Event()
        self._logs[key] = log
        del self._trash[name]
        return key

    async def empty_trash(self, name: str | None = None) -> int:
        """Remove one log in the trash, or all of them, for good; tell how many."""
        names = [each for each in self._trash if name in {None, each}]
        for each in names:
            del self._trash[each]
        return len(names)

    async def sessions(self) -> AsyncIterator[SessionKey]:
        """Every key there is, in no order."""
        for key in [key for key, log in self._logs.items() if log.lines]:
            yield key

    async def verify(self, key: SessionKey) -> Verdict:
        """Check every byte of one log, changing nothing."""
        log = self._existing(key)
        size = sum(map(len, log.lines)) + sum(map(len, log.blobs.values()))
        missing = tuple(sorted(name for name in mentioned(log) if name not in log.blobs))
        last = Position(len(log.lines) - 1)
        return Verdict(key=key, entries=len(log.lines), first=Position(0), last=last, size=size, blobs_missing=missing)

    async def repair(self, key: SessionKey) -> Verdict:
        """Find nothing to mend: memory does not tear."""
        verdict = await self.verify(key)
        if self._logs[key].holder is not None:
            raise Held(key, str(self._logs[key].holder))
        return verdict

    async def close(self) -> None:
        """Do nothing: memory goes with its process."""

    async def __aenter__(self) -> Self:
        """Open for a block of code."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""


def mentioned(log: Log) -> set[BlobId]:
    """The blobs that a log's entries name."""
    return {blob.blob for line in log.lines for blob in attached(decode_line(line).entry)}
