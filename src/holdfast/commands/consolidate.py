"""`memory consolidate`: draw facts from sessions that were not looked at by themselves, once the price is known."""

from collections.abc import AsyncIterator
from datetime import date, datetime

from holdfast.assembly.agent import Wishes, open_runtime
from holdfast.commands.answers import Answers, Confirm, Data, Note, Prose
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import count
from holdfast.errors import BadInput, HoldfastError
from holdfast.memory.agent_memory import AgentMemory
from holdfast.memory.consolidation import ConsolidationCost


async def consolidate(given: Inputs, context: CommandContext, key: str) -> Answers:
    """Draw facts from one session, or from all that have something new."""
    if isinstance(context, ConversationContext):
        memory = _ready(context.agent.engine.setup.memory)
        wanted = key if context.may("store") else ""  # of a channel, only the conversation itself
        return await _consolidated(given, context, memory, wanted or context.conversation.key)
    await context.close()  # the agent opens the store itself
    runtime = open_runtime(context.loaded, Wishes(titles=False), environment=context.environment)
    async with runtime.engine as engine:
        return await _consolidated(given, context, _ready(engine.setup.memory), key)


def _ready(memory: AgentMemory | None) -> AgentMemory:
    if memory is None:
        raise BadInput("Memory is switched off.", hint="`memory.enabled = true` in the settings switches it on.")
    return memory


async def _consolidated(given: Inputs, context: CommandContext, memory: AgentMemory, key: str) -> Answers:
    since = day_of(given, given.text("since")) if given.text("since") else None
    keys = [each async for each in _sessions(memory, key, since)]
    prices = {each: await memory.consolidation.price(each) for each in keys}
    wanted = {each: price for each, price in prices.items() if price.calls}
    total = ConsolidationCost(
        tokens=sum(each.tokens for each in wanted.values()), calls=sum(each.calls for each in wanted.values())
    )
    if not wanted:
        return (Prose(markdown="Every session was looked at."), Data(value={"sessions": 0, "facts": 0}))
    if await memory.consolidation.find() is None:
        raise BadInput("No model finds facts here.", hint="`memory.model` in the settings names one.")
    if not given.flag("yes"):
        requests = f"{count(total.calls, 'request')}, about {total.tokens:,} tokens"
        question = f"Look at {count(len(wanted), 'session')} in {requests}?"
        return (Confirm(question=question, then=given.again("--yes")),)
    facts, notes = 0, list[Note]()
    for each in wanted:
        try:
            facts += await _drawn(memory, context, each)
        except HoldfastError as error:
            notes.append(Note(text=f"{each}: {error}"))
    said = f"Looked at {count(len(wanted), 'session')}: {count(facts, 'change')} of memory."
    data = Data(value={"sessions": len(wanted), "facts": facts}, outcome="problem" if notes else "good")
    return (Prose(markdown=said), *notes, data)


async def _drawn(memory: AgentMemory, context: CommandContext, key: str) -> int:
    open_here = isinstance(context, ConversationContext) and key == context.conversation.key
    session = context.session if isinstance(context, ConversationContext) and open_here else None
    facts, more = 0, True
    while more:
        done = await memory.consolidation.draw(key, session)
        facts += len(done.entry.facts) if done.entry is not None else 0
        more = done.more
    return facts


async def _sessions(memory: AgentMemory, key: str, since: datetime | None) -> AsyncIterator[str]:
    if key:
        yield key
        return
    cursor = ""
    while True:
        page = await memory.store.list(limit=200, cursor=cursor, archived=None, owner="")
        for each in page.sessions:
            if since is None or each.updated >= since:
                yield each.key
        cursor = page.cursor
        if not cursor:
            return


def day_of(given: Inputs, text: str) -> datetime:
    """The beginning of a day here. Raises `BadInput` for what is no date."""
    try:
        return datetime.combine(date.fromisoformat(text), datetime.min.time()).astimezone()
    except ValueError as error:
        raise given.refuse(f"{text!r} is no date.", hint="Write it as 2026-11-16.") from error
