"""`complete_goal`: the claim that a goal is reached, and what becomes of it.

First the evidence, as the log has it; then the checks; then a verification by a separate request. Each may refuse, and
the agent goes on in the same turn. What could not be judged is tried again after a while, and never counts as reached.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Action, Ask, Output, ToolContext, ToolHelp, said
from holdfast.clock import Clock
from holdfast.errors import OverBudget, ToolFailed
from holdfast.goals.checks import Checks
from holdfast.goals.evidence import Evidence, gathered
from holdfast.goals.goal_settings import GoalSettings
from holdfast.goals.results import sorted_results
from holdfast.goals.verify import Claim, Judgement
from holdfast.records.codec import Record
from holdfast.records.entries import CheckRun, Delivered, Entry, FileChanged, GoalEnded, GoalStatusChanged, GoalVerified
from holdfast.records.parts import Text
from holdfast.session.goals import Goal
from holdfast.session.state import on_path

RECENT = 400
"""So many entries back results are listed."""
WAITS = (2.0, 10.0)
"""Seconds between the attempts of a verification, after which a person is asked."""
MOST_REFUSALS = 3
FILES = 200
NO_GOAL = ("There is no goal.",)

Judge = Callable[[Goal, Claim, ToolContext], Awaitable[Judgement]]
Load = Callable[[ToolContext, int, int | None], Awaitable[list[Record]]]
"""Records of the caller's session, from a position up to, not including, another one."""


class GoalParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the tools of goals are made with."""

    settings: GoalSettings
    checks: Checks
    judge: Judge
    load: Load
    clock: Clock


class GoalCall:
    """A call that was understood."""

    def __init__(self, ask: Ask, do: Callable[[], Awaitable[Output]]) -> None:
        """Take what it would do, and how."""
        self.ask, self._do = ask, do

    async def run(self) -> Output:
        """Do it."""
        return await self._do()


class _Complete(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    recap: Annotated[
        str, Meta(min_length=1, max_length=16_000, description="What was reached; the person is told this.")
    ]
    evidence: Annotated[
        tuple[int, ...],
        Meta(description="Positions of results of tools that show it, as report_progress lists them: 41 for @41."),
    ] = ()


class CompleteGoal:
    """Claims that the goal is reached."""

    spec = spec_of(
        "complete_goal",
        "Claim that the goal is reached. Its checks are run and somebody else looks at it; then the recap is given to"
        " the person.",
        _Complete,
    )
    help = ToolHelp(
        limits=("Evidence counts from this branch, since the goal was set, about files that were not changed since.",),
        errors=(*NO_GOAL, "Evidence is missing or refused, a check fails, or something is missing."),
    )
    seconds = float("inf")

    def __init__(self, parts: GoalParts) -> None:
        """Take what checks and judges."""
        self._parts = parts

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse the claim, and look at the evidence."""
        call = parsed(arguments, _Complete)
        goal = goal_here(context)
        ask = Ask(tool="complete_goal", subjects=(), title="see whether the goal is reached", reads_only=True)
        return GoalCall(ask, partial(self._claimed, call, goal, context))

    async def _claimed(self, call: _Complete, goal: Goal, context: ToolContext) -> Output:
        evidence = await self._evidence(call, goal, context)
        commands = (*goal.checks, *(each.check for each in goal.items if each.check))
        runs, wrote = await self._parts.checks.run(tuple(dict.fromkeys(commands)), context)
        named = tuple(each.pos for each in evidence)
        failed = [run for run in runs if not run.passed]
        if failed:
            why = f"The check `{failed[0].command}` failed: {failed[0].note}"
            refused = GoalVerified(verdict="not_met", why=why, evidence=named, checks=runs)
            return await self._refused(refused, goal, context, wrote)
        claim = await self._claim(evidence, runs, goal, context)
        try:
            verified = await self._verified(claim, goal, context)
        except OverBudget as error:
            await context.write(GoalStatusChanged(status="paused", why="budget", note=str(error)))
            return said(str(error), ok=False, ends=True)
        return await self._judged(verified, call.recap, goal, context)

    async def _verified(self, claim: Claim, goal: Goal, context: ToolContext) -> GoalVerified:
        """What the verification says; what cannot be judged is tried again after a while."""
        waits = iter(WAITS)
        while True:
            judgement = await self._parts.judge(context.state.goal or goal, claim, context)
            verified = GoalVerified(
                verdict=judgement.verdict,
                why=judgement.why,
                evidence=tuple(each.pos for each in claim.evidence),
                checks=claim.checks,
                usage=judgement.usage,
            )
            wait = next(waits, None)
            if judgement.verdict != "unjudged" or wait is None:
                return verified
            await context.write(verified)
            await self._parts.clock.sleep(wait)

    async def _evidence(self, call: _Complete, goal: Goal, context: ToolContext) -> tuple[Evidence, ...]:
        try:
            found = await gathered(context.state, goal, call.evidence, partial(self._parts.load, context))
        except ToolFailed as error:
            lines = await results_of(self._parts.load, context)
            raise ToolFailed(error.message, hint=f"{error.hint} Results by position:\n{lines}".strip()) from error
        return found

    async def _claim(
        self, evidence: tuple[Evidence, ...], runs: tuple[CheckRun, ...], goal: Goal, context: ToolContext
    ) -> Claim:
        changed = dict.fromkeys(goal.files)
        state = context.state
        start = max(goal.pos + 1, state.head - 10 * RECENT)
        for record in await self._parts.load(context, start, None):
            if isinstance(record.entry, FileChanged) and on_path(record.pos, state.path):
                changed[record.entry.path] = None
        named = [path for path in changed if any(path in run.command for run in runs)]
        notes = [
            f"The agent changed {path}, which a check names: look whether the check still checks." for path in named
        ]
        return Claim(evidence=evidence, checks=runs, files=tuple(changed)[-FILES:], notes=tuple(notes))

    async def _judged(self, verified: GoalVerified, recap: str, goal: Goal, context: ToolContext) -> Output:
        now = context.state.goal
        if verified.verdict == "met" and (now is None or now.amendments != goal.amendments):
            why = "The goal was changed while it was looked at: read what is wanted now, and claim again."
            await context.write(replace(verified, verdict="unjudged", why=why))
            return said(why, ok=False)
        if verified.verdict == "met":
            ended = GoalEnded(verdict="reached", notes=verified.why)
            await context.write(verified, ended, Delivered(parts=(Text(text=recap),)))
            return said("The goal is reached; the person was given the recap.", ends=True)
        if verified.verdict == "impossible":
            note = f"It was found to be impossible: {verified.why} Amend it with `/goal edit`, or end it."
            await context.write(
                verified, GoalStatusChanged(status="blocked", why="impossible", note=note, on="message")
            )
            return said(note, ok=False, ends=True)
        if verified.verdict == "unjudged":
            note = f"Nobody could judge whether it is reached, {len(WAITS) + 1} times: {verified.why}"
            await context.write(verified, GoalStatusChanged(status="paused", why="unjudged", note=note))
            return said(f"{note} A person is asked.", ok=False, ends=True)
        return await self._refused(verified, goal, context, "")

    async def _refused(self, verified: GoalVerified, goal: Goal, context: ToolContext, wrote: str) -> Output:
        facts: list[Entry] = [verified]
        over = goal.refusals + 1 >= MOST_REFUSALS
        if over:
            note = f"It was found not to be reached {MOST_REFUSALS} times. The last time: {verified.why}"
            facts.append(GoalStatusChanged(status="paused", why="refused", note=note))
        await context.write(*facts)
        return said(f"The goal is not reached. {verified.why}\n{wrote}".strip(), ok=False, ends=over)


def goal_here(context: ToolContext) -> Goal:
    """The goal of the caller's session. Raises `ToolFailed` where there is none."""
    goal = context.state.goal
    if goal is None:
        raise ToolFailed("There is no goal here.", hint="Answer the person; only a person can ask for a goal.")
    return goal


async def results_of(load: Load, context: ToolContext) -> str:
    """The newest results that can be evidence, one a line with its position."""
    goal, state = goal_here(context), context.state
    records = await load(context, max(goal.pos + 1, state.head - RECENT), None)
    return sorted_results([each for each in records if on_path(each.pos, state.path)]).lines(evidence=True)
