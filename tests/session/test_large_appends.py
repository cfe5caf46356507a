"""Many entries at once, and long texts: what they cost, and what goes on meanwhile."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import pytest

from holdfast import Blob, Entry, Text, ToolFinished, UserSaid, open_store
from holdfast.ids import CallId
from holdfast.log.blobs import SPILL_BYTES
from holdfast.session.store import Store
from holdfast.session.writer import Session
from tests.holding import HELD, beside
from tests.session.talk import KEY, all_of, called, folded, said, texts

COUNT = 6_000
LONG = 16 * 1024 * 1024


def many(count: int) -> Sequence[Entry]:
    """Entries of usual length."""
    return [said(f"{number} " + "word " * 20) for number in range(count)]


async def cost(session: Session, size: int, times: int) -> float:
    """Processor seconds of each entry of appends of that size."""
    entries, began = many(size), process_time()
    for _ in range(times):
        await session.append(*entries)
    return (process_time() - began) / (size * times)


async def test_an_entry_costs_the_same_among_many(tmp_path: Path) -> None:
    """
    Twenty thousand at once take a thousand times as long as twenty, not more.
    """
    async with open_store(tmp_path, durability="os") as store, store.session(KEY) as session:
        few = await cost(session, 20, 100)
        assert await cost(session, 20_000, 1) < 4 * few


async def test_a_large_append_leaves_the_event_loop_its_turns(store: Store) -> None:
    """
    Other work goes on after every few hundred entries, and all of them are written.
    """
    async with store.session(KEY) as session:
        held = await beside(session.append(*many(COUNT)))
        assert held.turns > COUNT // 256
        assert held.longest < HELD

    records = await all_of(store.read(KEY))
    assert COUNT + 1 == len(records)
    assert folded(records) == await store.state(KEY)


@pytest.mark.parametrize("after", [*range(8), 20, 40, 60])
async def test_a_large_append_that_is_cancelled_is_whole_or_nothing(store: Store, after: int) -> None:
    """
    Whenever the cancel comes, the state is that of the log, and the session goes on.
    """
    async with store.session(KEY) as session:
        append = asyncio.ensure_future(session.append(*many(COUNT)))
        for _ in range(after):
            await asyncio.sleep(0)
        append.cancel()
        await asyncio.wait([append])
        await session.append(said("more"))

        records = await all_of(session.read())
        assert ["more"] == texts(records)[-1:]
        assert len(texts(records)) in {1, COUNT + 1}
        assert folded(records) == session.state


async def test_a_large_append_that_is_cancelled_once_it_is_written_counts_whole(store: Store) -> None:
    """
    What is in the log is in the state, although nobody waits for it any more.
    """
    async with store.session(KEY) as session:
        append = asyncio.ensure_future(session.append(*many(COUNT)))
        for _ in range(1_000_000):
            await asyncio.sleep(0)
            if session.state.last > 0:
                break
        assert 0 < session.state.last < COUNT
        append.cancel()
        await asyncio.wait([append])

        assert COUNT == session.state.last
        assert folded(await all_of(session.read())) == session.state


async def test_a_long_text_takes_no_time_of_the_event_loop(tmp_path: Path) -> None:
    """
    It is encoded, checked and written in a thread: what the loop does for it does not depend on its length.
    """
    text = 'a "word" and\n' * (LONG // 13)
    async with open_store(tmp_path, durability="os") as store, store.session(KEY) as session:
        assert (await beside(session.say(text))).longest < HELD

        assert [text] == texts(await all_of(session.read(start=1)))


async def test_a_tool_s_long_text_takes_no_time_of_the_event_loop(tmp_path: Path) -> None:
    """
    It is made bytes, and kept beside the log, in a thread.
    """
    text = "é" * LONG
    async with open_store(tmp_path, durability="os") as store, store.session(KEY) as session:
        await session.append(called("c"))
        result = ToolFinished(call=CallId("c"), name="read", parts=(Text(text=text),))
        assert (await beside(session.append(result))).longest < HELD

        [record] = await all_of(session.read(start=2))
        assert isinstance(record.entry, ToolFinished)
        [part] = record.entry.parts
        assert isinstance(part, Blob)
        assert text.encode() == await session.get_blob(part.blob)


async def test_a_session_says_and_spills_texts_of_any_length(store: Store) -> None:
    """
    Around each length from which something else is done with a text, it is kept whole.
    """
    lengths = [0, 1, SPILL_BYTES // 4, SPILL_BYTES, SPILL_BYTES + 1, 300_000]
    entries = [UserSaid(parts=(Text(text="x" * length),)) for length in lengths]
    async with store.session(KEY) as session:
        await session.append(*entries)

        assert lengths == [len(text) for text in texts(await all_of(session.read()))]
