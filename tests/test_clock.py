"""Time: read in one place, owned by tests."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

import pytest

from holdfast.clock import Clock, ManualClock, SystemClock, at_time


def test_a_clock_s_time_is_a_date_to_the_microsecond() -> None:
    """
    Nanoseconds below a microsecond are cut off, never rounded into the future.
    """
    assert datetime(1970, 1, 1, tzinfo=UTC) == at_time(0)
    assert datetime(2026, 11, 16, 0, 0, 0, 1, tzinfo=UTC) == at_time(1_794_787_200_000_001_999)


def test_the_machine_s_clock_tells_the_time() -> None:
    """
    What is written down is when it happened.
    """
    before = time.time_ns()
    now = SystemClock().now_ns()

    assert before <= now <= time.time_ns()
    assert timedelta(minutes=1) > abs(datetime.now(UTC) - at_time(now))


async def test_the_machine_s_clock_waits() -> None:
    """
    It comes back after the time, and lets others run meanwhile.
    """
    clock = SystemClock()
    began = time.monotonic()
    ran = []

    async def other() -> None:
        ran.append("other")

    await asyncio.gather(clock.sleep(0.01), other())

    assert ["other"] == ran
    assert time.monotonic() - began >= 0.009


def test_a_manual_clock_stands_still_until_it_is_told_to_move() -> None:
    """
    A test knows the time to the nanosecond.
    """
    clock = ManualClock()
    assert datetime(2026, 11, 16, tzinfo=UTC) == at_time(clock.now_ns()) == at_time(clock.now_ns())

    clock.advance(90.5)
    assert datetime(2026, 11, 16, 0, 1, 30, 500_000, tzinfo=UTC) == at_time(clock.now_ns())
    assert 5 == ManualClock(5).now_ns()


async def test_waiting_moves_a_manual_clock_and_lets_others_run() -> None:
    """
    No test waits, and nothing that would run during the wait is left out.
    """
    clock = ManualClock(0)
    ran = []

    async def other() -> None:
        ran.append(clock.now_ns())

    task = asyncio.ensure_future(other())
    await clock.sleep(3600)

    assert [3600 * 10**9] == ran
    assert task.done()


@pytest.mark.parametrize("clock", [SystemClock(), ManualClock()])
def test_both_are_clocks(clock: Clock) -> None:
    """
    Whoever takes a clock takes either.
    """
    assert isinstance(clock.now_ns(), int)
