"""The writer of a folder whose disk is full, or fails: no word is lost, and none is acknowledged in vain."""

import asyncio
import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from holdfast.errors import Fenced, NotDurable, NotWritten, ReadOnly
from holdfast.log.store import Durability, LogWriter
from holdfast.records.entries import Drafted
from holdfast.stores.files import store as store_module
from holdfast.stores.files.store import FileStore
from holdfast.stores.files.writer import FileWriter
from tests.contracts.talk import KEY, all_of, at, say, texts, writing
from tests.stores.files.syncs import Syncs
from tests.stores.files.trouble import Refusing, no_file_above


def names(store: FileStore) -> list[str]:
    """The files of the session that hold its log, or were to."""
    return sorted(name for name in os.listdir(store.folder(KEY)) if name != "lock")


async def words(store: FileStore) -> list[str]:
    """What a reader finds."""
    return texts(await all_of(store.read(KEY)))


async def test_a_write_that_fits_in_part_is_taken_back(store: FileStore, writer: FileWriter) -> None:
    """
    The kernel takes twenty bytes: the log is as it was, the error says so, and with room again it goes on.
    """
    size = (store.folder(KEY) / "000001.jsonl").stat().st_size
    with no_file_above(size + 20), pytest.raises(NotWritten, match="only 20 of"):
        await say(writer, "one")
    with no_file_above(size), pytest.raises(NotWritten, match="Free some space"):
        await say(writer, "one")
    assert size == (store.folder(KEY) / "000001.jsonl").stat().st_size
    await say(writer, "two")

    assert (["zero", "two"], 1) == (await words(store), (await writer.commit()).position)


