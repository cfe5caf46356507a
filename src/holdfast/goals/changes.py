"""What a person can have done with a goal, as facts to append: set, amend, check, raise a budget, pause, resume, end.

Each refuses what cannot be meant, with what to do, and then nothing is changed.
"""

from holdfast.errors import AlreadyThere, BadInput, NotThere
from holdfast.goals.goal_settings import LONGEST_OBJECTIVE, LONGEST_TITLE, MOST_CHECKS, GoalSettings
from holdfast.records.entries import Entry, GoalAmended, GoalEnded, GoalSet, GoalStatusChanged
from holdfast.records.parts import Source
from holdfast.session.goals import Goal
from holdfast.session.state import SessionState

MOST_AMOUNT = 1e12


def goal_of(state: SessionState) -> Goal:
    """The goal that counts. Raises `NotThere` where there is none."""
    goal = state.goal
    if goal is None:
        raise NotThere("There is no goal here.", hint="`/goal OBJECTIVE` sets one.")
    return goal


def checked_objective(text: str) -> str:
    """An objective or an amendment. Raises `BadInput` for one that is empty or too long."""
    text = text.strip()
    if not text:
        raise BadInput("The objective is empty.", hint="Say what is to be reached: `/goal OBJECTIVE`.")
    if len(text) > LONGEST_OBJECTIVE:
        raise BadInput(
            f"This has {len(text):,} characters, and a goal takes {LONGEST_OBJECTIVE:,}.",
            hint="Write the details to a file of the workspace, and name the file in the objective.",
        )
    return text


def set_goal(
    state: SessionState,
    objective: str,
    settings: GoalSettings,
    *,
    by: Source | None,
    given: GoalSet | None = None,
    replacing: bool = False,
) -> tuple[Entry, ...]:
    """Set a goal; `given` has checks, items, a title and budgets of its own.

    The objective that counts already, again, changes nothing. Raises `AlreadyThere` for another one unless it is to be
    replaced.
    """
    objective = checked_objective(objective)
    current, given = state.goal, given or GoalSet(objective=objective)
    if current is not None and current.objective == objective:
        return ()
    if current is not None and not replacing:
        raise AlreadyThere(
            f"There is a goal already: {current.said[:80]}",
            hint="`/goal edit TEXT` adds to it, `/goal OBJECTIVE --replace` begins another one.",
        )
    for check in given.checks:
        _must_be_check(check)
    ended: tuple[Entry, ...] = (GoalEnded(verdict="stopped", notes="replaced"),) if current is not None else ()
    new = GoalSet(
        objective=objective,
        title=" ".join(given.title.split())[:LONGEST_TITLE],
        token_budget=given.token_budget or settings.tokens or None,
        turn_budget=given.turn_budget or settings.turns or None,
        seconds_budget=given.seconds_budget or round(settings.hours * 3600) or None,
        cost_budget=given.cost_budget or round(settings.cost * 1_000_000) or None,
        checks=given.checks[:MOST_CHECKS],
        items=given.items,
        by=by,
    )
    return (*ended, new)


def amended(state: SessionState, text: str, *, by: Source | None) -> tuple[Entry, ...]:
    """Add to what is wanted; the objective stays as it was."""
    goal_of(state)
    return (GoalAmended(text=checked_objective(text), by=by),)


def with_check(state: SessionState, command: str, *, by: Source | None) -> tuple[Entry, ...]:
    """Add a command that must succeed before the goal counts as reached; `-N` takes one away."""
    goal, command = goal_of(state), command.strip()
    if command.startswith("-") and command[1:].isdecimal():
        number = int(command[1:])
        if not 1 <= number <= len(goal.checks):
            raise BadInput(f"There is no check {number}.", hint=f"There are {len(goal.checks)}; /goal lists them.")
        return (GoalAmended(without=goal.checks[number - 1], by=by),)
    _must_be_check(command)
    if len(goal.checks) >= MOST_CHECKS:
        raise BadInput(f"A goal takes {MOST_CHECKS} checks.", hint="Put several into one script.")
    return () if command in goal.checks else (GoalAmended(check=command, by=by),)


