"""A task that reads a stream of deltas and hands on each as it comes, with a timeout for silence.

Whoever waits for the end of the stream can leave it at any moment: a provider that is slow to hang up, or never
does, keeps nobody. Nobody is woken up for a single delta, because that costs more than showing it.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

from holdfast.agent.tasks import let_go
from holdfast.errors import HoldfastError, ModelError, Unavailable
from holdfast.model.liveness import listen
from holdfast.model.protocol import Delta, Finished, Model, Request, Target

LENIENT = 10
"""A service that says it is at work, and nothing else, may take so many times as long as one that is silent."""
Take = Callable[[Delta], Awaitable[None]]
"""Takes the next delta of a stream. What it raises ends the stream, as if the provider had failed."""


class StreamTask:
    """Reads a stream, and hands on each delta."""

    def __init__(self, stream: AsyncIterator[Delta], take: Take, idle: float = 0) -> None:
        """Begin at once, and give up after `idle` seconds without a sign of life; 0 is never."""
        self._take, self._idle = take, idle or math.inf
        self._loop = asyncio.get_running_loop()
        self.spoke = self._alive = self._loop.time()
        """When the last delta came, by the clock of the event loop."""
        self._woken = asyncio.Event()
        self._left = False
        self.finished = False
        """Whether the reply is complete."""
        self._task = asyncio.create_task(self._run(stream))
        self._task.add_done_callback(lambda _: self.wake())

    async def _run(self, stream: AsyncIterator[Delta]) -> None:
        listen(self._is_alive)
        now = self._loop.time
        async for delta in stream:
            self.spoke = self._alive = now()
            if not (self.finished or self._left):  # what a provider still says then is no part of the reply
                await self._take(delta)
            if isinstance(delta, Finished):
                self.finished = True
                self.wake()

    def _is_alive(self) -> None:
        self._alive = self._loop.time()

    def wake(self) -> None:
        """Wake up whoever waits in `goes_on`."""
        self._woken.set()

    async def goes_on(self) -> bool:
        """Wait until `wake` is called or the stream ends; whether it goes on.

        Raises what the stream raised, after everything that came before it was taken, and `Unavailable` once it was
        silent for too long.
        """
        until = min(self._alive + self._idle, self.spoke + LENIENT * self._idle)
        timer = self._loop.call_at(until, self.wake)
        try:
            await self._woken.wait()
        finally:
            timer.cancel()
        self._woken.clear()
        if self.finished:
            return False
        if not self._task.done():
            self._check_silence()
            return True
        if self._task.cancelled():
            raise Unavailable("The model's provider gave itself up.")
        try:
            self._task.result()
        except HoldfastError:
            raise
        except Exception as error:  # boundary: a provider is foreign code, and its faults end a turn, not the program
            raise ModelError(f"The model's provider failed: {type(error).__name__}: {error}.") from error
        return False

    def _check_silence(self) -> None:
        now = self._loop.time()
        if now >= self._alive + self._idle:
            raise Unavailable(f"The model fell silent for {self._idle:g} s.")
        if now >= self.spoke + LENIENT * self._idle:
            raise Unavailable(
                f"The model said nothing for {LENIENT * self._idle:g} s, although its service is at work."
            )

    def leave(self) -> None:
        """Hang up, now; nothing is taken any more."""
        self._left = True
        let_go(self._task)


class IdleTimeout:
    """A model for whoever does not watch it: it may be left at any moment, and its silence is a failure."""

    def __init__(self, model: Model, idle: float) -> None:
        """Give up after `idle` seconds without a sign of life; 0 is never."""
        self._model, self._idle = model, idle

    @property
    def target(self) -> Target:
        """Which model it is."""
        return self._model.target

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """What the model says, once it has said it."""
        said: list[Delta] = []

        async def take(delta: Delta) -> None:
            said.append(delta)

        stream_task = StreamTask(self._model.stream(request), take, self._idle)
        try:
            while await stream_task.goes_on():
                pass
        finally:
            stream_task.leave()
        for delta in said:
            yield delta
