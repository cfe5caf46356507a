"""A session as the model sees it, from request to request.

It reads the log from where the window starts, follows what the session appends, and
writes down what the window leaves out before it gives the window away.
"""

import asyncio
from collections.abc import AsyncIterator

from holdfast.context.budget import Budget
from holdfast.context.prefix import Prefix, prefix_of
from holdfast.context.select import Chooser
from holdfast.context.timeline import Timeline
from holdfast.context.units import Composer, Cost, Remembering, Unit, UnitRecords
from holdfast.context.window import Window, build_window
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import Compacted, CompactionUndone, Pinned, Rewound, Unpinned, UserSaid, WindowMoved
from holdfast.session.state import PositionSpan, SessionState
from holdfast.session.writer import Session

LONG = 4_096
"""So many entries are read from the beginning where no entry says where the window begins."""
SETTLED = 2
"""Of a longer session, about so many times the room is read."""


class View:
    """What a model may see of one open session."""

    def __init__(
        self,
        session: Session,
        cost: Cost,
        *,
        timestamps: bool = False,
        dated: bool = False,
        memory: Remembering | None = None,
    ) -> None:
        """Count messages by `cost`; show with or without the time a person's words were said at.

        With `dated`, those that were said on another day than the session began on are shown with it.
        """
        self.session = session
        self._cost, self._timestamps = cost, timestamps
        self._since = session.state.created if dated else None
        self._memory, self._hidden = memory, frozenset[Position]()
        self._timeline: Timeline | None = None
        self._seen = Position(-1)
        self._alone = asyncio.Lock()
        """Held while the timeline changes, or is gone through in a thread."""

    async def window(self, budget: Budget, *, fixed: int = 0) -> Window:
        """The messages of the next request, within the budget.

        `fixed` is what system text and tools take. Raises `TooSmall` if not even the
        newest turn can be made to fit. What the window leaves out is written to the log first.
        """
        session = self.session
        while True:
            timeline, prefix = await self.contents(budget, fixed=fixed)
            room = budget.room(fixed=fixed, ratio=session.state.ratio)
            chooser = Chooser(timeline, prefix, budget, room)
            if chooser.fits:
                return build_window(timeline, prefix)
            async with self._alone:
                fact = await asyncio.to_thread(chooser.fact)
            await session.append(fact)

    @property
    def hidden(self) -> frozenset[Position]:
        """Entries that the model is shown no word of, because they were forgotten."""
        return frozenset() if self._memory is None else self._memory.hidden

    async def contents(self, budget: Budget, *, fixed: int = 0) -> tuple[Timeline, Prefix]:
        """What the window is made of, whether or not it fits: for compaction, which comes before leaving out."""
        state = self.session.state
        if _unsettled(state):
            await self._settle(budget, budget.room(fixed=fixed, ratio=state.ratio))
        async with self._alone:
            timeline = self._followed() or await self._load()
            prefix = prefix_of(self.session.state)
            for pos in prefix.before(timeline.start):
                if not timeline.knows(pos):
                    async for record in self.session.read(start=pos, stop=pos + 1):
                        timeline.hold(record)
            # In a thread, and with the lock held: nothing may be added while it is gone through.
            if timeline.takes_long:
                await asyncio.to_thread(timeline.units)
            return timeline, prefix

    async def whole(self, pos: Position) -> Unit | None:
        """An entry as it is shown in front of a window where no fact cuts it; None if there is nothing to show."""
        composer = self._composer()
        found = [composer.kept(record) async for record in self.session.read(start=pos, stop=pos + 1)]
        return next(iter(found), None)

    def _composer(self) -> Composer:
        return Composer(self._cost, timestamps=self._timestamps, since=self._since, memory=self._memory)

    def _followed(self) -> Timeline | None:
        """The timeline with what was appended since; None if it must be read anew."""
        recent = self.session.recent(self._seen)
        if self._memory is not None and self._memory.hidden != self._hidden:
            # What was forgotten meanwhile must not be shown from a unit that was made before.
            self._hidden = self._memory.hidden
            return None
        if self._timeline is None or recent is None or any(_changes_all(record) for record in recent):
            return None
        for record in recent:
            self._timeline.add(record)
            if isinstance(record.entry, WindowMoved):
                pins = (pin.target for pin in self.session.state.pins)
                self._timeline.move(record.entry.start, (*record.entry.keep, *pins))
            self._seen = record.pos
        return self._timeline

    async def _load(self) -> Timeline:
        """Read the log from where the window starts."""
        state = self.session.state
        start = prefix_of(state).start or Position(0)
        timeline = Timeline(self._composer(), start)
        async for record in self._from(start):
            timeline.add(record)
        self._timeline, self._seen = timeline, state.last
        return timeline

    async def _settle(self, budget: Budget, room: int) -> None:
        """Let the window of a long session, which never began anywhere, begin near the end."""
        tokens, composer, start = 0, Composer(self._cost), Position(0)
        async for record in self._back(self.session.state.path):
            unit = composer.unit(UnitRecords(record)) or composer.kept(record)
            tokens += unit.tokens if unit else 0
            # What was said while a turn ran may have entered later: who begins there would not know.
            if tokens > SETTLED * room and isinstance(record.entry, UserSaid) and record.entry.enters == "now":
                start = record.pos
                break
        first = prefix_of(self.session.state).first
        keep = (first,) if budget.keep_first and first is not None and first < start else ()
        await self.session.append(WindowMoved(start=start, keep=keep))

    async def _from(self, start: Position) -> AsyncIterator[Record]:
        """The records of the branch from a position on."""
        for span in self.session.state.path:
            if span.last >= start:
                async for record in self.session.read(start=max(start, span.first), stop=span.last + 1):
                    yield record

    async def _back(self, path: tuple[PositionSpan, ...]) -> AsyncIterator[Record]:
        for span in reversed(path):
            async for record in self.session.read_back(before=span.last + 1):
                if record.pos < span.first:
                    break
                yield record


def _unsettled(state: SessionState) -> bool:
    """Whether a session is too long to be read from its beginning, and says nothing of where to begin."""
    if state.last < LONG or prefix_of(state).start is not None:
        return False
    return sum(span.last - span.first for span in state.path) > LONG


def _changes_all(record: Record) -> bool:
    """Whether an entry changes what came before it."""
    return isinstance(record.entry, Rewound | Compacted | CompactionUndone | Pinned | Unpinned)
