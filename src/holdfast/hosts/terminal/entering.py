"""What one is told on coming into a conversation, and what is left behind on going."""

import os
from datetime import UTC, datetime

from holdfast.commands.typed_lines import remove_shared
from holdfast.config.places import state_folder
from holdfast.hosts.terminal.activity import Look
from holdfast.hosts.terminal.coming_back import open_ends, shown_on_return
from holdfast.hosts.terminal.plain import is_plain
from holdfast.hosts.terminal.room import Room
from holdfast.hosts.terminal.spans import wrapped_text
from holdfast.hosts.terminal.welcome import KEYS, PLAIN_KEYS, is_first_time, remember_welcome, welcome_lines
from holdfast.records.safe import safe, safe_line

SHARED_REMOVED = "The up key brings back what was typed in this session. The list shared by all sessions was removed."
UNUSED = 1
"""The last position of a session in which nothing happened but that it was begun for a workspace."""


async def found_here(room: Room) -> list[str]:
    """What the conversation is, and how it was left."""
    found = await shown_on_return(
        room.conversation,
        _look(room),
        datetime.now(UTC),
        folder=room.folder,
    )
    # Who is here for the first time is welcomed instead.
    return found or ([] if is_first_time(os.environ) else _dim("A new conversation.", room))


async def left_open(room: Room) -> list[str]:
    """What waits for the person: a turn that was broken off, messages that are queued."""
    return await open_ends(room.conversation, _look(room))


async def who_answers(room: Room) -> list[str]:
    """Which model answers and why; the first time, what else there is to know."""
    setup, agent = room.agent.engine.setup, room.agent
    choice = await agent.roster.choice(asked=setup.model, session=room.conversation.state.model)
    room.model = room.model or choice.name
    over = agent.loaded.passed_over
    if remove_shared(state_folder(os.environ)):
        over = f"{SHARED_REMOVED}\n{over}" if over else SHARED_REMOVED
    passed_over = [room.theme.painted(line, "warning") for line in wrapped_text(over, room.columns)] if over else []
    if not is_first_time(os.environ):
        return [*passed_over, *_dim(choice.said, room)]
    remember_welcome(os.environ)
    plain = is_plain(os.environ, screen_reader=agent.settings.ui.screen_reader)
    welcome = welcome_lines(choice, agent.settings.store, _look(room), os.environ, PLAIN_KEYS if plain else KEYS)
    return [*passed_over, *welcome]


def kept(room: Room) -> list[str]:
    """What is said to somebody who leaves."""
    state = room.conversation.state
    if state.last <= UNUSED:
        return []
    if not room.agent.settings.persistence:
        return _dim("Nothing of this conversation is kept, as the settings say: persistence is off.", room)
    name = f"“{safe_line(state.title, 60)}”" if state.title else "The conversation"
    return _dim(f"{name} is kept as {state.key}; `holdfast` goes on with it here.", room)


async def tidy(room: Room) -> None:
    """Leave no trace of a conversation that was begun and never used."""
    conversation = room.conversation
    if conversation.closed and conversation.state.last <= UNUSED and room.agent.settings.persistence:
        await room.agent.engine.store.delete(conversation.key)


def _look(room: Room) -> Look:
    return Look(theme=room.theme, width=room.columns, thinking=room.agent.settings.ui.thinking)


def _dim(text: str, room: Room) -> list[str]:
    return [room.theme.painted(line, "dim") for line in wrapped_text(safe(text), room.columns)]
