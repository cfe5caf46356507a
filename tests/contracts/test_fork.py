"""Forking: a log that shares another one's beginning, and leaves it untouched."""

import asyncio
from collections.abc import Callable

import pytest

from holdfast.errors import AlreadyThere, BeyondEnd, NoBlob, NoSession
from holdfast.ids import SessionKey
from holdfast.log.store import LogStore
from holdfast.records.entries import Entry, FileChanged, Fork, Opened, UserSaid
from holdfast.records.parts import Blob
from tests.contracts.talk import FORK, KEY, all_of, at, filled, positions, say, texts, writing

COUNT = 20


@pytest.mark.parametrize("position", range(COUNT))
async def test_a_fork_from_any_position_shares_all_up_to_it(store: LogStore, position: int) -> None:
    """
    The same records, byte for byte, then the fork's own beginning, then what it says itself.
    """
    original = await filled(store, COUNT)
    await store.fork(KEY, FORK, at=at(position))
    async with writing(store, FORK) as writer:
        await say(writer, "another way")

    *shared, opened, own = await all_of(store.read(FORK))
    assert original[: position + 1] == shared
    assert Opened(key=FORK, origin=Fork(key=KEY, pos=at(position))) == opened.entry
    assert ["another way"] == texts([own])
    assert [position + 1, position + 2] == positions([opened, own])


async def test_the_original_is_untouched(store: LogStore) -> None:
    """
    Neither the fork nor what is written to it afterwards changes where it came from.
    """
    original = await filled(store, COUNT)
    before = await store.verify(KEY)
    await store.fork(KEY, FORK, at=at(9))
    async with writing(store, FORK) as writer:
        await say(writer, *("more" * 50 for _ in range(20)))

    assert original == await all_of(store.read(KEY))
    assert before == await store.verify(KEY)


async def test_the_original_can_be_forked_while_it_is_written_to(store: LogStore, other: LogStore) -> None:
    """
    Forking is a way out for one who finds the session held.
    """
    async with writing(store) as writer:
        await say(writer, "one", "two")
        await other.fork(KEY, FORK, at=at(1))
        await say(writer, "three")

    assert ["one", "two"] == texts(await all_of(other.read(FORK)))


@pytest.mark.parametrize("position", [-1, COUNT, 99])
async def test_a_position_that_is_not_there_cannot_be_forked_from(store: LogStore, position: int) -> None:
    """
    A fork shares at least one entry, and none that was never said.
    """
    await filled(store, COUNT)

    with pytest.raises(BeyondEnd):
        await store.fork(KEY, FORK, at=at(position))
    assert not await store.exists(FORK)


async def test_a_fork_takes_nobodys_place(store: LogStore) -> None:
    """
    A session that exists is never overwritten by a fork.
    """
    await filled(store, 3)
    await filled(store, 5, FORK)

    with pytest.raises(AlreadyThere):
        await store.fork(KEY, FORK, at=at(1))
    assert 5 == len(await all_of(store.read(FORK)))


async def test_a_session_that_someone_is_about_to_begin_is_not_overwritten(store: LogStore, other: LogStore) -> None:
    """
    Who holds a key keeps it, also before the first word.
    """
    await filled(store, 3)
    async with writing(other, FORK) as writer:
        with pytest.raises(AlreadyThere):
            await store.fork(KEY, FORK, at=at(1))
        await say(writer, "mine")

    assert ["mine"] == texts(await all_of(store.read(FORK)))


async def test_a_session_that_was_never_begun_is_in_nobodys_way(store: LogStore) -> None:
    """
    A key that was opened and left without a word is free.
    """
    await filled(store, 3)
    async with writing(store, FORK):
        pass
    await store.fork(KEY, FORK, at=at(1))

    assert [0, 1, 2] == positions(await all_of(store.read(FORK)))


async def test_nothing_cannot_be_forked(store: LogStore) -> None:
    """
    A fork needs an original.
    """
    with pytest.raises(NoSession):
        await store.fork(KEY, FORK, at=at(0))


async def test_of_two_forks_with_one_name_one_wins(store: LogStore) -> None:
    """
    Two at once: one is made, the other is told, and nothing is mixed.
    """
    await filled(store, 9)
    both = (store.fork(KEY, FORK, at=at(position)) for position in (3, 7))
    outcomes = await asyncio.gather(*both, return_exceptions=True)

    assert 1 == sum(isinstance(each, AlreadyThere) for each in outcomes)
    assert len(await all_of(store.read(FORK))) in {5, 9}


@pytest.mark.parametrize(
    "naming",
    [lambda part: UserSaid(parts=(part,)), lambda part: FileChanged(path="a", before=part)],
    ids=["said", "file"],
)
async def test_blobs_are_shared_and_go_with_the_last_reference(
    store: LogStore, naming: Callable[[Blob], Entry]
) -> None:
    """
    A fork has the attachments it names, whatever happens to the original.
    """
    async with writing(store) as writer:
        early, late = await writer.put_blob(b"early"), await writer.put_blob(b"late")
        for number, name in enumerate((early, late)):
            part = Blob(blob=name, media_type="text/plain", size=5)
            await writer.append([naming(part)], expect=at(number))
    await store.fork(KEY, FORK, at=at(0))
    await store.delete(KEY)

    assert b"early" == await store.get_blob(FORK, early)
    assert (await store.verify(FORK)).good
    with pytest.raises(NoBlob):
        await store.get_blob(FORK, late)


async def test_a_fork_can_be_forked(store: LogStore) -> None:
    """
    There is no end to it, and each fork says where it came from.
    """
    third = SessionKey("third")
    await filled(store, 6)
    await store.fork(KEY, FORK, at=at(4))
    await store.fork(FORK, third, at=at(5))
    await store.delete(KEY)
    await store.delete(FORK)

    records = await all_of(store.read(third))
    assert list(range(7)) == positions(records)
    origins = [record.entry.origin for record in records if isinstance(record.entry, Opened)]
    assert [Fork(key=KEY, pos=at(4)), Fork(key=FORK, pos=at(5))] == origins
