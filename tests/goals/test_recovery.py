"""What becomes of a goal whose process ended, and of several processes that could go on with it."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from holdfast import Held, ManualClock, Store, UserSaid, open_store, open_volatile
from holdfast.clock import at_time
from holdfast.goals.changes import paused
from holdfast.goals.text import GOAL
from holdfast.records.entries import Entry, GoalSet, GoalStatusChanged, ScheduleSet, WakeEnded
from holdfast.records.parts import Text, plain_text
from tests.goals.work import PERSON, Worker, claim, log_of, quiet, report, steps_in, verdict, work

STEP = UserSaid(parts=(Text(text="Go on."),), source=GOAL)
NOW = at_time(ManualClock().now_ns())


async def wrote(store: Store, *facts: Entry) -> None:
    """A session whose process ended right after some facts."""
    async with store.session("talk") as session:
        await session.append(*facts)


def statuses(log: list[Entry]) -> list[tuple[str, str]]:
    """How the status of the goal changed."""
    return [(each.status, each.why) for each in log if isinstance(each, GoalStatusChanged)]


async def test_a_broken_off_goal_step_is_gone_on_with() -> None:
    """
    As the same step: nothing is said again, and that its process ended is in the log.
    """
    store = open_volatile()
    await wrote(store, GoalSet(objective="Win."), STEP)
    async with Worker(work(), report(), claim, verdict("met"), store=store) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.go_on()
        await conversation.go_on()
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["Go on."] == steps_in(log)
    assert [("active", "crashed")] == statuses(log)[:1]
    assert conversation.state.goal is None


async def test_three_crashes_in_a_goal_step_pause_it() -> None:
    """
    It would be broken off for ever.
    """
    store, crashed = open_volatile(), GoalStatusChanged(status="active", why="crashed")
    await wrote(store, GoalSet(objective="Win."), STEP, crashed, crashed)
    async with Worker(store=store) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.go_on()
        await quiet(conversation)
        assert ("paused", "crashed") == statuses(await log_of(conversation))[-1]
        await conversation.go_on()
        await quiet(conversation)
        assert [] == worker.model.requests


async def test_what_a_person_said_is_answered_first() -> None:
    """
    A turn of theirs that broke off is gone on with, then the goal.
    """
    store = open_volatile()
    said = UserSaid(parts=(Text(text="Hello?"),), source=PERSON)
    await wrote(store, GoalSet(objective="Win."), said)
    async with Worker("Hello!", work(), report(), claim, verdict("met"), store=store) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.go_on()
        await quiet(conversation)
        log = await log_of(conversation)

    assert 1 == len(steps_in(log))
    assert "Hello?" == plain_text(worker.model.requests[0].messages[-1].parts)


async def test_a_process_that_wakes_sessions_goes_on_with_active_goals() -> None:
    """
    By itself, where it may; a pause holds, and a terminal wakes only what has a time.
    """
    store = open_volatile()
    await wrote(store, GoalSet(objective="Win."))
    async with Worker(work(), report(), claim, verdict("met"), store=store) as worker:
        waking = asyncio.create_task(worker.engine.run_wakes(goals=False))
        for _ in range(50):
            await asyncio.sleep(0)
        assert [] == worker.model.requests
        waking.cancel()
        waking = asyncio.create_task(worker.engine.run_wakes())
        for _ in range(400):
            await asyncio.sleep(0)
        waking.cancel()
        with suppress(asyncio.CancelledError):
            await waking
        conversation = await worker.engine.open("talk")
        await quiet(conversation)

    assert conversation.state.goal is None
    assert 4 == len(worker.model.requests)


async def test_a_pause_holds_over_a_restart_and_a_fork_is_paused() -> None:
    """
    Nobody wakes them, and what comes next is nothing.
    """
    store = open_volatile()
    await wrote(store, GoalSet(objective="Win."))
    async with store.session("talk") as session:
        await session.append(*paused(session.state, by=PERSON))
    await store.fork("talk", "copy")
    async with Worker(store=store) as worker:
        for key in ("talk", "copy"):
            conversation = await worker.engine.open(key)
            assert not await worker.engine.wake(key)
            await conversation.go_on()
            await quiet(conversation)
            assert "paused" == conversation.state.goal.doing  # type: ignore[union-attr]
        assert () == await store.due()


async def test_a_goal_that_is_left_behind_keeps_nobody_awake() -> None:
    """
    After a rewind behind it there is nothing to go on with, and that is written down once.
    """
    store = open_volatile()
    await wrote(store, GoalSet(objective="Win."))
    async with Worker(store=store) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.rewind(0)
        assert await worker.engine.wake("talk")
        assert not await worker.engine.wake("talk")
        assert ["cancelled"] == [e.why for e in await log_of(conversation) if isinstance(e, WakeEnded)]


async def test_reminders_of_a_session_with_a_goal_fire_where_it_is_open() -> None:
    """
    The catalog lists it as always due, which must hide no time.
    """
    store, clock = open_volatile(clock=ManualClock()), ManualClock()
    await wrote(store, GoalSet(objective="Win."), ScheduleSet(text="Tea.", due=NOW + timedelta(hours=1)))
    async with Worker("Tea!", *["Hm."] * 9, store=store, clock=clock) as worker:
        conversation = await worker.engine.open("talk")
        clock.advance(3_600)
        waking = asyncio.create_task(worker.engine.run_wakes(goals=False))
        for _ in range(200):
            await asyncio.sleep(0)
        waking.cancel()
        await quiet(conversation)
        said = [plain_text(each.parts) for each in await log_of(conversation) if isinstance(each, UserSaid)]

    assert "Tea." == said[0]


async def test_two_processes_never_both_go_on_with_a_goal(tmp_path: Path) -> None:
    """
    Whoever has the session works; the other is told who that is.
    """
    first = open_store(tmp_path)
    await wrote(first, GoalSet(objective="Win."))
    second = open_store(tmp_path)
    async with Worker(*["Hm."] * 9, store=first) as one, Worker(store=second) as other:
        conversation = await one.engine.open("talk")
        await conversation.go_on()
        await quiet(conversation)
        with suppress(Held):
            await other.engine.wake("talk")
            raise AssertionError("It was woken by both.")
        assert [] == other.model.requests
