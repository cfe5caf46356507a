"""The slots of schedules: fixed intervals, and cron lines in a zone, right on days when the clock is changed."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from holdfast.errors import BadInput
from holdfast.records.entries import ScheduleSet

LEAST_SECONDS = 60


def zone_of(name: str) -> ZoneInfo:
    """An IANA zone. Raises `BadInput` for one that is not known."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise BadInput(f"{name!r} is no time zone.", hint="Write one as `Europe/Prague` or `UTC`.") from error


def next_slot(schedule: ScheduleSet, after: datetime) -> datetime | None:
    """The first slot after a time; None if there is none any more."""
    found: datetime | None
    if schedule.every:
        passed = (after - schedule.due).total_seconds()
        found = schedule.due + timedelta(seconds=max(0, passed // schedule.every + 1) * schedule.every)
    elif schedule.cron:
        found = next_of(schedule.cron, schedule.zone, after)
    else:
        found = schedule.due if schedule.due > after else None
    return None if found is None or (schedule.until is not None and found > schedule.until) else found


def next_of(cron: str, zone: str, after: datetime) -> datetime:
    """The next time that a cron line names. Raises `BadInput` for one that cannot be read, or never comes."""
    try:
        return next(CronSim(cron, after.astimezone(zone_of(zone)))).astimezone(UTC)
    except (CronSimError, StopIteration) as error:
        raise BadInput(
            f"{cron!r} is no cron line that ever comes.",
            hint="Write minute, hour, day, month, weekday, such as `0 9 * * 1-5`.",
        ) from error
