"""What may be done around a turn by others than the agent: memory, titles, goals.

They name types of a session and below only, so what implements them need not know of an agent. They run after the end
of the turn is durable, hold up nobody who speaks, and what fails in them is told and ends nothing.
"""

from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from holdfast.records.entries import Entry, TurnEnded, UserSaid
from holdfast.records.parts import Value
from holdfast.session.writer import Session

Occasion: TypeAlias = Literal[
    "session_start", "turn_start", "before_tool", "after_tool", "before_compaction", "turn_end", "session_end"
]
"""When a hook of the user runs."""


class AfterTurn(Protocol):
    """Does something after each turn."""

    async def after_turn(self, session: Session, ended: TurnEnded) -> None:
        """Do it; the session is open, and may go on meanwhile. It is cancelled when the session is closed."""
        ...


class BeforeCompaction(Protocol):
    """Does something before the model sees less."""

    async def before_compaction(self, session: Session) -> None:
        """Do it; the compaction waits for it, and goes on if it fails."""
        ...


class AnotherStep(Value, frozen=True, kw_only=True):
    """The agent goes on with this, as if somebody had said it; its source says who did."""

    said: UserSaid
    facts: tuple[Entry, ...] = ()
    """What is written before it, in the same append."""


class ResumeTurn(Value, frozen=True, kw_only=True):
    """The agent goes on with the turn that broke off with its process."""

    facts: tuple[Entry, ...] = ()
    """What is written first."""


class WaitUntil(Value, frozen=True, kw_only=True):
    """The session is woken then, and what comes next is asked for again."""

    at: datetime
    why: str = ""


Next: TypeAlias = AnotherStep | ResumeTurn | WaitUntil | None
"""What comes after a turn; None for nothing."""


class NextStep(Protocol):
    """Says what comes after a turn, where somebody works towards something."""

    async def next_step(self, session: Session, ended: TurnEnded | None) -> Next:
        """What comes now that nothing runs.

        It is asked after each turn, when the session is woken, and when somebody has it go on; then no turn ended.
        What is said meanwhile comes first: the answer then counts no more, and it is asked again after that turn.
        """
        ...


class Account(Protocol):
    """Bounds what the turns of a session may spend, where they work on somebody's account."""

    def share(self, session: Session) -> "TurnShare | None":
        """What the turn that begins may take; None where nothing bounds it."""
        ...

    def reserve(self, session: Session, *, model: str, asked: int, longest: int) -> int:
        """How long the reply to a request of so many tokens may be, so that both fit in what is left.

        `longest` is what it would be otherwise, and 0 leaves it to the service. Raises `OverBudget` where it may not be
        made. It is asked before every request, also for a summary or a title.
        """
        ...


class TurnShare(Value, frozen=True, kw_only=True):
    """What one turn may take."""

    steps: int = 0
    """Requests to the model; 0 leaves it to the settings."""
    seconds: float = 0.0
    """Wall-clock time; 0 is no bound."""
