"""Giving up: the connection is closed at once, and nothing else is heard of it."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from holdfast.model.liveness import listen
from holdfast.model.protocol import Delta, Request, TextDelta, UserMessage
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Text
from tests.agent.idle_time import in_idle_time
from tests.providers.anthropic_server import KEY, PING, anthropic, begun, event, message, start, text
from tests.providers.stand_in import Answer, Piece, StandIn

HALF: list[Piece] = [*begun(text("Half", " a"))[:-1], "hang"]
SOON = 0.1
"""Seconds that giving up may wait, as the loop counts them."""


@asynccontextmanager
async def quietly() -> AsyncIterator[None]:
    """The event loop complains about nothing, when all is over."""
    complaints: list[str] = []

    def complain(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        complaints.append(str(context))

    asyncio.get_running_loop().set_exception_handler(complain)
    yield
    gc.collect()
    await asyncio.sleep(0)
    assert [] == complaints


@pytest.fixture(autouse=True)
async def unheard() -> AsyncIterator[None]:
    """Nothing is complained about in any test."""
    async with quietly():
        yield


def asked(there: StandIn) -> tuple[PydanticModel, Request]:
    """A model and a request for it."""
    model = PydanticModel("anthropic", "claude-opus-5-5", key=KEY, base_url=there.url)
    return model, Request(target=model.target, messages=(UserMessage(parts=(Text(text="Hello"),)),))


async def read(model: PydanticModel, request: Request) -> None:
    """Read to the end."""
    async for _ in model.stream(request):
        pass


async def left(there: StandIn, since: float) -> float:
    """Seconds until the service saw that nobody reads on."""
    await asyncio.wait_for(there.left.wait(), 60)
    return there.left_at - since


@in_idle_time()
async def test_closing_the_iterator_closes_the_connection() -> None:
    """
    Whoever closes a stream in the middle has cancelled the request at the provider.
    """
    async with quietly(), anthropic(Answer(HALF)) as there:
        model, request = asked(there)
        stream = model.stream(request)
        first = await anext(stream)
        since = asyncio.get_running_loop().time()
        await stream.aclose()
        took = await left(there, since)
        await model.close()

    assert TextDelta(text="Half") == first
    assert took <= SOON


async def test_whatever_comes_is_a_sign_of_life() -> None:
    """
    Also what the service's own package keeps to itself, as it does with pings.
    """
    signs, said = asyncio.Event(), list[Delta]()
    async with anthropic(Answer([event(start()), event(PING), "hang"])) as there:
        model, request = asked(there)

        async def hear() -> None:
            listen(signs.set)
            said.extend([delta async for delta in model.stream(request)])

        task = asyncio.create_task(hear())
        await signs.wait()
        task.cancel()
        await asyncio.wait([task])
        assert [] == said
        await model.close()


async def test_leaving_a_loop_and_dropping_the_iterator() -> None:
    """
    A stream that is merely forgotten is closed too.
    """
    async with anthropic(Answer(HALF)) as there:
        model, request = asked(there)
        async for _ in model.stream(request):
            break
        gc.collect()
        await left(there, asyncio.get_running_loop().time())
        await model.close()


@pytest.mark.parametrize(
    "pieces", [HALF, [event(start()), "hang"], ["hang"]], ids=["between words", "before a word", "before anything"]
)
@in_idle_time()
async def test_cancelling_the_task_closes_the_connection(pieces: list[Piece]) -> None:
    """
    A task that waits for a silent stream can be cancelled at once, and ends as cancelled.
    """
    async with quietly(), anthropic(Answer(pieces)) as there:
        model, request = asked(there)
        task = asyncio.create_task(read(model, request))
        await there.hanging.wait()
        await asyncio.sleep(0.02)  # so that it waits for the next piece
        since = asyncio.get_running_loop().time()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        took = await left(there, since)
        await model.close()

    assert took <= SOON


async def test_a_deadline_closes_the_connection() -> None:
    """
    Whoever waits only so long has cancelled the request when the time is over.
    """
    async with anthropic(Answer(HALF)) as there:
        model, request = asked(there)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(read(model, request), 0.2)
        await left(there, asyncio.get_running_loop().time())
        await model.close()


async def test_closing_after_the_end_is_nothing() -> None:
    """
    A stream that was read to its end has nothing left to close.
    """
    async with anthropic(message(text("All."))) as there:
        model, request = asked(there)
        stream = model.stream(request)
        came = [delta async for delta in stream]
        await stream.aclose()
        await model.close()

    assert 2 == len(came)


async def test_the_next_request_works_after_one_was_cancelled() -> None:
    """
    Giving up one reply does not cost the next.
    """
    async with anthropic(Answer(HALF), message(text("All."))) as there:
        model, request = asked(there)
        stream = model.stream(request)
        await anext(stream)
        await stream.aclose()
        came = [delta async for delta in model.stream(request)]
        await model.close()

    assert TextDelta(text="All.") == came[0]


async def test_requests_share_a_connection() -> None:
    """
    A second request needs no second handshake.
    """
    async with anthropic(message(text("One.")), message(text("Two."))) as there:
        model, request = asked(there)
        for _ in range(2):
            assert [delta async for delta in model.stream(request)]
        connections = there.connections
        await model.close()

    assert 1 == connections


async def test_a_closed_model_can_be_asked_again() -> None:
    """
    Closing gives connections back; it does not end the model.
    """
    async with anthropic(message(text("One.")), message(text("Two."))) as there:
        model, request = asked(there)
        for words in ("One.", "Two."):
            came = [delta async for delta in model.stream(request)]
            await model.close()
            assert TextDelta(text=words) == came[0]


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # the first loop ends with its connections open
def test_a_model_may_move_to_another_event_loop() -> None:
    """
    Connections belong to a loop, and a model does not.
    """

    async def ask(model: PydanticModel | None, port: int) -> tuple[PydanticModel, int, list[Delta]]:
        async with anthropic(message(text("All.")), port=port) as there:
            fresh, request = asked(there)
            asking = model or fresh
            came = [delta async for delta in asking.stream(request)]
        return asking, there.port, came

    model, port, first = asyncio.run(ask(None, 0))
    _, _, second = asyncio.run(ask(model, port))

    assert first == second
