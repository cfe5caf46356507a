"""Work in a thread: it gives what it gives, and nobody has to wait for it."""

import asyncio
import threading
import time

import pytest

from holdfast.errors import ToolFailed
from holdfast.tools.step import Stop, in_thread
from tests.agent.idle_time import in_idle_time


async def test_work_gives_and_raises() -> None:
    """
    What work in a thread gives or raises is what the caller gets.
    """

    def fail(_: Stop) -> None:
        raise ToolFailed("no")

    assert threading.get_ident() != await in_thread(lambda _: threading.get_ident())
    with pytest.raises(ToolFailed, match="no"):
        await in_thread(fail)


@in_idle_time()
async def test_cancelling_returns_at_once_and_tells_the_work() -> None:
    """
    A caller that is cancelled goes on without waiting; the work learns that nobody waits, and can give up.
    """
    began, ended = threading.Event(), threading.Event()

    def work(stop: Stop) -> None:
        began.set()
        while not stop.over:
            time.sleep(0.005)
        ended.set()

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(began.wait)
    start = asyncio.get_running_loop().time()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert asyncio.get_running_loop().time() == start
    assert await asyncio.to_thread(ended.wait, 5)


@in_idle_time()
async def test_cancelling_does_not_wait_for_deaf_work() -> None:
    """
    Also work that hears nothing holds nobody up.
    """
    free = threading.Event()
    task = asyncio.create_task(in_thread(lambda _: free.wait()))
    await asyncio.sleep(0)
    start = asyncio.get_running_loop().time()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    took = asyncio.get_running_loop().time() - start
    free.set()

    assert 0 == took


async def test_time_that_is_over() -> None:
    """
    Work can see that its time is over, which is not the same as being abandoned.
    """
    assert (True, False) == await in_thread(lambda stop: (stop.over, stop.abandoned), seconds=0)
    assert (False, False) == await in_thread(lambda stop: (stop.over, stop.abandoned), seconds=60)
