"""A file store with one writer, on a disk that the test can hold up."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.clock import ManualClock
from holdfast.stores.files.store import FileStore
from holdfast.stores.files.writer import FileWriter
from tests.contracts.talk import KEY, say
from tests.stores.files.syncs import Syncs


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> Syncs:
    """What the disk is asked for."""
    watched = Syncs()
    monkeypatch.setattr(os, "fdatasync", watched)
    return watched


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[FileStore]:
    """A store with large segments."""
    async with FileStore(tmp_path, clock=ManualClock()) as opened:
        yield opened


@pytest.fixture
async def writer(store: FileStore) -> AsyncIterator[FileWriter]:
    """A writer whose log has one committed entry."""
    held = await store.acquire(KEY)
    await say(held, "zero")
    await held.commit()
    yield held
    await held.release()
