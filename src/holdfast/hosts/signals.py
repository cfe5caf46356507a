"""Being told to leave: by Ctrl-C, by a closed terminal, by whoever ends services.

The first signal asks, so that what runs can be stopped and written down; a second one of the same kind
does what it always did.
"""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.hosts.exits import Exit

CODES = {signal.SIGTERM: Exit.OK, signal.SIGHUP: Exit.OK, signal.SIGINT: Exit.INTERRUPTED}
"""What the process says when it leaves for a signal: ending a service in good order is no failure."""


class Leaving:
    """Whether this process was told to leave, and with which exit code."""

    def __init__(self) -> None:
        """Nobody has said so yet."""
        self.code: Exit | None = None
        self.note = ""
        """Which signal it was, for the end of what is stopped."""
        self._told = asyncio.Event()

    def tell(self, number: signal.Signals) -> None:
        """Leave, because of a signal."""
        self.code, self.note = CODES[number], f"told to leave ({number.name})"
        self._told.set()

    async def wait(self) -> None:
        """Until it is told."""
        await self._told.wait()


@contextmanager
def leaving(*signals: signal.Signals) -> Iterator[Leaving]:
    """Take note of signals, all of `CODES` unless some are named, for a block of code."""
    loop, told = asyncio.get_running_loop(), Leaving()
    wanted = signals or tuple(CODES)

    def note(number: signal.Signals) -> None:
        loop.remove_signal_handler(number)
        told.tell(number)

    for number in wanted:
        loop.add_signal_handler(number, note, number)
    try:
        yield told
    finally:
        for number in wanted:
            loop.remove_signal_handler(number)
