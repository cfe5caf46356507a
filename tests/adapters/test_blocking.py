"""The facade for code without an event loop: the same store, waited for."""

import asyncio
import gc
import inspect
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast import ScriptedModel, Target
from holdfast.adapters.agent import Agent, open_agent
from holdfast.adapters.blocking import BlockingAgent, BlockingSession, BlockingStore, open_blocking
from holdfast.assembly import open_store, open_volatile
from holdfast.errors import BadEntry, BadInput, BadKey, Closed, Held, NoSession
from holdfast.records.codec import Record
from holdfast.records.entries import Described, Unknown, UserSaid
from holdfast.records.parts import Text, plain_text
from holdfast.session.store import Store
from holdfast.session.writer import Session

KEY = "team:alice"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[BlockingStore]:
    """A store in files."""
    with open_blocking(tmp_path / "store", durability="os") as opened:
        yield opened


def said(text: str) -> UserSaid:
    """Something to append."""
    return UserSaid(parts=(Text(text=text),))


def texts(records: Iterator[Record]) -> list[str]:
    """What was said."""
    return [plain_text(record.entry.parts) for record in records if isinstance(record.entry, UserSaid)]


def threads() -> list[str]:
    """The threads of stores that are open."""
    return [thread.name for thread in threading.enumerate() if thread.name == "holdfast-loop"]


@pytest.mark.parametrize(
    ("here", "there", "own"),
    [
        (BlockingStore, Store, {"asynchronous", "run", "agent"}),
        (BlockingSession, Session, {"asynchronous"}),
        (BlockingAgent, Agent, {"asynchronous", "close"}),
    ],
)
def test_every_name_is_one_of_the_asynchronous_ones(here: type, there: type, own: set[str]) -> None:
    """
    The facade adds no behaviour: what it offers is what the store behind it offers, with the same parameters.
    """
    for name, method in inspect.getmembers(here, inspect.isfunction):
        if not name.startswith("_") and name not in own:
            given = inspect.signature(method).parameters
            taken = inspect.signature(getattr(there, name)).parameters

            assert {} == {each: given[each] for each in given if given[each] != taken.get(each)}, name


def test_what_is_said_is_there_for_both(store: BlockingStore, tmp_path: Path) -> None:
    """
    A session written here is read there, entry by entry.
    """
    with store.session(KEY) as session:
        assert 1 == session.say("one", client_id="m-1")
        assert 1 == session.say("one", client_id="m-1")
        assert 2 == session.append(said("two"))
        assert 2 == session.commit().position
        assert 2 == session.state.last

    async def read() -> list[Record]:
        async with open_store(tmp_path / "store") as other:
            return [record async for record in other.read(KEY)]

    assert asyncio.run(read()) == list(store.read(KEY))
    assert ["one", "two"] == texts(store.read(KEY))


def test_reading_takes_what_is_asked_for(store: BlockingStore) -> None:
    """
    A stretch of a session can be read, and reading can stop anywhere.
    """
    with store.session(KEY) as session:
        session.append(said("1"), said("2"), said("3"))
        assert ["2"] == texts(session.read(start=2, stop=3))
        for record in session.read():
            assert 0 == record.pos
            break

    assert ["2", "3"] == texts(store.read(KEY, start=2))
    assert list(store.read(KEY, start=1, stop=3)) == store.load(KEY, start=1, stop=3)
    assert ["2", "1"] == texts(store.read_back(KEY, before=3))
    assert (True, False) == (store.exists(KEY), store.exists("other"))


def test_a_conversation_can_go_back_and_branch(store: BlockingStore) -> None:
    """
    Rewinding, its undo and forking work as they do behind it.
    """
    with store.session(KEY) as session:
        session.append(said("1"), said("2"))
        session.rewind(1)
        assert [(0, 1)] == [(span.first, span.last) for span in session.state.path]
        session.undo_rewind()
    store.fork(KEY, "copy", at=1)
    store.rewind(KEY, 1)

    assert ["1"] == texts(store.read("copy"))
    assert ("copy", 1) == (store.state("copy").key, store.state(KEY).head)


def test_content_can_be_attached(store: BlockingStore) -> None:
    """
    What is kept beside the log is given back.
    """
    with store.session(KEY) as session:
        blob = session.attach(b"bytes", media_type="image/png", name="boat.png")
        session.append(UserSaid(parts=(blob,)))

        assert ("boat.png", b"bytes") == (blob.name, session.get_blob(blob.blob))


def test_sessions_are_listed_found_checked_and_removed(store: BlockingStore) -> None:
    """
    The catalog answers here too.
    """
    for key in ("first", "second"):
        with store.session(key) as session:
            session.say(f"the {key} harbour")

    page = store.list(limit=1)
    assert ["second"] == [each.key for each in page.sessions]
    assert ["first"] == [each.key for each in store.list(cursor=page.cursor).sessions]
    assert {"first", "second"} == {hit.key for hit in store.search("harbour")}
    assert ["first"] == [hit.key for hit in store.search("harbour", key="first")]
    with store.session("first") as session:
        session.append(Described(tags=("sea",), archived=True, owner="alice"))
    assert ["first"] == [hit.key for hit in store.search("harbour", owner="alice")]
    assert ["second"] == [each.key for each in store.list(archived=None, owner="").sessions]
    assert ["first"] == [each.key for each in store.list(archived=True, tag="sea").sessions]
    assert ["second"] == [each.key for each in store.list().sessions]
    assert store.verify("first").good
    store.delete("first")
    assert ["second"] == [each.key for each in store.list().sessions]


