"""What one is told on coming into a conversation, and what is left behind on going."""

import os
from datetime import UTC, datetime

from holdfast.commands.typed_lines import remove_shared
from holdfast.config.places import state_folder
from holdfast.hosts.terminal.chat.recap import open_ends, shown_on_return
from holdfast.hosts.terminal.chat.state import ChatState
from holdfast.hosts.terminal.chat.welcome import KEYS, PLAIN_KEYS, is_first_time, remember_welcome, welcome_lines
from holdfast.hosts.terminal.draw.activity import Look
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.plain import is_plain
from holdfast.records.printable import printable, printable_line

SHARED_REMOVED = "The up key brings back what was typed in this session. The list shared by all sessions was removed."
UNUSED = 1
"""The last position of a session in which nothing happened but that it was begun for a workspace."""


async def found_here(chat_state: ChatState) -> list[str]:
    """What the conversation is, and how it was left."""
    found = await shown_on_return(
        chat_state.conversation,
        _look(chat_state),
        datetime.now(UTC),
        folder=chat_state.folder,
    )
    # Who is here for the first time is welcomed instead.
    return found or ([] if is_first_time(os.environ) else _dim("A new conversation.", chat_state))


async def left_open(chat_state: ChatState) -> list[str]:
    """What waits for the person: a turn that was broken off, messages that are queued."""
    return await open_ends(chat_state.conversation, _look(chat_state))


async def who_answers(chat_state: ChatState) -> list[str]:
    """Which model answers and why; the first time, what else there is to know."""
    setup, agent = chat_state.agent.engine.setup, chat_state.agent
    choice = await agent.pool.choice(asked=setup.model, session=chat_state.conversation.state.model)
    chat_state.model = chat_state.model or choice.name
    over = agent.loaded.passed_over
    if remove_shared(state_folder(os.environ)):
        over = f"{SHARED_REMOVED}\n{over}" if over else SHARED_REMOVED
    passed_over = (
        [chat_state.theme.painted(line, "warning") for line in wrapped_text(over, chat_state.columns)] if over else []
    )
    if not is_first_time(os.environ):
        return [*passed_over, *_dim(choice.said, chat_state)]
    remember_welcome(os.environ)
    plain = is_plain(os.environ, screen_reader=agent.settings.ui.screen_reader)
    welcome = welcome_lines(choice, agent.settings.store, _look(chat_state), os.environ, PLAIN_KEYS if plain else KEYS)
    return [*passed_over, *welcome]


def kept(chat_state: ChatState) -> list[str]:
    """What is said to somebody who leaves."""
    state = chat_state.conversation.state
    if state.last <= UNUSED:
        return []
    if not chat_state.agent.settings.persistence:
        return _dim("Nothing of this conversation is kept, as the settings say: persistence is off.", chat_state)
    name = f"“{printable_line(state.title, 60)}”" if state.title else "The conversation"
    return _dim(f"{name} is kept as {state.key}; `holdfast` goes on with it here.", chat_state)


async def tidy(chat_state: ChatState) -> None:
    """Leave no trace of a conversation that was begun and never used."""
    conversation = chat_state.conversation
    if conversation.closed and conversation.state.last <= UNUSED and chat_state.agent.settings.persistence:
        await chat_state.agent.engine.store.delete(conversation.key)


def _look(chat_state: ChatState) -> Look:
    return Look(theme=chat_state.theme, width=chat_state.columns, thinking=chat_state.agent.settings.ui.thinking)


def _dim(text: str, chat_state: ChatState) -> list[str]:
    return [chat_state.theme.painted(line, "dim") for line in wrapped_text(printable(text), chat_state.columns)]
