"""The catalog that keeps nothing: the same questions, answered by reading every log."""

from collections.abc import AsyncIterator

import pytest

from holdfast import ManualClock, Store, open_volatile
from tests.contracts.talk import said


@pytest.fixture
def clock() -> ManualClock:
    """Time that the test moves."""
    return ManualClock()


@pytest.fixture
async def store(clock: ManualClock) -> AsyncIterator[Store]:
    """A store in memory, with sessions of one second each."""
    async with open_volatile(clock=clock) as opened:
        for key, words in {"a": "the launch is on Friday", "b": "今天我们讨论数据库", "c": "Friday again"}.items():
            async with opened.session(key) as session:
                await session.append(said(words))
                await session.append(said("and so on"))
            clock.advance(1)
        yield opened


async def test_words_are_found_newest_first_with_their_position(store: Store) -> None:
    """
    All words must be there, whatever their case; parts of words and Chinese count too.
    """
    assert [("c", 1), ("a", 1)] == [(hit.key, hit.pos) for hit in await store.search("friday")]
    assert [("a", 1)] == [(hit.key, hit.pos) for hit in await store.search('"LAUNCH" iday')]
    assert [("b", 1)] == [(hit.key, hit.pos) for hit in await store.search("数据")]
    assert [("c", 2)] == [(hit.key, hit.pos) for hit in await store.search("so on", limit=1)]
    assert [("b", 2)] == [(hit.key, hit.pos) for hit in await store.search("so on", key="b")]
