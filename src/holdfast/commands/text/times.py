"""Times, sizes and counts, in the few letters a list has room for."""

from datetime import datetime

_MINUTE, _HOUR, _DAY, _WEEK = 60, 3600, 86_400, 7 * 86_400


def ago(then: datetime, now: datetime) -> str:
    """When something was, seen from now: for the last week how long ago, before that the local date."""
    seconds = (now - then).total_seconds()
    if -_MINUTE < seconds < _MINUTE:
        return "just now"
    if _MINUTE <= seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min ago"
    if _HOUR <= seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h ago"
    if _DAY <= seconds < _WEEK:
        return f"{seconds // _DAY:.0f} d ago"
    return f"{then.astimezone():%Y-%m-%d}"


def clock(then: datetime, before: datetime | None = None) -> str:
    """The local time of day; with its date unless it is the same day as `before`."""
    here = then.astimezone()
    if before is not None and before.astimezone().date() == here.date():
        return f"{here:%H:%M}"
    return f"{here:%Y-%m-%d %H:%M}"


def human_size(size: int) -> str:
    """Bytes with a unit: 812 B, 4.1 KB, 12 MB."""
    amount, unit = float(size), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if amount < 1000:  # noqa: PLR2004
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.1f} {unit}" if unit != "B" and amount < 9.95 else f"{amount:.0f} {unit}"  # noqa: PLR2004


def count(number: int, one: str, many: str = "") -> str:
    """A number with its word: 1 entry, 2,000 entries."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
