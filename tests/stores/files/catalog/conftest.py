"""A store with a catalog, and time that the test moves."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast import ManualClock, Store, open_store


@pytest.fixture
def clock() -> ManualClock:
    """Time that the test moves."""
    return ManualClock()


@pytest.fixture
async def store(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Store]:
    """A store in a folder of its own."""
    async with open_store(tmp_path, clock=clock, durability="os") as opened:
        yield opened
