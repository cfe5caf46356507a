"""The account of a goal: what it may still use, and what each request reserves of it before it is made.

A request reserves its input and its longest reply. Where that does not fit, the bound of the reply comes down to what
is left; where less than `LEAST_REPLY` is left for it, the request is not made.
"""

from holdfast.errors import OverBudget
from holdfast.model.prices import cost
from holdfast.records.parts import Usage, Value
from holdfast.session.goals import Goal
from holdfast.session.hooks import TurnShare
from holdfast.session.writer import Session

LEAST_REPLY = 1_024
"""Tokens: with fewer left for the reply, a request is not made."""
LAST = 2
"""So many of the last goal steps are for wrapping up, with half as many requests."""


class Remainder(Value, frozen=True, kw_only=True):
    """What is left of a goal's budgets; None where there is no bound."""

    tokens: int | None = None
    turns: int | None = None
    seconds: float | None = None
    cost: int | None = None

    @property
    def spent(self) -> str:
        """Which budget is used up; '' for none."""
        tokens = self.tokens is not None and self.tokens < LEAST_REPLY
        found = {
            "tokens": tokens,
            "goal steps": self.turns is not None and self.turns <= 0,
            "time": self.seconds is not None and self.seconds <= 0,
            "cost": self.cost is not None and self.cost <= 0,
        }
        return next((name for name, over in found.items() if over), "")


def remainder(goal: Goal) -> Remainder:
    """What is left of a goal's budgets."""
    return Remainder(
        tokens=None if goal.token_budget is None else goal.token_budget - goal.tokens,
        turns=None if goal.turn_budget is None else goal.turn_budget - goal.steps,
        seconds=None if goal.seconds_budget is None else goal.seconds_budget - goal.milliseconds / 1000,
        cost=None if goal.cost_budget is None else goal.cost_budget - goal.used.cost_micros,
    )


class GoalAccount:
    """Bounds what the steps of goals may spend: the `Account` of an agent."""

    def __init__(self, steps: int) -> None:
        """A turn takes so many requests as a rule; 0 is no bound."""
        self._steps = steps

    def share(self, session: Session) -> TurnShare | None:
        """What a goal step may take; None for a turn that a person began."""
        goal = _charged(session)
        if goal is None:
            return None
        left = remainder(goal)
        last = left.turns is not None and left.turns < LAST
        steps = max(1, self._steps // 2) if last and self._steps else 0
        return TurnShare(steps=steps, seconds=max(1.0, left.seconds) if left.seconds is not None else 0.0)

    def reserve(self, session: Session, *, model: str, asked: int, longest: int) -> int:
        """How long the reply may be. Raises `OverBudget` where the request does not fit any more."""
        goal = _charged(session)
        return longest if goal is None else reserved(goal, model=model, asked=asked, longest=longest)


def _charged(session: Session) -> Goal | None:
    goal = session.state.goal
    return goal if goal is not None and goal.stepping else None


def reserved(goal: Goal, *, model: str, asked: int, longest: int) -> int:
    """How long the reply to a request may be that a goal pays for. Raises `OverBudget`."""
    left = remainder(goal)
    bounds = [] if left.tokens is None else [left.tokens - asked]
    if left.cost is not None:
        bounds += _affordable(model, asked, left.cost)
    if not bounds:
        return longest
    room = min(bounds)
    if room < LEAST_REPLY:
        what = "tokens" if left.tokens is not None and left.tokens - asked < LEAST_REPLY else "cost"
        raise OverBudget(
            f"The goal's budget is used up: what is left of its {what} does not hold another request.",
            hint="`/goal budget +N` raises it, and the goal goes on.",
        )
    return min(room, longest) if longest else room


def _affordable(model: str, asked: int, micros: int) -> list[int]:
    """How many tokens of a reply can be paid, beside the request; nothing where the price is not known."""
    before = cost(model, Usage(input_tokens=asked))
    thousand = cost(model, Usage(output_tokens=1_000_000))
    if before is None or not thousand:
        return []
    return [max(0, micros - before) * 1_000_000 // thousand]
