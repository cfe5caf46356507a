"""A stream of deltas, taken in by a task of its own.

Whoever waits for the stream can leave it at any moment: a provider that is slow to hang up, or never
does, keeps nobody. Deltas that came while nobody looked are taken together.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from holdfast.errors import HoldfastError, ModelError, Unavailable
from holdfast.model.protocol import Delta, Model, Request, Target
from holdfast.model.signs import listen

LENIENT = 10
"""A service that says it is at work, and nothing else, may take so many times as long as one that is silent."""
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


class Pump:
    """Takes deltas off a stream as they come."""

    def __init__(self, stream: AsyncIterator[Delta], idle: float = 0) -> None:
        """Begin at once, and give up after `idle` seconds without a sign of life; 0 is never."""
        self._deltas: deque[Delta] = deque()
        self._news = asyncio.Event()
        self._idle = idle or math.inf
        self._time = asyncio.get_running_loop().time
        self._spoke = self._alive = self._time()
        self._task = asyncio.create_task(self._run(stream))

    async def _run(self, stream: AsyncIterator[Delta]) -> None:
        listen(self._is_alive)
        try:
            async for delta in stream:
                self._spoke = self._alive = self._time()
                self._deltas.append(delta)
                self._news.set()
        finally:
            self._news.set()

    def _is_alive(self) -> None:
        self._alive = self._time()

    async def take(self, seconds: float) -> list[Delta] | None:
        """What has come, at least one delta, waiting at most so long for it; [] if nothing came, None at the end.

        Raises what the stream raised, after everything that came before it was taken, and `Unavailable` once it was
        silent for too long.
        """
        until = self._time() + seconds
        while not self._deltas and not self._task.done():
            await self._wait(min(until, self._alive + self._idle, self._spoke + LENIENT * self._idle))
            if not self._deltas and not self._task.done():
                self._check_silence()
                if self._time() >= until:
                    break
        taken = list(self._deltas)
        self._deltas.clear()
        if taken or not self._task.done():
            return taken
        if self._task.cancelled():
            raise Unavailable("The model's provider gave itself up.")
        try:
            self._task.result()
        except HoldfastError:
            raise
        except Exception as error:  # boundary: a provider is foreign code, and its faults end a turn, not the program
            raise ModelError(f"The model's provider failed: {type(error).__name__}: {error}.") from error
        return None

    def _check_silence(self) -> None:
        if self._time() >= self._alive + self._idle:
            raise Unavailable(f"The model fell silent for {self._idle:g} s.")
        if self._time() >= self._spoke + LENIENT * self._idle:
            raise Unavailable(
                f"The model said nothing for {LENIENT * self._idle:g} s, although its service is at work."
            )

    async def _wait(self, until: float) -> None:
        """Wait for news, at most until then."""
        self._news.clear()
        handle = asyncio.get_running_loop().call_at(until, self._news.set)
        try:
            await self._news.wait()
        finally:
            handle.cancel()

    def leave(self) -> None:
        """Hang up, now."""
        let_go(self._task)


class Patient:
    """A model for whoever does not watch it: it may be left at any moment, and its silence is a failure."""

    def __init__(self, model: Model, idle: float) -> None:
        """Give up after `idle` seconds without a sign of life; 0 is never."""
        self._model, self._idle = model, idle

    @property
    def target(self) -> Target:
        """Which model it is."""
        return self._model.target

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """What the model says."""
        pump = Pump(self._model.stream(request), self._idle)
        try:
            while (deltas := await pump.take(math.inf)) is not None:
                for delta in deltas:
                    yield delta
        finally:
            pump.leave()
