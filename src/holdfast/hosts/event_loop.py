"""The event loop of the command: whoever leaves waits for no name.

Where the network is gone, the system looks for the address of a name for half a minute, in a thread that cannot be
stopped. A loop waits for its own threads before it closes; names are looked for in others.
"""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from holdfast.agent.tasks import aside

T = TypeVar("T")
Look = Callable[..., Any]
"""Looks for the addresses of a name, as `socket.getaddrinfo` does."""


class EventLoop(asyncio.SelectorEventLoop):
    """A loop that looks for names aside."""

    def __init__(self, look: Look = socket.getaddrinfo) -> None:
        """Look for names with a function that may take its time."""
        super().__init__()
        self._look = look

    async def getaddrinfo(self, host: Any, port: Any, **more: int) -> Any:  # noqa: ANN401
        """The addresses of a name."""
        return await aside(self._look, host, port, **more)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Do it on such a loop, as `asyncio.run` does it on another."""
    with asyncio.Runner(loop_factory=EventLoop) as runner:
        return runner.run(work)
