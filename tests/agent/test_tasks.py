"""Work that is finished although whoever waits for it is cancelled."""

import asyncio

import pytest

from holdfast.agent.tasks import shielded


async def test_what_is_begun_is_finished_and_the_stop_comes_after_it() -> None:
    """
    However often it is said.
    """
    begun, go, done = asyncio.Event(), asyncio.Event(), []

    async def work() -> None:
        begun.set()
        await go.wait()
        done.append("written")

    waiting = asyncio.create_task(shielded(work()))
    await begun.wait()
    for _ in range(3):
        waiting.cancel()
        await asyncio.sleep(0)
    assert not waiting.done()
    go.set()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ["written"] == done


async def test_a_failure_counts_more_than_the_stop() -> None:
    """
    Who stopped it must know that it was not written down.
    """
    go = asyncio.Event()

    async def work() -> None:
        await go.wait()
        raise OSError("disk full")

    waiting = asyncio.create_task(shielded(work()))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0)
    go.set()

    with pytest.raises(OSError, match="disk full"):
        await waiting


async def test_work_that_gives_itself_up_is_cancelled() -> None:
    """
    And what it gives is given on.
    """

    async def give_up() -> None:
        raise asyncio.CancelledError

    async def answer() -> int:
        return 42

    with pytest.raises(asyncio.CancelledError):
        await shielded(give_up())
    assert 42 == await shielded(answer())
