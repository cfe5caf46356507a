"""What hosts show of a goal: a bounded value, made of the state of the session alone."""

from datetime import datetime

from holdfast.goals.account import remainder
from holdfast.goals.text import clipped
from holdfast.records.parts import Value
from holdfast.session.state import SessionState

OBJECTIVE = 500
REPORT = 500
LISTED = 20


class GoalState(Value, frozen=True, kw_only=True):
    """A goal as hosts show it."""

    position: int
    """Where it was set."""
    title: str
    objective: str
    """Its first words."""
    status: str
    """active, waiting, paused or blocked."""
    why: str = ""
    """In one word, as in the log."""
    reason: str = ""
    """The same in words."""
    waits_until: datetime | None = None
    step: int = 0
    """The goal step that runs, or the last one."""
    running: bool = False
    """Whether a goal step runs now."""
    started: datetime | None = None
    """When the last goal step began."""
    since: datetime | None = None
    """When the goal was set."""
    report: str = ""
    """The first words of the last report."""
    next_step: str = ""
    checks: tuple[str, ...] = ()
    items: int = 0
    items_met: int = 0
    verdict: str = ""
    verdict_why: str = ""
    tokens: int = 0
    cost_micros: int = 0
    seconds: float = 0.0
    """How long it worked."""
    tokens_left: int | None = None
    steps_left: int | None = None
    seconds_left: float | None = None
    cost_left_micros: int | None = None
    """What is left of its budgets; null where there is no bound."""


def goal_state(state: SessionState) -> GoalState | None:
    """The goal of a session as hosts show it; None where there is none."""
    goal = state.goal
    if goal is None:
        return None
    left, status = remainder(goal), goal.status
    return GoalState(
        position=goal.pos,
        title=clipped(goal.said, 80),
        objective=clipped(goal.objective, OBJECTIVE),
        status=goal.doing,
        why="fork" if goal.paused else status.why if status else "",
        reason="the session is a fork" if goal.paused else clipped(status.note, REPORT) if status else "",
        waits_until=status.until if status and goal.doing == "waiting" else None,
        step=goal.steps,
        running=goal.stepping,
        started=goal.step_began,
        since=goal.since,
        report=clipped(goal.notes, REPORT),
        next_step=clipped(goal.progress[-1].next_step, REPORT) if goal.progress else "",
        checks=tuple(clipped(each, 200) for each in goal.checks[:LISTED]),
        items=len(goal.items),
        items_met=sum(bool(each.check) and each.check in goal.passed for each in goal.items),
        verdict=goal.verdict,
        verdict_why=clipped(goal.verdict_why, REPORT),
        tokens=goal.tokens,
        cost_micros=goal.used.cost_micros,
        seconds=goal.milliseconds / 1000,
        tokens_left=left.tokens,
        steps_left=left.turns,
        seconds_left=left.seconds,
        cost_left_micros=left.cost,
    )
