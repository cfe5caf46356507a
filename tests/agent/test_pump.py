"""A stream taken in by a task of its own: nothing is lost, nobody is kept."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from holdfast import Scripted, Text, Unavailable
from holdfast.agent.pump import Patient, Pump
from holdfast.errors import ModelError, Refused
from holdfast.model.protocol import Delta, Finished, Request, TextDelta, UserMessage
from holdfast.model.signs import alive
from tests.agent.idle_time import in_idle_time
from tests.agent.troupe import TARGET, scripted

HELLO = Request(target=TARGET, messages=(UserMessage(parts=(Text(text="hello"),)),))


async def deltas(*said: str, failure: Exception | None = None) -> AsyncIterator[Delta]:
    """A stream that says this, and may fail then."""
    for text in said:
        yield TextDelta(text=text)
    if failure is not None:
        raise failure


async def taken(pump: Pump) -> list[Delta]:
    """Everything up to the end."""
    found: list[Delta] = []
    while (some := await pump.take(5.0)) is not None:
        found += some
    return found


async def test_everything_comes_in_order_and_then_the_end() -> None:
    """
    What came while nobody looked is taken together.
    """
    assert [TextDelta(text="a"), TextDelta(text="b")] == await taken(Pump(deltas("a", "b")))


@pytest.mark.parametrize(
    ("raised", "expected"), [(Unavailable("503"), Unavailable), (Refused("no"), Refused), (KeyError("x"), ModelError)]
)
async def test_what_came_before_a_failure_is_taken_before_it(raised: Exception, expected: type[Exception]) -> None:
    """
    A fault of foreign code is a failure of the model.
    """
    pump = Pump(deltas("a", failure=raised))

    assert [TextDelta(text="a")] == await pump.take(5.0)
    with pytest.raises(expected):
        await pump.take(5.0)


async def test_waiting_ends_when_its_time_is_over() -> None:
    """
    Nothing came, and more may come.
    """
    never = asyncio.Event()

    async def silent() -> AsyncIterator[Delta]:
        await never.wait()
        yield Finished()

    pump = Pump(silent())
    assert [] == await pump.take(0.01)
    pump.leave()


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
    assert [Finished()] == await taken(Pump(working(15, every=2), 3))
    with pytest.raises(Unavailable, match="fell silent for 3 s"):
        await taken(Pump(working(15, every=5), 3))


@in_idle_time(outside=0)
async def test_a_service_that_only_says_it_works_is_not_waited_for_for_ever() -> None:
    """
    Whatever stands between may say so for a service that is gone.
    """
    loop = asyncio.get_running_loop()
    began, pump = loop.time(), Pump(working(1_000, every=2), 3)

    with pytest.raises(Unavailable, match="said nothing for 30 s"):
        await taken(pump)

    assert 30 == loop.time() - began
    pump.leave()


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

    pump = Pump(late())
    await asyncio.sleep(0)
    pump.leave()
    await left.wait()
    await asyncio.sleep(0)


async def test_a_patient_model_says_what_it_says_and_gives_up_on_silence() -> None:
    """
    For whoever collects a reply without watching it.
    """
    silent = Scripted(parts=(Text(text="Once upon a time there was a harbour"),), after=1, failure="silence")
    model = Patient(scripted("Hello.", silent), 0.02)
    said = [delta async for delta in model.stream(HELLO)]

    assert (TARGET, TextDelta(text="Hello.")) == (model.target, said[0])
    with pytest.raises(Unavailable, match="fell silent"):
        _ = [delta async for delta in model.stream(HELLO)]
