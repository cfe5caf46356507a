"""When facts are drawn: behind turns, before a compaction, and at the start for what earlier processes left.

Nobody waits for it but a compaction. A new message stops what is under way in its session; that is done again later.
After a failure it waits longer each time, and says since when.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from datetime import datetime
from functools import partial
from weakref import WeakSet

from holdfast.clock import Clock, at_time
from holdfast.errors import HoldfastError
from holdfast.memory.consolidation import Consolidation, OverDailyBudget
from holdfast.memory.stretch import waiting_tokens
from holdfast.records.codec import Record
from holdfast.records.entries import TurnEnded, UserSaid
from holdfast.records.parts import Value
from holdfast.session.state import SessionState
from holdfast.session.store import Store
from holdfast.session.writer import Session

AT_ONCE, WHEN_QUIET = 4_000, 1_500
"""From so many new tokens on facts are drawn at once, or when the session was quiet."""
FIRST_WAIT, LONGEST_WAIT = 60.0, 3_600.0
"""Seconds after a failure; each further one doubles them."""
LEFT = 50
"""So many of the newest sessions are looked at for what earlier processes left."""


class Failure(Value, frozen=True, kw_only=True):
    """Drawing facts does not work for now."""

    since: datetime
    why: str
    until: datetime
    """When it is tried again."""
    times: int = 1


class Background:
    """Draws facts behind the turns of one program."""

    def __init__(self, consolidation: Consolidation, clock: Clock) -> None:
        """Begin with nothing to do."""
        self._consolidation, self._clock = consolidation, clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._heard: WeakSet[Session] = WeakSet()
        self._closed = False
        self.failure: Failure | None = None
        """What is wrong now, if something is."""

    @property
    def _store(self) -> Store:
        return self._consolidation.store

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return bool(self._tasks)

    async def after_turn(self, session: Session, ended: TurnEnded) -> None:
        """Draw facts soon; what is under way in the session then is stopped by the next message."""
        del ended  # whatever came of the turn, it was said
        if not takes_part(session.state, self._consolidation.settings.exclude):
            return
        if session not in self._heard:
            self._heard.add(session)
            session.listen(partial(self._hear, session.key))
        self._begin(session.key, self._soon(session))

    async def before_compaction(self, session: Session) -> None:
        """Draw facts from all that may leave the window."""
        if takes_part(session.state, self._consolidation.settings.exclude):
            self._stop(session.key)
            await self._all(session.key, session)

    def begin_left(self) -> None:
        """Draw facts from what earlier processes left."""
        self._begin("", self._left())

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self._tasks:
            await asyncio.wait(list(self._tasks.values()))
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Stop what is under way; it is done again later. Closing twice is once."""
        self._closed = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _hear(self, key: str, record: Record) -> None:
        if isinstance(record.entry, UserSaid):
            self._stop(key)

    def _stop(self, key: str) -> None:
        task = self._tasks.pop(key, None)
        if task is not None:
            task.cancel()

    def _begin(self, key: str, work: Coroutine[object, object, None]) -> None:
        self._stop(key)
        if self._closed:
            work.close()
            return
        task = self._tasks[key] = asyncio.create_task(work)
        task.add_done_callback(partial(self._ended, key))

    def _ended(self, key: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled():
            task.exception()  # what was not foreseen shows in `failure`

    async def _soon(self, session: Session) -> None:
        tokens = await self._waiting(session.state)
        if tokens < WHEN_QUIET:
            return
        if tokens < AT_ONCE:
            await self._clock.sleep(self._consolidation.settings.quiet)
        with suppress(HoldfastError):
            await self._all(session.key, session)

    async def _waiting(self, state: SessionState) -> int:
        start = state.consolidated + 1
        return waiting_tokens([record async for record in self._store.read(state.key, start=start)])

    async def _left(self) -> None:
        page = await self._store.list(limit=LEFT, archived=None)
        for listed in page.sessions:
            with suppress(HoldfastError):
                state = await self._store.state(listed.key)
                if state.shown is None or not takes_part(state, self._consolidation.settings.exclude):
                    continue  # of -p, unattended, imported, or older than memory: only when asked
                if await self._store.holder(listed.key) is None and await self._waiting(state) > 0:
                    await self._all(listed.key, None)

    async def _all(self, key: str, session: Session | None) -> None:
        """Draw facts from all that ended. Raises what fails, which is kept as well."""
        now = self._now()
        if self.failure is not None and now < self.failure.until:
            return
        try:
            while (await self._consolidation.draw(key, session)).more:
                pass
        except HoldfastError as error:
            self._failed(error)
            raise
        self.failure = None

    def _failed(self, error: HoldfastError) -> None:
        before, now = self.failure, self._now()
        times = 1 if before is None else before.times + 1
        wait = (
            LONGEST_WAIT if isinstance(error, OverDailyBudget) else min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (times - 1))
        )
        self.failure = Failure(
            since=now if before is None else before.since,
            why=str(error),
            until=at_time(self._clock.now_ns() + int(wait * 1e9)),
            times=times,
        )

    def _now(self) -> datetime:
        return at_time(self._clock.now_ns())


def takes_part(state: SessionState, excluded: tuple[str, ...]) -> bool:
    """Whether anything is remembered from a session."""
    return state.memory and not {*state.tags, state.workspace}.intersection(excluded)
