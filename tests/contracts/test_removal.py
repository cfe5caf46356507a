"""Removing: for good, or into a trash from which it comes back."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from holdfast.clock import ManualClock, at_time
from holdfast.errors import AlreadyThere, Held, NoSession
from holdfast.ids import SessionKey
from holdfast.log.store import LogStore
from holdfast.records.entries import Drafted
from tests.contracts.talk import KEY, all_of, at, filled, say, texts, writing

Way = Callable[[LogStore, SessionKey], Awaitable[None]]


async def delete(store: LogStore, key: SessionKey) -> None:
    """For good."""
    await store.delete(key)


async def throw_away(store: LogStore, key: SessionKey) -> None:
    """Into the trash."""
    await store.throw_away(key)


BOTH = pytest.mark.parametrize("way", [delete, throw_away])


@BOTH
async def test_what_is_removed_is_no_longer_there(store: LogStore, other: LogStore, way: Way) -> None:
    """
    The log, its blobs and its draft are gone for everyone, and the key is free.
    """
    async with writing(store) as writer:
        await writer.draft(Drafted(reply=at(1), text="unfinished"))
    await filled(store, 3)
    await way(store, KEY)

    assert (False, []) == (await other.exists(KEY), await all_of(other.sessions()))
    assert () == await other.drafts(KEY)
    assert 1 == len(await filled(other, 1))


@BOTH
async def test_what_is_written_to_is_not_removed(store: LogStore, other: LogStore, way: Way) -> None:
    """
    A session that someone holds stays.
    """
    await filled(store, 3)
    async with writing(store):
        with pytest.raises(Held):
            await way(other, KEY)

    assert 3 == len(await all_of(store.read(KEY)))


@BOTH
async def test_what_does_not_exist_cannot_be_removed(store: LogStore, way: Way) -> None:
    """
    Removing nothing is a mistake worth telling.
    """
    with pytest.raises(NoSession):
        await way(store, KEY)


@BOTH
async def test_of_two_who_remove_one_session_one_does(store: LogStore, other: LogStore, way: Way) -> None:
    """
    The other one is told that it is gone; nothing is thrown away twice.
    """
    await filled(store, 3)
    outcomes = await asyncio.gather(way(store, KEY), way(other, KEY), return_exceptions=True)

    assert 1 == sum(isinstance(each, NoSession | Held) for each in outcomes)
    assert len(await store.trash()) == (1 if way is throw_away else 0)


async def test_bringing_back_takes_nothing_from_one_who_is_about_to_begin(store: LogStore, other: LogStore) -> None:
    """
    Who holds a key keeps it, also before the first word.
    """
    await filled(store, 3)
    await store.throw_away(KEY)
    (trashed,) = await store.trash()
    async with writing(other) as writer:
        with pytest.raises(AlreadyThere):
            await store.bring_back(trashed.name)
        await say(writer, "mine")

    assert ["mine"] == texts(await all_of(store.read(KEY)))
    assert (trashed,) == await store.trash()


async def test_the_trash_says_what_lies_in_it_newest_first(store: LogStore, clock: ManualClock) -> None:
    """
    Key, time and size: enough to choose what to bring back.
    """
    times = []
    for key in ("first", "second"):
        await filled(store, 2, SessionKey(key))
        times.append(at_time(clock.now_ns()))
        await store.throw_away(SessionKey(key))
        clock.advance(60)

    found = await store.trash()
    assert ["second", "first"] == [each.key for each in found]
    assert times[::-1] == [each.at for each in found]
    assert all(each.size > 200 for each in found)


async def test_what_was_thrown_away_comes_back_whole(store: LogStore) -> None:
    """
    Brought back, a session is as it was, under its key.
    """
    records = await filled(store, 5)
    await store.throw_away(KEY)
    (trashed,) = await store.trash()

    assert KEY == await store.bring_back(trashed.name)
    assert records == await all_of(store.read(KEY))
    assert () == await store.trash()


async def test_bringing_back_overwrites_nothing(store: LogStore) -> None:
    """
    When the key is in use again, both stay where they are.
    """
    await filled(store, 5)
    await store.throw_away(KEY)
    (trashed,) = await store.trash()
    await filled(store, 1)

    with pytest.raises(AlreadyThere, match="fork it under another name"):
        await store.bring_back(trashed.name)
    assert (trashed,) == await store.trash()
    assert ["word 0"] == texts(await all_of(store.read(KEY)))


@pytest.mark.parametrize("name", ["nothing", "", "..", "../sessions", "1+x/y", "a\x00b"])
async def test_only_what_lies_in_the_trash_comes_back(store: LogStore, name: str) -> None:
    """
    Any text may be asked for, and none of it reaches outside the trash.
    """
    await filled(store, 1)

    with pytest.raises(NoSession):
        await store.bring_back(name)
    assert 0 == await store.empty_trash(name)


async def test_the_trash_can_be_emptied_one_by_one_or_all_at_once(store: LogStore, clock: ManualClock) -> None:
    """
    It tells how many sessions were removed for good.
    """
    for key in ("first", "second", "third"):
        await filled(store, 1, SessionKey(key))
        await store.throw_away(SessionKey(key))
        clock.advance(1)
    third = (await store.trash())[0]

    assert 1 == await store.empty_trash(third.name)
    assert ["second", "first"] == [each.key for each in await store.trash()]
    assert 2 == await store.empty_trash()
    assert () == await store.trash()
    assert 0 == await store.empty_trash()


async def test_a_key_can_lie_in_the_trash_more_than_once(store: LogStore) -> None:
    """
    Throwing away a second session of the same name, even at the same moment, loses neither.
    """
    for _ in range(2):
        await filled(store, 1)
        await store.throw_away(KEY)

    assert [KEY, KEY] == [each.key for each in await store.trash()]
