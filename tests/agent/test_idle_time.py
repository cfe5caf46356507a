"""The clock that tests of stopping are measured by."""

import asyncio

from tests.agent.idle_time import in_idle_time


@in_idle_time()
async def test_what_is_waited_for_is_counted() -> None:
    """
    Every second that somebody sleeps, exactly, and without having to wait for it.
    """
    loop = asyncio.get_running_loop()
    before = loop.time()
    await asyncio.gather(asyncio.sleep(3600), asyncio.sleep(60))

    assert 3600 == loop.time() - before


@in_idle_time()
async def test_what_happens_outside_takes_no_time() -> None:
    """
    A thread has its say before the clock moves to a timer that is nearer than the thread is quick.
    """
    loop = asyncio.get_running_loop()
    before = loop.time()
    async with asyncio.timeout(0.000_001):
        await asyncio.to_thread(sum, range(100_000))

    assert 0 == loop.time() - before
