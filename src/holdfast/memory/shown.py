"""What the model of one session is told of what is remembered.

The system text has the core as it was when the session opened, byte for byte. What changes later is told in an entry
behind the newest message, and the system text takes it up when a provider's cache begins anew anyway: after a
compaction, a rewind, or a long pause. What is forgotten leaves at once.
"""

from collections.abc import Awaitable, Callable, Collection
from datetime import timedelta

from holdfast.clock import Clock, at_time
from holdfast.ids import FactId, Position, SessionKey
from holdfast.memory.background import takes_part
from holdfast.memory.core_text import MOST, change_text, chosen, core_text
from holdfast.memory.settings import MemorySettings
from holdfast.model.estimate import Estimate
from holdfast.records.entries import Fork
from holdfast.records.facts import ForgottenWords, MemoryShown
from holdfast.session.facts import CoreFacts, MemoryFact, Scope
from holdfast.session.shown_facts import FactsShown
from holdfast.session.store import Store
from holdfast.session.writer import Session

CACHE_SECONDS = 3_600
"""So long a provider keeps what it was sent, at most."""


class ShownMemory:
    """What one session shows, brought up to date before each request."""

    def __init__(
        self,
        store: Store,
        session: Session,
        settings: MemorySettings,
        clock: Clock,
        *,
        begins: Callable[[], Awaitable[bool]],
    ) -> None:
        """Look for a session; `begins` says whether one is to be noted as taking part although nothing is known yet."""
        self._store, self._session, self._settings, self._clock = store, session, settings, clock
        self._begins = begins
        self._scope = Scope(owner=session.state.owner)
        self._facts: dict[FactId, MemoryFact] = {}
        self._last = 0
        self.text = ""
        """For the system text."""
        self.hidden: frozenset[Position] = frozenset()
        """Entries of the session in whose place models are shown `[forgotten]`."""

    async def refresh(self) -> None:
        """Look what is remembered now, and write down what the model is told of it."""
        session = self._session
        core = await self._store.core(self._scope, MOST)
        shared = await self._shared(core.words)
        self.hidden = frozenset(words.pos for words in core.words if words.pos <= shared.get(words.key, Position(-1)))
        if not takes_part(session.state, self._settings.exclude):
            self.text = ""
            return
        ids, more = chosen(core, self._settings.core_tokens, Estimate().count)
        self._facts |= {fact.id: fact for fact in core.facts if fact.id in set(ids)}
        shown = session.state.shown
        await self._look_up(() if shown is None else (*shown.core, *shown.added, *shown.ended))
        entry = await self._due(shown, ids, more)
        if entry is not None:
            await session.append(entry)
        self._last = self._clock.now_ns()
        shown = session.state.shown or FactsShown()
        self.text = core_text(shown.core, shown.more, self._facts)

    def told(self, entry: MemoryShown) -> str:
        """What the model is told by an entry; '' where the system text says it."""
        return change_text(entry, self._facts)

    async def _shared(self, words: Collection[ForgottenWords]) -> dict[SessionKey, Position]:
        """Up to where this session is the same as others, by key: itself, its original, and the original of that."""
        shared = {self._session.key: self._session.state.last}
        origin, upto = self._session.state.origin, self._session.state.last
        while words and isinstance(origin, Fork) and origin.key not in shared:
            upto = shared[origin.key] = min(upto, origin.pos)
            origin = (await self._store.state(origin.key)).origin if await self._store.exists(origin.key) else None
        return shared

    async def _look_up(self, ids: tuple[FactId, ...]) -> None:
        """Read the facts that were told of before; one that is not there any more was forgotten."""
        found = await self._store.facts(self._scope, ids) if ids else ()
        for each in ids:
            self._facts.pop(each, None)
        self._facts |= {fact.id: fact for fact in found}

    async def _due(self, shown: FactsShown | None, ids: tuple[FactId, ...], more: int) -> MemoryShown | None:
        """What is to be written down before the next request."""
        anew = MemoryShown(core=ids, more=more)
        if shown is None:
            return anew if ids or await self._begins() else None
        told = {*shown.core, *shown.added}
        known = told - set(shown.ended)
        if told - self._facts.keys():
            return anew  # forgotten: it leaves, whatever the cache costs
        added = tuple(each for each in ids if each not in told and not self._is_own(each))
        ended = tuple(each for each in sorted(known) if self._facts[each].until is not None)
        changed = shown.core != ids or shown.more != more
        if changed and (shown.renewed or await self._is_cold()):
            return anew
        return MemoryShown(added=added, ended=ended) if added or ended else None

    def _is_own(self, fact: FactId) -> bool:
        """Whether a fact was said in this very session, where the model has read it."""
        return self._facts[fact].key == self._session.key

    async def _is_cold(self) -> bool:
        """Whether the pause since the last request was longer than any provider keeps it."""
        now = self._clock.now_ns()
        if self._last:
            return now - self._last > CACHE_SECONDS * 1_000_000_000
        last = self._session.state.last
        async for record in self._session.read_back(before=last):  # the newest is what was just said
            if not isinstance(record.entry, MemoryShown):
                return at_time(now) - record.at > timedelta(seconds=CACHE_SECONDS)
        return False


def core_size(core: CoreFacts, settings: MemorySettings) -> int:
    """How many tokens the core takes in a system text."""
    ids, more = chosen(core, settings.core_tokens, Estimate().count)
    return Estimate().count(core_text(ids, more, {fact.id: fact for fact in core.facts}))
