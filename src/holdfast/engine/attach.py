"""Watching a conversation from any moment on, without a gap and without a repeat.

A viewer gets a snapshot, then every entry after the position it has, then what happens. It has a cursor: the last
entry and how much of the running reply it was given. So it can go on after it fell behind, and when the conversation
changes hands between this process and another one.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Protocol, Self

from msgspec.structs import replace

from holdfast.agent.broadcast import Subscription
from holdfast.agent.events import Appended, Asked, Event, Resync, TextStreamed, ThinkingStreamed
from holdfast.agent.snapshot import Snapshot
from holdfast.errors import BeyondEnd, Closed
from holdfast.ids import Position
from holdfast.session.store import Store

BATCH = 256
"""So many entries are read from the log at once."""


class Feed(Protocol):
    """Where the events of a conversation come from: an open one, or the log and draft of another process."""

    @property
    def counts_to(self) -> Position | None:
        """The last entry that is sure to count, once another process took the session over; None where all do."""
        ...

    def watch(self, limit: int = 0) -> Subscription:
        """Every event from now on."""
        ...

    def snapshot(self) -> Snapshot:
        """What there is now."""
        ...


Find = Callable[[str], Awaitable[Feed]]
"""Gives where the events of a session come from now. Raises `Closed` if there will be no more."""


class Attachment:
    """One viewer of a conversation: iterate over it."""

    def __init__(self, store: Store, key: str, find: Find, *, limit: int) -> None:
        """Use `Engine.attach`."""
        self._store, self._key, self._find, self._limit = store, key, find, limit
        self._from: tuple[Feed, Subscription] | None = None
        self._ready: deque[Event] = deque()
        self._after = self._upto = Position(-1)
        self._reply, self._offset = Position(-1), 0
        self._owed: tuple[Event, ...] = ()
        self._over = False
        self.snapshot: Snapshot
        """The conversation when the viewer came."""

    async def begin(self, after: int, drafted: int, of: int | None = None) -> None:
        """Take the snapshot. Raises `NoSession`, and `BeyondEnd` for a position that the log has not reached."""
        feed, watch = await self._connect()
        found = feed.snapshot()
        watch.restart()
        if after > found.state.last:
            self.close()
            raise BeyondEnd(after, found.state.last)
        self._after, self._upto = Position(max(-1, after)), found.state.last
        reply = found.reply
        if reply is not None:
            # Who has some of a reply has everything that stands before it; else it had some of an earlier one.
            same = after >= reply.reply - 1 and of in {None, reply.reply}
            had = max(0, drafted) if same else 0
            self._reply, self._offset = reply.reply, max(had, reply.length)
            # Who has more than was shown here comes from the process that hears the reply: a draft is a moment behind.
            reply = reply.after(min(had, reply.length))
        self.snapshot = replace(found, reply=reply)

    async def _connect(self) -> tuple[Feed, Subscription]:
        feed = await self._find(self._key)
        self._from = feed, feed.watch(self._limit)
        return self._from

    @property
    def waiting(self) -> int:
        """About how many bytes of events wait for the viewer."""
        return self._from[1].waiting if self._from is not None else 0

    def close(self) -> None:
        """Watch no longer."""
        self._over = True
        if self._from is not None:
            self._from[1].close()

    def __aiter__(self) -> Self:
        """Iterate over entries and moments; it ends when the engine is closed."""
        return self

    async def __anext__(self) -> Event:
        """The next entry, as `Appended`, or moment. Raises `NoSession` once the session is removed."""
        while not self._ready:
            if self._over:
                raise StopAsyncIteration
            try:
                await self._fill()
            except Closed:
                self._over = True
        return self._ready.popleft()

    async def take(self, most: int) -> list[Event]:
        """The next events, at most so many: waits for the first, and takes those that are there already with it.

        Empty when there will be no more. Raises as iterating does.
        """
        try:
            taken = [await anext(self)]
        except StopAsyncIteration:
            return []
        while len(taken) < most:
            if self._ready:
                taken.append(self._ready.popleft())
            elif self._from is not None and self._from[1].ready and self._after >= self._upto and not self._owed:
                await self._fill()  # an event waits, so this does not
            else:
                break
        return taken

    async def _fill(self) -> None:
        """Make the next events ready. Cancelling it loses none."""
        if self._after < self._upto:
            await self._read()
        # What runs comes after the entries before it, whatever was told first.
        elif self._owed:
            self._ready.extend(filter(None, map(self._fresh, self._owed)))
            self._owed = ()
        elif self._from is None:
            self._catch_up(*await self._connect())
        else:
            feed, watch = self._from
            event = await watch.take()
            if event is not None:
                self._ready.extend(filter(None, (self._fresh(event),)))
            elif watch.lost:
                self._catch_up(feed, watch)
            else:
                if feed.counts_to is not None:
                    # What the fenced process wrote and showed after that stands nowhere; other entries may, there.
                    self._after = min(self._after, feed.counts_to)
                    self._reply, self._offset = Position(-1), 0
                self._from, self._over = None, watch.error is not None
                if watch.error is not None:
                    raise watch.error

    def _catch_up(self, feed: Feed, watch: Subscription) -> None:
        """Go on from the cursor: with what is in the log, what the viewer missed of what runs, and what comes."""
        found = feed.snapshot()
        watch.restart()
        # Only now: what is read or told from here on goes on from this position.
        self._ready.append(Resync(position=self._after))
        reply = found.reply.streamed() if found.reply is not None else ()
        self._upto = found.state.last
        self._owed = (*reply, *found.moments, *(Asked(question=each) for each in found.questions))

    async def _read(self) -> None:
        """Read entries up to where the events begin."""
        stop = Position(min(self._upto, self._after + BATCH) + 1)
        for record in await self._store.load(self._key, start=self._after + 1, stop=stop):
            self._ready.append(Appended(record=record))
        self._after = Position(stop - 1)

    def _fresh(self, event: Event) -> Event | None:
        """The event, or what of it the viewer was not given yet."""
        match event:
            case Appended(record=record):
                self._after = record.pos
            case TextStreamed() | ThinkingStreamed():
                # The snapshot may end in the middle of a piece that is told once more as an event.
                known = self._offset if event.reply == self._reply else 0
                self._reply, self._offset = event.reply, max(known, event.offset + len(event.text))
                if event.offset < known:
                    event = replace(event, text=event.text[known - event.offset :], offset=known)
                return event if event.text else None
            case _:
                pass
        return event

    async def __aenter__(self) -> Self:
        """Watch for a block of code."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Watch no longer."""
        self.close()
