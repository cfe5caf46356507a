"""Schedules from words that a person typed: `/loop EVERY TEXT` and `/remind WHEN TEXT`.

Only here the words of times are read, which take a while to load.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from holdfast.errors import BadInput
from holdfast.goals.schedules import EVERY, LONGEST, WHEN, must_be_long
from holdfast.goals.slots import next_of
from holdfast.records.entries import ScheduleSet
from holdfast.records.parts import Source
from holdfast.times.intervals import every_in, when_in


def looped(words: str, now: datetime, zone: str, *, by: Source | None) -> ScheduleSet:
    """What `/loop EVERY TEXT` means. Raises `BadInput` for what is not known, or comes too often."""
    found = every_in(words)
    if found is None:
        raise BadInput(f"It is not clear how often: {words[:60]!r}.", hint=EVERY)
    text = _said(found.rest)
    if found.cron:
        return ScheduleSet(text=text, due=next_of(found.cron, zone, now), cron=found.cron, zone=zone, by=by)
    must_be_long(found.seconds)
    return ScheduleSet(text=text, due=now + timedelta(seconds=found.seconds), every=found.seconds, zone=zone, by=by)


def reminded(words: str, now: datetime, zone: str, *, by: Source | None) -> ScheduleSet:
    """What `/remind WHEN TEXT` means. Raises `BadInput` for what is not known, or is over."""
    here = ZoneInfo(zone)
    found = when_in(words, now.astimezone(here).replace(tzinfo=None))
    if found is None:
        raise BadInput(f"It is not clear when: {words[:60]!r}, or that is over.", hint=WHEN)
    due = found.at.replace(tzinfo=here).astimezone(UTC)
    if due <= now:
        raise BadInput(f"{found.at:%Y-%m-%d %H:%M} is over; it is {now.astimezone(here):%Y-%m-%d %H:%M}.", hint=WHEN)
    return ScheduleSet(text=_said(found.rest), due=due, zone=zone, by=by)


def _said(text: str) -> str:
    text = text.strip()
    if not text:
        raise BadInput(
            "There is nothing to say then.", hint="Write it behind the time: `/remind in 20m Check the oven`."
        )
    if len(text) > LONGEST:
        raise BadInput(f"This has {len(text):,} characters, and a schedule takes {LONGEST:,}.")
    return text
