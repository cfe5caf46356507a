"""Those who watch: each gets every event from the moment it began, in order, until the end."""

import asyncio

from holdfast.agent.events import Event, Noticed, TextStreamed
from holdfast.agent.watch import Stage

ONE, TWO = Noticed(text="one"), Noticed(text="two")


async def test_everyone_gets_everything_from_when_they_came() -> None:
    """
    Also who reads late.
    """
    stage = Stage()
    early = stage.watch()
    stage.show(ONE)
    late = stage.watch()
    stage.show(TWO)
    stage.close()

    assert [ONE, TWO] == [event async for event in early]
    assert [TWO] == [event async for event in late]


async def test_who_waits_is_woken() -> None:
    """
    By an event, and by the end.
    """
    stage = Stage()
    seen: list[Event] = []

    async def look() -> None:
        async for event in stage.watch():
            seen.append(event)  # noqa: PERF401

    looking = asyncio.create_task(look())
    for event in (ONE, TWO):
        await asyncio.sleep(0)
        stage.show(event)
    await asyncio.sleep(0)
    stage.close()
    await asyncio.wait_for(looking, 60)

    assert [ONE, TWO] == seen


async def test_who_leaves_while_others_are_shown_something_disturbs_nobody() -> None:
    """
    And gets what it had been shown before.
    """
    stage = Stage()
    with stage.watch() as watch:
        stage.show(ONE)
    stage.show(TWO)
    watch.close()
    stage.close()

    assert [ONE] == [event async for event in watch]
    assert [] == [event async for event in stage.watch()]


async def test_who_is_too_slow_loses_what_waits_and_is_told() -> None:
    """
    Large entries and long words count for more; whoever begins anew gets what comes from then on.
    """
    stage = Stage()
    watch = stage.watch(limit=1000)
    for event in (ONE, TextStreamed(text="x" * 300), ONE, TWO):
        stage.show(event)
    assert await watch.take() is None
    assert watch.lost
    stage.show(ONE)
    watch.restart()
    stage.show(TWO)

    assert TWO == await watch.take()
    assert (0, False) == (watch.waiting, watch.lost)
