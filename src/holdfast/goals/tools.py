"""The tools of the agent that are about its goal: set it, report, wait, claim that it is reached, ask a person.

`set_goal` works only in a turn that a person's words began, and asks for permission: nothing that was read can give the
agent a goal.
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Action, Ask, Output, Tool, ToolContext, ToolHelp, said
from holdfast.clock import at_time
from holdfast.errors import AlreadyThere, BadInput, ToolFailed
from holdfast.goals.changes import set_goal
from holdfast.goals.complete import NO_GOAL, CompleteGoal, GoalCall, GoalParts, goal_here, results_of
from holdfast.goals.goal_settings import LONGEST_OBJECTIVE
from holdfast.goals.text import clipped
from holdfast.records.entries import Delivered, Entry, GoalProgressed, GoalSet, GoalStatusChanged, WakeSet
from holdfast.records.parts import Source, Text

AGENT = Source(host="agent")
LONG = 4_000
MOST_DAYS = 366


class _SetGoal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    objective: Annotated[
        str,
        Meta(min_length=1, max_length=LONGEST_OBJECTIVE, description="What is to be reached, in the person's words."),
    ]
    title: Annotated[str, Meta(max_length=80, description="The same in a few words.")] = ""


class _Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    done: Annotated[str, Meta(min_length=1, max_length=LONG, description="What was done in this goal step.")]
    files: Annotated[
        tuple[str, ...], Meta(max_length=200, description="Files that were made or changed, by their paths.")
    ] = ()
    verified: Annotated[str, Meta(max_length=LONG, description="How you checked it.")] = ""
    next_step: Annotated[str, Meta(max_length=LONG, description="What is to be done next.")] = ""


class _Wait(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    on: Annotated[
        Literal["time", "command", "file", "message"],
        Meta(description="A time; the end of a command in the background; a change of a file; words of the person."),
    ]
    subject: Annotated[
        str, Meta(max_length=1_000, description="The name of the command (job-1), or the path of the file.")
    ] = ""
    seconds: Annotated[
        float, Meta(ge=0, description="For a time: how long to wait. Otherwise: how long at most; 0 is no bound.")
    ] = 0.0
    until: Annotated[str, Meta(description="For a time: when, in ISO 8601 with a zone, instead of seconds.")] = ""
    note: Annotated[str, Meta(max_length=LONG, description="What you wait for, and what to do then.")] = ""


class _Block(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    needs: Annotated[str, Meta(min_length=1, max_length=LONG, description="What you need from the person.")]


def goal_tools(parts: GoalParts) -> tuple[Tool, ...]:
    """The tools of goals."""
    return (SetGoal(parts), ReportProgress(parts), WaitFor(parts), CompleteGoal(parts), BlockGoal())


def _free(tool: str, title: str) -> Ask:
    """What needs no permission: it changes nothing but the goal's own record."""
    return Ask(tool=tool, subjects=(), title=title, reads_only=True)


class SetGoal:
    """Gives the agent a goal that the person asked for."""

    spec = spec_of(
        "set_goal",
        "Give yourself a goal to work on over many turns, until it is reached. Only if the person asked for that in"
        " this turn; the person is asked to allow it.",
        _SetGoal,
    )
    help = ToolHelp(
        limits=("Only in a turn that a person's words began, one goal at a time.",),
        errors=("A person did not begin this turn, or there is another goal.",),
    )
    seconds = 30.0

    def __init__(self, parts: GoalParts) -> None:
        """Take the budgets that a goal has."""
        self._parts = parts

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse the call; it is refused in a turn that no person began."""
        call = parsed(arguments, _SetGoal)
        if not context.state.by_person:
            raise ToolFailed("Only a person can ask for a goal, and no person began this turn.", hint="Go on without.")
        try:
            facts = set_goal(
                context.state,
                call.objective,
                self._parts.settings,
                by=AGENT,
                given=GoalSet(objective=call.objective, title=call.title),
            )
        except BadInput as error:
            raise ToolFailed(error.message) from error
        except AlreadyThere as error:
            raise ToolFailed(error.message, hint="The person can replace it with /goal.") from error
        if not facts:
            return GoalCall(_free("set_goal", "the goal is set already"), _nothing)
        ask = Ask(
            tool="set_goal",
            subjects=(call.objective,),
            title=f"work on a goal until it is reached: {clipped(call.objective, 80)}",
            detail=call.objective,
        )
        return GoalCall(ask, partial(_set, facts, context))


async def _nothing() -> Output:
    return said("That is the goal already; nothing was changed.")


async def _set(facts: tuple[Entry, ...], context: ToolContext) -> Output:
    await context.write(*facts)
    return said("The goal is set. End this turn with a word to the person: goal steps begin by themselves.")


class ReportProgress:
    """Keeps what was done for the next goal step."""

    spec = spec_of(
        "report_progress",
        "Report what was done for the goal, so that the next goal step knows. It gives back the results that can be"
        " evidence, with their positions.",
        _Report,
    )
    help = ToolHelp(limits=("It is kept in the log; the newest reports are shown in each goal step.",), errors=NO_GOAL)
    seconds = 30.0

    def __init__(self, parts: GoalParts) -> None:
        """Take what reads the session."""
        self._parts = parts

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse the report."""
        call = parsed(arguments, _Report)
        goal_here(context)
        ask = _free("report_progress", f"report: {clipped(call.done, 80)}")
        return GoalCall(ask, partial(self._report, call, context))

    async def _report(self, call: _Report, context: ToolContext) -> Output:
        await context.write(
            GoalProgressed(notes=call.done, files=call.files, verified=call.verified, next_step=call.next_step)
        )
        lines = await results_of(self._parts.load, context)
        return said(f"Reported.\nResults that can be evidence:\n{lines}" if lines else "Reported.")


