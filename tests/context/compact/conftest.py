"""A session to compact."""

from collections.abc import AsyncIterator

import pytest

from holdfast import Session, open_volatile


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    """An open session, in memory."""
    async with open_volatile() as store, await store.open("s") as opened:
        yield opened
