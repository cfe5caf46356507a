"""Stores of conversations, in memory and in files, as fixtures."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.clock import ManualClock
from holdfast.log.store import LogStore
from holdfast.session.store import Store
from holdfast.stores.files.store import FileStore
from holdfast.stores.scan_catalog import ScanningCatalog
from holdfast.stores.volatile import VolatileStore


@pytest.fixture
def clock() -> ManualClock:
    """A clock the test owns."""
    return ManualClock()


@pytest.fixture(params=["memory", "files"])
def logs(request: pytest.FixtureRequest, clock: ManualClock, tmp_path: Path) -> LogStore:
    """The logs themselves; in files a segment is sealed every few entries."""
    if request.param == "memory":
        return VolatileStore(clock=clock)
    return FileStore(tmp_path / "store", clock=clock, durability="os", segment_bytes=2000)


@pytest.fixture
async def store(logs: LogStore, clock: ManualClock) -> AsyncIterator[Store]:
    """A store on those logs."""
    async with Store(logs, ScanningCatalog(logs), clock) as opened:
        yield opened
