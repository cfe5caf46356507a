"""The writer of a folder: one write an append, one sync for all who wait, and a release that always comes."""

import asyncio
import os
import threading
from pathlib import Path

import pytest

from holdfast.errors import Closed, Conflict
from holdfast.ids import SessionKey
from holdfast.log.store import Ack
from holdfast.stores.files import store as store_module
from holdfast.stores.files.lease import let_go
from holdfast.stores.files.store import FileStore
from holdfast.stores.files.writer import LONG, FileWriter
from tests.contracts.talk import KEY, all_of, at, said, say, texts, writing
from tests.stores.files.syncs import Syncs
from tests.stores.files.trouble import Counting


async def words(store: FileStore) -> list[str]:
    """What a reader finds."""
    return texts(await all_of(store.read(KEY)))


async def test_an_append_is_one_write(writer: FileWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    However many entries: a killed process leaves all of them, or a torn end that is set aside.
    """
    write = Counting(os.write)
    monkeypatch.setattr(os, "write", write)
    records = await writer.append([said(f"word {number}") for number in range(50)], expect=at(1))

    assert [sum(len(record.raw) + 1 for record in records)] == write.given


async def test_commits_that_wait_together_share_one_sync(writer: FileWriter, syncs: Syncs) -> None:
    """
    Off the event loop, once for all of them.
    """
    await say(writer, *"abcdefgh")
    acks = await asyncio.gather(*(writer.commit() for _ in range(20)))

    assert [Ack(position=at(8), durability="always")] * 20 == acks
    assert (1, {"holdfast-sync"}) == (len(syncs.files), syncs.threads)
    await writer.commit()
    assert 1 == len(syncs.files)


async def test_what_is_appended_during_a_sync_waits_for_the_next_one(writer: FileWriter, syncs: Syncs) -> None:
    """
    A sync covers what was there when it began, no more.
    """
    await say(writer, "one")
    syncs.hold_up()
    first = asyncio.ensure_future(writer.commit())
    await syncs.is_held_up()
    await say(writer, "two")
    second = asyncio.ensure_future(writer.commit())
    syncs.free.set()

    assert (1, 2) == ((await first).position, (await second).position)
    assert 2 == len(syncs.files)


async def test_only_the_first_of_many_syncs_asks_the_disk_to_begin(
    store: FileStore, syncs: Syncs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Beside other syncs, asking is work for the disk in the event loop, where it holds up every session.
    """
    asked: list[int] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda descriptor, *_: asked.append(os.fstat(descriptor).st_ino))
    writers = [await store.acquire(SessionKey(f"team:{number}")) for number in range(5)]
    for each in writers:
        await say(each, "zero")  # made durable with its segment, without a sync of its own
        await say(each, "one")
    syncs.files.clear()
    syncs.hold_up()
    waiting = [asyncio.ensure_future(each.commit()) for each in writers]
    await syncs.is_held_up()
    syncs.free.set()
    await asyncio.gather(*waiting)

    assert (5, 1) == (len(syncs.files), len(asked))
    await say(writers[-1], "again")
    await writers[-1].commit()
    assert [syncs.files[0], syncs.files[-1]] == asked
    for each in writers:
        await each.release()


