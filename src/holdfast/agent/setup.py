"""Everything an agent is made of, except the session it works on: limits, retries, models, tools."""

from collections.abc import Callable
from datetime import datetime
from random import SystemRandom
from typing import Protocol

import msgspec

from holdfast.agent.models import Models
from holdfast.agent.permissions import Permissions
from holdfast.agent.questions import Keeper
from holdfast.agent.redact import Redactor
from holdfast.agent.tool import FixedTools, Toolbox
from holdfast.agent.user_hooks import UserHook
from holdfast.clock import Clock, SystemClock
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.system_text import Briefing
from holdfast.errors import BadInput, Unavailable
from holdfast.records.entries import ScheduleSet
from holdfast.records.parts import Source, Usage, Value
from holdfast.session.hooks import Account, AfterTurn, BeforeCompaction, NextStep
from holdfast.session.state import SessionState


# Exponential backoff with full jitter: the wait is drawn between nothing and a bound that doubles, so that many who
# were refused at once do not come back at once. What the provider asks for counts more.
class RetryPolicy(Value, frozen=True, kw_only=True):
    """How often and how patiently a model is asked again."""

    attempts: int = 5
    """How often a model is asked in all before the turn fails or the next model is tried."""
    base: float = 1.0
    """The bound of the first wait, in seconds; it doubles with each attempt."""
    cap: float = 60.0
    """The longest wait, in seconds; a provider that asks for longer is given up on at once."""
    idle: float = 90.0
    """Without a sign of life for so many seconds, or without a word for ten times as many, a stream counts as broken;
    0 means never."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.attempts < 1:
            raise BadInput(f"`attempts` is {self.attempts}.", hint="Give at least 1, which never tries again.")
        for name in ("base", "cap", "idle"):
            if not getattr(self, name) >= 0:
                raise BadInput(f"`{name}` is {getattr(self, name)}.", hint="Give a number of seconds.")

    def wait(self, attempt: int, error: Unavailable, draw: Callable[[], float]) -> float | None:
        """How long to wait after a failed attempt, counted from 1; None to give up. `draw` gives 0 to 1."""
        if attempt >= self.attempts:
            return None
        if error.retry_after:  # 0 names a moment that has passed: no reason to come back all at once
            return error.retry_after if error.retry_after <= self.cap else None
        return draw() * min(self.cap, self.base * 2.0 ** (attempt - 1))


class Limits(Value, frozen=True, kw_only=True):
    """Where a turn ends although the model would go on; 0 means no bound."""

    steps: int = 50
    """Requests to the model in one turn."""
    tokens: int = 0
    """Tokens of all requests and replies of one turn together; as we count them where the service does not say."""
    cost: float = 0.0
    """US dollars that one turn may cost, where the price is known."""
    seconds: float = 0.0
    """Wall-clock time of one turn, tools included."""
    tool_seconds: float = 600.0
    """The longest that any tool may run, whatever it asks for."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("steps", "tokens", "cost", "seconds", "tool_seconds"):
            if not getattr(self, name) >= 0:
                raise BadInput(f"`{name}` is {getattr(self, name)}.", hint="Give 0 for no bound, or more.")

    def reached(self, *, steps: int, used: Usage, seconds: float) -> str:
        """Which limit a turn has reached, in words for a person; '' for none."""
        if self.steps and steps >= self.steps:
            return f"{steps} step{'' if steps == 1 else 's'}, the most one turn may take (limits.steps)"
        spent = used.input_tokens + used.output_tokens
        if self.tokens and spent >= self.tokens:
            return f"{self.tokens:,} tokens, the most one turn may use (limits.tokens); it used {spent:,}"
        if self.cost and used.cost_micros >= self.cost * 1_000_000:
            cost = used.cost_micros / 1_000_000
            return f"${self.cost:g}, the most one turn may cost (limits.cost); it cost ${cost:.4g}"
        if self.seconds and seconds >= self.seconds:
            return f"{self.seconds:g} s, the longest one turn may take (limits.seconds)"
        return ""


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
