"""Waking sessions: each time once, in the process that has the session."""

import asyncio
import itertools
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdfast import (
    AnotherStep,
    Appended,
    Engine,
    Held,
    HoldfastError,
    ManualClock,
    ModelReplied,
    Noticed,
    Rewound,
    Session,
    Source,
    Store,
    Text,
    TurnEnded,
    TurnOver,
    UserSaid,
    WaitUntil,
    WakeEnded,
    WakeSet,
    open_store,
    open_volatile,
)
from holdfast.clock import at_time
from holdfast.ids import Position
from holdfast.records.entries import Entry
from holdfast.records.parts import plain_text
from holdfast.session.hooks import Next
from tests.agent.troupe import entries, scripted, setup, turn

NOW = at_time(ManualClock().now_ns())


async def set_wake(store: Store, key: str, seconds: float, text: str = "") -> None:
    """Have a session woken."""
    async with store.session(key) as session:
        await session.append(WakeSet(due=NOW + timedelta(seconds=seconds), text=text))


async def so(true: Callable[[], bool]) -> None:
    """Let others run until something is so."""
    async with asyncio.timeout(10):
        for _ in itertools.takewhile(lambda _: not true(), itertools.count()):
            await asyncio.sleep(0)


def woken(log: list[Entry]) -> list[str]:
    """How wakes ended."""
    return [entry.why for entry in log if isinstance(entry, WakeEnded)]


async def test_the_store_knows_what_is_due_next(tmp_path: Path) -> None:
    """
    Also after its catalog was made anew; what was woken is due no more, and a fork never was.
    """
    async with open_store(tmp_path, clock=ManualClock()) as store:
        for key, seconds in (("late", 90.0), ("soon", 30.0), ("never", 0.0)):
            await set_wake(store, key, seconds)
        async with store.session("never") as session:
            await session.append(WakeEnded(wake=Position(1), why="cancelled"))
        await store.fork("soon", "copy")
        due = await store.due()
        async for _ in store.reindex():
            pass

        assert ["soon", "late"] == [each.key for each in due]
        assert due == await store.due()
        assert due[:1] == await store.due(limit=1)
        assert () == await store.due(workspace="elsewhere")
        assert {NOW + timedelta(seconds=30), NOW + timedelta(seconds=90), None} == {
            each.due for each in (await store.list()).sessions
        }


async def test_a_due_session_is_woken_once_by_whoever_gets_it(tmp_path: Path) -> None:
    """
    However many processes wait for it; what is said then stands in one append with the end of the wake.
    """
    clock = ManualClock()
    stores = [open_store(tmp_path, clock=clock) for _ in range(3)]
    await set_wake(stores[0], "talk", 3600, "Is the slip free?")
    await set_wake(stores[0], "tomorrow", 86_400 * 2, "Too early.")
    engines = [Engine(store, setup(scripted("It is."), clock=clock)) for store in stores]
    waiting = [asyncio.create_task(engine.run_wakes()) for engine in engines]
    async with await engines[0].attach("talk") as viewer, asyncio.timeout(20):
        async for event in viewer:
            if isinstance(event, TurnOver):
                break
    for task in waiting:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    log = [record async for record in stores[0].read("talk")]
    for engine in engines:
        await engine.close()

    facts = [record.entry for record in log]
    assert ["due"] == woken(facts)
    said = [entry for entry in facts if isinstance(entry, UserSaid)]
    assert [UserSaid(parts=(Text(text="Is the slip free?"),), source=Source(host="timer"))] == said
    assert 1 == sum(isinstance(entry, ModelReplied) for entry in facts)


async def test_a_time_that_was_left_behind_wakes_nobody() -> None:
    """
    It counts on the branch it was set on; and what is not due stays.
    """
    clock, store = ManualClock(), open_volatile(clock=ManualClock())
    await set_wake(store, "talk", -1, "left")
    await set_wake(store, "talk", 100, "later")
    async with store.session("talk") as session:
        await session.append(Rewound(to=Position(0)))
    async with Engine(store, setup(scripted(), clock=clock)) as engine:
        assert await engine.wake("talk")
        assert not await engine.wake("talk")
        log = await entries((await engine.open("talk")).session)
        other = Engine(store, setup(scripted(), clock=clock))
        with pytest.raises(Held):
            await other.wake("talk")

    assert ["cancelled"] == woken(log)
    assert not any(isinstance(entry, UserSaid) for entry in log)


