"""Time behind a protocol, so that tests own it and none of them waits."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def at_time(now_ns: int) -> datetime:
    """A clock's nanoseconds as a date, to the microsecond."""
    return _EPOCH + timedelta(microseconds=now_ns // 1000)


class Clock(Protocol):
    """What time it is, and how to wait."""

    def now_ns(self) -> int:
        """Nanoseconds since 1970, UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Come back after `seconds`."""
        ...


class SystemClock:
    """The machine's own clock."""

    now_ns = staticmethod(time.time_ns)

    async def sleep(self, seconds: float) -> None:
        """Come back after `seconds`."""
        await asyncio.sleep(seconds)


class ManualClock:
    """A clock that stands still until it is told to move; waiting moves it."""

    def __init__(self, start_ns: int = 1_794_787_200_000_000_000) -> None:
        """Start at 2026-11-16, midnight UTC, unless told otherwise."""
        self._now_ns = start_ns

    def now_ns(self) -> int:
        """Nanoseconds since 1970, UTC."""
        return self._now_ns

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now_ns += int(seconds * 1_000_000_000)

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass at once, and others run."""
        self.advance(seconds)
        await asyncio.sleep(0)
