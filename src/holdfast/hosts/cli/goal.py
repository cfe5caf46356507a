"""`goal run`: works on the goal of a session without a chat, until it is reached, paused, or needs a person."""

import asyncio
import os
from contextlib import suppress
from datetime import UTC, datetime

from holdfast.agent.broadcast import Subscription
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Appended, Noticed, ToolBegan, TurnOver
from holdfast.assembly.agent import AgentRuntime, Wishes, open_runtime, parsed_rules
from holdfast.commands.workspace_sessions import new_key, open_in
from holdfast.errors import NotThere
from holdfast.goals.changes import paused, resumed, set_goal
from holdfast.goals.snapshot import goal_state
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.cli.output import print_json
from holdfast.hosts.exits import Exit
from holdfast.hosts.signals import leaving
from holdfast.records.entries import Delivered, GoalEnded, GoalProgressed, GoalSet, GoalStatusChanged, GoalVerified
from holdfast.records.parts import Source, plain_text
from holdfast.records.printable import printable, printable_line

PERSON = Source(host="command")
LOOK_SECONDS = 0.2
ENDS = {
    "budget": Exit.LIMIT,
    "guard": Exit.LIMIT,
    "user": Exit.INTERRUPTED,
    "stopped": Exit.INTERRUPTED,
    "failed": Exit.ERROR,
    "crashed": Exit.ERROR,
}
"""What the exit code is when a goal was paused, by why; otherwise a person is needed."""


async def run_goal(call: ShellCall) -> Exit:
    """Work on a goal here."""
    agent = open_runtime(
        call.context.loaded,
        Wishes(attended=False, titles=False, rules=parsed_rules(call.texts("allow"), call.texts("deny"))),
    )
    async with agent.engine:
        conversation = await _opened(call, agent)
        with leaving() as told, conversation.watch() as watch:
            shown = asyncio.create_task(_tell(watch, call))
            wakes = asyncio.create_task(_wakes(agent, conversation.key))
            work = asyncio.create_task(_until_still(conversation))
            signalled = asyncio.create_task(told.wait())
            await conversation.go_on()
            await asyncio.wait([work, signalled, wakes], return_when=asyncio.FIRST_COMPLETED)
            if not work.done() and conversation.state.goal is not None:
                await conversation.halt(paused(conversation.state, by=PERSON, why="stopped"), told.note)
                call.console.note("The goal is paused; `holdfast goal run` goes on with it.")
            for task in (work, wakes, signalled, shown):
                task.cancel()
            await asyncio.gather(work, wakes, signalled, shown, return_exceptions=True)
        return await _ended(call, conversation, told.code)


async def _opened(call: ShellCall, agent: AgentRuntime) -> Conversation:
    """The session with its goal, which is set if words were given, and gone on with if it was paused."""
    key, words = call.text("key"), " ".join(call.texts("words")).strip()
    if not words and not await agent.engine.store.exists(key):
        raise NotThere(f"There is no session {key!r}.", hint="Give it a goal: `holdfast goal run KEY 'OBJECTIVE'`.")
    key = key or new_key(agent.root, datetime.now(UTC))
    doing = f"working on a goal for {os.environ.get('USER') or 'somebody'}"
    conversation = await open_in(agent.engine, key, agent.identity, doing=doing)
    if words:
        given = GoalSet(objective=words, title=call.text("title"), checks=tuple(call.texts("check")))
        facts = set_goal(
            conversation.state, words, agent.settings.goals, by=PERSON, given=given, replacing=call.flag("replace")
        )
        await conversation.write(*facts)
    goal = conversation.state.goal
    if goal is None:
        raise NotThere(f"The session {key!r} has no goal.", hint="`holdfast goal run KEY 'OBJECTIVE'` sets one.")
    if goal.doing in {"paused", "blocked"} or (goal.status is not None and goal.status.why == "stopped"):
        await conversation.write(*resumed(conversation.state, by=PERSON))
    return conversation


async def _wakes(agent: AgentRuntime, key: str) -> None:
    """Wake this session when it is due."""
    while True:
        await agent.engine.wake(key)
        await asyncio.sleep(1.0)


async def _until_still(conversation: Conversation) -> None:
    """Until there is nothing to be done by itself any more, now or at a time."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        goal = conversation.state.goal
        if conversation.busy or (goal is not None and goal.doing == "active"):
            continue
        if goal is None or goal.doing in {"paused", "blocked"}:
            return
        if goal.status is not None and goal.status.on == "message":
            return  # nobody is here to say anything


async def _tell(watch: Subscription, call: ShellCall) -> None:
    """Tell what happens, on standard error."""
    note = call.console.note
    async for event in watch:
        match event:
            case ToolBegan():
                note(printable_line(event.title, 200))
            case Noticed():
                note(printable(event.text))
            case TurnOver() if event.ended.note:
                note(printable_line(f"{event.ended.why}: {event.ended.note}", 400))
            case Appended():
                line = _line(event)
                if line:
                    note(printable_line(line, 400))
            case _:
                pass


def _line(event: Appended) -> str:
    match event.record.entry:
        case GoalStatusChanged() as entry:
            return f"goal {entry.status}: {entry.note or entry.why}"
        case GoalProgressed() as entry:
            return f"report: {entry.notes}"
        case GoalVerified() as entry:
            return f"{entry.verdict.replace('_', ' ')}: {entry.why}"
        case _:
            return ""


async def _ended(call: ShellCall, conversation: Conversation, code: Exit | None) -> Exit:
    found = goal_state(conversation.state)
    recap, verdict = "", ""
    with suppress(StopAsyncIteration):
        async for record in conversation.session.read_back():
            if isinstance(record.entry, GoalEnded) and found is None:
                verdict = record.entry.verdict
                break
            if isinstance(record.entry, Delivered):
                recap = recap or plain_text(record.entry.parts)
            if found is not None:
                break
    if call.flag("json"):
        from holdfast.commands.answers import plain

        print_json(call, {"session": conversation.key, "ended": verdict, "recap": recap, "goal": plain(found)})
    elif recap:
        call.console.data(f"{printable(recap)}\n".encode("utf-8", "replace"))
    if found is None:
        return Exit.OK if verdict == "reached" else Exit.ERROR
    return code or ENDS.get(found.why, Exit.NEEDS_PERSON)
