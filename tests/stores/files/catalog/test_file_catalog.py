"""The catalog of a file store: what it lists, and what it finds."""

from pathlib import Path

import pytest

from holdfast import (
    BadInput,
    Closed,
    ManualClock,
    SessionKey,
    Store,
    open_store,
)
from holdfast.session.catalog import Wanted
from holdfast.stores.files.catalog.file_catalog import FileCatalog
from holdfast.stores.files.folder_names import folder_name
from holdfast.stores.files.store import FileStore
from holdfast.stores.scan_catalog import ScanningCatalog
from tests.stores.files.catalog.talk import keys, say


async def test_a_foreign_cursor_is_refused(store: Store) -> None:
    """
    A cursor that no list gave is an error, not an empty page.
    """
    await say(store, "a", "hello")

    for cursor in ("page two", "²-1", f"{10**30}-1", f"1-{10**30}"):
        with pytest.raises(BadInput, match="Begin without one"):
            await store.list(cursor=cursor)


async def test_the_list_is_what_reading_every_log_would_give(tmp_path: Path, clock: ManualClock) -> None:
    """
    The file catalog and the one that keeps nothing agree, row by row.
    """
    async with open_store(tmp_path, clock=clock) as store:
        for number in range(5):
            await say(store, f"key {number}", *[f"text {number} {n}" for n in range(number)])
            clock.advance(1)
        await store.fork("key 4", "fork", at=2)
        rows = (await store.list(archived=None)).sessions
    async with FileStore(tmp_path) as logs:
        expected = (await ScanningCatalog(logs).page(Wanted(archived=None))).sessions

    assert [row.key for row in expected] == [row.key for row in rows]
    for one, other in zip(expected, rows, strict=True):
        assert (one.preview, one.created, one.updated, one.entries, one.messages) == (
            other.preview,
            other.created,
            other.updated,
            other.entries,
            other.messages,
        )


async def test_an_empty_store_is_listed_without_making_anything(tmp_path: Path) -> None:
    """
    Looking is not writing.
    """
    async with open_store(tmp_path / "none") as store:
        assert () == (await store.list()).sessions
        assert () == await store.search("x")
        assert () == (await FileCatalog(tmp_path / "none").near("x"))
        assert [] == [step async for step in store.reindex()]

    assert [] == [path.name for path in tmp_path.rglob("*") if path.name not in {"none", "catalog.db"}]


async def test_a_closed_store_answers_no_more(tmp_path: Path) -> None:
    """
    Closing twice is once; asking afterwards is an error.
    """
    store = open_store(tmp_path)
    await say(store, "a", "one")
    await store.close()
    await store.close()

    with pytest.raises(Closed):
        await store.list()


async def test_names_like_the_one_asked_for_are_suggested(tmp_path: Path) -> None:
    """
    A typing error leads to the session that was meant.
    """
    async with open_store(tmp_path) as store:
        await say(store, "team:alice", "hello")
        catalog = FileCatalog(tmp_path)
        assert ("team:alice",) == await catalog.near("team:alcie")
        assert ("team:alice",) == await catalog.near("TEAM:ALICE")
        await catalog.settle()
        await catalog.close()


async def test_keys_that_only_the_log_can_tell_are_listed(tmp_path: Path) -> None:
    """
    A key too long for a folder name is shown as it is.
    """
    key = "x" * 300
    async with open_store(tmp_path) as store:
        await say(store, key, "hello")
        assert [key] == await keys(store)
    assert folder_name(SessionKey(key)) != key
