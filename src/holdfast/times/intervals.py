"""Intervals and moments in words, for loops and reminders: "30m", "every 2 hours", "daily at 9:00", 「毎日9時」.

What is not known is refused, never guessed; a moment that the words of `find` name is taken as the next one.
"""

import re
from datetime import datetime, timedelta

from msgspec import Struct

from holdfast.times.find import find

UNITS = {
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "秒": 1,
    "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "分": 60, "分钟": 60, "分間": 60,
    "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "小时": 3600, "時間": 3600, "个小时": 3600,
    "d": 86400, "day": 86400, "days": 86400, "天": 86400, "日": 86400, "日間": 86400,
    "w": 604800, "week": 604800, "weeks": 604800, "周": 604800, "週間": 604800, "星期": 604800,
}  # fmt: skip
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_AMOUNT = rf"(?P<amount>\d+(?:\.\d+)?|an?|one|two|three|half an)\s*(?P<unit>{_UNIT})(?![A-Za-z])"
_MORE = rf"\d+\s*(?:{_UNIT})(?![A-Za-z])"
_SPAN = re.compile(rf"(?P<all>{_AMOUNT}(?:\s*(?:and\s*)?{_MORE})*)", re.IGNORECASE)
_PART = re.compile(rf"(\d+(?:\.\d+)?|an?|one|two|three|half an)\s*({_UNIT})(?![A-Za-z])", re.IGNORECASE)
_NUMBERS = {"a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "half an": 0.5}
_EVERY = re.compile(r"(?:every|each|每隔?|毎)\s*", re.IGNORECASE)
_IN = re.compile(r"(?:in|after|at)\s+", re.IGNORECASE)
_EACH = re.compile(r"\s*(?:ごとに|ごと|毎に|おきに)\s*")
_LATER = re.compile(r"\s*(?:后|後|以后|later)")
_NAMED = {"hourly": "0 * * * *", "daily": "0 9 * * *", "weekly": "0 9 * * 1"}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)|点|時)?\s*(?P<half>am|pm)?"
_DAILY = re.compile(
    rf"(?:(?:every|each)\s+(?P<day>day|weekday|{'|'.join(_DAYS)})|daily|每天|毎日)(?:\s*(?:at)?\s*{_CLOCK})?(?![\w:])",
    re.IGNORECASE,
)
_NINE = 9
_NOON = 12
_HOURS = 24
_MINUTES = 60


class Every(Struct, frozen=True, kw_only=True):
    """Again and again: so many seconds apart, or by a cron line; and what stands behind the words."""

    seconds: int = 0
    cron: str = ""
    rest: str = ""


class When(Struct, frozen=True, kw_only=True):
    """A moment of local time, and what stands behind the words that name it."""

    at: datetime
    rest: str = ""


def seconds_in(text: str) -> tuple[int, str] | None:
    """A length of time that a text begins with, in seconds, and the rest; None where it begins with none."""
    found = _SPAN.match(text)
    if found is None:
        return None
    total = 0.0
    for number, unit in _PART.findall(found["all"]):
        amount = _NUMBERS[number.lower()] if number.lower() in _NUMBERS else float(number)
        total += amount * UNITS[unit.lower()]
    return round(total), text[found.end() :].strip()


def every_in(text: str) -> Every | None:
    """How often, at the beginning of a text: `30m …`, `every 2 hours …`, `daily at 9:00 …`; None for anything else."""
    text = text.strip()
    first, _, rest = text.partition(" ")
    if (daily := _DAILY.match(text)) is not None:
        cron = _cron(daily)
        return Every(cron=cron, rest=text[daily.end() :].strip()) if cron else None
    if first.lower() in _NAMED:
        return Every(cron=_NAMED[first.lower()], rest=rest.strip())
    named = _EVERY.match(text)
    length = seconds_in(text[named.end() :] if named else text)
    if length is None and named is not None:  # "every hour"
        length = seconds_in(f"1 {text[named.end() :]}")
    return None if length is None else Every(seconds=length[0], rest=_behind(length[1]))


def _behind(rest: str) -> str:
    each = _EACH.match(rest)
    return rest[each.end() :] if each else rest


def _cron(found: re.Match[str]) -> str:
    hour = int(found["hour"]) if found["hour"] else _NINE
    minute = int(found["minute"] or 0)
    if found["half"]:
        hour = hour % _NOON + (_NOON if found["half"].lower() == "pm" else 0)
    if hour >= _HOURS or minute >= _MINUTES:
        return ""
    day = (found["day"] or "day").lower()
    days = "*" if day == "day" else "1-5" if day == "weekday" else str((_DAYS.index(day) + 1) % 7)
    return f"{minute} {hour} * * {days}"


def when_in(text: str, now: datetime) -> When | None:
    """When, at the beginning of a text: `in 20m …`, `tomorrow 9:00 …`, 「明天9点…」; the next time that it can be.

    `now` is local time. None where the text does not begin with a time that is known, or with one that is over.
    """
    text = text.strip()
    ahead = _IN.match(text)
    length = seconds_in(text[ahead.end() :] if ahead else text)
    if length is not None:
        rest = length[1]
        later = _LATER.match(rest)
        return When(at=now + timedelta(seconds=length[0]), rest=rest[later.end() :].strip() if later else rest)
    try:
        first, _, rest = text.partition(" ")
        exact = datetime.fromisoformat(first)
    except ValueError:
        pass
    else:
        local = exact if exact.tzinfo is None else exact.astimezone().replace(tzinfo=None)
        return When(at=local, rest=rest.strip())
    text = text[ahead.end() :] if ahead else text
    found = next((each for each in find(text, now) if each.at == 0), None)
    span = None if found is None else found.future(now)
    if found is None or span is None:
        return None
    at = span.start
    if not span.exact and at.hour == 0:  # a whole day: in the morning
        at = at.replace(hour=_NINE)
    return When(at=at, rest=text[found.to :].strip(" ,:")) if at > now else None
