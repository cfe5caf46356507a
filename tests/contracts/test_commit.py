"""Committing: an acknowledgement says what it covers and how durable that is."""

import asyncio

import pytest

from holdfast.errors import Held
from holdfast.log.store import Ack, Durability, LogStore
from tests.contracts.conftest import Place
from tests.contracts.talk import KEY, all_of, at, said, say, texts, writing


@pytest.mark.parametrize("durability", ["always", "interval", "os"])
async def test_an_acknowledgement_says_how_durable_it_is(place: Place, durability: Durability) -> None:
    """
    A commit promises what the store was opened to promise, and says so.
    """
    async with place.opened(durability) as store, writing(store) as writer:
        await say(writer, "one", "two")

        assert Ack(position=at(1), durability=durability) == await writer.commit()


async def test_an_empty_log_can_be_committed(store: LogStore) -> None:
    """
    With nothing to wait for, the acknowledgement covers nothing.
    """
    async with writing(store) as writer:
        assert -1 == (await writer.commit()).position


async def test_a_commit_covers_what_was_appended_before_it(store: LogStore) -> None:
    """
    Commits that wait at the same time all get their answer, each for at least its own entries.
    """

    async def said_for_good(number: int) -> int:
        await writer.append([said(f"{number}")], expect=at(writer.end + 1))
        mine = writer.end
        acknowledged = await writer.commit()
        return acknowledged.position - mine

    async with writing(store) as writer:
        await say(writer, "zero")
        ahead = await asyncio.gather(*(said_for_good(number) for number in range(3)))

    assert [0, 0, 0] == [min(each, 0) for each in ahead]


async def test_appends_go_on_beside_a_commit(store: LogStore) -> None:
    """
    Waiting for the disk keeps nobody from appending.
    """
    async with writing(store) as writer:
        await say(writer, "one")
        commit = asyncio.ensure_future(writer.commit())
        await asyncio.sleep(0)
        await say(writer, "two")
        await commit

        assert ["one", "two"] == texts(await all_of(store.read(KEY)))


async def test_a_cancelled_commit_stops_waiting_and_nothing_else(store: LogStore) -> None:
    """
    Who does not want to wait does not break it for the others.
    """
    async with writing(store) as writer:
        await say(writer, "one")
        impatient = asyncio.ensure_future(writer.commit())
        patient = asyncio.ensure_future(writer.commit())
        await asyncio.sleep(0)
        impatient.cancel()

        assert 0 == (await patient).position


async def test_releasing_commits_and_gives_the_lease_back(store: LogStore, other: LogStore) -> None:
    """
    After a release the next writer finds everything, at once.
    """
    async with writing(store) as writer:
        await say(writer, "one")

    async with writing(other) as writer:
        assert 0 == writer.end


async def test_releasing_twice_is_once(store: LogStore, other: LogStore) -> None:
    """
    A second release, also at the same time, takes nothing away from the next holder.
    """
    writer = await store.acquire(KEY)
    await say(writer, "one")
    await asyncio.gather(writer.release(), writer.release())
    async with writing(other):
        await writer.release()
        with pytest.raises(Held):
            await store.acquire(KEY)


async def test_a_cancelled_release_still_gives_the_lease_back(store: LogStore, other: LogStore) -> None:
    """
    However a program ends, the session is free for the next one.
    """
    writer = await store.acquire(KEY)
    await say(writer, "one")
    release = asyncio.ensure_future(writer.release())
    await asyncio.sleep(0)
    release.cancel()
    await asyncio.gather(release, return_exceptions=True)

    after = await other.acquire(KEY, wait=1e9)
    assert 0 == after.end
    await after.release()
