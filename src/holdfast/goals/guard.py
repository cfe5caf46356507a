"""The guard: goal steps in which nothing comes of the work pause the goal.

A step counts as work if a tool gave something new in it: a result that no other recent call of that tool gave, and
that is no failure. Tools that keep goals and lists of things to do say nothing about the work. A repeat that itself
took a while (a poll that waits, a long build) is no stall.
"""

from holdfast.goals.results import NO_EVIDENCE, Result, StepResults

IDLE_STEPS = 3
"""So many goal steps without work pause the goal."""
PATIENT_MS = 30_000
"""A repeat that took so long waited by itself."""
USE_WAIT = "You repeat yourself. If you wait for something, call wait_for: it costs nothing until it happens."


def idle_steps(looked: StepResults) -> int:
    """How many of the last goal steps, in a row, came to nothing."""
    known = {each.known_by for each in looked.between}
    idle = 0
    for step in looked.steps:
        idle = 0 if any(_is_work(each, known) for each in step) else idle + 1
        known |= {each.known_by for each in step}
    return min(idle, looked.unattended)


def _is_work(result: Result, known: set[str]) -> bool:
    if result.name in NO_EVIDENCE or not result.ok:
        return False
    return result.known_by not in known or result.milliseconds >= PATIENT_MS


def why(looked: StepResults) -> str:
    """What the goal is paused for, in words."""
    last = [each for step in looked.steps[-IDLE_STEPS:] for each in step if each.name not in NO_EVIDENCE]
    if not last:
        how = "no tool did anything"
    elif all(not each.ok for each in last):
        how = f"every call failed, the last one with: {last[-1].text[:200]}"
    else:
        how = f"{last[-1].name} gave the same result again"
    return f"Nothing came of the last {IDLE_STEPS} goal steps: {how}."
