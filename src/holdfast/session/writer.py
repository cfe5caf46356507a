"""A session opened for writing: the single writer of one conversation.

It folds what it appends, so the state is always that of the log; and it writes that
state into the log now and then, in the same write as the entry after it, so that
opening reads back to the last checkpoint and not the whole log.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from itertools import takewhile
from types import TracebackType
from typing import Any, Self

import msgspec

from holdfast.clock import Clock, SystemClock
from holdfast.errors import Conflict
from holdfast.ids import BlobId, ClientId, Position, SessionKey
from holdfast.log.blobs import PREVIEW_CHARACTERS, SPILL_BYTES, result_preview
from holdfast.log.lease import Holder
from holdfast.log.store import Ack, Damaged, LogStore, LogWriter
from holdfast.records.codec import Record
from holdfast.records.entries import (
    Checkpointed,
    Drafted,
    Entry,
    FileChanged,
    ModelReplied,
    Opened,
    ToolFinished,
    UserSaid,
)
from holdfast.records.parts import Blob, Part, Text
from holdfast.records.slices import SLICE, utf8
from holdfast.session import branch
from holdfast.session.checkpoints import checkpoint
from holdfast.session.first_entries import Beginning, UnwrittenLog
from holdfast.session.load_state import load_state
from holdfast.session.recovery import interrupted_reply
from holdfast.session.references import TURN, must_exist, must_say_something, said_otherwise
from holdfast.session.state import CLIENT_IDS, SessionState, fold, on_path

CHECKPOINT_BYTES = 64 * 1024
"""How many bytes of entries there are between two checkpoints, at least."""
CHECKPOINT_SHARE = 16
"""And how many times the size of the last checkpoint."""
RECENT = 256
"""How many records a session remembers that it wrote."""

Told = Callable[[Record], None]
"""Called with each record that was written."""


class Session:
    """One conversation, held by us."""

    def __init__(self, store: LogStore, writer: LogWriter, key: SessionKey, state: SessionState, unsaved: int) -> None:
        """Hold an acquired log; use `open_session` to get one."""
        self._store, self._writer, self._key, self._state = store, writer, key, state
        self._unsaved = unsaved
        self._turn = asyncio.Lock()
        self._interval = CHECKPOINT_BYTES
        self._recent: deque[Record] = deque(maxlen=RECENT)
        self._told: list[Told] = []
        self._owed: tuple[ModelReplied, ...] = ()
        self.acknowledged = state.last
        """Up to here every entry counts, whoever takes the session over."""
        self._unwritten: UnwrittenLog | None = None

    @property
    def key(self) -> SessionKey:
        """What the session is called by."""
        return self._key

    @property
    def state(self) -> SessionState:
        """What the log means so far."""
        return self._state

    @property
    def holder(self) -> Holder:
        """Who holds the session: we."""
        return self._writer.holder

    @property
    def repaired(self) -> tuple[Damaged, ...]:
        """What was found damaged at the end of the log when it was opened, and set aside."""
        return self._writer.repaired

    @property
    def exists(self) -> bool:
        """Whether there is a log: one that is created with its first message has none before that."""
        return self._unwritten is None

    @property
    def owes(self) -> bool:
        """Whether a reply that was shown waits for room in the log."""
        return bool(self._owed)

    def owe(self, reply: ModelReplied) -> None:
        """Have a reply that found no room written with the next entries, before them.

        Anything that is written without it would settle its draft, which is all that a killed process leaves of it.
        """
        self._owed = (reply,)

    async def append(self, *entries: Entry) -> Position:
        """Write facts, all or none, and return the position of the last one given.

        They survive the death of this process when this returns; `commit` makes them
        survive a power cut. A long text from a tool goes beside the log, and its entry
        names it. A message with a client id that was said before is not said twice: the
        answer is where it stands. Giving nothing writes nothing. Raises `BadInput` for a client id that
        was used with other words, a pin of an entry that is not there, and the result of a call that nobody made.
        """
        if not entries:
            return self._state.last
        wanted = list(entries)
        for index, entry in enumerate(entries):
            # Before the lock is taken: others write while a long text goes to its place.
            if isinstance(entry, ToolFinished):
                wanted[index] = await self._spilled(entry)
        await self._turn.acquire()
        try:
            return await self._write(wanted)
        except Conflict:
            # An append was cancelled when its entries were on their way: they are in the log.
            if self._unwritten is not None:
                self._created(
                    [record async for record in self._store.read(self.key, stop=Position(self._state.last + 1))]
                )
            async for record in self.read(start=self._state.last + 1):
                self._fold(record)
                if record.entry in self._owed:
                    self._owed = ()
            return await self._write(wanted)
        finally:
            self._turn.release()

    async def _write(self, wanted: list[Entry]) -> Position:
        await must_exist(self, self._state, wanted)
        fresh = self._fresh(wanted)
        if fresh:
            fresh = [*self._owed, *fresh]
            if self._unsaved > self._interval:
                # In front of the entries, in one write with them: all of it happens, or none.
                fresh.insert(0, checkpoint(self._state))
            records = await self._appended(fresh)
            self._owed = ()
            await self._fold_all(records)
        # The last one may have been said before, or among these.
        said = None if len(wanted) == 1 and fresh else self._said_at(wanted[-1])
        return self._state.last if said is None else said

    async def _appended(self, entries: list[Entry]) -> Sequence[Record]:
        """Write entries to the log; what is no reason to create one is kept until something is."""
        if self._unwritten is None:
            return await self._writer.append(entries, expect=Position(self._state.last + 1))
        if (kept := self._unwritten.take(entries)) is not None:
            return kept
        before = self._unwritten.entries
        records = await self._writer.append([*before, *entries], expect=Position(0))
        self._created(records[: len(before)])
        return records[len(before) :]

    def _created(self, records: Sequence[Record]) -> None:
        """The log is there, and says what was kept until now."""
        self._unwritten = None
        self._recent.clear()
        self._recent.extend(records)
        self._state = msgspec.structs.replace(self._state, created=records[0].at)

    def _fresh(self, wanted: list[Entry]) -> list[Entry]:
        """The entries without messages that were said before, or twice among them."""
        seen: set[ClientId] = set()
        fresh: list[Entry] = []
        for entry in wanted:
            if isinstance(entry, UserSaid) and entry.client_id is not None:
                if entry.client_id in seen or self._said_at(entry) is not None:
                    continue
                seen.add(entry.client_id)
            fresh.append(entry)
        return fresh

    async def said_at(self, entry: UserSaid, since: int | None = None) -> Position | None:
        """Where a message stands that its client has sent before; None for one that is new.

        The newest client ids are known. With `since`, the last position that the client had when it sent the message
        first, so is every one after that. Raises `BadInput` where the message that stands there says something else.
        """
        known, said = self._said_at(entry), self._state.said
        if known is not None or since is None or len(said) < CLIENT_IDS:
            return known
        async for record in self.read(start=max(0, since + 1), stop=said[0].pos):
            before = record.entry
            if isinstance(before, UserSaid) and before.client_id == entry.client_id is not None:
                if before.parts != entry.parts:
                    raise said_otherwise(str(entry.client_id), record.pos)
                return record.pos
        return None

    def _said_at(self, entry: Entry) -> Position | None:
        """Where a message stands that its client has sent before."""
        if not isinstance(entry, UserSaid) or entry.client_id is None:
            return None
        return next((said.pos for said in self._state.said if said.client_id == entry.client_id), None)

    async def _fold_all(self, records: Sequence[Record]) -> None:
        left = iter(records)
        try:
            for count, record in enumerate(left, 1):
                self._fold(record)
                if count % TURN == 0:
                    await asyncio.sleep(0)  # other sessions go on meanwhile
        finally:
            for record in left:  # cancelled: they are in the log all the same
                self._fold(record)

    def _fold(self, record: Record) -> None:
        self._state = fold(self._state, record)
        if isinstance(record.entry, Opened):  # of another session, where entries are copied
            self._state = msgspec.structs.replace(self._state, key=self._key)
        self._recent.append(record)
        for told in self._told:
            told(record)
        if isinstance(record.entry, Checkpointed):
            self._unsaved = 0
            # A large state is written more seldom, so that checkpoints stay a small part of the log.
            self._interval = max(CHECKPOINT_BYTES, CHECKPOINT_SHARE * len(record.raw))
        else:
            self._unsaved += len(record.raw)

    async def _spilled(self, entry: ToolFinished) -> ToolFinished:
        """The entry with its long texts beside the log."""
        parts = [await self._spilled_part(part) for part in entry.parts]
        return msgspec.structs.replace(entry, parts=tuple(parts))

    async def _spilled_part(self, part: Part) -> Part:
        if not isinstance(part, Text) or len(part.text) * 4 <= SPILL_BYTES:
            return part
        data = await asyncio.to_thread(utf8, part.text) if len(part.text) > SLICE else utf8(part.text)
        if len(data) <= SPILL_BYTES:
            return part
        blob = await self.attach(data, media_type="text/plain")
        return msgspec.structs.replace(blob, preview=result_preview(part.text))

    async def attach(self, data: bytes, *, media_type: str, name: str = "") -> Blob:
        """Keep content beside the log, and give the part that names it in an entry."""
        blob = await self._writer.put_blob(data)
        preview = ""
        if media_type.startswith("text/"):
            preview = data[: PREVIEW_CHARACTERS * 4].decode("utf-8", "replace")[:PREVIEW_CHARACTERS]
        return Blob(blob=blob, media_type=media_type, size=len(data), name=name, preview=preview)

    async def say(self, text: str, *, client_id: str | None = None) -> Position:
        """Write down what a user said, once per client id, and commit it. Raises `BadInput` for an empty text."""
        must_say_something((Text(text=text),))
        known = None if client_id is None else ClientId(client_id)
        position = await self.append(UserSaid(parts=(Text(text=text),), client_id=known))
        await self.commit()
        return position

    async def commit(self) -> Ack:
        """Wait until everything appended so far is durable; the answer says how durable."""
        ack = await self._writer.commit()
        self.acknowledged = max(self.acknowledged, ack.position)
        return ack

    async def check(self) -> None:
        """Look whether the session is still ours. Raises `Fenced` if another writer took it over."""
        await self._writer.check()

    def read(self, *, start: int = 0, stop: int | None = None) -> AsyncIterator[Record]:
        """Every record from `start` up to, not including, `stop`, oldest first."""
        if self._unwritten is not None:
            return self._unwritten.read(start, stop)
        return self._store.read(self.key, start=Position(start), stop=None if stop is None else Position(stop))

    def read_back(self, *, before: int | None = None) -> AsyncIterator[Record]:
        """The records before a position, or all, newest first."""
        if self._unwritten is not None:
            return self._unwritten.read_back(before)
        return self._store.read_back(self.key, before=None if before is None else Position(before))

    async def branch(self) -> AsyncIterator[Record]:
        """The records of the conversation as it is now: what was rewound is left out."""
        spans = self._state.path
        async for record in self.read():
            if on_path(record.pos, spans):
                yield record

    def follow(self, *, after: int = -1) -> AsyncIterator[Record]:
        """Every record after a position, then each new one as it is appended."""
        return self._store.follow(self.key, after=Position(after))

    def recent(self, after: int) -> list[Record] | None:
        """The records after a position, without reading the log; None if there were too many since."""
        if after < self._state.last - len(self._recent):
            return None
        newest_first = takewhile(lambda record: record.pos > after, reversed(self._recent))
        return list(newest_first)[::-1]

    def listen(self, told: Told) -> None:
        """Have every record told that is written from now on, in order; `told` must be quick, and not fail."""
        self._told.append(told)

    async def get_blob(self, blob: BlobId) -> bytes:
        """The content that a `Blob` part names."""
        return await self._store.get_blob(self.key, blob)

    def draft(self, piece: Drafted) -> Coroutine[Any, Any, None]:
        """Add a piece of a reply that is still streaming; wait for what this gives."""
        return self._writer.draft(piece)

    async def finish(self, reply: ModelReplied, *results: ToolFinished) -> Position:
        """Write the finished reply, commit it, and only then drop its draft.

        `results` are those of calls that are known not to run; a kill leaves the reply with them, or neither.
        """
        position = await self.append(reply, *results)
        await self.commit()
        await self._writer.drop_draft()
        return position

    async def rewind(self, to: int, *changes: FileChanged) -> Position:
        """Go on from an earlier position; what came after stays as another branch.

        `changes` say which files are about to be taken back; they are written in one with the rewind.
        """
        position = await self.append(branch.rewind(self._state, Position(to)), *changes)
        await self.commit()
        return position

    async def undo_rewind(self, *changes: FileChanged) -> Position:
        """Take the last rewind back, and say which files are about to be taken back with it."""
        position = await self.append(branch.undo_rewind(self._state), *changes)
        await self.commit()
        return position

    async def begin(self, beginning: Beginning, clock: Clock) -> None:
        """Write the first entries, or keep them until there is a first message."""
        if beginning.with_first_message:
            self._unwritten = UnwrittenLog(clock)
        await self.append(*beginning.entries(self.key))

    async def create(self) -> None:
        """Create the log now, if it was to be created with the first message."""
        async with self._turn:
            if self._unwritten is not None:
                self._created(await self._writer.append(self._unwritten.entries, expect=Position(0)))

    async def recover(self) -> None:
        """Write down what a writer that died still owed."""
        pieces = await self._store.drafts(self.key)
        if not pieces:
            return
        since = [record async for record in self.read(start=min(piece.reply for piece in pieces))]
        reply = interrupted_reply(pieces, since)
        if reply is not None:
            await self.append(reply)
            await self.commit()
        await self._writer.drop_draft()

    async def close(self) -> None:
        """Commit and give the session back. Closing twice is once.

        Raises `NotWritten` if a reply still finds no room; what was drafted of it is written when it is opened again.
        """
        # `append` writes what is owed in front of something; here nothing else comes.
        owed, self._owed = self._owed, ()
        try:
            await self.append(*owed)
        finally:
            await self._writer.release(discard=not self.exists)

    async def __aenter__(self) -> Self:
        """Use it for a block of code."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()


async def open_session(
    store: LogStore, writer: LogWriter, key: SessionKey, begins: Beginning | None = None, clock: Clock | None = None
) -> Session:
    """Fold the end of an acquired log, begin it if it is empty, and settle what its last writer owed."""
    try:
        state, unsaved = (SessionState(), 0) if writer.end < 0 else await load_state(store, key)
        session = Session(store, writer, key, state, unsaved)
        if writer.end < 0:
            await session.begin(begins or Beginning(), clock or SystemClock())
        await session.recover()
    except BaseException:
        await writer.release()
        raise
    return session