async def test_a_write_that_cannot_be_taken_back_ends_the_writing(
    store: FileStore, writer: FileWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Nobody knows what the file holds then: the next writer mends it.
    """
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", Refusing(os.write, errno.EIO))
        patch.setattr(os, "ftruncate", Refusing(os.ftruncate, errno.EIO))
        with pytest.raises(NotWritten, match="could not be taken back"):
            await say(writer, "one")
    with pytest.raises(ReadOnly, match="what was acknowledged is safe"):
        await say(writer, "two")
    await writer.release()
    async with writing(store) as again:
        await say(again, "three")

    assert ["zero", "three"] == await words(store)


async def test_a_failed_sync_is_never_retried(store: FileStore, writer: FileWriter, syncs: Syncs) -> None:
    """
    The kernel may have dropped the pages and would say that all is well: the lines go to another file.
    """
    first = (store.folder(KEY) / "000001.jsonl").stat().st_ino
    await say(writer, "one", "two")
    syncs.failing = 1

    assert 2 == (await writer.commit()).position
    assert ["000001.jsonl", "000002.jsonl"] == names(store)
    await say(writer, "three")
    await writer.commit()
    assert ([first], 3) == ([each for each in syncs.files if each == first], len(syncs.files))
    assert ["zero", "one", "two", "three"] == await words(store)
    assert (await store.verify(KEY)).good


async def test_what_was_appended_beside_a_failing_sync_is_written_again_too(
    store: FileStore, writer: FileWriter, syncs: Syncs
) -> None:
    """
    It stands in the same file, so it is as doubtful.
    """
    await say(writer, "one")
    syncs.hold_up()
    commit = asyncio.ensure_future(writer.commit())
    await syncs.is_held_up()
    await say(writer, "two")
    syncs.failing = 1
    syncs.free.set()
    await commit

    assert 2 == (store.folder(KEY) / "000002.jsonl").read_bytes().count(b"\n")
    assert ["zero", "one", "two"] == await words(store)


async def test_a_disk_that_refuses_twice_makes_the_session_read_only(
    store: FileStore, writer: FileWriter, syncs: Syncs
) -> None:
    """
    Nothing more is acknowledged. What was is safe, and the next writer writes the rest again.
    """
    await say(writer, "one")
    syncs.failing = 2
    with pytest.raises(NotDurable, match="what was acknowledged is safe"):
        await writer.commit()
    with pytest.raises(NotDurable):
        await writer.commit()
    with pytest.raises(ReadOnly):
        await say(writer, "two")
    assert ["000001.jsonl"] == names(store)
    await writer.release()

    async with writing(store) as again:
        assert 1 == again.end
        await say(again, "three")
    assert ["000001.jsonl", "000002.jsonl"] == names(store)
    assert 2 == (store.folder(KEY) / "000002.jsonl").read_bytes().count(b"\n")
    assert ["zero", "one", "three"] == await words(store)


async def test_a_disk_that_cannot_even_be_told_about_is_read_only_all_the_same(
    writer: FileWriter, syncs: Syncs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    When the note for the next writer fails too, this one still says that nothing is durable.
    """
    await say(writer, "one")
    syncs.failing = 2
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", Refusing(os.pwrite, errno.EIO))
        with pytest.raises(NotDurable):
            await writer.commit()
    with pytest.raises(ReadOnly):
        await say(writer, "two")


async def test_with_interval_a_broken_disk_is_told_at_the_next_commit(
    tmp_path: Path, syncs: Syncs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Nobody waits for the sync, so the next acknowledgement is where it shows.
    """
    monkeypatch.setattr(store_module, "SYNC_SECONDS", 0.001)
    async with FileStore(tmp_path, durability="interval") as store, writing(store) as writer:
        await say(writer, "zero", "one")
        syncs.failing = 2
        with pytest.raises(NotDurable):
            await committing_for_ever(writer)


async def test_with_interval_a_failed_sync_is_not_tried_again_later(
    tmp_path: Path, syncs: Syncs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    It would succeed, and say nothing of what is gone; the session stays read-only, also after its release.
    """
    monkeypatch.setattr(store_module, "SYNC_SECONDS", 0.001)
    async with FileStore(tmp_path, durability="interval") as store, writing(store) as writer:
        await say(writer, "zero", "one")
        syncs.hold_up()
        await syncs.is_held_up()
        await say(writer, "two")
        syncs.failing = 2
        syncs.free.set()
        with pytest.raises(NotDurable):
            await committing_for_ever(writer)
        asked = len(syncs.files)
        await asyncio.sleep(0.01)  # several intervals pass

        assert asked == len(syncs.files)
        with pytest.raises(NotDurable):
            await writer.commit()


@pytest.mark.parametrize(("failing", "goes_on"), [(1, True), (2, False)])
async def test_a_segment_that_cannot_be_sealed_is_given_up(
    tmp_path: Path, syncs: Syncs, failing: int, goes_on: bool
) -> None:
    """
    Its lines are written again; if that fails too, the append did not happen and the session is read-only.
    """
    async with FileStore(tmp_path, segment_bytes=150) as store, writing(store) as writer:
        await say(writer, "zero", "one")
        syncs.failing = failing
        if goes_on:
            await say(writer, "two")
        else:
            with pytest.raises(NotWritten):
                await say(writer, "two")
            with pytest.raises(ReadOnly):
                await say(writer, "two")

        assert ["zero", "one", "two"][: 2 + goes_on] == await words(store)


@pytest.mark.parametrize("first", [True, False])
async def test_a_segment_for_which_there_is_no_room_is_not_begun(tmp_path: Path, first: bool) -> None:
    """
    The append is refused, nothing is left behind, and with room again the session goes on.
    """
    async with FileStore(tmp_path, segment_bytes=150) as store, writing(store) as writer:
        before = [] if first else ["zero", "one"]
        await say(writer, *before)
        there = names(store)
        with no_file_above(100), pytest.raises(NotWritten, match="Free some space"):
            await say(writer, "x" * 300)
        assert there == names(store)
        await say(writer, "after")

        assert [*before, "after"] == await words(store)


async def test_a_segment_that_cannot_be_named_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    No file and no descriptor stays behind.
    """
    async with FileStore(tmp_path, segment_bytes=150) as store, writing(store) as writer:
        await say(writer, "zero", "one")
        await writer.commit()
        there, open_files = names(store), len(os.listdir("/proc/self/fd"))
        with monkeypatch.context() as patch:
            patch.setattr(os, "link", Refusing(os.link, errno.EIO))
            with pytest.raises(NotWritten):
                await say(writer, "two")

        assert (there, open_files) == (names(store), len(os.listdir("/proc/self/fd")))
        await say(writer, "three")
        assert ["zero", "one", "three"] == await words(store)


async def test_side_files_for_which_there_is_no_room_are_told(
    store: FileStore, writer: FileWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Attachments and drafts fail in the same words as appends do, and leave the session usable.
    """
    piece = Drafted(reply=at(1), text="x" * 300)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", Refusing(os.open, errno.ENOSPC))
        with pytest.raises(NotWritten):
            await writer.draft(piece)
    with no_file_above(100):
        with pytest.raises(NotWritten):
            await writer.put_blob(b"x" * 300)
        with pytest.raises(NotWritten):
            await writer.draft(piece)
    await writer.draft(piece)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", Refusing(Path.unlink, errno.EIO))
        with pytest.raises(NotWritten):
            await writer.drop_draft()
    await say(writer, "one")

    assert ((piece,), ["zero", "one"]) == (await store.drafts(KEY), await words(store))


async def committing_for_ever(writer: LogWriter) -> None:
    """Ask again and again."""
    async with asyncio.timeout(20):
        while True:
            await writer.commit()
            await asyncio.sleep(0)


async def test_a_segment_that_was_removed_is_not_acknowledged_into(tmp_path: Path) -> None:
    """
    By a person, or a program that puts another file in its place: what is said from then on is kept in a new one.
    """
    async with FileStore(tmp_path) as store:
        writer = await store.acquire(KEY)
        await say(writer, "one")
        await writer.commit()
        (store.folder(KEY) / "000001.jsonl").unlink()
        await say(writer, "two", "three")

        assert 2 == (await writer.commit()).position
        assert [1, 2] == [record.pos for record in await all_of(store.read(KEY))]
        await writer.release()


@pytest.mark.parametrize("durability", ["always", "interval", "os"])
async def test_a_session_that_was_removed_is_not_acknowledged_into(tmp_path: Path, durability: Durability) -> None:
    """
    Its writer is told what happened, and whoever comes next begins anew.
    """
    async with FileStore(tmp_path, durability=durability) as store:
        writer = await store.acquire(KEY)
        await say(writer, "one")
        await writer.commit()
        shutil.rmtree(store.folder(KEY))
        await say(writer, "one")
        with pytest.raises(Fenced, match="was removed or moved"):
            await writer.commit()
        with suppress(Fenced, NotDurable):
            await writer.release()
        again = await store.acquire(KEY)

        assert -1 == again.end
        await again.release()
