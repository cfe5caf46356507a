"""Where entries are kept, in order, for good: the contract of every store.

A store keeps many logs, each under a key. Writing goes through a `LogWriter`, which
holds the log's lease; reading needs none and never changes anything. One suite of
tests, tests/contracts, holds every store to what the docstrings here say.
"""

import re
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.lease import Holder
from holdfast.records.codec import Record
from holdfast.records.entries import Drafted, Entry
from holdfast.records.parts import Value

Durability = Literal["always", "interval", "os"]
"""What an acknowledgement waits for: the disk; nothing, and the disk follows within a second; nothing at all."""


class Ack(Value, frozen=True, kw_only=True):
    """What a commit can promise."""

    position: Position
    """Everything up to and including this entry is acknowledged; -1 for an empty log."""
    durability: Durability
    """`always`: it survives a power cut. `interval` and `os`: it survives a killed process, and a
    power cut only once the disk has followed."""


_LOGIN = re.compile(r"//[^/@]*@")


class Place(Value, frozen=True, kw_only=True):
    """Where a store is: a folder of this machine, or the address of a server. Settings and commands carry it."""

    folder: Path | None = None
    url: str = ""

    def __str__(self) -> str:
        """As it may be shown: without what logs in."""
        return _LOGIN.sub("//", self.url) if self.folder is None else str(self.folder)


class StoreAbout(Value, frozen=True, kw_only=True):
    """Where a store, or one of its logs, lies: what hosts say of it, and where they may keep files of theirs."""

    place: str
    """In words: a folder, an address without what logs in, `memory`."""
    kept: bool = True
    """Whether it outlives this process."""
    folder: Path | None = None
    """The folder that a person can look into; None where there are no files. A file that a host keeps in that of a log
    goes where the log goes: into the trash, and with a deletion."""
    attachments: str = ""
    """Where the attachments of a log lie, in words; '' where nobody can look."""


class Damaged(Value, frozen=True, kw_only=True):
    """Bytes of a log that are no entry."""

    where: str
    """The file, or whatever the store calls it."""
    offset: int
    length: int
    after: Position
    """The last good position before it; -1 when there is none."""
    missing: int
    """How many positions are missing there. 0 means that nothing was lost: the bytes were never
    acknowledged, or stand elsewhere too."""
    aside: str = ""
    """Where a copy is kept, if one is."""


class Repeated(Value, frozen=True, kw_only=True):
    """Good lines that do not count, because another place of the log holds their positions, or ends it before them.

    A writer that was taken over or whose disk failed leaves such lines, and so does a person who copies a segment.
    """

    where: str
    first: Position
    last: Position
    lines: int
    differing: int
    """How many of them stand nowhere else as they stand here. They were never acknowledged, unless
    someone put an older copy of the log in their way."""


class Verdict(Value, frozen=True, kw_only=True):
    """What a full check of one log found."""

    key: SessionKey
    entries: int
    first: Position
    """The first position of the log; 0 unless its beginning is damaged, -1 when it is empty."""
    last: Position
    size: int
    """In bytes, attachments included."""
    damaged: tuple[Damaged, ...] = ()
    blobs_missing: tuple[BlobId, ...] = ()
    """Attachments that entries name and that are not there, or whose bytes do not match."""
    repeated: tuple[Repeated, ...] = ()

    @property
    def good(self) -> bool:
        """Whether everything that was ever acknowledged is there."""
        return not self.blobs_missing and not any(each.missing for each in self.damaged)


class Trashed(Value, frozen=True, kw_only=True):
    """A session in the trash."""

    name: str
    """What to call it by when it is brought back or removed."""
    key: SessionKey
    at: datetime
    """When it was thrown away."""
    size: int


class LogWriter(Protocol):
    """The one writer of one log."""

    @property
    def holder(self) -> Holder:
        """Who holds the lease: this writer."""
        ...

    @property
    def end(self) -> Position:
        """The position of the last entry; -1 when the log is empty."""
        ...

    @property
    def repaired(self) -> tuple[Damaged, ...]:
        """What was found damaged at the end of the log when it was opened, and set aside."""
        ...

    async def append(self, entries: Sequence[Entry], *, expect: Position) -> Sequence[Record]:
        """Write entries, the first of them at `expect`, and return them as they stand in the log.

        When this returns, they survive the death of this process, and readers see them.
        All of them are written or none. Raises `Conflict` if `expect` is not next,
        `BadEntry` for what would not read back exactly, `NotWritten` if the place is
        full, `ReadOnly` after a disk failed: in each case the log is as it was. Cancelling
        leaves all of them or none. A writer that was taken over learns it from `commit`
        at the latest.
        """
        ...

    async def commit(self) -> Ack:
        """Wait until everything appended so far is as durable as the store was opened to make it.

        Commits that wait at the same time share one sync. Raises `Fenced` if another
        writer took over (what was appended since may not be part of the log), and
        `NotDurable` if the disk refused twice; the log is then read-only, and what
        was acknowledged before is safe. Cancelling stops the waiting, not the sync.
        """
        ...

    async def check(self) -> None:
        """Look whether this writer still has the lease, writing nothing. Raises `Fenced` if another one took over."""
        ...

    async def put_blob(self, data: bytes) -> BlobId:
        """Keep content under its hash. It is durable when this returns; keeping it twice is once."""
        ...

    async def draft(self, piece: Drafted) -> None:
        """Add a piece of a reply that is still streaming. It survives the death of this process."""
        ...

    async def drop_draft(self) -> None:
        """Forget the draft: its reply is in the log."""
        ...

    async def release(self, *, discard: bool = False) -> None:
        """Commit, give the lease back, and become unusable. Releasing twice is once.

        With `discard`, a log that was opened and never written to leaves nothing behind.
        """
        ...


