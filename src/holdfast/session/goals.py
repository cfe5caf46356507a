"""Goals in the state of a session: what the agent works towards, pure.

A goal counts on the branch it was set on, as compactions and pins do, so each is kept with the positions of
what happened to it. A fork carries goals paused.
"""

import msgspec

from holdfast.ids import Position
from holdfast.records.entries import GoalProgressed, GoalSet
from holdfast.records.parts import Usage, Value

NOTES = 8
"""How many of the newest steps towards a goal are remembered; who rewinds further finds the notes in the log."""


class GoalStep(Value, frozen=True, kw_only=True):
    """The hand-off notes of one step towards a goal."""

    pos: Position
    notes: str


class Goal(Value, frozen=True, kw_only=True):
    """What the agent works towards. It counts on the branch it was set on."""

    pos: Position
    objective: str
    token_budget: int | None = None
    turn_budget: int | None = None
    progress: tuple[GoalStep, ...] = ()
    """The newest steps, on whatever branch."""
    used: Usage = Usage()
    """On all branches: what was spent on a branch that was left stays spent."""
    ended: tuple[Position, ...] = ()
    """Where it was ended, on whatever branch."""
    paused: bool = False
    """Whether the session is a fork of the one it was set in."""

    @property
    def notes(self) -> str:
        """The newest hand-off notes."""
        return self.progress[-1].notes if self.progress else ""


Goals = tuple[Goal, ...]
"""The goals of a session, on all of its branches."""


def new(pos: Position, entry: GoalSet) -> Goal:
    """A goal that was just set."""
    return Goal(pos=pos, objective=entry.objective, token_budget=entry.token_budget, turn_budget=entry.turn_budget)


def paused(goals: Goals) -> Goals:
    """The goals of a fork: two sessions must not both work towards one."""
    return tuple(msgspec.structs.replace(goal, paused=True) for goal in goals)


def progressed(goals: Goals, current: Goal | None, pos: Position, entry: GoalProgressed) -> Goals:
    """The goals after a step towards the one that counts here; without one, the step belongs to nothing."""
    return tuple(
        msgspec.structs.replace(
            goal,
            progress=(*goal.progress, GoalStep(pos=pos, notes=entry.notes))[-NOTES:],
            used=goal.used.plus(entry.usage or Usage()),
        )
        if current is not None and goal.pos == current.pos
        else goal
        for goal in goals
    )


def ended(goals: Goals, current: Goal | None, pos: Position) -> Goals:
    """The goals after the one that counts here was ended."""
    return tuple(
        msgspec.structs.replace(goal, ended=(*goal.ended, pos))
        if current is not None and goal.pos == current.pos
        else goal
        for goal in goals
    )
