"""Goals in the state of a session: what the agent works towards, and how far it is; pure.

A goal counts on the branch it was set on, as compactions and pins do, so each is kept with the positions of what
happened to it. Its account (what was spent, how much it may spend) and its status are those of all branches: what
was spent on a branch that was left stays spent, and a rewind lets nothing go on that a person stopped. A fork
carries goals paused.
"""

from datetime import UTC, datetime
from typing import Literal

from msgspec.structs import replace

from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import (
    Entry,
    GoalAmended,
    GoalEnded,
    GoalItem,
    GoalProgressed,
    GoalSet,
    GoalStatusChanged,
    GoalVerified,
    ModelReplied,
    TurnEnded,
    UserSaid,
    usage_of,
)
from holdfast.records.parts import Source, Text, Thinking, ToolCall, Usage, Value

NOTES = 8
"""How many of the newest steps towards a goal are remembered; who rewinds further finds the notes in the log."""
AMENDMENTS = 64
"""How many of the newest amendments are remembered."""
FILES = 500
"""How many files that were named in reports are remembered."""
ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)
"""When a session with an active goal is due: at any time, so whichever process may go on with it finds it."""

Status = Literal["active", "waiting", "paused", "blocked"]


class GoalStep(Value, frozen=True, kw_only=True):
    """The hand-off notes of one step towards a goal."""

    pos: Position
    notes: str
    verified: str = ""
    next_step: str = ""


class GoalAmendment(Value, frozen=True, kw_only=True):
    """What somebody added to a goal."""

    pos: Position
    text: str = ""
    check: str = ""
    without: str = ""
    by: Source | None = None


class GoalStatus(Value, frozen=True, kw_only=True):
    """Whether the agent goes on with a goal, and what it waits for."""

    pos: Position
    status: Status = "active"
    why: str = ""
    note: str = ""
    on: str = ""
    subject: str = ""
    until: datetime | None = None
    since: datetime | None = None


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
    """Whether the session is a fork of the one it was set in, and nobody resumed it here."""
    title: str = ""
    seconds_budget: int | None = None
    cost_budget: int | None = None
    """Millionths of a US dollar."""
    checks: tuple[str, ...] = ()
    """With those that were added, without those that were taken away."""
    items: tuple[GoalItem, ...] = ()
    amendments: tuple[GoalAmendment, ...] = ()
    files: tuple[str, ...] = ()
    """Files that reports named, oldest first."""
    status: GoalStatus | None = None
    """The newest change of it; None while it is as it was set."""
    steps: int = 0
    """Goal steps that were begun."""
    milliseconds: int = 0
    """How long goal steps took that ended."""
    stepping: bool = False
    """Whether the turn that runs is a goal step."""
    step_began: datetime | None = None
    """When the last goal step began."""
    failures: int = 0
    """Goal steps that failed, in a row."""
    crashes: int = 0
    """How often the goal step that runs was broken off by the end of its process."""
    refusals: int = 0
    """How often it was found not to be reached, since a person looked after it last."""
    verdict: str = ""
    """What the last verification said."""
    verdict_why: str = ""
    passed: tuple[str, ...] = ()
    """The checks that succeeded when they were run last."""
    since: datetime | None = None
    """When it was set."""

    @property
    def notes(self) -> str:
        """The newest hand-off notes."""
        return self.progress[-1].notes if self.progress else ""

    @property
    def doing(self) -> Status:
        """Whether the agent goes on with it."""
        if self.paused:
            return "paused"
        return "active" if self.status is None else self.status.status

    @property
    def tokens(self) -> int:
        """How many tokens it used."""
        return self.used.input_tokens + self.used.output_tokens

    @property
    def said(self) -> str:
        """What it is called in a line."""
        return self.title or " ".join(self.objective.split())


Goals = tuple[Goal, ...]
"""The goals of a session, on all of its branches."""


def new(record: Record, entry: GoalSet) -> Goal:
    """A goal that was just set."""
    return Goal(
        pos=record.pos,
        objective=entry.objective,
        title=entry.title,
        token_budget=entry.token_budget,
        turn_budget=entry.turn_budget,
        seconds_budget=entry.seconds_budget,
        cost_budget=entry.cost_budget,
        checks=entry.checks,
        items=entry.items,
        since=record.at,
    )


def paused(goals: Goals) -> Goals:
    """The goals of a fork: two sessions must not both work towards one."""
    return tuple(replace(goal, paused=True, stepping=False) for goal in goals)


def left(goals: Goals) -> Goals:
    """The goals after a rewind: no turn runs."""
    return tuple(replace(goal, stepping=False) for goal in goals)


def folded(goals: Goals, current: Goal | None, record: Record) -> Goals:
    """The goals after one more record; `current` is the one that counts where it is said."""
    if isinstance(record.entry, GoalSet):
        return (*goals, new(record, record.entry))
    if current is None:
        return goals
    return tuple(_after(goal, record) if goal.pos == current.pos else goal for goal in goals)


