"""Retry-After: how long a service says to wait before the next try.

It stands in one of five headers, in four forms, or only in the words.
"""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SPAN = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_IN_WORDS = re.compile(r"(?:try again|retry|wait)(?: in| after)? ([\d.hms]+)(?: (second|minute))?", re.IGNORECASE)
_EPOCH_S, _EPOCH_MS = 1e9, 1e12


def retry_after(headers: Mapping[str, str], message: str = "", *, now: datetime | None = None) -> float | None:
    """Seconds to wait, if the service tells."""
    given = {name.lower(): value.strip() for name, value in headers.items()}
    now = now or datetime.now(UTC)
    found = (
        _scaled(given.get("retry-after-ms", ""), 0.001),
        _moment(given.get("retry-after", ""), now),
        _used_up(given),
        _moment(given.get("x-ratelimit-reset", ""), now),
        _in_words(message),
    )
    return next((max(0.0, round(wait, 3)) for wait in found if wait is not None), None)


def _scaled(text: str, unit: float) -> float | None:
    try:
        value = float(text) * unit
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _moment(text: str, now: datetime) -> float | None:
    """Seconds, a span such as 6m0s, a date, or seconds or milliseconds since 1970."""
    value = _scaled(text, 1)
    if value is None:
        return _span(text) if _span(text) is not None else _date(text, now)
    if value >= _EPOCH_MS:
        return value / 1000 - now.timestamp()
    return value - now.timestamp() if value >= _EPOCH_S else value


def _date(text: str, now: datetime) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds()


def _span(text: str) -> float | None:
    found = _SPAN.fullmatch(text)
    if not text or not found:
        return None
    hours, minutes, seconds, thousandths = (float(each or 0) for each in found.groups())
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000


def _used_up(given: Mapping[str, str]) -> float | None:
    """When the limits that are used up begin anew; the others do not matter."""
    spans = [
        _span(given.get(f"x-ratelimit-reset-{what}", ""))
        for what in ("requests", "tokens")
        if given.get(f"x-ratelimit-remaining-{what}") == "0"
    ]
    return max((span for span in spans if span is not None), default=None)


def _in_words(message: str) -> float | None:
    found = _IN_WORDS.search(message)
    if not found:
        return None
    span, unit = found[1].rstrip("."), found[2]
    if not unit:
        return _span(span)
    return _scaled(span, 60 if unit.lower() == "minute" else 1)
