"""Following: what was said, then what is being said; no gap, no repeat."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from holdfast.errors import BeyondEnd, NoSession
from holdfast.log.store import LogStore
from holdfast.records.codec import Record
from tests.contracts.talk import KEY, at, filled, next_of, positions, say, texts, writing


async def closed(source: AsyncIterator[Record]) -> None:
    """Stop following."""
    await source.aclose()  # type: ignore[attr-defined]


async def test_a_follower_gets_the_past_and_then_the_present(store: LogStore) -> None:
    """
    Replay first, then each new entry as it is appended.
    """
    await filled(store, 3)
    source = store.follow(KEY)
    async with writing(store) as writer:
        assert [0, 1, 2] == positions(await next_of(source, 3))
        await say(writer, "new", "newer")
        assert ["new", "newer"] == texts(await next_of(source, 2))
    await closed(source)


async def test_following_another_program_leaves_no_gap(store: LogStore, other: LogStore) -> None:
    """
    What another program writes is followed in the same way, through every new segment.
    """
    await filled(store, 1)
    source = other.follow(KEY)

    async def speak() -> None:
        async with writing(store) as writer:
            for number in range(1, 40):
                await say(writer, f"word {number}")
                await asyncio.sleep(0)

    records, _ = await asyncio.gather(next_of(source, 40), speak())
    await closed(source)

    assert list(range(40)) == positions(records)


@pytest.mark.parametrize("after", [-1, 0, 5, 9])
async def test_a_follower_resumes_after_what_it_has_seen(store: LogStore, after: int) -> None:
    """
    After a lost connection a viewer goes on at the next position.
    """
    await filled(store, 10)
    source = store.follow(KEY, after=at(after))
    async with writing(store) as writer:
        await say(writer, "last")
    records = await next_of(source, 10 - after)
    await closed(source)

    assert list(range(after + 1, 11)) == positions(records)


async def test_a_position_the_log_has_not_reached_is_an_error(store: LogStore) -> None:
    """
    A viewer that has seen more than there is learns where the log ends.
    """
    await filled(store, 3)

    with pytest.raises(BeyondEnd) as refused:
        await anext(store.follow(KEY, after=at(3)))

    assert (3, 2) == (refused.value.asked, refused.value.end)


async def test_followers_do_not_disturb_each_other(store: LogStore) -> None:
    """
    Everyone who watches reads the same positions.
    """
    await filled(store, 2)
    sources = [store.follow(KEY, after=at(number - 1)) for number in range(3)]
    async with writing(store) as writer:
        await say(writer, "for all")
        found = [await next_of(source, 3 - number) for number, source in enumerate(sources)]
    for source in sources:
        await closed(source)

    assert [[0, 1, 2], [1, 2], [2]] == [positions(each) for each in found]


async def test_a_follower_of_a_taken_over_session_follows_the_new_writer(store: LogStore, other: LogStore) -> None:
    """
    A change of hands shows no entry twice and leaves none out.
    """
    await filled(store, 2)
    source = store.follow(KEY)
    former = await store.acquire(KEY)
    await say(former, "former")
    latter = await other.acquire(KEY, take_over=True)
    await say(latter, "latter")
    records = await next_of(source, 4)
    await latter.release()
    await former.release()
    await closed(source)

    assert [0, 1, 2, 3] == positions(records)
    assert "latter" == texts(records)[-1]


async def test_a_follower_learns_that_its_session_was_removed(store: LogStore) -> None:
    """
    Nobody waits for ever for a session that is gone.
    """
    await filled(store, 1)
    source = store.follow(KEY)
    await next_of(source, 1)
    await store.delete(KEY)

    with pytest.raises(NoSession):
        await next_of(source, 1)


async def test_a_follower_never_goes_on_in_another_session(store: LogStore) -> None:
    """
    Where a session was deleted and another begun under its key, the follower is told, and given none of its entries.
    """
    await filled(store, 3)
    source = store.follow(KEY)
    await next_of(source, 3)
    await store.delete(KEY)
    await filled(store, 9)

    with pytest.raises(NoSession):
        await next_of(source, 1)
    assert list(range(9)) == positions(await next_of(store.follow(KEY), 9))


async def test_a_follower_of_a_session_that_was_brought_back_goes_on(store: LogStore) -> None:
    """
    One that was in the trash for a moment is the same log, and nothing of it is given twice.
    """
    await filled(store, 3)
    source = store.follow(KEY)
    await next_of(source, 3)
    await store.throw_away(KEY)
    (thrown,) = await store.trash()
    await store.bring_back(thrown.name)
    async with writing(store) as writer:
        await say(writer, "again")

    assert ["again"] == texts(await next_of(source, 1))
    await closed(source)
