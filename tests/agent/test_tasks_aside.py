"""Work beside the loop."""

import asyncio
from threading import Event

import pytest

from holdfast.agent.tasks import aside

PATIENCE = 60.0
"""Seconds until what does not come has failed."""


async def test_what_work_gives_or_raises_arrives() -> None:
    """
    A result is given and a failure is raised where it is awaited.
    """

    def fail() -> None:
        raise LookupError("nothing there")

    assert 5 == await aside(int, "5")
    with pytest.raises(LookupError, match="nothing there"):
        await aside(fail)


async def test_the_loop_goes_on_meanwhile() -> None:
    """
    Work that waits for the loop is not waited for by it.
    """
    goes_on = Event()
    work = asyncio.create_task(aside(goes_on.wait, 10))
    await asyncio.sleep(0)
    goes_on.set()

    assert await work


async def test_cancelling_leaves_the_work_to_itself() -> None:
    """
    Whoever waits is free at once, and what the work gives later is nothing.
    """
    released, finished = Event(), Event()

    def slow() -> None:
        released.wait(PATIENCE)
        finished.set()

    work = asyncio.create_task(aside(slow))
    await asyncio.sleep(0.01)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert not finished.is_set()
    released.set()
    assert await aside(finished.wait, PATIENCE)


def test_the_end_of_the_program_does_not_wait() -> None:
    """
    A loop ends while work still runs, and the work ends in peace after it.
    """
    released, finished = Event(), Event()

    def slow() -> None:
        released.wait(PATIENCE)
        finished.set()

    async def leave() -> None:
        work = asyncio.create_task(aside(slow))
        await asyncio.sleep(0.01)
        work.cancel()

    asyncio.run(leave())

    assert not finished.is_set()
    released.set()
    assert finished.wait(PATIENCE)
