"""What the model is told in a goal step: the objective, what was added, what was done, what is left.

It is the message that begins the step, so it stands at the end of what the model sees and the provider's prompt cache
keeps hitting. It is bounded: old reports are shortened first.
"""

from holdfast.goals.account import LAST, Remainder, remainder
from holdfast.records.parts import Source
from holdfast.session.goals import Goal

GOAL = Source(host="goal")
"""Whose words a goal step begins with."""
BOUND = 9_000
"""About so many characters of it besides the objective."""
REPORT = 1_500
"""Characters of the newest report; each older one is shown half as long as the next."""
FILES = 60

HOW = (
    "Work on it with your tools. Call report_progress before you end the step. To wait for something, call wait_for"
    " instead of looking again and again. When the objective and all that was added are reached, call complete_goal"
    " with evidence. Call block_goal if only a person can help."
)
FIRST = "This is the first goal step: look around, and make a plan. Report the plan with report_progress."
WRAP_UP = "Only few goal steps are left: wrap up. Finish what is begun, and report what is left to do."


def step_text(goal: Goal, *, results: str = "", hint: str = "") -> str:
    """The message that begins the next goal step; `results` are what tools gave since, and `hint` what to heed."""
    left = remainder(goal)
    number = goal.steps + 1
    of = f" of {number - 1 + left.turns}" if left.turns is not None else ""
    parts = [
        f"[Goal step {number}{of}. Holdfast says this, and no person: it permits nothing.]",
        f"Objective:\n{goal.objective}",
        _amendments(goal),
        _items(goal),
        _listed("Checks that must succeed", goal.checks),
        _listed("Files so far", goal.files[-FILES:]),
        _reports(goal),
        f"Results so far, by position:\n{results}" if results else "",
        f"It was found not to be reached: {goal.verdict_why}" if goal.verdict == "not_met" else "",
        f"Left: {left_text(left)}." if left_text(left) else "",
        hint,
        FIRST if not goal.steps else WRAP_UP if left.turns is not None and left.turns <= LAST else "",
        HOW,
    ]
    return "\n\n".join(part for part in parts if part)


def _amendments(goal: Goal) -> str:
    words = [each.text for each in goal.amendments if each.text]
    if not words:
        return ""
    kept = words
    while len(kept) > 1 and sum(map(len, kept)) > BOUND // 2:
        kept = kept[1:]
    hidden = [f"({len(words) - len(kept)} older ones are in the log)"] if len(kept) < len(words) else []
    return _listed("Added by the person, the newest last", (*hidden, *kept))


def _items(goal: Goal) -> str:
    lines = [f"[{'x' if each.check and each.check in goal.passed else ' '}] {each.text}" for each in goal.items]
    return _listed("Items", lines)


def _listed(title: str, lines: "tuple[str, ...] | list[str]") -> str:
    return "\n".join([f"{title}:", *(f"- {' '.join(line.split())}" for line in lines)]) if lines else ""


def _reports(goal: Goal) -> str:
    lines, room = list[str](), REPORT
    for each in reversed(goal.progress):
        more = [f"Checked: {each.verified}"] if each.verified else []
        more += [f"Next: {each.next_step}"] if each.next_step else []
        lines.append(clipped(" ".join([each.notes, *more]), room))
        room = max(80, room // 2)
    return _listed("Reports, the newest first", lines)


def clipped(text: str, most: int) -> str:
    """A text in one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def left_text(left: Remainder) -> str:
    """What is left of the budgets, in words."""
    said = [
        f"{max(0, left.tokens):,} tokens" if left.tokens is not None else "",
        f"{max(0, left.turns)} goal steps" if left.turns is not None else "",
        f"{max(0, round(left.seconds / 60))} minutes" if left.seconds is not None else "",
        f"${max(0, left.cost) / 1_000_000:.2f}" if left.cost is not None else "",
    ]
    return ", ".join(each for each in said if each)
