"""Tasks and whoever waits for them: shielded from cancellation, bounded in time, let go, or run in a thread.

Writing down what happened must not be broken off half-way by the very stop that it writes down.
"""

import asyncio
import math
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
PATIENCE = 0.1
"""How many seconds work that was stopped has to stop."""
TICK = 0.01
"""The time of work is looked at no more often than every so many seconds."""


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


# Whoever waits for the thread can be cancelled at once. The thread cannot be stopped, so it goes on to its end unheard;
# it does not keep the program from ending, which a thread of the event loop's own pool would.
async def aside(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a function gives, or raises, without holding up the event loop."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if waiting.done():
            return
        if error is not None:
            waiting.set_exception(error)
        else:
            waiting.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work(*args, **kwargs)
        except BaseException as raised:  # noqa: BLE001 - boundary: handed to whoever waits
            error = raised
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="holdfast-aside", daemon=True).start()
    return await waiting


_LEFT: set[asyncio.Task[Any]] = set()
"""Tasks that nobody waits for any more; kept, because a task that nobody holds may vanish in the middle."""


def let_go(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait for it no longer; what it still raises concerns nobody."""
    task.cancel()
    _LEFT.add(task)
    task.add_done_callback(_forget)


def _forget(task: asyncio.Task[Any]) -> None:
    _LEFT.discard(task)
    if not task.cancelled():
        task.exception()


async def bounded(work: Coroutine[Any, Any, T], seconds: float, waited: Callable[[], float]) -> T:
    """Do it for so many seconds, those not counted that it `waited` for a person. Raises `TimeoutError` after that.

    Work that does not stop when it is told to is let go.
    """
    loop = asyncio.get_running_loop()
    task, began = asyncio.create_task(work), loop.time()
    try:
        while not task.done():
            # The wait may grow meanwhile, so the end is computed anew each time.
            left = seconds + waited() - (loop.time() - began)
            if left <= 0:
                raise TimeoutError
            await asyncio.wait([task], timeout=None if left == math.inf else max(left, TICK))
        return task.result()
    finally:
        if not task.done():
            let_go(task)
            await asyncio.wait([task], timeout=PATIENCE)
