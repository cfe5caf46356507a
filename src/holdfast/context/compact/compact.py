"""Compaction, from the first look to the result a user can be told.

First old tool results are shown short, because that costs nothing; where this is not enough,
a model sums whole turns up; where that fails, the window's start moves. Everything that
happened is an entry, written when it is known to hold, so a process that dies or
is cancelled on the way leaves the conversation as it was.
"""

import sys
from collections.abc import Mapping
from typing import Literal

from msgspec.structs import replace

from holdfast.context.budget import Budget
from holdfast.context.compact.boundary import boundary
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.input import gather
from holdfast.context.compact.summarise import Summariser, entry_of, shown_cost
from holdfast.context.compact.summary import Sections
from holdfast.context.compact.tool_results import shortening
from holdfast.context.compact.triggers import Trigger, Why, aim, bearable, due, threshold
from holdfast.context.prefix import Prefix, prefix_messages, prefix_of
from holdfast.context.select import Chooser
from holdfast.context.timeline import Timeline
from holdfast.context.units import Size, size_of
from holdfast.context.view import View
from holdfast.errors import CompactionStuck, TooSmall
from holdfast.ids import Position
from holdfast.model.prices import PRICES, Price
from holdfast.model.protocol import Model
from holdfast.records.entries import Compacted, CompactionUndone, Described, Shortened, WindowMoved
from holdfast.records.parts import Usage, Value
from holdfast.session.state import on_path
from holdfast.session.writer import Session

Stage = Literal["results", "summary", "truncation"]
"""Old results were shortened, turns were summarized, or the window's start moved."""

ONLY_NEWEST = "Only the newest turns are shown as they were said, and those are never summarized."
NO_SHORTER = "A summary would be no shorter than what it stands for."
CHANGED = "The conversation was changed while it was summarized."
STUCK = 2
"""So many compactions that free too little, with no user turn between them, are an error."""


class Compaction(Value, frozen=True, kw_only=True):
    """What a compaction did, for a host to tell its user."""

    why: Why
    stage: Stage | None = None
    """The last thing that was done; None if nothing was."""
    before: int
    after: int
    """What the window took and takes, in tokens."""
    entries: tuple[Position, ...] = ()
    """Where in the log it is written what was done."""
    failure: str = ""
    """Why there is no summary, if one was wanted."""
    usage: Usage | None = None
    """What the model that summarizes used, whether or not its summary could be used."""

    @property
    def freed(self) -> int:
        """How many tokens there is more room for."""
        return self.before - self.after


class Compactor:
    """Compacts one open session, again and again."""

    def __init__(
        self,
        session: Session,
        view: View,
        model: Model,
        *,
        settings: CompactionSettings | None = None,
        prices: Mapping[str, Price] = PRICES,
    ) -> None:
        """Compact what `view` shows; `model` summarizes."""
        self._session, self._view, self._model = session, view, model
        self._settings, self._prices = settings or CompactionSettings(), prices
        self._user = Position(-1)
        self._small: list[Compaction] = []

    async def due(self, budget: Budget, *, fixed: int = 0) -> Trigger | None:
        """Whether the next window should be compacted before it is asked for, and why."""
        timeline, prefix = await self._view.contents(budget, fixed=fixed)
        return due(measured(timeline, prefix), self._threshold(budget, fixed))

    async def compact(self, budget: Budget, trigger: Trigger | None = None, *, fixed: int = 0) -> Compaction:
        """Make the window smaller; without a trigger, because someone asked.

        Raises `CompactionStuck` if this and the compaction before it freed too little with
        no user turn between them. Cancelling leaves the log as it was.
        """
        timeline, prefix = await self._view.contents(budget, fixed=fixed)
        said = [unit.first for unit in timeline.units() if unit.kind == "user"]
        if said and said[-1] > self._user:
            self._user, self._small = said[-1], []
        self._stop_if_stuck()
        size = measured(timeline, prefix)
        attempt = _Attempt(self._session, self._view, self._settings, (budget, fixed), trigger or Trigger())
        done = await attempt.run(size, self._threshold(budget, fixed), (self._model, self._prices))
        if done.stage is not None:
            small = done.freed < self._settings.gain * done.before
            self._small = [*self._small, done] if small else []
        self._stop_if_stuck()
        return done

    def _threshold(self, budget: Budget, fixed: int) -> Size:
        room = budget.room(fixed=fixed, ratio=self._session.state.ratio)
        return threshold(budget, room, self._settings)

    def _stop_if_stuck(self) -> None:
        if len(self._small) >= STUCK:
            raise CompactionStuck(self._small[-1].before, self._small[-1].after)


