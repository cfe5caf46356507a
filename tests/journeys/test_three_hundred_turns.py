"""A long conversation full of tools goes on after a crash at any append, and what its models see stays right.

The models refuse what their providers would refuse, and what is longer than the budget.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Compacted, ModelReplied, Session, Shortened, UserSaid, WindowMoved, open_store
from holdfast.records.entries import Entry
from tests.journeys.agent import Agent
from tests.journeys.camera import Camera, Remains, watched

KEY = "garden"
TURNS = 300
CRASHES = (58, 127, 251)
"""The turns that are broken off: one in which turns are summarized, one that is larger than a window while no summary
can be had, and one with results so long that they are kept beside the log."""


async def told(session: Session, since: int) -> dict[int, bytes]:
    """What a session says from a position on, to the byte."""
    lines: dict[int, bytes] = {record.pos: record.raw async for record in session.read(start=since)}
    assert list(range(since, session.state.last + 1)) == list(lines)
    return lines


async def go_on(remains: Remains, turn: int, original: dict[int, bytes]) -> None:
    """What must hold after a crash: nothing is lost, the turn goes on, and whoever comes later sees the same."""
    since = min(original)
    async with open_store(remains.root, durability="os") as store:
        async with store.session(KEY) as session:
            found = await told(session, since)
            assert remains.torn == bool(session.repaired)
            assert remains.acknowledged <= remains.written <= session.state.last
            assert [] == [pos for pos in range(since, remains.written + 1) if original[pos] != found[pos]]
            at_once = await Agent(session).window(turn)
        async with store.session(KEY) as session:
            agent = Agent(session)
            assert at_once == await agent.window(turn)
            await agent.turn(turn)
            after = await agent.window(turn + 1)
            assert {turn: 1} == await asked(session, since)
        async with store.session(KEY) as session:
            assert after == await Agent(session).window(turn + 1)


async def asked(session: Session, since: int = 0) -> dict[int, int]:
    """How often each turn was asked for, from a position on."""
    said = [record.entry.client_id async for record in session.read(start=since) if isinstance(record.entry, UserSaid)]
    return {int(turn): times for name, times in Counter(said).items() if (turn := (name or "").removeprefix("turn "))}


async def have(agent: Agent, turns: range) -> None:
    """Some turns without a mishap."""
    for turn in turns:
        await agent.turn(turn)


def stretches() -> Iterator[tuple[int, int]]:
    """From where to where nothing happens; at the end of all but the last, a turn is broken off."""
    begins = [0, *(turn + 1 for turn in CRASHES)]
    return zip(begins, [*CRASHES, TURNS], strict=True)


@pytest.mark.usefixtures("unmeasured")
async def test_a_crash_at_any_append_of_a_turn_loses_nothing(tmp_path: Path) -> None:
    """
    Three hundred turns through truncation and compaction, three of them broken off at every append.

    The conversation itself goes on from one of the broken copies, so its end has been through three crashes.
    """
    root = tmp_path / "store"
    appended: set[type[Entry]] = set()
    for begin, end in stretches():
        camera = Camera(root, KEY, tmp_path / f"album-{end}")
        async with watched(root, KEY, camera) as session:
            agent = Agent(session)
            await have(agent, range(begin, end))
            if end == TURNS:
                assert dict.fromkeys(range(TURNS), 1) == await asked(session)
                break
            since, camera.on = session.state.last + 1, True
            await agent.turn(end)
            camera.on, original = False, await told(session, since)
            appended |= {type(record.entry) async for record in session.read(start=since)}
        for remains in camera.taken:
            await go_on(remains, end, original)
        root = Path(camera.taken[len(camera.taken) // 2].root)

    assert {ModelReplied, Compacted, WindowMoved, Shortened} <= appended
