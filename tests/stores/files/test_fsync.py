"""The threads that wait for the disk: many files at once, an answer for each, and an end."""

import asyncio
import errno
import os
import threading
from pathlib import Path

import pytest

from holdfast.stores.files import disk, fsync
from holdfast.stores.files.fsync import SyncThreads
from tests.stores.files.trouble import Refusing


def workers() -> list[threading.Thread]:
    """The threads that sync."""
    return [thread for thread in threading.enumerate() if thread.name == "holdfast-sync"]


async def synced(threads: SyncThreads, descriptor: int) -> OSError | None:
    """Have a file synced, and wait for the answer."""
    answer = asyncio.get_running_loop().create_future()
    threads.sync(lambda: disk.sync_file(descriptor), answer.set_result)
    async with asyncio.timeout(20):
        return await answer  # type: ignore[no-any-return]


@pytest.fixture
def descriptor(tmp_path: Path) -> int:
    """A file to sync; it is closed with the process."""
    return os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)


async def test_each_sync_is_answered_in_the_event_loop(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    None when it worked, and what the system said when it did not; the thread lives on.
    """
    threads = SyncThreads()
    assert await synced(threads, descriptor) is None
    monkeypatch.setattr(os, "fdatasync", Refusing(os.fdatasync, errno.EIO))
    failed = await synced(threads, descriptor)

    assert failed is not None
    assert errno.EIO == failed.errno
    assert await synced(threads, descriptor) is None
    threads.close()


async def test_files_are_synced_side_by_side_up_to_a_limit(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    One slow disk does not keep the others waiting, and a thousand sessions are not a thousand threads.
    """
    monkeypatch.setattr(fsync, "THREADS", 3)
    before, gate, meeting = set(workers()), threading.Event(), threading.Barrier(3)

    def slow(_: int) -> None:
        if not gate.is_set():
            meeting.wait(20)  # only three at a time get past this
        gate.set()

    monkeypatch.setattr(os, "fdatasync", slow)
    threads = SyncThreads()
    assert [None] * 9 == await asyncio.gather(*(synced(threads, descriptor) for _ in range(9)))
    ours = set(workers()) - before

    assert 3 == len(ours)
    threads.close()
    for thread in ours:
        thread.join(20)
    assert not set(workers()) & ours


async def test_answers_that_come_together_are_all_given(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The loop is called once for many, and forgets none, also not one that comes while it takes the others.
    """
    monkeypatch.setattr(os, "fdatasync", lambda _: None)
    threads = SyncThreads()

    for _ in range(50):
        assert [None] * 20 == await asyncio.gather(*(synced(threads, descriptor) for _ in range(20)))

    threads.close()


def test_a_loop_that_ended_meanwhile_is_not_missed(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A program may stop while the disk is still busy; the next loop is served.
    """
    threads = SyncThreads()
    gate = threading.Event()
    monkeypatch.setattr(os, "fdatasync", lambda _: gate.wait(20))
    loop = asyncio.new_event_loop()

    async def leave() -> None:
        threads.sync(lambda: disk.sync_file(descriptor), lambda _: None)

    loop.run_until_complete(leave())
    loop.close()
    gate.set()

    assert asyncio.run(synced(threads, descriptor)) is None
    threads.close()


async def test_who_closes_while_the_disk_is_busy_is_still_answered(
    descriptor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The answer comes after the closing, and then nothing is left: no thread, and no open file.
    """
    before, files = set(workers()), os.listdir("/dev/fd")
    gate = threading.Event()
    monkeypatch.setattr(os, "fdatasync", lambda _: gate.wait(20))
    threads = SyncThreads()
    answers = asyncio.gather(*(synced(threads, descriptor) for _ in range(3)))
    await asyncio.sleep(0)

    threads.close()
    gate.set()
    assert [None] * 3 == await answers
    for thread in set(workers()) - before:
        await asyncio.to_thread(thread.join, 20)
    assert files == os.listdir("/dev/fd")


async def test_a_closed_one_serves_who_asks_after_all(descriptor: int) -> None:
    """
    A session may be given back after its store was closed, and its last entries are synced then.
    """
    threads = SyncThreads()
    threads.close()

    assert await synced(threads, descriptor) is None
    threads.close()
