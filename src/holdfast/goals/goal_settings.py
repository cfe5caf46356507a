"""The budgets that a goal has unless somebody says otherwise, and how it is checked."""

from holdfast.errors import BadInput
from holdfast.records.parts import Value

LONGEST_OBJECTIVE = 4_000
"""Characters of an objective, and of an amendment."""
LONGEST_TITLE = 80
MOST_CHECKS = 20
LONGEST_CHECK = 590.0
"""Seconds: as long as a command of the shell may take."""


class GoalSettings(Value, frozen=True, kw_only=True):
    """What a goal may use, and how it is checked; each goal can have budgets of its own."""

    tokens: int = 2_000_000
    """How many tokens a goal may use, all requests and replies together; 0 is no bound."""
    turns: int = 100
    """How many goal steps it may take; each is one turn. 0 is no bound."""
    hours: float = 8.0
    """How long it may work; waiting is not counted. 0 is no bound."""
    cost: float = 0.0
    """US dollars that it may cost, where the price of the model is known; 0 is no bound."""
    check_seconds: float = 120.0
    """How long each check may run before it counts as failed."""
    verifier_model: str = ""
    """The model that judges whether a goal is reached; without it the one of the session."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("tokens", "turns", "hours", "cost"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise BadInput(f"`{name}` is {getattr(self, name)}.", hint="Give 0 for no bound, or more.")
        if not 0 < self.check_seconds <= LONGEST_CHECK:
            raise BadInput(f"`check_seconds` is {self.check_seconds}.", hint="Give seconds above 0, up to 590.")
