"""What may be done around a turn by others than the agent: memory, titles, goals.

They name types of a session and below only, so what implements them need not know of an agent. They run after the end
of the turn is durable, hold up nobody who speaks, and what fails in them is told and ends nothing.
"""

from datetime import datetime
from typing import Protocol, TypeAlias

from holdfast.records.entries import TurnEnded, UserSaid
from holdfast.records.parts import Value
from holdfast.session.writer import Session


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


class WaitUntil(Value, frozen=True, kw_only=True):
    """The session is woken then, and what comes next is asked for again."""

    at: datetime
    why: str = ""


Next: TypeAlias = AnotherStep | WaitUntil | None
"""What comes after a turn; None for nothing."""


class NextStep(Protocol):
    """Says what comes after a turn, where somebody works towards something."""

    async def next_step(self, session: Session, ended: TurnEnded | None) -> Next:
        """What comes now that nothing is left to answer.

        It is asked after each turn, when the session is woken, and when somebody has it go on; then no turn ended.
        What is said meanwhile comes first: the answer then counts no more, and it is asked again after that turn.
        """
        ...
