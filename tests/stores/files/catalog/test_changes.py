"""Changes of the list of a file store: numbers in the database, and what happens where it is not the same any more."""

from pathlib import Path

from holdfast import Described, RowChanges, open_store
from holdfast.stores.files.catalog import schema
from tests.stores.files.catalog.talk import bytes_below, say


async def keys_of(changes: RowChanges) -> list[str]:
    """The keys of the rows that changed."""
    found = await changes.take()
    assert not found.lost
    return [row.key for row in found.rows]


async def test_changes_of_another_process_are_seen(tmp_path: Path) -> None:
    """
    What another opening of the store writes or removes is told here; what it holds open, too.
    """
    async with open_store(tmp_path) as here, open_store(tmp_path) as there:
        await say(here, "mine", "hello")
        changes = await here.changes()
        async with there.session("theirs") as session:
            await session.append(Described(title="One"))
            first = await changes.take()
            await session.append(Described(title="Two"))
            second = await changes.take()
        await there.delete("mine")
        third = await changes.take()

    assert [("theirs", "One")] == [(row.key, row.title) for row in first.rows]
    assert [("theirs", "Two")] == [(row.key, row.title) for row in second.rows]
    assert ("mine",) == third.removed


async def test_changes_may_begin_before_there_is_a_store(tmp_path: Path) -> None:
    """
    A store that is made afterwards is nothing that was missed; looking for changes makes no store.
    """
    root = tmp_path / "store"
    async with open_store(root) as store:
        changes = await store.changes()
        assert [] == await keys_of(changes)
        assert not root.exists()
        await say(store, "a", "hello")
        first = await keys_of(changes)

        assert (["a"], []) == (first, await keys_of(changes))


async def test_a_catalog_made_anew_is_told(tmp_path: Path) -> None:
    """
    Numbers of another database say nothing about changes, so the list has to be read again; then changes go on.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "hello")
        changes = await store.changes()
        async for _ in store.reindex():
            pass
        lost = await changes.take()
        await say(store, "b", "hello")

        assert (True, ()) == (lost.lost, lost.rows)
        assert ["b"] == await keys_of(changes)


async def test_a_removed_session_leaves_no_name(tmp_path: Path) -> None:
    """
    That something was removed is a number, so no byte of a deleted session stays for those who follow the list.
    """
    async with open_store(tmp_path) as store:
        await say(store, "canary-key", "canary-word")
        changes = await store.changes()
        await store.delete("canary-key")
        found = await changes.take()

    assert ("canary-key",) == found.removed
    assert b"canary" not in bytes_below(tmp_path)


async def test_changes_are_seen_where_the_catalog_cannot_be_written(tmp_path: Path) -> None:
    """
    The list is then made in memory for each look: each change is told once all the same, a removal too.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "hello")
        await say(store, "old", "hello")
        await store.list()
    (tmp_path / f"{schema.FILE}-shm").mkdir()  # as on a full disk
    async with open_store(tmp_path) as store, open_store(tmp_path) as there:
        changes = await store.changes()
        async with there.session("b") as session:
            await session.append(Described(title="One"))
            seen = [await keys_of(changes), await keys_of(changes)]
            await session.append(Described(title="Two"))
            seen.append(await keys_of(changes))
        await there.throw_away("a")
        removed = [(await changes.take()).removed for _ in range(2)]

    assert [["b"], [], ["b"]] == seen
    assert [("a",), ()] == removed
