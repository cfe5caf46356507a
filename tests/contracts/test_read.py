"""Reading: from any position, forwards and backwards, without a lease."""

import pytest

from holdfast.errors import NoSession
from holdfast.log.store import LogStore
from tests.contracts.talk import KEY, all_of, at, filled, next_of, positions


@pytest.mark.parametrize("start", [0, 1, 7, 19, 20, 99])
@pytest.mark.parametrize("stop", [None, 0, 1, 8, 20, 99])
async def test_a_range_holds_its_start_and_not_its_stop(store: LogStore, start: int, stop: int | None) -> None:
    """
    Records from `start` up to, not including, `stop`.
    """
    await filled(store, 20)

    found = await all_of(store.read(KEY, start=at(start), stop=None if stop is None else at(stop)))

    assert list(range(20))[start:stop] == positions(found)
    assert found == await store.load(KEY, start=at(start), stop=None if stop is None else at(stop))


async def test_a_position_before_the_first_one_is_the_beginning(store: LogStore) -> None:
    """
    Reading and following from there give everything, once.
    """
    await filled(store, 5)

    assert [0, 1, 2, 3, 4] == positions(await all_of(store.read(KEY, start=at(-3))))
    assert [] == positions(await all_of(store.read_back(KEY, before=at(-3))))
    assert [0, 1, 2, 3, 4] == positions(await next_of(store.follow(KEY, after=at(-3)), 5))


@pytest.mark.parametrize("before", [None, 0, 1, 8, 20, 99])
async def test_reading_back_gives_the_newest_first(store: LogStore, before: int | None) -> None:
    """
    Records before a position, or all of them, from the end.
    """
    await filled(store, 20)

    found = await all_of(store.read_back(KEY, before=None if before is None else at(before)))

    assert list(reversed(range(20)[slice(before)])) == positions(found)


async def test_backwards_and_forwards_are_the_same_records(store: LogStore) -> None:
    """
    The direction of reading changes the order and nothing else.
    """
    records = await filled(store, 20)

    assert records == list(reversed(await all_of(store.read_back(KEY))))


async def test_one_can_stop_reading_at_any_time(store: LogStore) -> None:
    """
    Closing an iterator early is fine.
    """
    await filled(store, 20)
    for source in (store.read(KEY), store.read_back(KEY)):
        assert 3 == len(await next_of(source, 3))
        await source.aclose()  # type: ignore[attr-defined]


async def test_what_does_not_exist_cannot_be_read(store: LogStore) -> None:
    """
    No session is an error, never an empty one.
    """
    for source in (store.read(KEY), store.read_back(KEY), store.follow(KEY)):
        with pytest.raises(NoSession):
            await anext(source)


async def test_keys_are_listed_once_something_is_said(store: LogStore) -> None:
    """
    A session is there from its first entry on.
    """
    writer = await store.acquire(KEY)
    before = (await store.exists(KEY), await all_of(store.sessions()))
    await writer.release()
    await filled(store, 1)

    assert (False, []) == before
    assert (True, [KEY]) == (await store.exists(KEY), await all_of(store.sessions()))
