"""Schedules as they may be made: when, how often, and how many of them.

The agent makes one only in a turn that a person began, and asks. Each session has at most so many, and the agent's own
expire.
"""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from holdfast.errors import BadInput, NotThere
from holdfast.goals.slots import LEAST_SECONDS, next_of, next_slot, zone_of
from holdfast.records.entries import ScheduleChanged, ScheduleSet
from holdfast.records.parts import Source
from holdfast.session.schedules import Schedule
from holdfast.session.state import SessionState, on_path

MOST = 50
"""So many schedules a session may have."""
AGENT_DAYS = 30
"""The agent's own expire after so many days."""
LONGEST = 4_000
EVERY = "Write it as `30m`, `every 2 hours`, `daily at 9:00` or `every monday at 18:00`, then what is to be said."
WHEN = "Write it as `in 20m`, `tomorrow 9:00`, `2026-11-21T09:00` or 「明天9点」, then what is to be said."


def local_zone(environment: Mapping[str, str] | None = None, link: Path = Path("/etc/localtime")) -> str:
    """The IANA zone of the person: from TZ, or from the system; UTC where neither says one."""
    named = (os.environ if environment is None else environment).get("TZ", "").removeprefix(":")
    if not named and link.is_symlink():
        named = str(link.resolve()).partition("zoneinfo/")[2]
    try:
        return zone_of(named or "UTC").key
    except BadInput:
        return "UTC"


def must_be_long(seconds: int) -> None:
    """Raise `BadInput` for an interval that is too short."""
    if seconds < LEAST_SECONDS:
        raise BadInput("An interval is a minute or longer.", hint=EVERY)


def checked(made: ScheduleSet, state: SessionState, now: datetime) -> ScheduleSet:
    """A schedule as it may be written down. Raises `BadInput` for what cannot be, or one too many."""
    zone_of(made.zone)
    if made.every:
        must_be_long(made.every)
    if made.cron:
        first = next_of(made.cron, made.zone, now)
        if (next_of(made.cron, made.zone, first) - first).total_seconds() < LEAST_SECONDS:
            raise BadInput("An interval is a minute or longer.", hint=EVERY)
    if made.due <= now:
        raise BadInput(f"{made.due:%Y-%m-%d %H:%M} UTC is over.", hint=WHEN)
    if len(alive(state)) >= MOST:
        raise BadInput(f"This session has {MOST} schedules.", hint="`/schedule delete N` removes one.")
    return made


def alive(state: SessionState) -> list[Schedule]:
    """The schedules that are to be heard of again, as they are numbered in lists."""
    path = state.path
    return [each for each in state.schedules if each.alive and on_path(each.pos, path)]


def numbered(state: SessionState, number: int | None) -> Schedule:
    """A schedule by its number. Raises `NotThere`."""
    known = alive(state)
    if number is None or not 1 <= number <= len(known):
        raise NotThere(f"There is no schedule {number or ''}.", hint=f"There are {len(known)}; `/schedule` lists them.")
    return known[number - 1]


def changed(schedule: Schedule, action: str, now: datetime, *, by: Source | None) -> ScheduleChanged:
    """Pause, resume or delete a schedule."""
    if action == "resume":
        last = schedule.next or now
        following = schedule.next if schedule.next and schedule.next > now else next_slot(schedule.as_set(last), now)
        status: Literal["active", "expired"] = "active" if following else "expired"
        return ScheduleChanged(schedule=schedule.pos, status=status, next=following, by=by)
    return ScheduleChanged(schedule=schedule.pos, status="paused" if action == "pause" else "deleted", by=by)


def how_often(schedule: Schedule) -> str:
    """How often a schedule fires, in words."""
    if schedule.cron:
        return f"cron {schedule.cron} ({schedule.zone})"
    if not schedule.every:
        return "once"
    for unit, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if schedule.every % unit == 0:
            number = schedule.every // unit
            return f"every {name}" if number == 1 else f"every {number} {name}s"
    return f"every {schedule.every} seconds"


def shown(at: datetime, zone: str) -> str:
    """An absolute time in a zone."""
    return f"{at.astimezone(ZoneInfo(zone)):%a %Y-%m-%d %H:%M} {zone}"
