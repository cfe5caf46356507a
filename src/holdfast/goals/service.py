"""What an agent with goals has around its turns: what comes next, and what bounds them."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from holdfast.clock import Clock, SystemClock
from holdfast.goals.account import GoalAccount
from holdfast.goals.driver import GoalDriver
from holdfast.session.goals import GoalStatus

LOOK_SECONDS = 2.0
"""How often a file is looked at that a goal waits for."""

Ended = Callable[[str], Awaitable[str]]
"""Waits for the end of a command in the background, by its name, and tells how it ended."""


class GoalService(msgspec.Struct, frozen=True, kw_only=True):
    """What goals need around turns."""

    root: Path
    """The workspace."""
    ended: Ended | None = None
    steps: int = 0
    """Requests that a turn may make as a rule."""
    clock: Clock = msgspec.field(default_factory=SystemClock)

    def driver(self) -> GoalDriver:
        """What says what comes after a turn."""
        return GoalDriver(self.clock, self._watch)

    def account(self) -> GoalAccount:
        """What bounds the turns."""
        return GoalAccount(self.steps)

    async def _watch(self, status: GoalStatus) -> str:
        """Wait for a command or a file, at most until a time."""
        left = None if status.until is None else status.until.timestamp() - self.clock.now_ns() / 1e9
        try:
            async with asyncio.timeout(left):
                if status.on == "file":
                    return await self._changed(status.subject)
                if self.ended is None:
                    return f"{status.subject} cannot be waited for here."
                return await self.ended(status.subject)
        except TimeoutError:
            return f"Nothing happened to {status.subject} until {status.until:%Y-%m-%d %H:%M} UTC."

    async def _changed(self, subject: str) -> str:
        path = self.root / subject
        before = await asyncio.to_thread(_seen, path)
        while before == await asyncio.to_thread(_seen, path):
            await self.clock.sleep(LOOK_SECONDS)
        return f"{subject} was changed."


def _seen(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