class Goal:
    """Goes on by itself for some steps, and waits between them."""

    def __init__(self, *steps: Next | Exception) -> None:
        self._steps = iter(steps)
        self.asked: list[TurnEnded | None] = []

    async def next_step(self, session: Session, ended: TurnEnded | None) -> Next:
        self.asked.append(ended)
        assert session.state.turns or ended is None
        step = next(self._steps, None)
        if isinstance(step, Exception):
            raise step
        return step


def go(text: str) -> AnotherStep:
    """A step that says something."""
    return AnotherStep(said=UserSaid(parts=(Text(text=text),), source=Source(host="goal")))


async def test_an_agent_goes_on_by_itself_until_nothing_comes() -> None:
    """
    Each step is an ordinary turn; a wait is an entry, and waking asks again what comes.
    """
    clock = ManualClock()
    goal = Goal(go("more"), WaitUntil(at=datetime(2026, 11, 17, tzinfo=UTC), why="the tide"), None)
    made = setup(scripted("One.", "Two."), clock=clock, next_step=goal)
    async with Engine(open_volatile(), made) as engine:
        conversation = await engine.open("talk")
        async with await engine.attach("talk") as viewer:
            await conversation.send("go")
            async for event in viewer:
                if isinstance(event, Appended) and isinstance(event.record.entry, WakeSet):
                    break
        clock.advance(86_400)
        assert await engine.wake("talk")
        await so(lambda: len(goal.asked) >= 3)
        await conversation.go_on()
        await so(lambda: len(goal.asked) >= 4)
        log = await entries(conversation.session)

    said = [plain_text(entry.parts) for entry in log if isinstance(entry, UserSaid)]
    assert ["go", "more"] == said
    assert [True, True, False, False] == [ended is not None for ended in goal.asked]
    assert ["the tide"] == [entry.why for entry in log if isinstance(entry, WakeSet)]


class Failing:
    """A hook of somebody else that fails in every way."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = iter(errors)
        self.ran = 0

    async def after_turn(self, session: Session, ended: TurnEnded) -> None:
        assert session.state.last >= 0
        assert ended.why == "answered"
        self.ran += 1
        raise next(self._errors)

    async def before_compaction(self, session: Session) -> None:
        assert session.state.last >= 0
        self.ran += 1
        raise next(self._errors)


async def test_a_hook_that_fails_is_told_and_ends_nothing() -> None:
    """
    After a turn, before a compaction, and in what comes next; the other hooks run all the same.
    """
    first, second = Failing(HoldfastError("no room")), Failing(ValueError("odd"))
    before, goal = Failing(HoldfastError("no memory")), Goal(HoldfastError("no goal"))
    made = setup(
        scripted("One."), after_turn=(first, second), before_compaction=(before,), next_step=goal, compaction=None
    )
    async with Engine(open_volatile(), made) as engine:
        conversation = await engine.open("talk")
        with conversation.watch() as watch:
            await turn(conversation, "go")
            await so(lambda: bool(goal.asked))
            await asyncio.sleep(0)
            with suppress(HoldfastError):
                await conversation.compact()
            await conversation.close()
            told = [event.text async for event in watch if isinstance(event, Noticed)]

    failed = "What is done around a turn failed: ValueError: odd."
    assert ["no room", failed, "no goal", "no memory"] == told
    assert (1, 1, 1) == (first.ran, second.ran, before.ran)


async def test_what_is_said_meanwhile_comes_before_what_comes_next() -> None:
    """
    The step that was decided before it counts no more, and is asked for again after it.
    """

    class Slow(Goal):
        async def next_step(self, session: Session, ended: TurnEnded | None) -> Next:
            step = await super().next_step(session, ended)
            if len(self.asked) == 1:
                await conversation.send("but first")
                await conversation.idle()
            return step

    goal = Slow(go("never"), None)
    async with Engine(open_volatile(), setup(scripted("One.", "Two."), next_step=goal)) as engine:
        conversation = await engine.open("talk")
        await conversation.send("go")
        await so(lambda: len(goal.asked) >= 2)
        await so(lambda: not conversation.used)
        log = await entries(conversation.session)

    assert ["go", "but first"] == [plain_text(entry.parts) for entry in log if isinstance(entry, UserSaid)]
