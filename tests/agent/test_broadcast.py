"""Those who watch: each gets every event from the moment it began, in order, until the end."""

import asyncio

import pytest

from holdfast.agent.broadcast import Broadcast
from holdfast.agent.events import Event, Noticed, TextStreamed

ONE, TWO = Noticed(text="one"), Noticed(text="two")


async def test_everyone_gets_everything_from_when_they_came() -> None:
    """
    Also who reads late.
    """
    broadcast = Broadcast()
    early = broadcast.subscribe()
    broadcast.publish(ONE)
    late = broadcast.subscribe()
    broadcast.publish(TWO)
    broadcast.close()

    assert [ONE, TWO] == [event async for event in early]
    assert [TWO] == [event async for event in late]


async def test_who_waits_is_woken() -> None:
    """
    By an event, and by the end.
    """
    broadcast = Broadcast()
    seen: list[Event] = []

    async def look() -> None:
        async for event in broadcast.subscribe():
            seen.append(event)  # noqa: PERF401

    looking = asyncio.create_task(look())
    for event in (ONE, TWO):
        await asyncio.sleep(0)
        broadcast.publish(event)
    await asyncio.sleep(0)
    broadcast.close()
    await asyncio.wait_for(looking, 60)

    assert [ONE, TWO] == seen


async def test_who_stops_waiting_misses_nothing() -> None:
    """
    What comes then is there when they look again.
    """
    broadcast = Broadcast()
    subscription = broadcast.subscribe()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(subscription.take(), 0.001)
    broadcast.publish(ONE)
    waiting = asyncio.create_task(subscription.take())
    await asyncio.sleep(0)

    assert ONE == waiting.result()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(subscription.take(), 0.001)
    broadcast.close()
    assert await subscription.take() is None


async def test_who_leaves_while_others_are_shown_something_disturbs_nobody() -> None:
    """
    And gets what it had been shown before.
    """
    broadcast = Broadcast()
    with broadcast.subscribe() as subscription:
        broadcast.publish(ONE)
    broadcast.publish(TWO)
    subscription.close()
    broadcast.close()

    assert [ONE] == [event async for event in subscription]
    assert [] == [event async for event in broadcast.subscribe()]


async def test_who_is_too_slow_loses_what_waits_and_is_told() -> None:
    """
    Large entries and long words count for more; whoever begins anew gets what comes from then on.
    """
    broadcast = Broadcast()
    subscription = broadcast.subscribe(limit=1000)
    for event in (ONE, TextStreamed(text="x" * 300), ONE, TWO):
        broadcast.publish(event)
    assert await subscription.take() is None
    assert subscription.lost
    broadcast.publish(ONE)
    subscription.restart()
    broadcast.publish(TWO)

    assert TWO == await subscription.take()
    assert (0, False) == (subscription.waiting, subscription.lost)
