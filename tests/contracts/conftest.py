"""Every store there is, as fixtures: what a test here says holds for all of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.clock import ManualClock
from holdfast.log.store import Durability, LogStore
from holdfast.stores.files.store import FileStore
from holdfast.stores.volatile import VolatileStore
from tests.contracts.sqlite_store import SqliteStore


class Place:
    """Somewhere logs are kept; each opening stands for another program that uses the same place."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock

    def opened(self, durability: Durability = "always") -> LogStore:
        raise NotImplementedError


class InMemory(Place):
    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self._stores: dict[Durability, VolatileStore] = {}

    def opened(self, durability: Durability = "always") -> LogStore:
        return self._stores.setdefault(durability, VolatileStore(clock=self.clock, durability=durability))


class InFiles(Place):
    def __init__(self, clock: ManualClock, root: Path) -> None:
        super().__init__(clock)
        self._root = root

    def opened(self, durability: Durability = "always") -> LogStore:
        # Small segments, so that every few entries one is sealed and the next begun.
        return FileStore(self._root, clock=self.clock, durability=durability, segment_bytes=700)


class InRows(Place):
    def __init__(self, clock: ManualClock, root: Path) -> None:
        super().__init__(clock)
        self._root = root

    def opened(self, durability: Durability = "always") -> LogStore:
        return SqliteStore(self._root / "store.db", clock=self.clock, durability=durability)


@pytest.fixture
def clock() -> ManualClock:
    """A clock the test owns."""
    return ManualClock()


@pytest.fixture(params=["memory", "files", "rows"])
def place(request: pytest.FixtureRequest, clock: ManualClock, tmp_path: Path) -> Place:
    """Each kind of place."""
    if request.param == "memory":
        return InMemory(clock)
    return InFiles(clock, tmp_path / "store") if request.param == "files" else InRows(clock, tmp_path)


@pytest.fixture
async def store(place: Place) -> AsyncIterator[LogStore]:
    """A store in that place."""
    async with place.opened() as opened:
        yield opened


@pytest.fixture
async def other(place: Place) -> AsyncIterator[LogStore]:
    """The same place, opened by someone else."""
    async with place.opened() as opened:
        yield opened