class _Attempt:
    """One compaction."""

    def __init__(
        self, session: Session, view: View, settings: CompactionSettings, within: tuple[Budget, int], trigger: Trigger
    ) -> None:
        self._session, self._view, self._settings, self._trigger = session, view, settings, trigger
        self._budget, self._fixed = within
        self._entries: list[Position] = []
        self._stage: Stage | None = None
        self._usage: Usage | None = None

    async def run(self, size: Size, largest: Size, model: tuple[Model, Mapping[str, Price]]) -> Compaction:
        """Do what it takes, and no more."""
        bound = bearable(self._trigger, size, largest)
        goal = aim(bound, self._settings)
        asked = self._trigger.why == "asked"
        if not asked and await self._shorten(goal, enough=True):
            return await self._result(size)
        failure, tried = await self._sum_up(model)
        if not asked or failure:
            await self._shorten(goal, enough=False)
        if failure and (tried or self._trigger.why == "overflow"):
            await self._leave_out(bound)
        return await self._result(size, failure)

    async def _contents(self) -> tuple[Timeline, Prefix]:
        return await self._view.contents(self._budget, fixed=self._fixed)

    async def _write(self, stage: Stage, entry: Compacted | Shortened | WindowMoved) -> None:
        self._entries.append(await self._session.append(entry))
        # A summary is more than the shortening that may follow it.
        self._stage = stage if self._stage != "summary" else self._stage

    async def _shorten(self, goal: Size, *, enough: bool) -> bool:
        """Shorten old results, if the window is still too large; with `enough`, only if that alone will do."""
        timeline, prefix = await self._contents()
        size = measured(timeline, prefix)
        found = shortening(timeline, size.tokens - goal.tokens, self._settings, prefix.pins)
        # Each change to what was said before costs the provider's prompt cache, so it must be worth it.
        if found is None or found.freed < self._settings.gain * size.tokens:
            return False
        if enough and not Size(tokens=size.tokens - found.freed, messages=size.messages).within(goal):
            return False
        await self._write("results", found.entry)
        return True

    async def _sum_up(self, model: tuple[Model, Mapping[str, Price]]) -> tuple[str, bool]:
        """Have whole turns summarized; why not, if not, and whether the model was asked."""
        timeline, prefix = await self._contents()
        cut = boundary(timeline, self._settings.turns)
        if cut is None:
            return ONLY_NEWEST, False
        most, start = await self._room(timeline, prefix, cut), timeline.units()[cut].first
        material = await gather(self._session, prefix, timeline.cost, start, self._settings, hidden=self._view.hidden)
        if shown_cost(entry_of(material, Sections()), timeline.cost) > most:
            return NO_SHORTER, False
        writing = Summariser(model[0], material, self._settings, model[1])
        written = await writing.write(timeline.cost, most, self._trigger.focus)
        self._usage = written.usage
        if written.entry is None:
            return " ".join(written.problems), True
        if not await self._still(prefix, start):
            return CHANGED, False
        await self._write("summary", written.entry)
        return "", True

    async def _room(self, timeline: Timeline, prefix: Prefix, cut: int) -> int:
        """The most tokens a summary may take and still be smaller than what it stands in the place of."""
        units = timeline.units()
        shown = size_of([*prefix_messages(timeline, prefix, timeline.start), *units[:cut]])
        # What is pinned stays, and whole: that it was cut is a fact from before the summary.
        pins = [await self._view.whole(pos) for pos in prefix.pins if pos < units[cut].first]
        return shown.tokens - size_of(unit for unit in pins if unit is not None).tokens - 1

    async def _still(self, before: Prefix, start: Position) -> bool:
        """Whether the conversation can still be cut where the summary ends: others may have gone on meanwhile."""
        timeline, prefix = await self._contents()
        units = timeline.units()
        same = (prefix.summary, prefix.start) == (before.summary, before.start)
        return same and any(units[cut].first == start for cut in timeline.cuts())

    async def _leave_out(self, bound: Size) -> None:
        """Move the window's start until what is left can be borne."""
        most = None if bound.messages == sys.maxsize else bound.messages
        budget = replace(self._budget, messages=most)
        while True:
            timeline, prefix = await self._contents()
            chooser = Chooser(timeline, prefix, budget, bound.tokens)
            try:
                fact = None if chooser.fits else chooser.fact()
            except TooSmall:
                return  # the next window says so, if it is too small for that as well
            # Only what a provider refused must be cut inside a turn before the budget itself is reached.
            if fact is None or (isinstance(fact, Shortened) and self._trigger.why != "overflow"):
                return
            await self._write("truncation", fact)

    async def _result(self, before: Size, failure: str = "") -> Compaction:
        if failure and self._usage is not None:
            # Nothing else in the log says what a summary cost that could not be used.
            await self._session.append(Described(usage=self._usage))
        await self._session.commit()
        return Compaction(
            why=self._trigger.why,
            stage=self._stage,
            before=before.tokens,
            after=measured(*await self._contents()).tokens,
            entries=tuple(self._entries),
            failure=failure,
            usage=self._usage,
        )


def measured(timeline: Timeline, prefix: Prefix) -> Size:
    """How much the window shows, before anything is left out."""
    return size_of(prefix_messages(timeline, prefix, timeline.start)).plus(timeline.size())


async def undo_compaction(session: Session) -> Position | None:
    """Take back the newest summary or shortening that counts, and say where it stands; None if there is none.

    What a window had to cut to fit is not taken back: the next window would cut it again.
    """
    found = [pos for pos in (prefix_of(session.state).summary, await _shortening(session)) if pos is not None]
    if not found:
        return None
    await session.append(CompactionUndone(compaction=max(found)))
    await session.commit()
    return max(found)


async def _shortening(session: Session) -> Position | None:
    """The newest shortening of old results that counts; those from before the window's start do not."""
    path, start = session.state.path, prefix_of(session.state).start or 0
    undone: set[Position] = set()
    async for record in session.read_back(before=session.state.head + 1):
        if record.pos < start:
            break
        if not on_path(record.pos, path):
            continue
        if isinstance(record.entry, CompactionUndone):
            undone.add(record.entry.compaction)
        elif isinstance(record.entry, Shortened) and record.entry.why == "old" and record.pos not in undone:
            return record.pos
    return None
