"""The chat in a terminal: opens what was asked for, shows an input as soon as it can, and talks."""

import asyncio
import os
import sys
from functools import partial

from holdfast.assembly.agent import Wishes, open_runtime, parsed_rules
from holdfast.config.places import state_folder
from holdfast.hosts.exits import Exit
from holdfast.hosts.start import Start
from holdfast.hosts.terminal.chat.chat import Chat
from holdfast.hosts.terminal.chat.open import opened, wanted_key
from holdfast.hosts.terminal.chat.state import ChatState, DemoDownload
from holdfast.hosts.terminal.chat.view import ChatView
from holdfast.hosts.terminal.dialogs.held import offer
from holdfast.hosts.terminal.dialogs.io import DialogIO, StandardLines
from holdfast.hosts.terminal.draw.reflow import reflows, remembers
from holdfast.hosts.terminal.draw.theme import NONE, theme_for
from holdfast.hosts.terminal.input.complete import InputCompleter
from holdfast.hosts.terminal.input.history import InputHistory
from holdfast.hosts.terminal.input.surface import UserActions
from holdfast.hosts.terminal.input.tty import Drawing, Keyboard, TerminalOutput, open_output
from holdfast.hosts.terminal.input.unsent import Draft, Drafts, Unsent
from holdfast.hosts.terminal.plain import PlainSurface, is_plain
from holdfast.hosts.terminal.screen import Screen, ScreenParts


async def talk(start: Start) -> Exit:
    """Talk to the agent until the person leaves."""
    wishes = Wishes(model=start.model, rules=parsed_rules(start.allow, start.deny))
    download = DemoDownload()
    agent = open_runtime(start.loaded, wishes, progress=download.progress)
    ui = agent.settings.ui
    plain = is_plain(os.environ, screen_reader=ui.screen_reader)
    output = open_output(TerminalOutput(), os.environ.get("TERM", ""))
    io = DialogIO(
        theme=NONE if plain else theme_for(ui.theme, os.environ),
        input=Keyboard(sys.stdin),
        output=output,
        lines=StandardLines() if plain else None,
    )
    async with agent.engine:
        key = await wanted_key(start, agent, io)
        if key is None:
            return Exit.OK
        conversation = await opened(
            agent, key, lambda key, held: offer(agent, key, held, io), take_over=start.take_over
        )
        if conversation is None:
            return Exit.HELD
        conversation.permissions.mode = start.mode
        chat_state = ChatState(agent, conversation, io.theme, download)
        view = ChatView(chat_state, asyncio.get_running_loop().time, echo=not plain)
        unsent = Unsent(Drafts(state_folder(os.environ), agent.engine.store))
        surface = partial(_lines, chat_state) if plain else partial(_screen, chat_state, view, output)
        chat = Chat(chat_state, view, unsent, surface)
        words = "" if start.wants("resume") else " ".join(start.prompt).strip()
        return await chat.run(Draft(text=words) if words else None)


def _lines(chat_state: ChatState, actions: UserActions) -> PlainSurface:
    return PlainSurface(actions, InputHistory(lambda: chat_state.folder))


def _screen(chat_state: ChatState, view: ChatView, output: Drawing, actions: UserActions) -> Screen:
    parts = ScreenParts(
        keyboard=lambda: Keyboard(sys.stdin),
        output=output,
        history=InputHistory(lambda: chat_state.folder),
        completer=InputCompleter(chat_state),
        reflows=reflows(os.environ),
        remembers=remembers(os.environ),
        vi=chat_state.agent.settings.ui.keys == "vi",
        theme=lambda: chat_state.theme,
    )
    return Screen(parts, view, actions)
