"""The tools with which an agent sets, reports and completes goals, and makes schedules."""

from collections.abc import Callable

import msgspec

from holdfast.agent.models import ChatModel, Models
from holdfast.agent.permissions import Permissions
from holdfast.agent.tool import Tool, Toolbox, ToolContext
from holdfast.clock import Clock, SystemClock
from holdfast.engine.port import EnginePort
from holdfast.goals.checks import Checks
from holdfast.goals.complete import GoalParts
from holdfast.goals.goal_settings import GoalSettings
from holdfast.goals.schedule_tool import SetSchedule
from holdfast.goals.tools import goal_tools
from holdfast.goals.verify import Claim, Judgement, judged
from holdfast.records.codec import Record
from holdfast.session.goals import Goal


class GoalToolset(msgspec.Struct, frozen=True, kw_only=True):
    """What those tools need of an agent."""

    settings: GoalSettings
    models: Models
    model: str = ""
    """The model that answers in this process; '' for that of the session."""
    toolbox: Callable[[], Toolbox]
    permissions: Callable[[], Permissions]
    port: EnginePort
    clock: Clock = msgspec.field(default_factory=SystemClock)

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
