"""What the grammar says of a text, in short: each time as its readings, in one line each."""

from datetime import datetime

from holdfast.times.find import find
from holdfast.times.spans import DAY, TimeSpan

NOW = datetime.fromisoformat("2026-11-19T20:15:30")
"""A Thursday evening."""


def read(text: str, now: datetime = NOW) -> list[str]:
    """Each time that the text names: its words, and its readings."""
    return [f"{text[one.at : one.to]}: {' | '.join(map(short, one.readings))}" for one in find(text, now)]


def times(text: str, now: datetime = NOW) -> list[str]:
    """The readings of the one time that the text names; nothing if it names none."""
    return [short(span) for one in find(text, now) for span in one.readings]


def short(span: TimeSpan) -> str:
    """A day as its date, an instant with its time of day, anything else as begin and end."""
    if span.exact:
        return f"{span.start:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
    if span.end - span.start == DAY:
        return f"{span.start:%Y-%m-%d}"
    return f"{span.start:%Y-%m-%dT%H} … {span.end:%Y-%m-%dT%H}"
