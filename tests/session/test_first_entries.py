"""How a session begins: with what it says of itself, and at once or with its first message."""

import asyncio

import pytest

from holdfast.clock import ManualClock
from holdfast.errors import BadInput, NoSession
from holdfast.ids import CallId, Position, SessionKey
from holdfast.log.store import LogStore
from holdfast.records.entries import CommandRan, Described, Entry, Import, Opened, ToolFinished, UserSaid
from holdfast.records.parts import Text
from holdfast.session.first_entries import Beginning
from holdfast.session.store import Store
from holdfast.session.writer import open_session
from holdfast.stores.files.store import FileStore
from tests.session.talk import KEY, all_of, entries, folded, said

ABOUT = Described(workspace="here")
LATER = Beginning(about=ABOUT, with_first_message=True)
OPENED = Opened(key=SessionKey(KEY))


async def test_a_session_says_from_the_start_where_it_is_from(store: Store) -> None:
    """
    An import names its file and its id there, in the first entry of the log; one that exists says nothing anew.
    """
    origin = Import(file="old.jsonl", format="other", id="42")
    for _ in range(2):
        async with store.session(KEY, begins=Beginning(origin=origin, about=ABOUT)) as session:
            assert origin == session.state.origin

    first = Opened(key=SessionKey(KEY), origin=origin)
    assert [first, ABOUT] == entries(await all_of(store.read(KEY)))


async def test_a_session_is_created_with_its_first_message(store: Store, clock: ManualClock) -> None:
    """
    Before that it can be described and read, and nobody else sees it; after that everything is in its log.
    """
    async with store.session(KEY, begins=LATER) as session:
        await session.append(CommandRan(command="/help"))
        clock.advance(5)
        await session.append(Described(title="t"))
        before = [OPENED, ABOUT, CommandRan(command="/help"), Described(title="t")]

        assert (False, False) == (session.exists, await store.exists(KEY))
        assert ("here", "t", 3) == (session.state.workspace, session.state.title, session.state.last)
        assert before == entries(await all_of(session.read())) == entries(await all_of(session.branch()))
        assert before[::-1] == entries(await all_of(session.read_back()))
        assert before[1:2] == entries(await all_of(session.read(start=1, stop=2)))
        assert before == entries(session.recent(-1) or [])
        await session.commit()

        assert 4 == await session.append(said("hello"))
        assert session.exists
        assert [*before, said("hello")] == entries(await all_of(store.read(KEY)))
        assert folded(await all_of(session.read())) == session.state
        assert await all_of(session.read()) == session.recent(-1)


async def test_listeners_are_told_once_of_what_was_kept(store: Store) -> None:
    """
    What is written with the first message was told when it was said.
    """
    told: list[Entry] = []
    async with store.session(KEY, begins=LATER) as session:
        session.listen(lambda record: told.append(record.entry))
        await session.append(Described(title="t"))
        await session.append(said("hello"))

    assert [Described(title="t"), said("hello")] == told


async def test_a_session_without_words_is_not_kept(store: Store, logs: LogStore) -> None:
    """
    It is in no list, and leaves no file.
    """
    async with store.session(KEY, begins=LATER) as session:
        await session.append(CommandRan(command="/help"))
        await session.attach(b"a picture", media_type="image/png")

    with pytest.raises(NoSession):
        await all_of(store.read(KEY))
    assert () == await store.keys()
    if isinstance(logs, FileStore):
        assert [] == list((logs.root / "sessions").iterdir())


async def test_a_session_can_be_created_before_its_first_message(store: Store) -> None:
    """
    Whoever must keep something in its place asks for it; twice is once.
    """
    async with store.session(KEY, begins=LATER) as session:
        await session.create()
        await session.create()

        assert session.exists
        assert [OPENED, ABOUT] == entries(await all_of(store.read(KEY)))
        assert folded(await all_of(session.read())) == session.state


async def test_what_names_nothing_is_refused_before_there_is_a_log(store: Store) -> None:
    """
    As in any other session, and nothing is created by it.
    """
    async with store.session(KEY, begins=LATER) as session:
        with pytest.raises(BadInput, match="no call"):
            await session.append(ToolFinished(call=CallId("1"), name="shell"))

        assert not session.exists


async def test_a_first_message_that_is_cancelled_is_whole_or_nothing(store: Store) -> None:
    """
    Whenever the cancel comes, the session goes on, and its state is that of the log.
    """
    for steps in range(8):
        key = f"{KEY}{steps}"
        long = UserSaid(parts=(Text(text="x" * 300_000),))  # written in a thread, so it can be cancelled on its way
        async with store.session(key, begins=LATER) as session:
            task = asyncio.create_task(session.append(long))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            await session.append(said("next"))

            assert folded(await all_of(session.read())) == session.state
            assert said("next") == entries(await all_of(store.read(key)))[-1]


async def test_the_log_of_an_earlier_beginning_counts(logs: LogStore) -> None:
    """
    What an opened log says of itself is not said again.
    """
    key = SessionKey(KEY)
    async with await open_session(logs, await logs.acquire(key), key, LATER) as session:
        await session.append(said("hello"))
    async with await open_session(logs, await logs.acquire(key), key, LATER) as session:
        assert (True, Position(2)) == (session.exists, session.state.last)
