"""Waking sessions at the times that stand in their logs.

The catalog knows which session is due next. A session is woken by whoever gets its lease, and that it was woken is
written in one append with what is said then: so each time wakes once, however many processes wait for it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from holdfast.clock import Clock, at_time
from holdfast.errors import HoldfastError
from holdfast.records.entries import Entry, UserSaid, WakeEnded, WakeSet
from holdfast.records.parts import Source, Text
from holdfast.session.catalog import Due
from holdfast.session.goals import ALWAYS
from holdfast.session.state import on_path
from holdfast.session.store import Store
from holdfast.session.writer import Session

LOOK_SECONDS = 5.0
"""How often the catalog is asked, at least: another process may have set an earlier time."""
MOST = 100
"""So many sessions are woken in one go."""
TIMER = Source(host="timer")
"""Whose words are what a wake says."""


async def woken(session: Session, now: datetime) -> list[Entry]:
    """What is to be written where a session is due: that it was woken, and what is said then.

    A time that was set on a branch that was left wakes nobody.
    """
    entries: list[Entry] = []
    state = session.state
    for wake in state.wakes:
        if wake.at > now or (wake.at == ALWAYS and state.goal is not None):
            continue
        here = on_path(wake.pos, state.path)
        due = here and wake.at != ALWAYS  # without a goal that counts here, nothing is to be gone on with
        entries.append(WakeEnded(wake=wake.pos, why="due" if due else "cancelled"))
        if due:
            found = [record.entry async for record in session.read(start=wake.pos, stop=wake.pos + 1)]
            texts = [entry.text for entry in found if isinstance(entry, WakeSet) and entry.text]
            entries += [UserSaid(parts=(Text(text=text),), source=TIMER) for text in texts]
    return entries


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
        await asyncio.sleep(0)
