"""A call that was understood, as file tools make it, and the thread its blocking work runs in."""

import threading
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from holdfast.agent.tasks import aside
from holdfast.agent.tool import Ask, Output

T = TypeVar("T")


class Step:
    """What a call would do, and how."""

    def __init__(self, ask: Ask, work: Callable[[], Awaitable[Output]]) -> None:
        """Take what permission is decided by, and what is run once it is given."""
        self.ask = ask
        self._work = work

    async def run(self) -> Output:
        """Do it."""
        return await self._work()


class Stop:
    """Tells work in a thread when to give up: nobody waits any more, or its time is over."""

    def __init__(self, seconds: float) -> None:
        """Begin to count."""
        self._gone = threading.Event()
        self._end = time.monotonic() + seconds

    def abandon(self) -> None:
        """Nobody waits any more."""
        self._gone.set()

    @property
    def abandoned(self) -> bool:
        """Whether nobody waits any more."""
        return self._gone.is_set()

    @property
    def over(self) -> bool:
        """Whether to give up."""
        return self.abandoned or time.monotonic() >= self._end


async def in_thread(work: Callable[[Stop], T], *, seconds: float = float("inf")) -> T:
    """Run blocking work beside the event loop; cancelling returns at once and tells the work to give up."""
    stop = Stop(seconds)
    try:
        return await aside(work, stop)
    finally:
        stop.abandon()