def _must_be_check(command: str) -> None:
    if not command.strip() or "\0" in command or len(command) > LONGEST_OBJECTIVE:
        raise BadInput("A check is a shell command.", hint="Such as `/goal check make test`.")


def warning(command: str) -> str:
    """Why a check may never fail; '' where nothing speaks for it."""
    text = command.strip()
    last = text.replace("||", "\n").replace("&&", "\n").replace(";", "\n").split("\n")[-1]
    if "|" in last and "pipefail" not in text:
        return "A pipe ends as its last command does, so this check may never fail. Write `set -o pipefail;` first."
    if last.strip() in {"true", ":", "exit 0"} or last.strip().startswith("echo "):
        return "This check cannot fail: its last command always succeeds."
    return ""


def with_budget(state: SessionState, words: str, *, by: Source | None) -> tuple[Entry, ...]:
    """Raise a budget: `+500000` tokens, `+20 steps`, `+2h` of work, `+$5`. Raises `BadInput` for anything else."""
    goal = goal_of(state)
    amount, unit = _amount(words)
    if unit == "tokens":
        return (GoalAmended(tokens=_bounded(goal.token_budget, "tokens") and round(amount), by=by),)
    if unit == "steps":
        return (GoalAmended(turns=_bounded(goal.turn_budget, "steps") and round(amount), by=by),)
    if unit == "hours":
        return (GoalAmended(seconds=_bounded(goal.seconds_budget, "hours") and round(amount * 3600), by=by),)
    return (GoalAmended(cost=_bounded(goal.cost_budget, "cost") and round(amount * 1_000_000), by=by),)


def _bounded(bound: int | None, name: str) -> bool:
    if bound is None:
        raise BadInput(f"This goal has no bound for its {name}.", hint="There is nothing to raise.")
    return True


_ENDINGS = (("tokens", "tokens"), ("steps", "steps"), ("step", "steps"), ("hours", "hours"), ("h", "hours"))


def _amount(words: str) -> tuple[float, str]:
    text = words.strip().lower().removeprefix("+").strip()
    unit = "tokens"
    for ending, name in (
        ("tokens", "tokens"),
        ("steps", "steps"),
        ("step", "steps"),
        ("hours", "hours"),
        ("h", "hours"),
    ):
        if text.endswith(ending):
            text, unit = text.removesuffix(ending).strip(), name
            break
    if text.startswith("$"):
        text, unit = text[1:].strip(), "cost"
    scale = {"k": 1_000, "m": 1_000_000}.get(text[-1:], 1)
    number = text[:-1] if scale > 1 else text
    try:
        amount = float(number.replace(",", "").replace("_", "")) * scale
    except ValueError:
        amount = 0.0
    if not 0 < amount < MOST_AMOUNT:
        raise BadInput(
            f"{words.strip()!r} is no amount that a budget can grow by.",
            hint="Write `+500000` for tokens, `+20 steps`, `+2h` or `+$5`.",
        )
    return amount, unit


def paused(state: SessionState, *, by: Source | None, why: str = "user") -> tuple[Entry, ...]:
    """Go on with the goal no more until it is resumed; nothing where it is paused already."""
    goal = goal_of(state)
    if goal.doing == "paused" and not goal.paused:
        return ()
    return (GoalStatusChanged(status="paused", why=why, note="paused by the person", by=by),)


def resumed(state: SessionState, *, by: Source) -> tuple[Entry, ...]:
    """Go on with the goal."""
    goal_of(state)
    return (GoalStatusChanged(status="active", why="user", note="resumed", by=by),)


def cancelled(state: SessionState, *, note: str = "") -> tuple[Entry, ...]:
    """End the goal, whatever came of it."""
    goal_of(state)
    return (GoalEnded(verdict="stopped", notes=note or "cancelled by the person"),)
