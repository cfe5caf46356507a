"""Everything an agent is made of, except the session it works on: models, tools, permissions."""

from collections.abc import Callable
from datetime import datetime
from random import SystemRandom
from typing import Protocol

import msgspec

from holdfast.agent.limits import Limits, RetryPolicy
from holdfast.agent.models import Models
from holdfast.agent.permissions import Permissions
from holdfast.agent.questions import Keeper
from holdfast.agent.redact import Redactor
from holdfast.agent.tool import FixedTools, Toolbox
from holdfast.agent.user_hooks import UserHook
from holdfast.clock import Clock, SystemClock
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.system_text import Briefing
from holdfast.memory.agent_memory import AgentMemory
from holdfast.records.entries import ScheduleSet
from holdfast.records.parts import Source
from holdfast.session.hooks import Account, AfterTurn, BeforeCompaction, NextStep
from holdfast.session.state import SessionState


class Setups(Protocol):
    """Which agent works in a session, where one engine serves several workspaces, owners, or unattended work."""

    def of(self, state: SessionState, source: Source | None) -> "AgentSetup":
        """The agent for a session, by what its log says and who opens it. Raises `HoldfastError` to refuse it.

        `state` is that of the session with everything it was begun with: its owner and its workspace.
        """
        ...

    async def close(self) -> None:
        """Close the tools and models of all of them. Closing twice is once."""
        ...


class AgentSetup(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent works."""

    models: Models
    """Where models come from."""
    permissions: Callable[[], Permissions] = Permissions
    """Makes the permissions of a session that is opened: nothing that a session allowed is carried to another."""
    briefing: Briefing = Briefing()
    """What the model is told before everything else is made of."""
    toolbox: Toolbox = msgspec.field(default_factory=FixedTools)
    """Where tools come from."""
    model: str = ""
    """The model that answers in this process, whatever a session names; '' for the session's own, or the usual one."""
    title_model: str = ""
    summary_model: str = ""
    """Models for titles and summaries; '' for the one that answers."""
    fallbacks: tuple[str, ...] = ()
    """Models to ask, in order, when the session's own stays away."""
    limits: Limits = Limits()
    retry: RetryPolicy = RetryPolicy()
    compaction: CompactionSettings | None = CompactionSettings()
    """None leaves out what does not fit, and sums nothing up."""
    no_thinking_back: tuple[str, ...] = ()
    """Services whose models are not sent what they thought, as the names of speakers begin."""
    timestamps: bool = False
    """Whether the model sees when a person's words were said."""
    dated: bool = False
    """Whether the model is told on which day the session began, and sees when words of other days were said."""
    titles: bool = True
    """Whether a title is drawn after the first turn."""
    after_turn: tuple[AfterTurn, ...] = ()
    """What is done after each turn, in this order."""
    before_compaction: tuple[BeforeCompaction, ...] = ()
    """What is done before the model sees less, in this order."""
    memory: AgentMemory | None = None
    """What is remembered from one session to the next; None remembers nothing."""
    next_step: NextStep | None = None
    """Says whether the agent goes on by itself."""
    slots: Callable[[ScheduleSet, datetime], datetime | None] | None = None
    """The first slot of a schedule after a time; without it, schedules do not fire."""
    account: Account | None = None
    """Bounds what turns may spend, beyond the limits."""
    hooks: tuple[UserHook, ...] = ()
    """Programs of the user that are told what happens, in this order."""
    attended: bool = True
    """Whether somebody is there to answer questions."""
    redactor: Redactor = msgspec.field(default_factory=Redactor)
    keep: Keeper | None = None
    """Keeps what a person allows for the workspace."""
    clock: Clock = msgspec.field(default_factory=SystemClock)
    draw: Callable[[], float] = SystemRandom().random
    """Gives a number from 0 to 1, for waits."""
