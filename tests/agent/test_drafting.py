"""What streams is in the draft soon after it was shown, whatever the rhythm in which it comes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from holdfast.agent.conversation import open_conversation
from holdfast.agent.events import Event, TextStreamed, TurnOver
from holdfast.agent.limits import RetryPolicy
from holdfast.agent.reply_recorder import DRAFT_SECONDS
from holdfast.agent.tasks import shielded
from holdfast.ids import SessionKey
from holdfast.log.store import LogWriter
from holdfast.model.protocol import Delta, Finished, Request, TextDelta
from holdfast.records.entries import Drafted, ModelReplied
from holdfast.session.writer import open_session
from holdfast.stores.volatile import VolatileStore
from tests.agent.idle_time import in_idle_time
from tests.agent.test_durable import OneModel
from tests.agent.troupe import TARGET, setup

LEAST = 0.000_001
"""Below this, a difference is one of rounding."""
IDLE = RetryPolicy().idle
"""Seconds after which a model is taken for silent."""
LONG = 1.0
"""Seconds that a stream goes on without a word before it ends, so that all of it must be drafted before."""


class Rhythmic:
    """A model that waits before each piece, and at the end."""

    target = TARGET

    def __init__(self, waits: list[float]) -> None:
        self._waits = waits

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        assert request.target == self.target
        for number, wait in enumerate(self._waits):
            await asyncio.sleep(wait)
            yield TextDelta(text=f"{number} ")
        await asyncio.sleep(LONG)
        yield Finished()


class TimedWriter:
    """A writer that notes when each word was drafted."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer
        self.drafted: dict[str, float] = {}
        self.heard: set[int | None] = set()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._writer, name)

    async def draft(self, piece: Drafted) -> None:
        await self._writer.draft(piece)
        self.heard.add(piece.heard)
        self.drafted |= dict.fromkeys(piece.text.split(), asyncio.get_running_loop().time())


async def lags(waits: list[float]) -> list[float]:
    """For each piece, the seconds from when it was shown until it was in the draft."""
    store, key, loop = VolatileStore(), SessionKey("talk"), asyncio.get_running_loop()
    writer = TimedWriter(await store.acquire(key))
    session = await open_session(store, cast("LogWriter", writer), key)
    shown: dict[str, float] = {}

    def see(event: Event) -> None:
        if isinstance(event, TextStreamed):
            shown[event.text.strip()] = loop.time()

    made = replace(setup(), models=OneModel(Rhythmic(waits)))
    async with await open_conversation(session, made) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                see(event)
                if isinstance(event, TurnOver):
                    break
    assert {1} == writer.heard, "each piece says which words its reply had heard"
    return [writer.drafted[word] - at for word, at in shown.items()]


@given(waits=st.lists(st.floats(min_value=0, max_value=0.2), min_size=1, max_size=30))
@example(waits=[0.06, 0.001, 0.048])  # one right after a draft, one right before the next
@example(waits=[0.06, 0.001])  # one right after a draft, and then silence
@example(waits=[0.7 * IDLE, 0.7 * IDLE])  # a pause in which a model may be taken for silent, and is not
@in_idle_time(outside=0)
async def test_every_piece_is_drafted_soon(waits: list[float]) -> None:
    """
    None waits for the next to come, nor for longer than the interval.
    """
    found = await lags(waits)

    assert len(waits) == len(found)
    assert DRAFT_SECONDS + LEAST >= max(found)


class LateWriter(TimedWriter):
    """A writer whose drafts take a second, also if whoever asked for one is gone."""

    def __init__(self, writer: LogWriter) -> None:
        super().__init__(writer)
        self.begun = asyncio.Event()

    async def draft(self, piece: Drafted) -> None:
        self.begun.set()
        await shielded(self._late(piece))

    async def _late(self, piece: Drafted) -> None:
        await asyncio.sleep(1)
        await super().draft(piece)


@in_idle_time(outside=0)
async def test_a_reply_that_is_stopped_waits_for_the_piece_that_is_being_drafted() -> None:
    """
    A piece that is drafted behind its reply would be left there, and be taken for a reply that broke off.
    """
    store, key = VolatileStore(), SessionKey("talk")
    writer = LateWriter(await store.acquire(key))
    session = await open_session(store, cast("LogWriter", writer), key)
    made = replace(setup(), models=OneModel(Rhythmic([DRAFT_SECONDS])))
    async with await open_conversation(session, made) as conversation:
        await conversation.send("go")
        await writer.begun.wait()
        await conversation.cancel()

        reply = next(record.entry for record in await store.load(key) if isinstance(record.entry, ModelReplied))
        assert "cancelled" == reply.stop
        assert {"0"} == set(writer.drafted)
        assert () == await store.drafts(key)


@in_idle_time(outside=0)
async def test_a_piece_that_comes_while_another_is_drafted_follows_it() -> None:
    """
    It is not drafted beside it, where it could come before it.
    """
    store, key = VolatileStore(), SessionKey("talk")
    writer = LateWriter(await store.acquire(key))
    session = await open_session(store, cast("LogWriter", writer), key)
    made = replace(setup(), models=OneModel(Rhythmic([0.001, DRAFT_SECONDS, DRAFT_SECONDS, 2.0])))
    async with await open_conversation(session, made) as conversation:
        await conversation.send("go")
        await conversation.idle()

    first = writer.drafted["0"]
    assert [0.0, 1.0, 1.0, 2.0] == [round(at - first, 1) for at in writer.drafted.values()]


def test_the_interval_is_within_the_promise() -> None:
    """
    Half of the tenth of a second that a kill may cost; the rest is for the machine.
    """
    assert DRAFT_SECONDS <= 0.1 / 2
