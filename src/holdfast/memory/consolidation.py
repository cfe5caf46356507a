"""Drawing facts from what was said: one stretch of one session at a time.

The model is asked without the lease of the session, which is taken for the append. The entry holds the facts and the
cursor, so after a kill nothing is drawn twice or skipped; an answer for a cursor that has moved since is dropped.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from msgspec.structs import replace

from holdfast.clock import Clock, at_time
from holdfast.errors import Closed, HoldfastError
from holdfast.ids import Position
from holdfast.memory import draw_facts
from holdfast.memory.accept import IsSecret, Judge, said_by_person
from holdfast.memory.core_text import MOST, chosen
from holdfast.memory.settings import MemorySettings
from holdfast.memory.stretch import Stretch, next_stretch
from holdfast.model.estimate import Estimate
from holdfast.model.protocol import Model
from holdfast.records.facts import Consolidated, RefusedFact
from holdfast.records.parts import Value
from holdfast.session.facts import CoreFacts, MemoryFact, Scope, ScopeFacts, core_of
from holdfast.session.state import Jump, SessionState
from holdfast.session.store import Store
from holdfast.session.writer import Session

FindModel = Callable[[], Awaitable[Model | None]]
"""Gives the model that draws facts; None where none is to be asked."""


class OverDailyBudget(HoldfastError):
    """What drawing facts may use in a day is used up."""


class StretchDone(Value, frozen=True, kw_only=True):
    """What came of one stretch."""

    entry: Consolidated | None = None
    """What was written down; None if nothing was, because the session moved on or there is nothing to look at."""
    pos: Position = Position(-1)
    more: bool = False


class ConsolidationCost(Value, frozen=True, kw_only=True):
    """What looking at a session would take."""

    tokens: int = 0
    calls: int = 0


class Consolidation:
    """Draws facts from sessions of one store."""

    def __init__(
        self, store: Store, settings: MemorySettings, find: FindModel, is_secret: IsSecret, clock: Clock
    ) -> None:
        """Ask the model that `find` gives, and accept nothing that holds a secret."""
        self.store, self.settings, self.find = store, settings, find
        self._is_secret, self._clock = is_secret, clock
        self._reserved = 0
        self._spent: dict[str, int] = {}
        """Tokens of answers that came to nothing, by day: no entry holds them."""
        self._alone: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def draw(self, key: str, session: Session | None = None) -> StretchDone:
        """Draw facts from the first stretch of a session that was not looked at yet.

        With the session, if it is open here. Raises `ModelError` if the model gives no answer that can be used, and
        `OverDailyBudget`; then nothing changed.
        """
        session = await _still_open(session)
        state = session.state if session is not None else await self.store.state(key)
        scope = Scope(owner=state.owner)
        async with self._alone.setdefault(scope.name, asyncio.Lock()):
            stretch = await next_stretch(self.store, state)
            if stretch is None:
                return StretchDone()
            entry = await self._entry(state, scope, stretch)
            if entry is None:
                return StretchDone()
            pos = await self._append(key, session, stretch, entry)
            return StretchDone(entry=None if pos is None else entry, pos=pos or Position(-1), more=stretch.more)

    async def price(self, key: str) -> ConsolidationCost:
        """What looking at the rest of a session would take, at most."""
        state, total = await self.store.state(key), ConsolidationCost()
        known = self._known(core_of(await self.store.memory(Scope(owner=state.owner)), MOST))
        while (stretch := await next_stretch(self.store, state)) is not None:
            tokens = draw_facts.price_in_tokens(stretch, known) if stretch.has_words else 0
            total = ConsolidationCost(tokens=total.tokens + tokens, calls=total.calls + stretch.has_words)
            state = _drawn_to(state, stretch.last)
        return total

    async def _entry(self, state: SessionState, scope: Scope, stretch: Stretch) -> Consolidated | None:
        """What a stretch comes to; None without a model to ask."""
        if not stretch.has_words:
            return Consolidated(upto=stretch.last)
        model = await self.find()
        if model is None:
            return None
        memory = await self.store.memory(scope)
        known = self._known(core_of(memory, MOST))
        found = await self._asked(model, stretch, known, memory)
        judge = Judge(said_by_person(stretch.records), memory.current, memory.forgotten, state.key, self._is_secret)
        judged = judge.judge(found.facts)
        unread = (RefusedFact(why=f"{found.unread} were not written as asked"),) if found.unread else ()
        return Consolidated(
            upto=stretch.last,
            day="" if self._is_secret(found.day) else found.day,
            facts=judged.facts,
            refused=(*judged.refused, *unread),
            usage=found.usage,
        )

    async def _asked(
        self, model: Model, stretch: Stretch, known: tuple[MemoryFact, ...], memory: ScopeFacts
    ) -> draw_facts.DrawnFacts:
        tokens = draw_facts.price_in_tokens(stretch, known)
        today = self._today()
        used = memory.used_on(today.date()) + self._spent.get(f"{today:%F}", 0) + self._reserved
        if used + tokens > self.settings.tokens_per_day:
            raise OverDailyBudget(
                f"Memory has used {used:,} of the {self.settings.tokens_per_day:,} tokens that it may use in a day.",
                hint="It goes on tomorrow (UTC); `memory.tokens_per_day` in the settings allows more.",
            )
        self._reserved += tokens
        try:
            return await draw_facts.drawn(model, stretch, known)
        except BaseException:
            self._spent[f"{today:%F}"] = self._spent.get(f"{today:%F}", 0) + tokens - draw_facts.OUTPUT
            raise
        finally:
            self._reserved -= tokens

    def _known(self, core: CoreFacts) -> tuple[MemoryFact, ...]:
        ids, _ = chosen(core, self.settings.core_tokens, Estimate().count)
        return tuple(fact for fact in core.facts if fact.id in set(ids))

    async def _append(
        self, key: str, session: Session | None, stretch: Stretch, entry: Consolidated
    ) -> Position | None:
        """Write down what came of a stretch, unless the session went another way meanwhile; where it stands."""
        if session is not None:
            try:
                return await _written(session, stretch, entry)
            except Closed:
                pass  # it was left meanwhile: anybody may have it now
        async with self.store.session(key, create=False, doing="remembering") as held:
            return await _written(held, stretch, entry)

    def _today(self) -> datetime:
        return at_time(self._clock.now_ns()).astimezone(UTC)


async def _still_open(session: Session | None) -> Session | None:
    """The session, unless it was closed: then it knows nothing of what was written since."""
    if session is not None:
        with suppress(Closed):
            await session.commit()
            return session
    return None


async def _written(session: Session, stretch: Stretch, entry: Consolidated) -> Position | None:
    state = session.state
    if state.consolidated != stretch.cursor or not any(span.first <= stretch.last <= span.last for span in state.path):
        return None
    position = await session.append(entry)
    await session.commit()
    return position


def _drawn_to(state: SessionState, last: Position) -> SessionState:
    """The state as if facts had been drawn up to a position."""
    return replace(state, drawn=(*state.drawn, Jump(at=Position(0), to=last)))
