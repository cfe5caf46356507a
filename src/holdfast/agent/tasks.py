"""Work that is finished although whoever waits for it is cancelled.

Writing down what happened must not be broken off half-way by the very stop that it writes down.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def shielded(work: Coroutine[Any, Any, T]) -> T:
    """Do it to the end; a cancellation on the way comes after it."""
    task = asyncio.ensure_future(work)
    stopped: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            stopped = error
    if stopped is not None and not task.cancelled():
        task.result()
        raise stopped
    return task.result()
