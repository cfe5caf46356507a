"""What words about time stand for: one or more stretches of local time.

"Friday" said on a Thursday is yesterday's week or tomorrow, so a find has readings, the earliest first. Who asks
knows which one is meant: a search looks back, a reminder looks ahead.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DAY = timedelta(days=1)
_BEGIN = datetime.fromisoformat("0001-01-01")
EXACT: dict[str, timedelta] = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": DAY,
    "week": timedelta(weeks=1),
}
"""Units that always have the same length."""

MONTHS, LONGEST_MONTH, NOON, HOURS, MINUTES = 12, 31, 12, 24, 60
YEAR_DIGITS, TENS, CENTURY = 4, 10, 100
NIGHT, MORNING = 18, 6
"""The hours of a night that begins on one day and ends on the next."""
LEAP_YEARS = 8
"""Years between two 29ths of February at the most."""


class TimeSpan(Struct, frozen=True, kw_only=True, order=True):
    """A stretch of local time, from `start` up to and without `end`."""

    start: datetime
    end: datetime
    exact: bool = False
    """Whether the words name an instant, not a day or more."""


class Found(Struct, frozen=True, kw_only=True):
    """Words that name a time, and where they stand in the text."""

    at: int
    to: int
    readings: tuple[TimeSpan, ...]

    def past(self, now: datetime) -> TimeSpan | None:
        """The newest reading that has begun, for those who look back."""
        return next((span for span in reversed(self.readings) if span.start <= now), None)

    def future(self, now: datetime) -> TimeSpan | None:
        """The next reading that is not over, for those who look ahead."""
        return next((span for span in self.readings if (span.start >= now if span.exact else span.end > now)), None)


class ClockTime(Struct, frozen=True, kw_only=True):
    """A time of day."""

    hour: int
    minute: int = 0
    second: int = 0
    halves: bool = False
    """Whether it may be in the morning or in the evening."""


def day(when: datetime) -> TimeSpan:
    """The whole day that an instant is in."""
    start = midnight(when)
    return TimeSpan(start=start, end=start + DAY)


def instant(when: datetime) -> TimeSpan:
    """One instant."""
    return TimeSpan(start=when, end=when, exact=True)


def midnight(when: datetime) -> datetime:
    """The begin of a day."""
    return when.replace(hour=0, minute=0, second=0, microsecond=0)


def date(year: int, month: int, number: int) -> datetime | None:
    """The begin of a day of the calendar, or None if there is no such day."""
    try:
        return _BEGIN.replace(year=year, month=month, day=number)
    except ValueError:
        return None


def shift(when: datetime, count: int, unit: str) -> datetime | None:
    """An instant moved by so many units; None beyond the calendar. The 31st becomes the last day of a shorter month."""
    try:
        if unit in EXACT:
            return when + count * EXACT[unit]
        months = when.year * 12 + when.month - 1 + count * (12 if unit == "year" else 1)
        year, month = divmod(months, 12)
        return when.replace(year=year, month=month + 1, day=min(when.day, monthrange(year, month + 1)[1]))
    except (OverflowError, ValueError):
        return None


def whole(unit: str, when: datetime, count: int = 0) -> TimeSpan | None:
    """The week, month or year that an instant is in, or the one `count` later."""
    start = midnight(when)
    if unit == "week":
        start -= start.weekday() * DAY
    elif unit == "month":
        start = start.replace(day=1)
    elif unit == "year":
        start = start.replace(month=1, day=1)
    moved = shift(start, count, unit)
    end = moved and shift(moved, 1, unit)
    return TimeSpan(start=moved, end=end) if moved and end else None


def month(year: int, number: int) -> TimeSpan | None:
    """A month of a year."""
    first = date(year, number, 1)
    return whole("month", first) if first else None


def months(now: datetime, number: int) -> tuple[TimeSpan, TimeSpan]:
    """The last such month that is over, and the one that is now or next."""
    known = [one for step in (-1, 0, 1) if (one := month(now.year + step, number))]
    ahead = next(one for one in known if one.end > now)
    return next(one for one in reversed(known) if one.end <= now), ahead


def nearest(now: datetime, days: Callable[[int], datetime | None], steps: int = LEAP_YEARS) -> tuple[TimeSpan, ...]:
    """The last and the next day of those that `days` gives for 0, ±1, ±2, …; today is the next one."""
    today = midnight(now)
    past = next((one for step in range(1, -steps - 1, -1) if (one := days(step)) and one < today), None)
    ahead = next((one for step in range(-1, steps + 1) if (one := days(step)) and one >= today), None)
    return tuple(day(one) for one in (past, ahead) if one)


def yearly(now: datetime, month_: int, number: int) -> tuple[TimeSpan, ...]:
    """The last and the next day with this month and number."""
    return nearest(now, lambda step: date(now.year + step, month_, number))


def monthly(now: datetime, number: int, weekday: int | None = None) -> tuple[TimeSpan, ...]:
    """The last and the next day with this number in its month, and on this day of the week."""

    def numbered(step: int) -> datetime | None:
        years, month_ = divmod(now.month - 1 + step, 12)
        one = date(now.year + years, month_ + 1, number)
        return one if one and weekday in {None, one.weekday()} else None

    return nearest(now, numbered, steps=60)


def weekly(now: datetime, weekday: int) -> tuple[TimeSpan, ...]:
    """The last and the next such day of the week."""
    monday = midnight(now) - now.weekday() * DAY
    return nearest(now, lambda step: monday + step * 7 * DAY + weekday * DAY)


def of_week(now: datetime, weekday: int, weeks: int) -> tuple[TimeSpan, ...]:
    """A day of this week, of the last one (-1), of the next one (1)."""
    week = whole("week", now, weeks)
    return (day(week.start + weekday * DAY),) if week else ()


def at_clock(spans: Iterable[TimeSpan], clock: ClockTime) -> tuple[TimeSpan, ...]:
    """A time of day on each of these days."""
    hours = (clock.hour, clock.hour + NOON) if clock.halves else (clock.hour,)
    return tuple(
        instant(span.start + timedelta(hours=hour, minutes=clock.minute, seconds=clock.second))
        for span in spans
        for hour in hours
    )


def part_of_day(spans: Iterable[TimeSpan], hours: tuple[int, int]) -> tuple[TimeSpan, ...]:
    """The morning, evening … of each of these days."""
    start, end = (timedelta(hours=hour) for hour in hours)
    return tuple(TimeSpan(start=span.start + start, end=span.start + end, exact=start == end) for span in spans)


def in_part(clock: ClockTime, hours: tuple[int, int]) -> ClockTime | None:
    """The time of day as meant in a part of the day: 9 in the evening is 21. None for the small hours of a night."""
    begin, end = hours
    if begin >= NIGHT and clock.hour < MORNING:  # of the night that begins then, or of the one that ends?
        return None
    later = clock.halves and begin >= NOON and (begin < end or clock.hour < MORNING)
    return ClockTime(hour=clock.hour + NOON * later, minute=clock.minute, second=clock.second)


def clock(hour: int, minute: int = 0, second: int = 0) -> ClockTime | None:
    """A time of day as it is said without morning or afternoon; None if there is none such."""
    if hour > HOURS or max(minute, second) >= MINUTES:
        return None
    return ClockTime(hour=hour % HOURS, minute=minute, second=second, halves=0 < hour < NOON)


def in_this_month(now: datetime, spans: tuple[TimeSpan, ...]) -> tuple[TimeSpan, ...]:
    """Those of this month, or all if there are none."""
    near = tuple(span for span in spans if (span.start.year, span.start.month) == (now.year, now.month))
    return near or spans
