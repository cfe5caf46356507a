"""`/status`: how things stand, on one screen."""

import asyncio

from holdfast.commands.answers import Answers, Fact, Facts
from holdfast.commands.context import ConversationContext
from holdfast.commands.health import check_machine
from holdfast.commands.inputs import Inputs
from holdfast.commands.model_choice import why
from holdfast.commands.permissions import MODES
from holdfast.commands.sessions import place, promise
from holdfast.commands.text.times import ago, count
from holdfast.commands.usage import spent
from holdfast.records.printable import printable_line

TITLE = 60


async def status(_: Inputs, context: ConversationContext) -> Answers:
    """Tell the most important things."""
    state, chat_model = context.conversation.state, await context.conversation.chat_model()
    since = f", begun {ago(state.created, context.now())}" if state.created else ""
    sandbox = await asyncio.to_thread(lambda: list(check_machine.sandbox(context.environment, context.agent.settings)))
    rows = [
        ("model", f"{chat_model.name} ({await why(chat_model.name, context)})"),
        ("session", f"{printable_line(state.title or state.key, TITLE)}, {count(state.messages, 'message')}{since}"),
        ("now", "a turn runs" if context.conversation.busy else "nothing runs"),
        ("mode", MODES[context.conversation.permissions.mode]),
        ("queued", count(len(state.queued), "message") if state.queued else ""),
        ("context", await _context(context)),
        ("used", spent(state.usage)),
        ("kept in", await place(context)),
        ("safe", await promise(context)),
        ("workspace", str(context.agent.root) if context.may("own files") else ""),
        ("sandbox", "; ".join(each.text for each in sandbox)),
        ("servers", ", ".join(context.agent.settings.mcp) or "none are set"),
        ("skills", ", ".join(each.name for each in context.agent.skills.skills)),
        *(("note", note) for note in (*context.agent.notes, *context.agent.engine.setup.toolbox.notes)),
    ]
    return (Facts(facts=tuple(Fact(name=name, value=value) for name, value in rows if value)),)


async def _context(context: ConversationContext) -> str:
    shares = await context.conversation.shares()
    whole = sum(each.tokens for each in shares)
    used = sum(each.tokens for each in shares if each.filling not in {"reply", "free"})
    return f"{used:,} of {whole:,} tokens ({used * 100 // max(1, whole)} %)"
