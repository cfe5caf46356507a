"""A stream read by a task of its own: nothing is lost, nobody is kept."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from holdfast import Scripted, Text, Unavailable
from holdfast.agent.stream_task import IdleTimeout, StreamTask
from holdfast.errors import ModelError, Refused
from holdfast.model.liveness import alive
from holdfast.model.protocol import Delta, Finished, Request, TextDelta, UserMessage
from tests.agent.idle_time import in_idle_time
from tests.agent.troupe import TARGET, scripted

HELLO = Request(target=TARGET, messages=(UserMessage(parts=(Text(text="hello"),)),))


async def deltas(*said: str, failure: Exception | None = None) -> AsyncIterator[Delta]:
    """A stream that says this, and may fail then."""
    for text in said:
        yield TextDelta(text=text)
    if failure is not None:
        raise failure


class Reading:
    """A pump, and what it has handed on."""

    def __init__(self, stream: AsyncIterator[Delta], idle: float = 0) -> None:
        self.taken: list[Delta] = []
        self.stream_task = StreamTask(stream, self._take, idle)

    async def _take(self, delta: Delta) -> None:
        self.taken.append(delta)

    async def all(self) -> list[Delta]:
        """Everything up to the end."""
        while await self.stream_task.goes_on():
            pass
        return self.taken


async def test_everything_comes_in_order_and_then_the_end() -> None:
    """
    A stream that ends without saying so is not a complete reply.
    """
    broken, whole = Reading(deltas("a", "b")), Reading(working(0.001, every=0.001))

    assert [TextDelta(text="a"), TextDelta(text="b")] == await broken.all()
    assert [Finished()] == await whole.all()
    assert (False, True) == (broken.stream_task.finished, whole.stream_task.finished)


@pytest.mark.parametrize(
    ("raised", "expected"), [(Unavailable("503"), Unavailable), (Refused("no"), Refused), (KeyError("x"), ModelError)]
)
async def test_what_came_before_a_failure_is_taken_before_it(raised: Exception, expected: type[Exception]) -> None:
    """
    A fault of foreign code is a failure of the model.
    """
    reading = Reading(deltas("a", failure=raised))

    with pytest.raises(expected):
        await reading.all()
    assert [TextDelta(text="a")] == reading.taken


async def test_a_stream_that_is_cancelled_from_outside_is_a_failure_of_the_model() -> None:
    """
    A provider that stops its own task does not stop whoever waits for it.
    """

    async def giving_up() -> AsyncIterator[Delta]:
        yield TextDelta(text="a")
        raise asyncio.CancelledError

    with pytest.raises(Unavailable, match="gave itself up"):
        await Reading(giving_up()).all()


async def test_whoever_waits_can_be_woken_up() -> None:
    """
    Nothing came, and more may come.
    """
    never = asyncio.Event()

    async def silent() -> AsyncIterator[Delta]:
        await never.wait()
        yield Finished()

    stream_task = Reading(silent()).stream_task
    stream_task.wake()
    assert await stream_task.goes_on()
    stream_task.leave()


async def test_nothing_is_taken_after_the_end() -> None:
    """
    What a provider still says after its reply is complete, or after everybody left, is no part of the reply.
    """

    async def stubborn(end: Delta) -> AsyncIterator[Delta]:
        yield TextDelta(text="a")
        yield end
        if isinstance(end, Finished):
            yield TextDelta(text="late")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            yield TextDelta(text="late")

    finished = Reading(stubborn(Finished()))
    assert [TextDelta(text="a"), Finished()] == await finished.all()
    left = Reading(stubborn(TextDelta(text="b")))
    await asyncio.sleep(0)
    for each in (finished, left):
        each.stream_task.leave()
    for _ in range(3):
        await asyncio.sleep(0)

    assert [TextDelta(text="a"), Finished()] == finished.taken
    assert [TextDelta(text="a"), TextDelta(text="b")] == left.taken


async def working(seconds: float, *, every: float) -> AsyncIterator[Delta]:
    """A stream of a service that works so long before it has something to say, and says that it works."""
    for _ in range(round(seconds / every)):
        await asyncio.sleep(every)
        alive()
    yield Finished()


@in_idle_time(outside=0)
async def test_a_service_that_says_it_works_is_waited_for() -> None:
    """
    For longer than one that is silent.
    """
    assert [Finished()] == await Reading(working(15, every=2), 3).all()
    with pytest.raises(Unavailable, match="fell silent for 3 s"):
        await Reading(working(15, every=5), 3).all()


@in_idle_time(outside=0)
async def test_a_service_that_only_says_it_works_is_not_waited_for_for_ever() -> None:
    """
    Whatever stands between may say so for a service that is gone.
    """
    loop = asyncio.get_running_loop()
    began, reading = loop.time(), Reading(working(1_000, every=2), 3)

    with pytest.raises(Unavailable, match="said nothing for 30 s"):
        await reading.all()

    assert 30 == loop.time() - began
    reading.stream_task.leave()


async def test_nobody_need_listen_for_signs_of_life() -> None:
    """
    A model that gives them works without an agent.
    """
    assert [Finished()] == [delta async for delta in working(0.001, every=0.001)]


async def test_a_failure_after_everybody_left_concerns_nobody() -> None:
    """
    It is not reported as a fault that nobody looked at.
    """
    left, go = asyncio.Event(), asyncio.Event()

    async def late() -> AsyncIterator[Delta]:
        try:
            await go.wait()
        except asyncio.CancelledError:
            left.set()
            raise Unavailable("too late") from None
        yield Finished()

    stream_task = Reading(late()).stream_task
    await asyncio.sleep(0)
    stream_task.leave()
    await left.wait()
    await asyncio.sleep(0)


class Working:
    """A model whose service works so long before it has something to say."""

    target = TARGET

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        assert request.target == self.target
        return working(15, every=2)


@in_idle_time(outside=0)
async def test_a_patient_model_waits_for_a_service_that_says_it_works() -> None:
    """
    As whoever watches it does.
    """
    assert [Finished()] == [delta async for delta in IdleTimeout(Working(), 3).stream(HELLO)]


async def test_a_patient_model_says_what_it_says_and_gives_up_on_silence() -> None:
    """
    For whoever collects a reply without watching it.
    """
    silent = Scripted(parts=(Text(text="Once upon a time there was a harbour"),), after=1, failure="silence")
    model = IdleTimeout(scripted("Hello.", silent), 0.02)
    said = [delta async for delta in model.stream(HELLO)]

    assert (TARGET, TextDelta(text="Hello.")) == (model.target, said[0])
    with pytest.raises(Unavailable, match="fell silent"):
        _ = [delta async for delta in model.stream(HELLO)]