def test_a_follower_gets_what_another_thread_says(store: BlockingStore) -> None:
    """
    Following waits for what is new, without a gap and without a repeat.
    """
    with store.session(KEY) as session, ThreadPoolExecutor(1) as pool:
        source = store.follow(KEY)
        waiting = pool.submit(lambda: [next(source).pos for _ in range(21)])
        for number in range(20):
            session.say(f"{number}")

        assert list(range(21)) == waiting.result(timeout=20)
        source.close()  # type: ignore[attr-defined]


def test_threads_may_share_a_session(store: BlockingStore) -> None:
    """
    What several threads say at once is all there, each thread's words in its order.
    """
    with store.session(KEY) as session, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: [session.say(f"{name} {number}") for number in range(25)], "abcdefgh"))

    found = texts(store.read(KEY))
    assert 200 == len(found)
    for name in "abcdefgh":
        assert [f"{name} {number}" for number in range(25)] == [each for each in found if each.startswith(name)]


def test_errors_pass_through(store: BlockingStore) -> None:
    """
    What is wrong is said in the same words, where it was called.
    """
    with pytest.raises(NoSession):
        list(store.read("missing"))
    with pytest.raises(NoSession):
        store.session("missing", create=False)
    with pytest.raises(BadKey):
        store.session("")
    with store.session(KEY) as session:
        with pytest.raises(Held):
            store.session(KEY)
        with pytest.raises(BadEntry):
            session.append(Unknown(kind=""))


def test_what_is_not_offered_can_be_run(store: BlockingStore) -> None:
    """
    Everything else of the store behind it is one call away.
    """
    with store.session(KEY) as session:
        session.say("one")
        assert 1 == store.run(session.asynchronous.commit()).position
    store.run(store.asynchronous.throw_away(KEY))

    assert [KEY] == [each.key for each in store.run(store.asynchronous.trash())]


async def test_it_works_where_another_event_loop_runs(tmp_path: Path) -> None:
    """
    In a notebook, or in a callback of a server, it blocks that loop for as long as it takes, and works.
    """
    with open_blocking(tmp_path) as store, store.session(KEY) as session:
        session.say("one")
        assert ["one"] == texts(store.read(KEY))


def test_waiting_for_oneself_is_refused(store: BlockingStore) -> None:
    """
    A coroutine on the store's own loop that calls the facade is told, and does not wait for ever.
    """

    async def inside() -> None:
        store.list()

    with pytest.raises(BadInput, match="own event loop"):
        store.run(inside())


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    """
    Closing ends the thread, closing twice is once, and whatever is called after it is an error.
    """
    before = len(threads())
    store = open_blocking(tmp_path)
    session = store.session(KEY)
    session.say("one")
    assert before + 1 == len(threads())
    store.close()
    store.close()

    assert before == len(threads())
    with pytest.raises(Closed, match="Open it again"):
        session.say("two")
    with pytest.raises(Closed):
        list(store.read(KEY))
    with open_blocking(tmp_path) as again:
        assert ["one"] == texts(again.read(KEY))


def test_closing_ends_the_waiting_of_other_threads(tmp_path: Path) -> None:
    """
    A thread that follows a session does not wait for ever for a store that was closed.
    """
    store = open_blocking(tmp_path)
    with store.session(KEY) as session:
        session.say("one")
    source = store.follow(KEY)
    assert [0, 1] == [next(source).pos for _ in range(2)]
    waits = threading.Event()

    def wait() -> None:
        waits.set()
        next(source)

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        assert waits.wait(20)
        store.close()
        with pytest.raises(Closed):
            waiting.result(timeout=20)


def test_a_reader_that_outlives_its_store_is_forgotten_quietly(tmp_path: Path) -> None:
    """
    Reading that was broken off needs no closing, before the store is closed or after.
    """
    store = open_blocking(tmp_path)
    with store.session(KEY) as session:
        session.append(said("1"), said("2"))
    sources = [store.read(KEY), store.follow(KEY)]
    assert [0, 0] == [next(source).pos for source in sources]
    del sources[0]
    store.close()
    sources.clear()
    gc.collect()


def test_threads_may_close_at_the_same_time() -> None:
    """
    Whoever comes second finds it closed.
    """
    store = BlockingStore(open_volatile())
    with ThreadPoolExecutor(4) as pool:
        for closing in [pool.submit(store.close) for _ in range(4)]:
            closing.result(timeout=20)

    with pytest.raises(Closed):
        store.list()


def test_a_conversation_is_asked_and_answers_without_an_event_loop(store: BlockingStore) -> None:
    """
    It is opened with what the asynchronous one is opened with, and is in the same store.
    """
    given = inspect.signature(BlockingStore.agent).parameters
    model = ScriptedModel(Target(family="openai-chat", model="m"), "Aye.")
    with store.agent(KEY, model=model) as agent:
        answer = agent.ask("Ready?", client_id="1")

        assert agent.resume() is None
        assert KEY == agent.asynchronous.conversation.key

    assert "Aye." == answer
    assert ["Ready?"] == texts(store.read(KEY))
    assert set(inspect.signature(open_agent).parameters) - {"store"} == set(given) - {"self"}
