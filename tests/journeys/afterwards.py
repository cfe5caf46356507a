"""What must hold of every conversation, whatever happened in it."""

from typing import get_args

from holdfast import Budget, ModelReplied, Target, Text, ToolCall, ToolFinished, TurnEnded, UserSaid, prepare
from holdfast.agent.conversation import Conversation
from holdfast.context.legal.families import check
from holdfast.model.protocol import Family
from holdfast.records.entries import Entry

BUDGET = Budget(tokens=100_000, output=1_000)


async def entries(conversation: Conversation) -> list[Entry]:
    """What the log says."""
    return [record.entry async for record in conversation.session.read()]


async def is_in_order(conversation: Conversation) -> None:
    """Every call has one result, every turn one end, and the next request is legal whoever is asked."""
    log = await entries(conversation)
    calls = sum(isinstance(part, ToolCall) for entry in log if isinstance(entry, ModelReplied) for part in entry.parts)
    assert calls == sum(isinstance(entry, ToolFinished) for entry in log)
    assert not conversation.busy
    assert not conversation.state.in_turn
    assert () == conversation.state.open_calls
    assert () == conversation.state.queued
    assert conversation.state.turns == sum(isinstance(entry, TurnEnded) for entry in log)
    await is_legal(conversation)


async def is_legal(conversation: Conversation) -> None:
    """What the next model would be sent breaks no rule of any kind of provider."""
    await conversation.session.append(UserSaid(parts=(Text(text="And now?"),)))
    for family in get_args(Family):
        target = Target(family=family, model="any", provider="somebody")
        made = await prepare(conversation.session, target, BUDGET)
        assert () == check(family, made.body), family
    await conversation.session.append(TurnEnded(why="interrupted"))
