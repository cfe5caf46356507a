"""Logs without checkpoints, as another program may write them."""

import asyncio
import tracemalloc
from pathlib import Path

import pytest

from holdfast import Position, Text, UserSaid, open_store
from holdfast.clock import ManualClock
from holdfast.records.codec import encode
from holdfast.session import load_state
from tests.session.talk import folded

KEY = "tool"

COUNT = 6_000


def written_by_a_tool(root: Path) -> int:
    """A log of many entries and no checkpoint; gives its size."""
    entries = [UserSaid(parts=(Text(text=f"{number} " + "word " * 40),)) for number in range(COUNT)]
    _, data = encode(entries, Position(0), ManualClock().now_ns())
    folder = root / "sessions" / KEY
    folder.mkdir(parents=True)
    (folder / "000001.jsonl").write_bytes(data)
    return len(data)


@pytest.mark.parametrize("held", [100_000, 10**9])
async def test_a_log_without_checkpoints_means_the_same_however_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    """
    Read once or twice, all of it counts; and the first entry that is added saves the state.
    """
    size = written_by_a_tool(tmp_path)
    monkeypatch.setattr(load_state, "HELD_BYTES", held)
    async with open_store(tmp_path) as store:
        expected = folded([record async for record in store.read(KEY)])
        assert expected.messages == (await store.state(KEY)).messages == COUNT
        async with store.session(KEY) as session:
            await session.say("more")
            assert COUNT + 1 == session.state.last
        assert size > 1_000_000


async def test_a_log_without_checkpoints_is_opened_in_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What is held at once does not grow with the log.
    """
    size = written_by_a_tool(tmp_path)
    monkeypatch.setattr(load_state, "HELD_BYTES", 100_000)
    async with open_store(tmp_path) as store:
        tracemalloc.start()
        await store.state(KEY)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 3_000_000
    assert peak < 2 * size


async def test_opening_a_log_without_checkpoints_leaves_the_event_loop_its_turns(tmp_path: Path) -> None:
    """
    Other work goes on after every few hundred entries.
    """
    written_by_a_tool(tmp_path)
    turns = 0

    async def other_work() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with open_store(tmp_path) as store:
        work = asyncio.ensure_future(other_work())
        await store.state(KEY)
        work.cancel()
    assert turns > COUNT // 500
