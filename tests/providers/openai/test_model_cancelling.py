"""Giving a reply up: at once, at any point, and without a trace."""

import asyncio
import gc

import pytest

from holdfast.model.liveness import listen
from holdfast.model.protocol import Delta, Request, Target, TextDelta, UserMessage
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.parts import Text
from tests.agent.idle_time import in_idle_time
from tests.providers.servers import Played, Server, piece, serving, sse

TARGET = Target(family="openai-chat", model="acme-1", provider="acme")
REQUEST = Request(target=TARGET, messages=(UserMessage(parts=(Text(text="Hello"),)),))
BEGUN = Played(chunks=(sse(piece("By "), done=False),), ends="hanging")
SOON = 0.1
"""Seconds that giving up may wait, as the loop counts them."""


async def gone(server: Server) -> None:
    """Come back when the server has seen its client leave."""
    await server.left.wait()


@in_idle_time()
async def test_closing_a_stream_closes_the_connection() -> None:
    """
    The provider stops working, and costs nothing more, when nobody listens.
    """
    async with serving(BEGUN) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        stream = model.stream(REQUEST)
        assert TextDelta(text="By ") == await anext(stream)

        began = asyncio.get_running_loop().time()
        await stream.aclose()
        assert SOON >= asyncio.get_running_loop().time() - began

        await gone(server)
        await model.close()


@pytest.mark.parametrize(
    "played",
    [
        pytest.param(BEGUN, id="in the middle of a reply"),
        pytest.param(Played(ends="hanging"), id="before the first word"),
        pytest.param(Played(silent=True), id="before the status"),
        pytest.param(Played(status=500, chunks=(b"oh",), ends="hanging"), id="in the middle of an error"),
    ],
)
@in_idle_time()
async def test_a_cancelled_task_leaves_at_once(played: Played) -> None:
    """
    Wherever it waits.
    """
    async with serving(played) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)

        async def hear() -> None:
            async for _ in model.stream(REQUEST):
                pass

        task = asyncio.create_task(hear())
        await server.heard.wait()
        began = asyncio.get_running_loop().time()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert SOON >= asyncio.get_running_loop().time() - began

        await gone(server)
        await model.close()


async def test_whatever_comes_is_a_sign_of_life() -> None:
    """
    Whoever waits is told of it, also where it says nothing: many servers keep lines open with comments.
    """
    waiting = Played(chunks=(b": keep-alive\n\n",), ends="hanging")
    signs, said = asyncio.Event(), list[Delta]()
    async with serving(waiting) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)

        async def read() -> None:
            listen(signs.set)
            said.extend([delta async for delta in model.stream(REQUEST)])

        task = asyncio.create_task(read())
        await signs.wait()
        task.cancel()
        await asyncio.wait([task])
        assert [] == said
        await model.close()


async def test_a_stream_that_is_dropped_leaves_no_warning() -> None:
    """
    Not iterating to the end is nothing to complain about.
    """
    async with serving(BEGUN) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        async for _ in model.stream(REQUEST):
            break
        gc.collect()
        await gone(server)
        await model.close()


async def test_the_model_goes_on_after_a_reply_was_given_up() -> None:
    """
    The next request is answered on a new connection.
    """
    async with serving(BEGUN, Played(chunks=(sse(piece("Yes."), piece(stop="stop")),))) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        stream = model.stream(REQUEST)
        await anext(stream)
        await stream.aclose()

        assert TextDelta(text="Yes.") == await anext(model.stream(REQUEST))
        assert 2 == server.connections
        await model.close()


async def test_closing_the_model_ends_what_it_holds() -> None:
    """
    Closing twice is once.
    """
    async with serving(Played(chunks=(sse(piece("Yes."), piece(stop="stop")),))) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        async for _ in model.stream(REQUEST):
            pass
        await model.close()
        await gone(server)
        await model.close()


async def test_many_replies_at_once_do_not_mix() -> None:
    """
    A model answers several sessions, each on a line of its own.
    """
    async with serving(*(Played(chunks=(sse(piece(f"{n}"), piece(stop="stop")),)) for n in range(20))) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)

        async def said() -> str:
            return "".join([delta.text async for delta in model.stream(REQUEST) if isinstance(delta, TextDelta)])

        replies = await asyncio.gather(*(said() for _ in range(20)))
        await model.close()

    assert {str(n) for n in range(20)} == set(replies)
