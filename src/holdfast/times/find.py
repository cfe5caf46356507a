"""The times that a text names, whatever its language."""

from datetime import datetime

from holdfast.times.east_asian import EastAsian
from holdfast.times.english import English
from holdfast.times.spans import Found

MOST = 2_000
"""Characters that are looked at; people paste whole logs into a search box."""


def find(text: str, now: datetime) -> list[Found]:
    """Every time that the text names, in order; `now` is local time, and so are the readings."""
    text = text[:MOST]
    found = [] if text.isascii() else EastAsian(text, now).find()
    found += [
        one for one in English(text, now).find() if not any(one.at < other.to and other.at < one.to for other in found)
    ]
    return sorted(found, key=lambda one: one.at)