class WaitFor:
    """Ends a goal step until something happens."""

    spec = spec_of(
        "wait_for",
        "Wait for something, and end the goal step: nothing is done and nothing costs until it happens.",
        _Wait,
    )
    help = ToolHelp(
        limits=(
            f"Up to {MOST_DAYS} days.",
            "A command in the background ends with the agent; that is told as its end.",
        ),
        errors=(*NO_GOAL, "The time is in the past or cannot be read, or no subject is named."),
    )
    seconds = 30.0

    def __init__(self, parts: GoalParts) -> None:
        """Take the clock."""
        self._clock = parts.clock

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse the call, and find the time."""
        call = parsed(arguments, _Wait)
        goal_here(context)
        if call.on in {"command", "file"} and not call.subject.strip():
            raise ToolFailed("It is not said what to wait for.", hint="Name the command or the path as `subject`.")
        until = self._until(call)
        if call.on == "time" and until is None:
            raise ToolFailed("It is not said until when.", hint="Give `seconds`, or `until` as 2026-11-20T08:00:00Z.")
        what = call.subject or (f"{until:%Y-%m-%d %H:%M} UTC" if until else call.on)
        ask = _free("wait_for", f"wait for {clipped(what, 80)}")
        return GoalCall(ask, partial(_waited, call, until, context))

    def _until(self, call: _Wait) -> datetime | None:
        now = at_time(self._clock.now_ns())
        if call.until:
            try:
                until = datetime.fromisoformat(call.until)
            except ValueError as error:
                raise ToolFailed(f"{call.until!r} is no time.", hint="Write it as 2026-11-20T08:00:00Z.") from error
            if until.tzinfo is None:
                raise ToolFailed(f"{call.until!r} has no zone.", hint="Write it as 2026-11-20T08:00:00Z.")
            until = until.astimezone(UTC)
        elif call.seconds:
            until = now + timedelta(seconds=min(call.seconds, MOST_DAYS * 86_400))
        else:
            return None
        if not now < until <= now + timedelta(days=MOST_DAYS):
            raise ToolFailed(f"It is {now:%Y-%m-%dT%H:%M:%SZ} now: that time is over, or too far away.")
        return until


async def _waited(call: _Wait, until: datetime | None, context: ToolContext) -> Output:
    status = GoalStatusChanged(
        status="waiting", why="wait", note=call.note, on=call.on, subject=call.subject, until=until
    )
    wake = (WakeSet(due=until, why=call.note or "the goal waits"),) if until else ()
    await context.write(status, *wake)
    return said("The goal step ends here; you go on when it happens.", ends=True)


class BlockGoal:
    """Stops work until a person helped."""

    spec = spec_of(
        "block_goal",
        "Stop work on the goal, because only the person can help, and say what you need.",
        _Block,
    )
    help = ToolHelp(limits=("The goal goes on after the person's next message, or with /goal resume.",), errors=NO_GOAL)
    seconds = 30.0

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse the call."""
        call = parsed(arguments, _Block)
        goal_here(context)
        return GoalCall(
            _free("block_goal", f"needs you: {clipped(call.needs, 80)}"), partial(_blocked, call.needs, context)
        )


async def _blocked(needs: str, context: ToolContext) -> Output:
    status = GoalStatusChanged(status="blocked", why="needs", note=needs, on="message")
    await context.write(status, Delivered(parts=(Text(text=f"I cannot go on without you: {needs}"),)))
    return said("The person was told. The goal step ends here.", ends=True)
