"""Reading logs with long lines: what the event loop does for it does not depend on their length."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from holdfast.records.codec import Record
from holdfast.stores.files.blocks import LONG
from holdfast.stores.files.segments import Cursor, advance, read_backward, read_forward
from holdfast.stores.files.store import FileStore
from tests.contracts.talk import KEY, all_of, at, next_of, say, writing
from tests.holding import HELD, beside

TEXT = 'a "word" and\n' * (16 * 1024 * 1024 // 13)
COUNT = 40


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[FileStore]:
    """A store with a session that has one long line among others."""
    async with FileStore(tmp_path, durability="os") as opened:
        async with writing(opened) as writer:
            for number in range(COUNT):
                await say(writer, TEXT if number == COUNT // 2 else f"{number}")
        yield opened


async def followed(store: FileStore, after: int) -> list[Record]:
    """All that a follower is given, up to the end."""
    source = store.follow(KEY, after=at(after))
    return await next_of(source, COUNT - 1 - after)


READING: dict[str, Callable[[FileStore], Awaitable[list[Record]]]] = {
    "all": lambda store: store.load(KEY),
    "one by one": lambda store: all_of(store.read(KEY)),
    "backwards": lambda store: all_of(store.read_back(KEY)),
    "from a position": lambda store: store.load(KEY, start=at(COUNT // 2)),
    "before a position": lambda store: all_of(store.read_back(KEY, before=at(COUNT // 2 + 1))),
    "following": lambda store: followed(store, -1),
    "following from a position": lambda store: followed(store, COUNT // 2 - 1),
}


@pytest.mark.parametrize("how", READING.values(), ids=READING)
async def test_a_long_line_is_read_and_decoded_without_holding_the_event_loop(
    store: FileStore, how: Callable[[FileStore], Awaitable[list[Record]]]
) -> None:
    """
    It is read, checked and decoded in a thread; what it says can be looked at right away.
    """
    found: list[Record] = []

    async def read() -> None:
        found.extend(await how(store))
        assert all(record.entry for record in found)

    assert (await beside(read())).longest < HELD
    (long,) = [record for record in found if len(record.raw) > LONG]
    assert (COUNT // 2, True) == (long.pos, len(TEXT) < len(long.raw))
    places = [record.pos for record in found]
    assert list(range(min(places), max(places) + 1)) == sorted(places)


async def test_an_empty_handful_announces_a_long_line(store: FileStore) -> None:
    """
    It comes before the long line from either end, and nothing is left out.
    """
    folder = store.folder(KEY)
    for handfuls in (list(read_forward(folder, at(0), None)), list(read_backward(folder, None))):
        (pause,) = [place for place, records in enumerate(handfuls) if not records]
        assert [COUNT // 2] == [record.pos for record in handfuls[pause + 1] if len(record.raw) > LONG]
        assert COUNT == sum(map(len, handfuls))
    assert COUNT == sum(len(found.records) for found in advance(folder, Cursor()))


async def test_a_follower_gets_a_long_line_that_another_process_appends(store: FileStore, tmp_path: Path) -> None:
    """
    Reading on takes place in a thread where much is new.
    """
    source = store.follow(KEY, after=at(COUNT - 1))
    waiting = asyncio.ensure_future(next_of(source, 2))
    async with FileStore(tmp_path, durability="os") as other, writing(other) as writer:
        await say(writer, "done")
        await say(writer, TEXT)

    assert [COUNT, COUNT + 1] == [record.pos for record in await waiting]
    assert [COUNT + 1] == [record.pos for record in await next_of(store.follow(KEY, after=at(COUNT)), 1)]