async def test_with_interval_the_disk_follows_by_itself(
    tmp_path: Path, syncs: Syncs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    A commit waits for nothing; the sync comes within the interval, also for what was appended during one.
    """
    monkeypatch.setattr(store_module, "SYNC_SECONDS", 0.001)
    async with FileStore(tmp_path, durability="interval") as store, writing(store) as writer:
        await say(writer, "zero")
        made = len(syncs.files)
        syncs.hold_up()
        await say(writer, "one")
        assert Ack(position=at(1), durability="interval") == await writer.commit()
        await syncs.is_held_up()
        syncs.begun.clear()
        await say(writer, "two")
        await asyncio.sleep(0.005)  # the interval passes while the disk is busy
        assert made + 1 == len(syncs.files)
        syncs.free.set()
        await syncs.is_held_up()

        assert made + 2 == len(syncs.files)


async def test_with_os_the_disk_is_left_to_the_system(tmp_path: Path, syncs: Syncs) -> None:
    """
    Only a new file is synced, when it is made; neither a commit nor a release asks for more.
    """
    async with FileStore(tmp_path, durability="os") as store:
        async with writing(store) as writer:
            await say(writer, "zero")
            made = len(syncs.files)
            await say(writer, "one")
            await writer.commit()

        assert made == len(syncs.files)


async def test_with_interval_what_a_seal_made_durable_needs_no_sync(
    tmp_path: Path, syncs: Syncs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The interval passes, and there is nothing to do.
    """
    monkeypatch.setattr(store_module, "SYNC_SECONDS", 0.001)
    async with FileStore(tmp_path, durability="interval") as store, writing(store) as writer:
        await say(writer, "zero")
        asked = len(syncs.files)
        await asyncio.sleep(0.01)  # several intervals pass

        assert asked == len(syncs.files)


async def test_a_segment_is_sealed_on_the_disk_before_the_next_one_is_begun(tmp_path: Path, syncs: Syncs) -> None:
    """
    A power cut never leaves a gap between two segments.
    """
    async with FileStore(tmp_path, segment_bytes=150) as store, writing(store) as writer:
        await say(writer, "zero", "one")
        sealed = (store.folder(KEY) / "000001.jsonl").stat().st_ino
        syncs.files.clear()
        await say(writer, "two")
        begun = (store.folder(KEY) / "000002.jsonl").stat().st_ino

        assert [sealed, begun] == syncs.files


async def test_a_very_long_line_is_written_beside_the_event_loop(
    store: FileStore, writer: FileWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Others go on meanwhile; who appends to the same session waits, and is told where it ends.
    """
    threads = []
    write = os.write

    def watched(descriptor: int, data: bytes) -> int:
        threads.append(threading.current_thread() is threading.main_thread())
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", watched)
    long = asyncio.ensure_future(say(writer, "x" * LONG))
    await asyncio.sleep(0)
    late = asyncio.ensure_future(writer.append([said("late")], expect=at(1)))
    with pytest.raises(Conflict):
        await late
    await long

    assert ([False], 2) == (threads, len(await words(store)))


async def test_of_two_long_appends_one_wins(store: FileStore, writer: FileWriter) -> None:
    """
    Both wait for a sync that is under way, and only one follows the entry they saw.
    """
    both = (writer.append([said(each * LONG)], expect=at(1)) for each in "xy")
    outcomes = await asyncio.gather(writer.commit(), *both, return_exceptions=True)

    assert 1 == sum(isinstance(each, Conflict) for each in outcomes)
    assert 2 == len(await words(store))


async def test_an_append_that_needs_a_new_segment_waits_for_the_sync(tmp_path: Path, syncs: Syncs) -> None:
    """
    Two that wait for the same thing: the log has what one of them said, and the other is told.
    """
    async with FileStore(tmp_path, segment_bytes=150) as store, writing(store) as writer:
        await say(writer, "zero", "one")
        syncs.hold_up()
        commit = asyncio.ensure_future(writer.commit())
        await syncs.is_held_up()
        both = [asyncio.ensure_future(writer.append([said(each)], expect=at(2))) for each in ("two", "too")]
        await asyncio.sleep(0)
        syncs.free.set()
        await commit
        outcomes = await asyncio.gather(*both, return_exceptions=True)

        assert 1 == sum(isinstance(each, Conflict) for each in outcomes)
        assert 3 == len(await words(store))


async def test_one_who_stops_waiting_for_the_disk_is_not_told(writer: FileWriter, syncs: Syncs) -> None:
    """
    The sync goes on, and the others hear of it.
    """
    await say(writer, "one")
    syncs.hold_up()
    impatient, patient = (asyncio.ensure_future(writer.commit()) for _ in range(2))
    await syncs.is_held_up()
    impatient.cancel()
    syncs.free.set()

    assert 1 == (await patient).position
    assert impatient.cancelled()


async def test_a_release_that_is_cancelled_gives_the_lease_back_when_the_disk_is_done(
    store: FileStore, syncs: Syncs
) -> None:
    """
    Not before: a thread may still use the files. Until then the session is closed for everyone.
    """
    writer = await store.acquire(KEY)
    await say(writer, "zero", "one")
    syncs.hold_up()
    release = asyncio.ensure_future(writer.release())
    await syncs.is_held_up()
    release.cancel()
    await asyncio.gather(release, return_exceptions=True)
    assert await store.holder(KEY) == writer.holder
    with pytest.raises(Closed):
        await say(writer, "two")
    syncs.free.set()
    after = await store.acquire(KEY, wait=1e9)

    assert 1 == after.end
    await after.release()


async def test_releases_that_wait_together_are_one(store: FileStore, syncs: Syncs) -> None:
    """
    The second one to be told that the disk is done takes nothing from the next holder.
    """
    writer = await store.acquire(KEY)
    await say(writer, "zero", "one")
    syncs.hold_up()
    both = asyncio.gather(writer.release(), writer.release())
    await syncs.is_held_up()
    syncs.free.set()
    await both

    async with writing(store) as after:
        assert after.holder == await store.holder(KEY)


async def test_a_release_waits_for_what_was_begun(store: FileStore) -> None:
    """
    A long line whose writer stopped waiting is whole in the log when the lease is free.
    """
    writer = await store.acquire(KEY)
    await say(writer, "zero")
    long = asyncio.ensure_future(say(writer, "x" * LONG))
    await asyncio.sleep(0)
    long.cancel()
    await asyncio.gather(long, return_exceptions=True)
    await writer.release()

    assert await store.holder(KEY) is None
    assert 2 == len(await words(store))


async def test_a_program_that_is_stopped_closes_no_file_under_a_thread(tmp_path: Path, syncs: Syncs) -> None:
    """
    Whatever cancels every task there is: a segment that is being made is made, and the lease is free after it.
    """
    async with FileStore(tmp_path, segment_bytes=150) as store:
        writer = await store.acquire(KEY)
        await say(writer, "zero", "one")
        await writer.commit()
        syncs.hold_up()
        append = asyncio.ensure_future(say(writer, "two"))
        await syncs.is_held_up()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        release = asyncio.ensure_future(writer.release())
        await asyncio.gather(append, return_exceptions=True)
        assert not release.done()
        syncs.free.set()
        await release

        assert (None, ["zero", "one", "two"]) == (await store.holder(KEY), await words(store))


async def test_a_job_that_is_cancelled_before_it_begins_changes_nothing(tmp_path: Path) -> None:
    """
    The append did not happen, and the session goes on.
    """
    async with FileStore(tmp_path, segment_bytes=150) as store, writing(store) as writer:
        await say(writer, "zero", "one")
        append = asyncio.ensure_future(say(writer, "two"))
        await asyncio.sleep(0)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.gather(append, return_exceptions=True)
        await say(writer, "three")

        assert ["zero", "one", "three"] == await words(store)


async def test_a_writer_in_a_forked_child_does_nothing(store: FileStore, syncs: Syncs) -> None:
    """
    It has no lease and no threads there: it says so at once, and waits for nothing.
    """
    writer = await store.acquire(KEY)
    await say(writer, "zero", "one")
    syncs.files.clear()
    let_go()

    for act in (writer.commit, lambda: say(writer, "two"), lambda: writer.put_blob(b"x"), writer.drop_draft):
        with pytest.raises(Closed):
            await act()
    await writer.release()
    assert ([], ["zero", "one"]) == (syncs.files, await words(store))


async def test_a_writer_that_is_done_has_no_lease_to_look_at(writer: FileWriter) -> None:
    """
    Who gave the session back is not told that another one has it.
    """
    await writer.check()
    await writer.release()

    await writer.check()
