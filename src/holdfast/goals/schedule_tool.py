"""`schedule`: the agent has something said to it later, because a person asked for that."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Action, Ask, Output, ToolContext, ToolHelp, said
from holdfast.clock import Clock, at_time
from holdfast.errors import BadInput, ToolFailed
from holdfast.goals.complete import GoalCall
from holdfast.goals.schedules import AGENT_DAYS, LONGEST, MOST, checked, how_often, local_zone, shown
from holdfast.goals.slots import LEAST_SECONDS, next_of
from holdfast.goals.text import clipped
from holdfast.goals.tools import AGENT
from holdfast.records.entries import ScheduleSet
from holdfast.session.schedules import Schedule


class _Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    text: Annotated[str, Meta(min_length=1, max_length=LONGEST, description="What is said to you then.")]
    at: Annotated[str, Meta(description="When, or when first: ISO 8601 with a zone, 2026-11-21T09:00:00+01:00.")] = ""
    every_seconds: Annotated[int, Meta(ge=0, description="Again and again, so many seconds apart.")] = 0
    cron: Annotated[str, Meta(description="Again and again, by a cron line, such as `0 9 * * 1-5`.")] = ""
    zone: Annotated[str, Meta(description="The IANA zone of the cron line; without it, that of the person.")] = ""


class SetSchedule:
    """Has something said at a time, or again and again."""

    spec = spec_of(
        "schedule",
        "Have something said to you at a time, or again and again. Only if the person asked for that in this turn; the"
        " person is asked to allow it.",
        _Arguments,
    )
    help = ToolHelp(
        limits=(
            f"{MOST} schedules in a session; those of the agent expire after {AGENT_DAYS} days.",
            f"At least {LEAST_SECONDS} seconds apart. Only in a turn that a person's words began.",
        ),
        errors=("The time is over or cannot be read, the zone is not known, or a person did not begin this turn.",),
    )
    seconds = 30.0

    def __init__(self, clock: Clock) -> None:
        """Tell the time by a clock."""
        self._clock = clock

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse the call, and find the first slot."""
        call = parsed(arguments, _Arguments)
        if not context.state.by_person:
            raise ToolFailed("Only a person can ask for a schedule, and no person began this turn.", hint="Leave it.")
        now = at_time(self._clock.now_ns())
        try:
            made = checked(self._made(call, now), context.state, now)
        except BadInput as error:
            raise ToolFailed(error.message, hint=error.hint) from error
        often = how_often(Schedule(pos=context.state.last, text="", every=made.every, cron=made.cron, zone=made.zone))
        when = f"{shown(made.due, made.zone)}, {often}"
        ask = Ask(
            tool="schedule",
            subjects=(made.text,),
            title=f"schedule for {when}: {clipped(made.text, 60)}",
            detail=f"{when}\n{made.text}",
        )
        return GoalCall(ask, partial(_set, made, when, context))

    def _made(self, call: _Arguments, now: datetime) -> ScheduleSet:
        zone = call.zone or local_zone()
        made = ScheduleSet(text=call.text, due=now, every=call.every_seconds, cron=call.cron, zone=zone, by=AGENT)
        if call.at:
            made = replace(made, due=_moment(call.at))
        elif call.cron:
            made = replace(made, due=next_of(call.cron, zone, now))
        elif call.every_seconds:
            made = replace(made, due=now + timedelta(seconds=call.every_seconds))
        else:
            raise BadInput("It is not said when.", hint="Give `at`, `every_seconds` or `cron`.")
        until = now + timedelta(days=AGENT_DAYS) if made.every or made.cron else None
        return replace(made, until=until)


def _moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"{text!r} is no time.", hint="Write it as 2026-11-21T09:00:00Z.") from error
    if found.tzinfo is None:
        raise BadInput(f"{text!r} has no zone.", hint="Write it as 2026-11-21T09:00:00Z.")
    return found.astimezone(UTC)


async def _set(made: ScheduleSet, when: str, context: ToolContext) -> Output:
    await context.write(made)
    return said(f"Scheduled for {when}.")
