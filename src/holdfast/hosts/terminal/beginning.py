"""Which conversation the chat opens: named, the last of the workspace, a copy, or a new one."""

import os
from datetime import UTC, datetime

from holdfast.agent.conversation import Conversation
from holdfast.assembly.agent import Agent
from holdfast.errors import BadInput
from holdfast.hosts.belonging import latest, latest_key, new_key, settle_in
from holdfast.hosts.command.call import Call


def doing() -> str:
    """What whoever finds a session held is told."""
    return f"talking to {os.environ.get('USER') or 'somebody'} in a terminal"


async def wanted_key(call: Call, agent: Agent) -> str:
    """The key of the session that was asked for; '' for a new one."""
    key = call.text("session")
    if call.flag("continue"):
        key = await latest_key(agent.engine.store, agent.identity)
    elif not key and not call.flag("new"):
        found = await latest(agent.engine.store, agent.identity)
        key = "" if found is None else found.key
    if call.flag("fork"):
        if not key:
            raise BadInput("--fork copies a session, and there is none yet.", hint="Leave --fork out.")
        copy = new_key(agent.root, datetime.now(UTC))
        await agent.engine.store.fork(key, copy)
        return copy
    return key


async def opened(agent: Agent, key: str, *, take_over: bool = False) -> Conversation:
    """Open a conversation, or begin one. Raises `Held`."""
    key = key or new_key(agent.root, datetime.now(UTC))
    conversation = await agent.engine.open(key, doing=doing(), take_over=take_over)
    await settle_in(conversation, agent.identity)
    return conversation
