"""An event loop whose clock moves only while nothing else can happen.

What is measured on it is what the code waited for of its own accord, such as a second of grace before it goes on. How
busy the machine is adds nothing, so a bound on it can be as tight as the promise. Threads, processes and sockets are
real: they have a while to report before the clock moves on to the next timer.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

OUTSIDE = 0.3
"""Seconds that the world outside the loop has to report."""
FOR_EVER = 10.0
"""Where there is no timer at all, seconds after which nothing will ever happen."""

P = ParamSpec("P")
Test = Callable[P, Coroutine[Any, Any, None]]
"""A test that needs a loop."""


class _Idle(selectors.DefaultSelector):
    """Waits for what happens outside, and counts the time that passes in vain."""

    def __init__(self, outside: float) -> None:
        super().__init__()
        self._outside, self.now = outside, 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            happened = super().select(FOR_EVER)
            assert happened, "everybody waits, and for nothing"
            return happened
        happened = super().select(self._outside if timeout > 0 else 0)
        if not happened:
            self.now += timeout
        return happened


class _IdleLoop(asyncio.SelectorEventLoop):
    """A loop with such a clock."""

    def __init__(self, outside: float) -> None:
        self._idle = _Idle(outside)
        super().__init__(self._idle)

    def time(self) -> float:
        return self._idle.now


def in_idle_time(outside: float = OUTSIDE) -> Callable[[Test[P]], Callable[P, None]]:
    """Run a test on such a loop; where nothing happens outside of it, it need not wait for that."""

    def on_loop(test: Test[P]) -> Callable[P, None]:
        @wraps(test)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            with asyncio.Runner(loop_factory=lambda: _IdleLoop(outside)) as runner:
                runner.run(test(*args, **kwargs))

        return run

    return on_loop
