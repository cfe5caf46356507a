"""The catalog that keeps nothing: the same questions, answered by reading every log."""

from collections.abc import AsyncIterator

import pytest

from holdfast import BadInput, Described, ManualClock, SessionKey, Store, open_volatile
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


async def test_pages_give_every_session_once_newest_first(store: Store) -> None:
    """
    A cursor continues where the page before it ended; the last page has none.
    """
    first = await store.list(limit=2)
    second = await store.list(limit=2, cursor=first.cursor)

    assert (["c", "b"], ["a"]) == ([each.key for each in first.sessions], [each.key for each in second.sessions])
    assert (True, "") == (bool(first.cursor), second.cursor)


@pytest.mark.parametrize("cursor", ["page two", "-1", "1.5"])
async def test_a_foreign_cursor_is_refused(store: Store, cursor: str) -> None:
    """
    A cursor that no list gave is an error, as with any other catalog.
    """
    with pytest.raises(BadInput, match="Begin without one"):
        await store.list(cursor=cursor)


async def test_a_list_shows_what_a_session_is(store: Store) -> None:
    """
    Title, preview, counts and tags; archived sessions only when asked for.
    """
    async with store.session("a") as session:
        await session.append(Described(title="Plans", tags=("work",), archived=True))

    assert ["c", "b"] == [each.key for each in (await store.list()).sessions]
    (row,) = (await store.list(archived=None, tag="work")).sessions
    assert ("a", "Plans", "the launch is on Friday", 4, 2) == (
        row.key,
        row.title,
        row.preview,
        row.entries,
        row.messages,
    )
    assert 3.0 == (row.updated - row.created).total_seconds()


async def test_words_are_found_newest_first_with_their_position(store: Store) -> None:
    """
    All words must be there, whatever their case; parts of words and Chinese count too.
    """
    assert [("c", 1), ("a", 1)] == [(hit.key, hit.pos) for hit in await store.search("friday")]
    assert [("a", 1)] == [(hit.key, hit.pos) for hit in await store.search('"LAUNCH" iday')]
    assert [("b", 1)] == [(hit.key, hit.pos) for hit in await store.search("数据")]
    assert [("c", 2)] == [(hit.key, hit.pos) for hit in await store.search("so on", limit=1)]
    assert [("b", 2)] == [(hit.key, hit.pos) for hit in await store.search("so on", key="b")]


@pytest.mark.parametrize("text", ["", '  "" ', "nowhere"])
async def test_asking_for_nothing_finds_nothing(store: Store, text: str) -> None:
    """
    No words are not every entry.
    """
    assert () == await store.search(text)


async def test_a_typing_error_leads_to_the_session_that_was_meant(store: Store) -> None:
    """
    The nearest names are suggested.
    """
    async with store.session("team:alice"):
        pass

    with pytest.raises(LookupError, match="team:alice"):
        await store.state("team:alcie")


async def test_making_it_anew_names_every_session_and_changes_nothing(store: Store) -> None:
    """
    There is nothing to make; the steps are there for who shows them.
    """
    before = await store.list()

    steps = [(step.done, step.total, step.key) async for step in store.reindex()]
    assert [(1, 3, "a"), (2, 3, "b"), (3, 3, "c")] == steps
    assert before == await store.list()


async def test_what_is_deleted_is_not_found(store: Store) -> None:
    """
    Nothing is kept, so nothing is left.
    """
    await store.delete("a")

    assert ["c"] == [hit.key for hit in await store.search("friday")]
    assert SessionKey("a") not in await store.keys()
