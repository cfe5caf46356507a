"""A store in memory and a clock that the test owns."""

from collections.abc import AsyncIterator

import pytest

from holdfast import ManualClock, Store, open_volatile


@pytest.fixture
def clock() -> ManualClock:
    """A clock the test owns."""
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> AsyncIterator[Store]:
    """A store in memory."""
    async with open_volatile(clock=clock) as opened:
        yield opened
