"""Schedules in the state of a session: what is to be said when; pure.

Which slot comes next stands in the entries, so nothing here knows of calendars.
"""

from datetime import datetime
from typing import Literal

from msgspec.structs import replace

from holdfast.ids import Position
from holdfast.records.entries import ScheduleChanged, ScheduleFired, ScheduleSet
from holdfast.records.parts import Value

KEPT = 100
"""So many schedules of a session are remembered; those that are over are forgotten first."""


class Wake(Value, frozen=True, kw_only=True):
    """A time at which the session is to be woken."""

    pos: Position
    at: datetime


class Schedule(Value, frozen=True, kw_only=True):
    """Something that is to be said at times."""

    pos: Position
    text: str
    status: Literal["active", "paused", "deleted", "expired", "over"] = "active"
    next: datetime | None = None
    every: int = 0
    cron: str = ""
    zone: str = "UTC"
    until: datetime | None = None
    fired: int = 0
    skipped: int = 0
    by_agent: bool = False

    def as_set(self, due: datetime) -> ScheduleSet:
        """What was set, from a slot on."""
        return ScheduleSet(text=self.text, due=due, every=self.every, cron=self.cron, zone=self.zone, until=self.until)

    @property
    def alive(self) -> bool:
        """Whether it is to be heard of again."""
        return self.status in {"active", "paused"}


Change = ScheduleSet | ScheduleFired | ScheduleChanged


def changes(
    wakes: tuple[Wake, ...], schedules: tuple[Schedule, ...], entry: Change, pos: Position
) -> dict[str, object]:
    """What a fact about a schedule changes in the state, by field."""
    return {"wakes": _wakes(wakes, entry, pos), "schedules": _folded(schedules, entry, pos)}


def _wakes(known: tuple[Wake, ...], entry: Change, pos: Position) -> tuple[Wake, ...]:
    if isinstance(entry, ScheduleSet):
        return (*known, Wake(pos=pos, at=entry.due))
    others = tuple(each for each in known if each.pos != entry.schedule)
    return others if entry.next is None else (*others, Wake(pos=entry.schedule, at=entry.next))


def _folded(known: tuple[Schedule, ...], entry: Change, pos: Position) -> tuple[Schedule, ...]:
    if isinstance(entry, ScheduleSet):
        agent = entry.by is not None and entry.by.host == "agent"
        made = Schedule(
            pos=pos,
            text=entry.text,
            next=entry.due,
            every=entry.every,
            cron=entry.cron,
            zone=entry.zone,
            until=entry.until,
            by_agent=agent,
        )
        over = [each for each in known if not each.alive]
        return (*(over[-KEPT:]), *(each for each in known if each.alive), made)
    return tuple(_after(each, entry) if each.pos == entry.schedule else each for each in known)


def _after(schedule: Schedule, entry: ScheduleFired | ScheduleChanged) -> Schedule:
    if isinstance(entry, ScheduleChanged):
        # What is paused keeps its slot, so that resuming it before then loses nothing.
        following = schedule.next if entry.status == "paused" else entry.next
        return replace(schedule, status=entry.status, next=following)
    said = entry.outcome == "said"
    return replace(
        schedule,
        next=entry.next,
        status="active" if entry.next is not None else "over",
        fired=schedule.fired + said,
        skipped=schedule.skipped + (not said),
    )
