"""`chat`: opens a conversation with the agent, in a terminal or for one answer."""

import gc
import os
import sys
from datetime import UTC, datetime
from typing import get_args

from holdfast.agent.broken import unanswered_turn
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Noticed
from holdfast.assembly.agent import Agent, Wishes, open_agent, parsed_rules
from holdfast.commands.workspace_sessions import latest_key, new_key, settle_in
from holdfast.errors import BadInput
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.download import Download
from holdfast.hosts.oneshot import Form, Printer, answer

_ONE_OF = ("continue", "new", "resume", "session")


async def chat(call: Call) -> Exit:
    """Talk to the agent."""
    chosen = [name for name in _ONE_OF if (call.text("session") if name == "session" else call.flag(name))]
    if len(chosen) > 1:
        raise BadInput(f"--{chosen[0]} and --{chosen[1]} contradict each other.", hint="Give one of them.")
    piped = not sys.stdin.isatty()
    if call.flag("print") or piped or not sys.stdout.isatty():
        return await _once(call, piped=piped)
    from holdfast.hosts.terminal.app import talk

    return await talk(call)


async def _once(call: Call, *, piped: bool) -> Exit:
    """One message, one turn."""
    gc.freeze()  # what is loaded by now stays to the end, so neither the turn nor the exit need look through it
    said = _said(call.texts("prompt"), sys.stdin.read() if piped else "")
    form = _form(call.text("output"))
    wishes = Wishes(
        model=call.text("model"),
        rules=parsed_rules(call.texts("allow"), call.texts("deny")),
        attended=False,
        titles=False,  # a script pays for one answer, and is gone before a title could be drawn
    )
    with Download(call.console) as download:
        agent = open_agent(call.loaded, wishes, progress=download.progress)
        async with agent.engine:
            conversation = await _opened(call, agent)
            if call.loaded.passed_over:
                call.console.note(call.loaded.passed_over)
            if form == "text":
                choice = await agent.roster.choice(asked=wishes.model, session=conversation.state.model)
                call.console.note(choice.said)
            live = sys.stdout.isatty()
            printer = Printer(form, lambda text: _write(call, text), call.console.note, live=live)
            if left := conversation.broken or await unanswered_turn(conversation.session):
                printer.show(Noticed(text=left.text))
            return await answer(conversation, said, printer)


def _write(call: Call, text: str) -> None:
    call.console.data(text.encode("utf-8", "replace"))
    call.console.flush()


def _said(words: list[str], piped: str) -> str:
    """What is said: the prompt, and what was piped in after it."""
    parts = [part for part in (" ".join(words).strip(), piped.strip()) if part]
    if not parts:
        raise BadInput("There is nothing to say.", hint="Give a prompt after -p, or pipe one in.")
    return "\n\n".join(parts)


def _form(text: str) -> Form:
    for form in get_args(Form):
        if text == form:
            return form  # type: ignore[no-any-return]
    raise BadInput(f"{text!r} is no form of output.", hint=f"There are: {', '.join(get_args(Form))}.")


async def _opened(call: Call, agent: Agent) -> Conversation:
    """The conversation that was asked for: by its key, the last one, or a new one."""
    store = agent.engine.store
    key = call.text("session")
    if call.flag("continue"):
        key = await latest_key(store, agent.identity)
    if call.flag("resume"):
        raise BadInput("--resume asks which session, and nobody is there to ask.", hint="Name it: --session KEY.")
    fresh = new_key(agent.root, datetime.now(UTC))
    if call.flag("fork"):
        if not key:
            raise BadInput("--fork copies a session, and none is named.", hint="Add --session KEY, or --continue.")
        await store.fork(key, fresh)
        key = fresh
    doing = f"answering {os.environ.get('USER') or 'somebody'} once"
    conversation = await agent.engine.open(key or fresh, doing=doing, take_over=call.flag("take_over"))
    await settle_in(conversation, agent.identity)
    return conversation
