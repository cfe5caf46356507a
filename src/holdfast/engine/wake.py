"""Waking sessions at the times that stand in their logs.

The catalog knows which session is due next. A session is woken by whoever gets its lease, and that it was woken is
written in one append with what is said then: so each time wakes once, however many processes wait for it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Literal

from holdfast.clock import Clock, at_time
from holdfast.errors import HoldfastError
from holdfast.records.entries import Entry, ScheduleChanged, ScheduleFired, ScheduleSet, UserSaid, WakeEnded, WakeSet
from holdfast.records.parts import Source, Text
from holdfast.session.catalog import Due
from holdfast.session.goals import ALWAYS
from holdfast.session.schedules import Wake
from holdfast.session.state import on_path
from holdfast.session.store import Store
from holdfast.session.writer import Session

LOOK_SECONDS = 5.0
"""How often the catalog is asked, at least: another process may have set an earlier time."""
MOST = 100
"""So many sessions are woken in one go."""
LATE_SECONDS = 60
"""A slot that comes later than this is said to be late."""
Slots = Callable[[ScheduleSet, datetime], datetime | None]
"""The first slot of a schedule after a time; None if there is none any more."""
TIMER = Source(host="timer")
"""Whose words are what a wake says."""


async def woken(session: Session, *, busy: bool, now: datetime, slots: Slots | None = None) -> list[Entry]:
    """What is to be written where a session is due: that it was woken, and what is said then.

    A time that was set on a branch that was left wakes nobody. What is said while a turn runs is answered after it,
    and a slot of a schedule that comes again is skipped. `slots` says which slot of a schedule comes next.
    """
    entries: list[Entry] = []
    state = session.state
    schedules = {each.pos: each for each in state.schedules}
    for wake in state.wakes:
        if wake.at > now or (wake.at == ALWAYS and state.goal is not None):
            continue
        if wake.pos in schedules and on_path(wake.pos, state.path) and slots is not None:
            entries += _slot(schedules[wake.pos].as_set(wake.at), wake, now, slots, busy=busy)
            continue
        here = on_path(wake.pos, state.path)
        due = here and wake.at != ALWAYS  # without a goal that counts here, nothing is to be gone on with
        entries.append(WakeEnded(wake=wake.pos, why="due" if due else "cancelled"))
        if due:
            found = [record.entry async for record in session.read(start=wake.pos, stop=wake.pos + 1)]
            texts = [entry.text for entry in found if isinstance(entry, WakeSet) and entry.text]
            enters: Literal["now", "after"] = "after" if busy else "now"
            entries += [UserSaid(parts=(Text(text=text),), source=TIMER, enters=enters) for text in texts]
    return entries


def _slot(schedule: ScheduleSet, wake: Wake, now: datetime, slots: Slots, *, busy: bool) -> list[Entry]:
    """What is to be written when a slot of a schedule came: late once, however many were missed."""
    if schedule.until is not None and now > schedule.until:
        return [ScheduleChanged(schedule=wake.pos, status="expired")]
    after, late = slots(schedule, now), round((now - wake.at).total_seconds())
    skipped = busy and after is not None
    fired = ScheduleFired(
        schedule=wake.pos,
        slot=wake.at,
        outcome="skipped" if skipped else "said",
        late=late if late >= LATE_SECONDS else 0,
        next=after,
    )
    if skipped or not schedule.text:
        return [fired]
    note = f"[This was due at {wake.at:%Y-%m-%d %H:%M} UTC, {timedelta(seconds=late)} ago.]\n" if fired.late else ""
    said = UserSaid(
        parts=(Text(text=f"{note}{schedule.text}"),),
        source=Source(host=TIMER.host, message=f"{wake.pos}@{wake.at.isoformat()}"),
        enters="after" if busy else "now",
    )
    return [fired, said]


async def run_wakes(
    store: Store,
    wake: Callable[[str], Awaitable[object]],
    clock: Clock,
    workspace: str,
    *,
    goals: bool = True,
    here: Callable[[], list[Due]] = list,
) -> None:
    """Wake every session that is due, for ever; those of one workspace, or with '' all.

    With `goals` it also goes on with active goals that no process works on; they do not crowd out what has a time.
    `here` gives what is due in this process besides.
    """
    while True:
        now = at_time(clock.now_ns())
        due = [*here(), *await store.due(limit=MOST, workspace=workspace, goals=False)]
        if goals:
            due += await store.due(limit=MOST, workspace=workspace, goals=True)
        for key in dict.fromkeys(each.key for each in due if each.at <= now):
            # Another process works in it, and wakes it; or it stays due, and is tried again.
            with suppress(HoldfastError):
                await wake(key)
        later = [each.at for each in due if each.at > now]
        soon = min([*later, now + timedelta(seconds=LOOK_SECONDS)])
        await clock.sleep((soon - now).total_seconds())
        # A clock of tests waits for nobody, and others must have their turn.
        await asyncio.sleep(0)
