"""Appending: at the expected position, all or none, and only what reads back exactly."""

import asyncio
from contextlib import suppress

import pytest

from holdfast.errors import BadEntry, Closed, Conflict, Fenced
from holdfast.log.store import LogStore
from holdfast.records.entries import Unknown
from tests.contracts.talk import KEY, all_of, at, filled, positions, said, say, texts, writing


async def test_positions_count_from_zero_without_gaps(store: LogStore) -> None:
    """
    The first entry stands at 0, and each one right after the one before.
    """
    records = await filled(store, 12)

    assert list(range(12)) == positions(records)


async def test_an_append_gives_the_records_as_a_reader_finds_them(store: LogStore) -> None:
    """
    What the writer is given back is what stands in the log, line and all.
    """
    async with writing(store) as writer:
        given = await writer.append([said("one"), said("two")], expect=at(0))

        assert list(given) == await all_of(store.read(KEY))


async def test_readers_see_what_was_appended_at_once(store: LogStore, other: LogStore) -> None:
    """
    When an append returns, every reader sees it, committed or not.
    """
    async with writing(store) as writer:
        await say(writer, "now")

        assert ["now"] == texts(await all_of(other.read(KEY)))


async def test_the_writer_knows_where_its_log_ends(store: LogStore) -> None:
    """
    An empty log ends at -1, and a reopened one where it was left.
    """
    async with writing(store) as writer:
        assert -1 == writer.end
        await say(writer, "one", "two")
        assert 1 == writer.end

    async with writing(store) as writer:
        assert 1 == writer.end
        assert () == writer.repaired


@pytest.mark.parametrize("expect", [0, 1, 3, 99])
async def test_a_stale_position_is_refused(store: LogStore, expect: int) -> None:
    """
    Who did not see the last entry cannot append after it.
    """
    async with writing(store) as writer:
        await say(writer, "one", "two")

        with pytest.raises(Conflict) as refused:
            await writer.append([said("three")], expect=at(expect))

        assert (expect, 2) == (refused.value.expected, refused.value.actual)
        assert ["one", "two"] == texts(await all_of(store.read(KEY)))


async def test_what_would_not_read_back_is_refused_before_anything_is_written(store: LogStore) -> None:
    """
    One bad entry among good ones, and none of them is in the log.
    """
    async with writing(store) as writer:
        with pytest.raises(BadEntry):
            await writer.append([said("good"), Unknown(kind="acme.odd", fields={"x": (1, 2)})], expect=at(0))

        assert not await store.exists(KEY)
        await say(writer, "still usable")


async def test_appending_nothing_changes_nothing(store: LogStore) -> None:
    """
    No entries, no log.
    """
    async with writing(store) as writer:
        assert [] == list(await writer.append([], expect=at(0)))

    assert not await store.exists(KEY)


async def test_many_entries_in_one_append_are_one_piece(store: LogStore) -> None:
    """
    An append larger than anything the store seals or splits at is still whole.
    """
    words = [f"{number}" * 300 for number in range(40)]
    async with writing(store) as writer:
        await writer.append([said(word) for word in words], expect=at(0))

    assert words == texts(await all_of(store.read(KEY)))


async def test_of_two_appends_at_one_position_one_wins(store: LogStore) -> None:
    """
    Two tasks that follow the same entry: one is written, the other is told.
    """
    async with writing(store) as writer:
        await say(writer, "x" * 2000)
        both = (writer.append([said(word)], expect=at(1)) for word in ("left", "right"))
        outcomes = await asyncio.gather(*both, return_exceptions=True)

        assert 1 == sum(isinstance(each, Conflict) for each in outcomes)
        assert [0, 1] == positions(await all_of(store.read(KEY)))


@pytest.mark.parametrize("size", [10, 150_000])
async def test_a_cancelled_append_leaves_all_or_none(store: LogStore, size: int) -> None:
    """
    Whenever the cancel comes, the log is whole, and the writer goes on where it ends.
    """
    async with writing(store) as writer:
        await say(writer, "x" * 2000)
        for pause in range(6):
            both = [said("first" * size), said("second" * size)]
            task = asyncio.ensure_future(writer.append(both, expect=at(writer.end + 1)))
            for _ in range(pause):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await writer.commit()
            while True:
                try:
                    await say(writer, "after")
                except Conflict:
                    continue
                break

    records = await all_of(store.read(KEY))
    first = [record.pos for record in records if texts([record])[0].startswith("first")]
    assert list(range(len(records))) == positions(records)
    assert [texts([records[pos + 1]])[0][:6] for pos in first] == ["second"] * len(first)


async def test_a_released_writer_writes_no_more(store: LogStore) -> None:
    """
    After the lease is given back, nothing more is written through it.
    """
    writer = await store.acquire(KEY)
    await say(writer, "one")
    await writer.release()

    with pytest.raises(Closed):
        await say(writer, "two")
    with pytest.raises(Closed):
        await writer.commit()
    with pytest.raises(Closed):
        await writer.put_blob(b"bytes")
    assert 1 == len(await all_of(store.read(KEY)))


async def test_a_fenced_writer_adds_nothing_to_the_log(store: LogStore, other: LogStore) -> None:
    """
    What a writer says after it was taken over is not part of the log.
    """
    former = await store.acquire(KEY)
    await say(former, "mine")
    await former.commit()
    latter = await other.acquire(KEY, take_over=True)
    try:
        with suppress(Fenced):
            await say(former, "too late")
        with pytest.raises(Fenced):
            await former.commit()
        await say(latter, "theirs")
        await latter.commit()

        assert ["mine", "theirs"] == texts(await all_of(store.read(KEY)))
    finally:
        await latter.release()
        await former.release()
    assert ["mine", "theirs"] == texts(await all_of(store.read(KEY)))
