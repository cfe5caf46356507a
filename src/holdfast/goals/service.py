"""Everything about goals that an agent is made with: its next step, its account, its tools."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from holdfast.agent.models import ChatModel, Models
from holdfast.agent.permissions import Permissions
from holdfast.agent.tool import Tool, Toolbox, ToolContext
from holdfast.clock import Clock, SystemClock
from holdfast.engine.port import EnginePort
from holdfast.goals.account import GoalAccount
from holdfast.goals.checks import Checks
from holdfast.goals.complete import GoalParts
from holdfast.goals.driver import GoalDriver
from holdfast.goals.goal_settings import GoalSettings
from holdfast.goals.schedule_tool import SetSchedule
from holdfast.goals.tools import goal_tools
from holdfast.goals.verify import Claim, Judgement, judged
from holdfast.records.codec import Record
from holdfast.session.goals import Goal, GoalStatus

LOOK_SECONDS = 2.0
"""How often a file is looked at that a goal waits for."""

Ended = Callable[[str], Awaitable[str]]
"""Waits for the end of a command in the background, by its name, and tells how it ended."""


class GoalService(msgspec.Struct, frozen=True, kw_only=True):
    """What goals need of an agent."""

    settings: GoalSettings
    models: Models
    model: str = ""
    """The model that answers in this process; '' for that of the session."""
    toolbox: Callable[[], Toolbox]
    permissions: Callable[[], Permissions]
    port: EnginePort
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

    def tools(self) -> tuple[Tool, ...]:
        """What the agent may do with its goal."""
        checks = Checks(self.toolbox, self.permissions, self.settings.check_seconds)
        parts = GoalParts(settings=self.settings, checks=checks, judge=self._judge, load=self._load, clock=self.clock)
        return (*goal_tools(parts), SetSchedule(self.clock))

    async def _judge(self, goal: Goal, claim: Claim, context: ToolContext) -> Judgement:
        return await judged(
            goal,
            claim,
            await self._judging(context),
            toolbox=self.toolbox(),
            permissions=self.permissions,
            context=context,
        )

    async def _judging(self, context: ToolContext) -> ChatModel:
        name = self.settings.verifier_model or self.model or context.state.model
        return await (self.models.named(name) if name else self.models.usual())

    async def _load(self, context: ToolContext, start: int, stop: int | None) -> list[Record]:
        return await self.port.load(context, context.key, start=start, stop=stop)

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