class LogStore(Protocol):
    """Many logs, each under a key."""

    async def acquire(
        self, key: SessionKey, *, create: bool = True, doing: str = "", wait: float = 0.0, take_over: bool = False
    ) -> LogWriter:
        """Take a log's lease, and mend its end if its last writer died.

        Torn bytes are set aside, never dropped. Raises `Held` if another writer has it and
        does not give it back within `wait` seconds; with `take_over` that writer is
        fenced instead. Raises `NoSession` for a log that does not exist unless `create`,
        and `ReadOnly` where one writer cannot be guaranteed.
        """
        ...

    def about(self, key: SessionKey | None = None) -> StoreAbout:
        """Where the store lies; with a key, where that log lies or would lie. Looks at nothing."""
        ...

    async def exists(self, key: SessionKey) -> bool:
        """Whether there is a log under this key with anything in it."""
        ...

    async def holder(self, key: SessionKey) -> Holder | None:
        """Who holds the lease now, if anyone."""
        ...

    def read(
        self, key: SessionKey, *, start: Position = Position(0), stop: Position | None = None
    ) -> AsyncIterator[Record]:
        """Records from `start` up to, not including, `stop`, oldest first.

        Finds `start` without reading what is before it. Damaged stretches are passed over
        and every good record before and after them is given; `verify` tells where they are.
        Raises `NoSession`. What is appended while reading may or may not be included.
        """
        ...

    async def load(
        self, key: SessionKey, *, start: Position = Position(0), stop: Position | None = None
    ) -> list[Record]:
        """The records that `read` gives, all at once: quicker, and as much memory as they take."""
        ...

    def read_back(self, key: SessionKey, *, before: Position | None = None) -> AsyncIterator[Record]:
        """Records before `before` (or all), newest first, reading no further than is asked for."""
        ...

    def follow(self, key: SessionKey, *, after: Position = Position(-1)) -> AsyncIterator[Record]:
        """Every record after `after`, then each new one as it is appended; no gap, no repeat.

        Waits for ever; close the iterator to stop. Raises `NoSession`, also once the log is
        removed and when another one was begun under its key meanwhile, and `BeyondEnd`
        if `after` names a position the log has not reached. A log that was thrown away and
        brought back is the same one.
        """
        ...

    async def drafts(self, key: SessionKey) -> tuple[Drafted, ...]:
        """The pieces of a reply that was streaming when its writer died or is streaming now."""
        ...

    def follow_draft(self, key: SessionKey) -> AsyncIterator[tuple[Drafted, ...]]:
        """The pieces that `drafts` gives, then each new one within moments, of this reply and of later ones; no repeat.

        Those that come at once are given together. Pieces that are dropped before they were looked at are
        not given: their reply is in the log. Waits for ever; close the iterator to stop. Raises `NoSession`
        as `follow` does.
        """
        ...

    async def get_blob(self, key: SessionKey, blob: BlobId) -> bytes:
        """Content that an entry of this log names. Raises `NoBlob` if it is missing or damaged."""
        ...

    async def fork(self, source: SessionKey, target: SessionKey, *, at: Position) -> None:
        """Make a log that shares `source` up to and including `at`, then says where it came from.

        The original is untouched. It is there completely, and durable, or not at all.
        Raises `NoSession`, `BeyondEnd`, and `AlreadyThere` if `target` exists.
        """
        ...

    async def delete(self, key: SessionKey) -> None:
        """Remove a log and its blobs for good. Raises `NoSession`, and `Held` while it is written to."""
        ...

    async def throw_away(self, key: SessionKey) -> None:
        """Move a log into the trash. Raises `NoSession`, and `Held` while it is written to."""
        ...

    async def trash(self) -> tuple[Trashed, ...]:
        """What lies in the trash, newest first."""
        ...

    async def bring_back(self, name: str) -> SessionKey:
        """Move a log out of the trash. Raises `NoSession`, and `AlreadyThere` if its key is in use again."""
        ...

    async def empty_trash(self, name: str | None = None) -> int:
        """Remove one log in the trash, or all of them, for good; tell how many."""
        ...

    def sessions(self) -> AsyncIterator[SessionKey]:
        """Every key there is, in no order."""
        ...

    async def verify(self, key: SessionKey) -> Verdict:
        """Check every byte of one log, changing nothing."""
        ...

    async def repair(self, key: SessionKey) -> Verdict:
        """Mend the end of a log and keep a copy of every damaged stretch aside; tell what was found.

        Raises `NoSession`, and `Held` while it is written to. Loses nothing.
        """
        ...

    async def close(self) -> None:
        """Release what this store holds. Closing twice is once."""
        ...

    async def __aenter__(self) -> Self:
        """Open for a block of code."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        ...
