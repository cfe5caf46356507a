"""When facts are drawn, and what stops it."""

import asyncio
from collections.abc import AsyncGenerator

from holdfast import Described, ManualClock, ScriptedModel, Store, Target, Unavailable, UserSaid
from holdfast.memory.agent_memory import AgentMemory
from holdfast.memory.settings import MemorySettings
from holdfast.model.protocol import Delta, Request
from holdfast.providers.scripted.model import Scripted
from holdfast.records.entries import TurnEnded
from holdfast.records.facts import MemoryShown
from holdfast.records.parts import Text
from tests.memory.remembering import adding, answer, drawer, facts, remembering, turn

LONG = "some more words " * 1_500
ENDED = TurnEnded()


class Asked:
    """A model that tells when it is asked."""

    def __init__(self, model: ScriptedModel) -> None:
        self._model, self.asked = model, asyncio.Event()

    @property
    def target(self) -> Target:
        return self._model.target

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        self.asked.set()
        async for delta in self._model.stream(request):
            yield delta


async def told(memory: AgentMemory, store: Store, key: str, text: str) -> None:
    """A turn, and what is done behind it."""
    async with store.session(key) as session:
        await turn(session, text)
        await memory.background.after_turn(session, ENDED)
        await memory.background.idle()


async def test_short_talk_waits_for_more(store: Store, clock: ManualClock) -> None:
    """
    A few words are not worth a request.
    """
    model = drawer()
    await told(remembering(store, model, clock), store, "a", "I live in Rome.")

    assert ([], []) == (model.requests, await facts(store))


async def test_enough_is_looked_at_when_it_is_quiet_or_at_once(store: Store, clock: ManualClock) -> None:
    """
    From 1,500 tokens on after some seconds of quiet, from 4,000 on at once.
    """
    before = clock.now_ns()
    await told(remembering(store, drawer(answer()), clock), store, "a", "some more words " * 600)
    quiet = clock.now_ns() - before
    await told(remembering(store, drawer(answer()), clock), store, "b", LONG)

    assert (20_000_000_000, 20_000_000_000) == (quiet, clock.now_ns() - before)


async def test_a_new_message_stops_it_and_it_is_done_again_later(store: Store, clock: ManualClock) -> None:
    """
    Nobody who speaks waits for memory, and nothing is lost.
    """
    model = Asked(drawer(Scripted(after=0, failure="silence"), answer(adding("Lives in Rome.", 4, "I live in Rome"))))
    memory = remembering(store, model, clock)
    async with store.session("a") as session:
        await turn(session, LONG)
        await memory.background.after_turn(session, ENDED)
        async with asyncio.timeout(5):
            await model.asked.wait()
        assert "busy" == ("busy" if memory.background.busy else "idle")
        await turn(session, "I live in Rome.")
        assert "idle" == ("busy" if memory.background.busy else "idle")
        await memory.background.after_turn(session, ENDED)
        await memory.background.idle()

    assert ["Lives in Rome."] == await facts(store)


async def test_a_failure_is_shown_and_tried_again_after_a_while(store: Store, clock: ManualClock) -> None:
    """
    Each further failure waits longer; a model that is back is asked for all that waits.
    """
    model = drawer(Unavailable("down"), Unavailable("down"), answer(adding("Lives in Rome.", 1, "I live in Rome")))
    memory = remembering(store, model, clock)
    background = memory.background
    async with store.session("a") as session:
        await turn(session, "I live in Rome. " + LONG)
        for waits in (60, 120):
            await background.after_turn(session, ENDED)
            await background.idle()
            failure = background.failure
            assert failure is not None
            assert waits == (failure.until - failure.since).total_seconds() - (60 if waits == 120 else 0)
            await background.after_turn(session, ENDED)
            await background.idle()
            clock.advance(waits)
        await background.after_turn(session, ENDED)
        await background.idle()

    assert (None, 3) == (background.failure, len(model.requests))
    assert ["Lives in Rome."] == await facts(store)


async def test_before_a_compaction_everything_is_looked_at(store: Store, clock: ManualClock) -> None:
    """
    What leaves the window is drawn from first.
    """
    memory = remembering(store, drawer(answer(adding("Lives in Rome.", 1, "I live in Rome"))), clock)
    async with store.session("a") as session:
        await turn(session, "I live in Rome.")
        await memory.background.before_compaction(session)

    assert ["Lives in Rome."] == await facts(store)


async def test_sessions_that_are_left_out_are_not_looked_at(store: Store, clock: ManualClock) -> None:
    """
    By a command in the session, by a tag, or by a workspace.
    """
    memory = remembering(store, drawer(), clock, MemorySettings(exclude=("private", "w")))
    for key, described in (
        ("a", Described(memory=False)),
        ("b", Described(tags=("private",))),
        ("c", Described(workspace="w")),
    ):
        async with store.session(key) as session:
            await session.append(described)
            await turn(session, LONG)
            await memory.background.after_turn(session, ENDED)
            await memory.background.before_compaction(session)
            await memory.background.idle()

    assert [] == await facts(store)


async def test_what_earlier_processes_left_is_looked_at_at_the_start(store: Store, clock: ManualClock) -> None:
    """
    Only sessions that took part in memory: those of scripts, and older ones, are for whoever asks.
    """
    for key, shown in (("a", True), ("b", False)):
        async with store.session(key) as session:
            if shown:
                await session.append(MemoryShown(core=()))
            await turn(session, "I live in Rome.")
    async with store.session("held") as session:
        await session.append(MemoryShown(core=()))
        await turn(session, "I live in Bern.")
        model = drawer(answer(adding("Lives in Rome.", 2, "I live in Rome")))
        memory = remembering(store, model, clock)
        memory.background.begin_left()
        await memory.background.idle()

    assert (["Lives in Rome."], 1) == (await facts(store), len(model.requests))


async def test_a_session_that_was_left_meanwhile_is_opened_for_the_append(store: Store, clock: ManualClock) -> None:
    """
    The answer for a session that was closed is written down all the same.
    """
    memory = remembering(store, drawer(answer(adding("Lives in Rome.", 1, "I live in Rome"))), clock)
    async with store.session("a") as session:
        await turn(session, "I live in Rome. " + LONG)
        await memory.background.after_turn(session, ENDED)
    await memory.background.idle()

    assert ["Lives in Rome."] == await facts(store)


async def test_closing_stops_it_at_once(store: Store, clock: ManualClock) -> None:
    """
    No exit waits for a model, and nothing begins after it.
    """
    memory = remembering(store, drawer(Scripted(after=0, failure="silence")), clock)
    async with store.session("a") as session:
        await session.append(UserSaid(parts=(Text(text=LONG),)), ENDED)
        await memory.background.after_turn(session, ENDED)
        await asyncio.sleep(0)
        await memory.close()
        await memory.background.after_turn(session, ENDED)

    assert not memory.background.busy