def _after(goal: Goal, record: Record) -> Goal:
    entry, pos = record.entry, record.pos
    spent = _charged(goal, entry)
    if spent is not None:
        goal = replace(goal, used=goal.used.plus(spent))
    match entry:
        case GoalAmended():
            return _amended(goal, pos, entry)
        case GoalStatusChanged():
            return _moved(goal, record, entry)
        case GoalProgressed():
            return _progressed(goal, pos, entry)
        case GoalVerified():
            refusals = goal.refusals + (entry.verdict == "not_met")
            passed = tuple(each.command for each in entry.checks if each.passed)
            return replace(goal, verdict=entry.verdict, verdict_why=entry.why, refusals=refusals, passed=passed)
        case GoalEnded():
            return replace(goal, ended=(*goal.ended, pos))
        case UserSaid():
            return _heard(goal, record, entry)
        case TurnEnded() if goal.stepping:
            failed = goal.failures + (not entry.retry_after) if entry.why == "failed" else 0
            took = goal.milliseconds + entry.milliseconds
            return replace(goal, stepping=False, failures=failed, crashes=0, milliseconds=took)
        case _:
            return goal


def _heard(goal: Goal, record: Record, entry: UserSaid) -> Goal:
    if entry.source is None or entry.source.host != "goal":
        if entry.source is not None and entry.source.is_engine:
            return goal
        status = goal.status
        if status is not None and status.status in {"waiting", "blocked"} and status.on == "message":
            status = GoalStatus(pos=record.pos, why="message", since=record.at)
        # A person who speaks looks after it: what counts in a row begins anew.
        return replace(goal, refusals=0, status=status)
    return replace(goal, steps=goal.steps + 1, stepping=True, step_began=record.at, crashes=0)


def _moved(goal: Goal, record: Record, entry: GoalStatusChanged) -> Goal:
    status = GoalStatus(
        pos=record.pos,
        status=entry.status,
        why=entry.why,
        note=entry.note,
        on=entry.on,
        subject=entry.subject,
        until=entry.until,
        since=record.at,
    )
    goal = replace(goal, status=status, paused=False, crashes=goal.crashes + (entry.why == "crashed"))
    looked_after = entry.status == "active" and entry.by is not None
    return replace(goal, failures=0, crashes=0, refusals=0) if looked_after else goal


def _progressed(goal: Goal, pos: Position, entry: GoalProgressed) -> Goal:
    step = GoalStep(pos=pos, notes=entry.notes, verified=entry.verified, next_step=entry.next_step)
    return replace(
        goal,
        progress=(*goal.progress, step)[-NOTES:],
        used=goal.used.plus(entry.usage or Usage()),
        files=tuple(dict.fromkeys((*goal.files, *entry.files)))[-FILES:],
    )


def _amended(goal: Goal, pos: Position, entry: GoalAmended) -> Goal:
    made = GoalAmendment(pos=pos, text=entry.text, check=entry.check, without=entry.without, by=entry.by)
    words = bool(entry.text or entry.check or entry.without)
    return replace(
        goal,
        amendments=(*goal.amendments, made)[-AMENDMENTS:] if words else goal.amendments,
        token_budget=_raised(goal.token_budget, entry.tokens),
        turn_budget=_raised(goal.turn_budget, entry.turns),
        seconds_budget=_raised(goal.seconds_budget, entry.seconds),
        cost_budget=_raised(goal.cost_budget, entry.cost),
    )


def _raised(bound: int | None, more: int) -> int | None:
    return None if bound is None else bound + more


def _charged(goal: Goal, entry: Entry) -> Usage | None:
    """What an entry costs the goal: replies of its steps, and what a model was asked besides."""
    if isinstance(entry, ModelReplied):
        return (entry.usage or _counted(entry)) if goal.stepping else None
    return usage_of(entry)


def _counted(reply: ModelReplied) -> Usage:
    """What a reply used whose service did not say, or that broke off, as far as we can count."""
    said = sum(_length(part) for part in reply.parts)
    return Usage(input_tokens=reply.asked_tokens, output_tokens=said // 3)


def _length(part: object) -> int:
    if isinstance(part, Text | Thinking):
        return len(part.text)
    return len(part.arguments) if isinstance(part, ToolCall) else 0


def on_branch(goal: Goal, on: "frozenset[Position]") -> Goal:
    """The goal with what was said of it on a branch only: `on` are the positions of that which belong to it."""
    amendments = tuple(each for each in goal.amendments if each.pos in on)
    checks = list(goal.checks)
    for each in amendments:
        checks = [check for check in checks if check != each.without]
        checks += [each.check] if each.check and each.check not in checks else []
    status = goal.status
    if status is not None and status.status == "waiting" and status.pos not in on:
        status = None  # nothing wakes it any more: it waited on a branch that was left
    return replace(
        goal,
        progress=tuple(each for each in goal.progress if each.pos in on),
        amendments=amendments,
        checks=tuple(checks),
        status=status,
        ended=(),
    )


def positions(goal: Goal) -> set[Position]:
    """Where all that is kept of a goal stands."""
    status = {goal.status.pos} if goal.status else set()
    return {each.pos for each in goal.progress} | {each.pos for each in goal.amendments} | status
