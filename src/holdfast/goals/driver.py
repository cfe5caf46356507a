"""The driver: says what comes after a turn while there is a goal.

It goes on with the goal, waits, or pauses it with the reason. It keeps nothing: everything follows from the log, so
it goes on after a restart where it was.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from holdfast.clock import Clock, at_time
from holdfast.goals.account import remainder
from holdfast.goals.guard import IDLE_STEPS, USE_WAIT, idle_steps, why
from holdfast.goals.results import look_back
from holdfast.goals.text import GOAL, clipped, step_text
from holdfast.records.entries import Entry, GoalStatusChanged, TurnEnded, UserSaid, WakeSet
from holdfast.records.parts import Text
from holdfast.session.goals import Goal, GoalStatus
from holdfast.session.hooks import AnotherStep, Next, ResumeTurn, WaitUntil
from holdfast.session.writer import Session

MOST_CRASHES = 3
MOST_FAILURES = 2
LATE_SECONDS = 60
"""A time that is reached later than this is told to be late."""

Watch = Callable[[GoalStatus], Awaitable[str]]
"""Waits for the end of a command or a change of a file, and tells in words what happened."""


class GoalDriver:
    """Goes on with the goals of sessions: the `NextStep` of an agent."""

    def __init__(self, clock: Clock, watch: Watch | None = None) -> None:
        """Tell the time by a clock; `watch` waits for what is no time."""
        self._clock, self._watch = clock, watch
        self._watching: dict[str, asyncio.Future[str]] = {}

    async def next_step(self, session: Session, ended: TurnEnded | None) -> Next:
        """What comes now that nothing runs."""
        goal = session.state.goal
        if goal is None or (ended is not None and session.state.in_turn):
            return None  # what waited for the end of the turn comes first
        if session.state.in_turn:
            return await self._broken_off(session, goal)
        if goal.doing == "waiting":
            return await self._waits(session, goal)
        if goal.doing != "active":
            return None
        stop = None if ended is None else _stopped(goal, ended, self._now())
        if stop is None:
            return await self._step(session, goal)
        wake = (WakeSet(due=stop.until, why=stop.note),) if stop.until else ()
        await session.append(stop, *wake)
        await session.commit()
        return None

    def _now(self) -> datetime:
        return at_time(self._clock.now_ns())

    async def _broken_off(self, session: Session, goal: Goal) -> Next:
        """Go on with the turn that its process did not end."""
        if goal.doing != "active":
            return None
        if not goal.stepping:
            return ResumeTurn()
        if goal.crashes + 1 >= MOST_CRASHES:
            note = f"The process ended {MOST_CRASHES} times in the same goal step."
            await session.append(GoalStatusChanged(status="paused", why="crashed", note=note))
            await session.commit()
            return None
        return ResumeTurn(facts=(GoalStatusChanged(status="active", why="crashed", note="the process ended"),))

    async def _waits(self, session: Session, goal: Goal) -> Next:
        status = goal.status
        if status is None or status.on == "message":
            return None
        if status.until is not None and status.until <= self._now():
            late = (self._now() - status.until).total_seconds()
            said = f", {clipped(str(timedelta(seconds=round(late))), 40)} late" if late > LATE_SECONDS else ""
            fired = f"The time has come that you waited for ({status.until:%Y-%m-%d %H:%M} UTC{said}): {status.note}"
            return await self._step(
                session, goal, GoalStatusChanged(status="active", why="late" if said else "wait", note=fired)
            )
        if status.on in {"command", "file"} and self._watch is not None:
            fired = await self._watched(self._watch, session.key, status)
            return await self._step(session, goal, GoalStatusChanged(status="active", why="wait", note=fired))
        if status.until is None or any(wake.at == status.until for wake in session.state.wakes):
            return None
        return WaitUntil(at=status.until, why=status.note or "the goal waits")

    async def _watched(self, watch: Watch, key: str, status: GoalStatus) -> str:
        """Wait for a command or a file; of two who wait in a session the first gives up."""
        before = self._watching.pop(key, None)
        if before is not None:
            before.cancel()
        watching = self._watching[key] = asyncio.ensure_future(watch(status))
        try:
            return await watching
        finally:
            watching.cancel()

    async def _step(self, session: Session, goal: Goal, fired: GoalStatusChanged | None = None) -> Next:
        """Begin the next goal step, unless a budget is used up or nothing comes of it."""
        if spent := remainder(goal).spent:
            note = f"The budget of {spent} is used up. `/goal budget +N` raises it, and the goal goes on."
            await session.append(GoalStatusChanged(status="paused", why="budget", note=note))
            await session.commit()
            return None
        looked = await look_back(session)
        idle = idle_steps(looked)
        if idle >= IDLE_STEPS and fired is None:
            note = f"{why(looked)} Say what to do, and `/goal resume` goes on."
            await session.append(GoalStatusChanged(status="paused", why="guard", note=note))
            await session.commit()
            return None
        hint = fired.note if fired else USE_WAIT if idle == IDLE_STEPS - 1 else ""
        facts: tuple[Entry, ...] = () if fired is None else (fired,)
        if fired is None and goal.status is not None and goal.status.why == "message":
            facts = (GoalStatusChanged(status="active", why="message", note="the person said something"),)
        text = step_text(goal, results=looked.lines(), hint=hint)
        return AnotherStep(said=UserSaid(parts=(Text(text=text),), source=GOAL), facts=facts)


def _stopped(goal: Goal, ended: TurnEnded, now: datetime) -> GoalStatusChanged | None:
    """What the end of a turn means for the goal, if it does not simply go on."""
    if ended.why == "cancelled":
        note = "The turn was stopped; the goal goes on after your next message, or with /goal resume."
        return GoalStatusChanged(status="waiting", why="stopped", note=note, on="message")
    if ended.cause == "budget":
        return GoalStatusChanged(status="paused", why="budget", note=ended.note)
    if ended.why != "failed":
        return None
    if ended.retry_after:
        until = now + timedelta(seconds=ended.retry_after)
        return GoalStatusChanged(status="waiting", why="rate", note=ended.note, on="time", until=until)
    if goal.failures >= MOST_FAILURES:
        note = f"The goal step failed twice: {ended.note}"
        return GoalStatusChanged(status="paused", why="failed", note=note)
    return None
