"""A conversation that another process works in, as it can be seen through its log and its draft.

It tells the same events as an open conversation does, as far as they are written down: entries, and replies while
they stream. Whoever watches need not know which of the two it is.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from weakref import WeakValueDictionary

from holdfast.agent.broadcast import Broadcast, Subscription
from holdfast.agent.events import Answered, Appended, Asked, Event, TextStreamed, ThinkingStreamed, TurnOver
from holdfast.agent.permissions import question_of
from holdfast.agent.snapshot import Present, Snapshot
from holdfast.errors import HoldfastError
from holdfast.ids import CallId, Position
from holdfast.records.codec import Record
from holdfast.records.entries import (
    Drafted,
    Entry,
    ModelReplied,
    PermissionDecided,
    QuestionAnswered,
    ToolFinished,
    TurnEnded,
)
from holdfast.session.state import ASKS, SessionState, fold
from holdfast.session.store import Store


class Followed:
    """One conversation of another process."""

    def __init__(self, store: Store, key: str) -> None:
        """Follow nothing yet; `begin` does."""
        self._store, self._key = store, key
        self._broadcast, self._present = Broadcast(), Present()
        self._state = SessionState()
        self._replied = -1
        self._denied = False
        self._waiting: list[Drafted] = []
        self._lengths: dict[Position, int] = {}
        """How many characters were told of each reply that is not written down yet."""
        self._begun: Counter[Position] = Counter()
        """How many pieces of each reply were told before its draft was followed."""
        self._tasks: list[asyncio.Task[None]] = []
        self._questions: dict[CallId, str] = {}
        self._held = False
        self.closed = False
        """Whether it is followed no longer."""
        self.counts_to = None  # what is read from the log counts

    async def begin(self) -> None:
        """Read what there is, and follow it from there. Raises `NoSession`."""
        self._state = await self._store.state(self._key)
        pieces = await self._store.drafts(self._key)
        if pieces:
            # A draft outlives its reply for a moment, and a killed process.
            for record in await self._store.load(self._key, start=min(piece.reply for piece in pieces)):
                if isinstance(record.entry, ModelReplied):
                    self._replied = max(self._replied, record.pos)
        for question in self._state.questions:
            for record in await self._store.load(self._key, start=question.pos, stop=question.pos + 1):
                self._asked(record.entry)
        # `follow_draft` begins with the very pieces that were just read; so many of each reply are told already.
        self._begun = Counter(piece.reply for piece in pieces)
        self._told(pieces)
        await self.look()
        self._tasks = [asyncio.create_task(self._until_it_fails(each)) for each in (self._written, self._drafted)]

    async def look(self) -> None:
        """See whether anybody works in it now."""
        self._held = await self._store.holder(self._key) is not None

    @property
    def watched(self) -> bool:
        """Whether anybody watches."""
        return self._broadcast.watched

    def watch(self, limit: int = 0) -> Subscription:
        """Every event from now on; at most about `limit` bytes of them wait, and 0 is no bound."""
        return self._broadcast.subscribe(limit)

    def snapshot(self) -> Snapshot:
        """What there is now: what was shown so far is in it, and what comes is not."""
        return self._present.snapshot(self._state, running=self._held and self._state.in_turn)

    def close(self, error: HoldfastError | None = None) -> None:
        """Follow it no longer; those who watch are told why."""
        self.closed = True
        for task in self._tasks:
            task.cancel()
        self._broadcast.close(error)

    async def _until_it_fails(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except HoldfastError as error:
            self.close(error)

    async def _written(self) -> None:
        async for record in self._store.follow(self._key, after=self._state.last):
            self._held = True  # who writes works in it
            self._state = fold(self._state, record)
            self._record(record)

    def _record(self, record: Record) -> None:
        entry = record.entry
        self._show(Appended(record=record))
        self._asked(entry)
        if isinstance(entry, ModelReplied):
            self._replied = record.pos
            self._lengths = {reply: length for reply, length in self._lengths.items() if reply > record.pos}
        elif isinstance(entry, ToolFinished):
            self._denied |= entry.outcome == "denied"
        elif isinstance(entry, TurnEnded):
            self._show(TurnOver(ended=entry, denied=self._denied))
            self._denied = False
        self._tell()

    def _asked(self, entry: Entry) -> None:
        """Tell of a question that waits for a person there, and of one that does not wait any more."""
        if isinstance(entry, ASKS):
            self._questions[entry.call] = entry.question
            self._show(Asked(question=question_of(entry)))
        elif isinstance(entry, PermissionDecided | QuestionAnswered | ToolFinished) and entry.call in self._questions:
            self._show(Answered(id=self._questions.pop(entry.call)))

    async def _drafted(self) -> None:
        async for pieces in self._store.follow_draft(self._key):
            # It begins with what `begin` told already.
            fresh = [piece for piece in pieces if not self._told_before(piece)]
            self._told(fresh)

    def _told_before(self, piece: Drafted) -> bool:
        known = self._begun.get(piece.reply, 0)
        self._begun[piece.reply] = known - 1
        return known > 0

    def _told(self, pieces: Sequence[Drafted]) -> None:
        self._waiting += pieces
        self._tell()

    def _tell(self) -> None:
        """Tell the pieces whose turn it is; a draft may be looked at before what was written first, or too late."""
        due = [piece for piece in self._waiting if self._replied < piece.reply <= self._state.last + 1]
        self._waiting = [piece for piece in self._waiting if piece.reply > self._state.last + 1]
        for piece in due:
            for kind, text in ((ThinkingStreamed, piece.thinking), (TextStreamed, piece.text)):
                if text:
                    offset = self._lengths.get(piece.reply, 0)
                    self._show(kind(text=text, reply=piece.reply, offset=offset))
                    self._lengths[piece.reply] = offset + len(text)

    def _show(self, event: Event) -> None:
        self._present.take(event)
        self._broadcast.publish(event)


class FollowedSessions:
    """The sessions of other processes that somebody here watches, each followed once."""

    def __init__(self, store: Store) -> None:
        """Begin with none."""
        self._store = store
        self._followed: dict[str, Followed] = {}
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each key that somebody begins to follow: once for all."""

    async def follow(self, key: str) -> Followed:
        """A session, followed from now on. Raises `NoSession`."""
        async with self._doors.setdefault(key, asyncio.Lock()):
            known = self._followed.get(key)
            # A session that was removed and begun anew is another log: what followed the old one ended with it.
            if known is None or known.closed:
                known = Followed(self._store, key)
                await known.begin()
                self._followed[key] = known
            else:
                await known.look()
        return known

    @property
    def any(self) -> bool:
        """Whether any session is followed."""
        return bool(self._followed)

    async def leave(self, key: str) -> None:
        """Follow a session no longer: those who watch it look for another source."""
        async with self._doors.setdefault(key, asyncio.Lock()):
            followed = self._followed.pop(key, None)
            if followed is not None:
                followed.close()

    def tidy(self) -> None:
        """Leave the sessions that nobody watches any more."""
        for key, followed in list(self._followed.items()):
            if followed.closed or not followed.watched:
                followed.close()
                del self._followed[key]

    def close(self) -> None:
        """Leave all of them."""
        for followed in self._followed.values():
            followed.close()
