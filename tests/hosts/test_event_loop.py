"""The event loop of the command: whoever leaves waits for no name."""

import asyncio
import socket
import threading

from holdfast.hosts.event_loop import EventLoop, run


def test_names_are_found() -> None:
    """
    As any loop finds them.
    """

    async def look() -> list[object]:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        return [each[4] for each in found]

    assert [("127.0.0.1", 80)] == run(look())


def test_a_lookup_that_does_not_end_keeps_nobody() -> None:
    """
    The loop closes while the system still looks.
    """
    looking, found = asyncio.Event(), threading.Event()

    def look(*_: object, **__: object) -> list[object]:
        runner.get_loop().call_soon_threadsafe(looking.set)
        found.wait()
        return []

    async def leave() -> None:
        task = asyncio.create_task(asyncio.open_connection("far.invalid", 80))
        await looking.wait()
        task.cancel()
        await asyncio.wait([task])

    with asyncio.Runner(loop_factory=lambda: EventLoop(look)) as runner:
        runner.run(leave())

    assert not found.is_set()
    found.set()
