"""The lease: one writer, known by name, who can be waited for or taken over."""

import asyncio
import os
import socket

import pytest

from holdfast.clock import ManualClock, at_time
from holdfast.errors import Fenced, Held, NoSession
from holdfast.log.store import LogStore
from tests.contracts.talk import KEY, all_of, filled, say, texts, writing


async def test_the_second_writer_is_told_who_holds_the_session(
    store: LogStore, other: LogStore, clock: ManualClock
) -> None:
    """
    Process, machine, time and errand: enough to find the other one.
    """
    writer = await store.acquire(KEY, doing="answering")

    with pytest.raises(Held) as refused:
        await other.acquire(KEY)

    since = f"{at_time(clock.now_ns()):%Y-%m-%d %H:%M:%S} UTC"
    assert f"process {os.getpid()} on {socket.gethostname()} since {since}, answering" == refused.value.holder
    assert writer.holder == await other.holder(KEY)
    await writer.release()


async def test_a_writer_can_look_whether_it_was_taken_over(store: LogStore, other: LogStore) -> None:
    """
    Without writing anything, and as often as it likes.
    """
    await filled(store, 1)
    first = await store.acquire(KEY)
    await first.check()
    second = await other.acquire(KEY, take_over=True)

    for _ in range(2):
        with pytest.raises(Fenced):
            await first.check()
    await second.check()
    await second.release()


async def test_one_program_is_one_holder_too(store: LogStore) -> None:
    """
    Two parts of one program do not share a lease by accident.
    """
    async with writing(store):
        with pytest.raises(Held):
            await store.acquire(KEY)


async def test_nobody_holds_what_was_released_or_never_was(store: LogStore) -> None:
    """
    A free session has no holder.
    """
    assert await store.holder(KEY) is None
    await filled(store, 1)
    assert await store.holder(KEY) is None


async def test_one_can_wait_for_the_lease(store: LogStore, other: LogStore) -> None:
    """
    Who waits gets the session when it is given back.
    """
    first = await store.acquire(KEY)
    waiting = asyncio.ensure_future(other.acquire(KEY, wait=1e9))
    await asyncio.sleep(0)
    assert not waiting.done()
    await first.release()
    second = await waiting

    assert second.holder.epoch > first.holder.epoch
    await second.release()


async def test_one_who_waits_for_a_session_that_is_removed_begins_it_anew(store: LogStore, other: LogStore) -> None:
    """
    What the waiting writer says then is in the log that everyone reads.
    """
    first = await store.acquire(KEY)
    await say(first, "old")
    waiting = asyncio.ensure_future(other.acquire(KEY, wait=1e9))
    await asyncio.sleep(0)
    await first.release()
    await store.delete(KEY)
    second = await waiting
    await say(second, "new")
    await second.release()

    assert ["new"] == texts(await all_of(store.read(KEY)))


async def test_one_who_waits_for_an_existing_session_is_told_that_it_was_removed(
    store: LogStore, other: LogStore
) -> None:
    """
    Waiting makes nothing that was not to be made, and leaves nothing held.
    """
    first = await store.acquire(KEY)
    await say(first, "old")
    waiting = asyncio.ensure_future(other.acquire(KEY, wait=1e9, create=False))
    await asyncio.sleep(0)
    await first.release()
    await store.delete(KEY)
    with pytest.raises(NoSession):
        await waiting

    assert not await store.exists(KEY)
    async with writing(store) as after:
        assert -1 == after.end


async def test_waiting_ends(store: LogStore, other: LogStore, clock: ManualClock) -> None:
    """
    After the time one is ready to wait, the answer is who holds it.
    """
    async with writing(store):
        before = clock.now_ns()
        with pytest.raises(Held):
            await other.acquire(KEY, wait=5.0)

        assert 5.0 <= (clock.now_ns() - before) / 1e9 < 5.1


async def test_a_take_over_fences_the_former_holder(store: LogStore, other: LogStore) -> None:
    """
    There is one writer after a take-over as before it, and it is the new one.
    """
    former = await store.acquire(KEY, doing="sleeping")
    await say(former, "one")
    latter = await other.acquire(KEY, take_over=True, doing="helping")

    with pytest.raises(Fenced):
        await former.commit()
    await former.release()
    holder = await store.holder(KEY)
    assert holder == latter.holder
    assert latter.holder.epoch > former.holder.epoch
    await latter.release()


async def test_a_free_session_is_not_taken_over_but_taken(store: LogStore) -> None:
    """
    Being ready to take over does no harm when there is nobody to fence.
    """
    writer = await store.acquire(KEY, take_over=True)
    await say(writer, "one")

    assert 0 == (await writer.commit()).position
    await writer.release()


async def test_the_epoch_grows_with_every_change_of_hands(store: LogStore, other: LogStore) -> None:
    """
    No two holders of a session have the same epoch.
    """
    epochs = []
    for each in (store, other, store):
        async with writing(each) as writer:
            epochs.append(writer.holder.epoch)

    assert sorted(set(epochs)) == epochs


async def test_a_log_is_made_only_when_asked(store: LogStore) -> None:
    """
    Opening what does not exist is an error unless it may be created.
    """
    with pytest.raises(NoSession):
        await store.acquire(KEY, create=False)
    await filled(store, 1)
    writer = await store.acquire(KEY, create=False)

    assert 0 == writer.end
    await writer.release()


async def test_closing_a_store_twice_is_once(store: LogStore) -> None:
    """
    Closing again does nothing.
    """
    await filled(store, 1)
    await store.close()
    await store.close()
