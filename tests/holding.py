"""How long something holds the event loop, and how often others have their turn meanwhile."""

import asyncio
from collections.abc import Awaitable
from time import thread_time

import msgspec

HELD = 0.02
"""The longest that anything may hold the event loop, in seconds of its processor."""


class Beside(msgspec.Struct):
    """What others had while something went on."""

    turns: int = 0
    longest: float = 0.0
    """Processor seconds of the longest wait between two turns."""


async def beside(work: Awaitable[object]) -> Beside:
    """Do something, and tell what others had of the event loop meanwhile."""
    found = Beside()

    async def others() -> None:
        last = thread_time()
        while True:
            await asyncio.sleep(0)
            now = thread_time()
            found.turns += 1
            found.longest = max(found.longest, now - last)
            last = now

    running = asyncio.ensure_future(others())
    await asyncio.sleep(0)
    await work
    await asyncio.sleep(0)
    running.cancel()
    return found
