"""Opens the conversation that was asked for: named, chosen, the last of the workspace, a copy, or a new one.

A session that another process holds is never taken unasked: the person is told who has it, and chooses.
"""

import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeAlias, assert_never

from holdfast.agent.conversation import Conversation
from holdfast.assembly.agent import AgentRuntime
from holdfast.commands.workspace_sessions import latest, latest_key, new_key, open_in
from holdfast.errors import BadInput, Held
from holdfast.hosts.start import Start
from holdfast.hosts.terminal.dialogs.held import HeldChoice
from holdfast.hosts.terminal.dialogs.io import DialogIO

Offer: TypeAlias = Callable[[str, Held], Awaitable[HeldChoice]]
"""Says who holds the session of a key, and asks what to do."""


async def wanted_key(start: Start, agent: AgentRuntime, io: DialogIO) -> str | None:
    """The key of the session that was asked for; '' for a new one, None if nothing was chosen."""
    if start.wants("resume"):
        from holdfast.hosts.terminal.dialogs.picker import pick_session

        key = await pick_session(agent, " ".join(start.prompt), io)
    elif start.wants("continue"):
        key = await latest_key(agent.engine.store, agent.identity)
    elif start.session or start.wants("new"):
        key = start.session
    else:
        found = await latest(agent.engine.store, agent.identity)
        key = "" if found is None else found.key
    if start.fork and key is not None:
        if not key:
            raise BadInput("--fork copies a session, and there is none yet.", hint="Leave --fork out.")
        return await _forked(agent, key)
    return key


async def opened(agent: AgentRuntime, key: str, offer: Offer, *, take_over: bool = False) -> Conversation | None:
    """Open a conversation, or begin one; None if somebody has it, and nothing was chosen instead."""
    while True:
        try:
            return await _opened(agent, key, take_over=take_over)
        except Held as held:
            chosen = await offer(key, held)
        match chosen:
            case HeldChoice.TAKE_OVER:
                take_over = True
            case HeldChoice.FORK:
                key = await _forked(agent, key)
            case HeldChoice.NEW:
                key = ""
            case HeldChoice.LEAVE:
                return None
            case _:
                assert_never(chosen)


async def _opened(agent: AgentRuntime, key: str, *, take_over: bool) -> Conversation:
    doing = f"talking to {os.environ.get('USER') or 'somebody'} in a terminal"
    key = key or new_key(agent.root, datetime.now(UTC))
    return await open_in(agent.engine, key, agent.identity, doing=doing, take_over=take_over)


async def _forked(agent: AgentRuntime, key: str) -> str:
    copy = new_key(agent.root, datetime.now(UTC))
    await agent.engine.store.fork(key, copy)
    return copy
