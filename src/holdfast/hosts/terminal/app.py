"""The chat in a terminal: opens what was asked for, shows an input as soon as it can, and talks."""

import asyncio
import os
import sys
from functools import partial

from holdfast.assembly.agent import Wishes, open_agent, parsed_rules
from holdfast.config.places import state_folder
from holdfast.hosts.exits import Exit
from holdfast.hosts.start import Start
from holdfast.hosts.terminal.beginning import opened, wanted_key
from holdfast.hosts.terminal.completing import Words
from holdfast.hosts.terminal.drafts import Draft, Drafts
from holdfast.hosts.terminal.fetching import Fetching
from holdfast.hosts.terminal.holding import offer
from holdfast.hosts.terminal.live import Telling
from holdfast.hosts.terminal.means import Means, StandardLines
from holdfast.hosts.terminal.plain import Lines, is_plain
from holdfast.hosts.terminal.recall import Recall
from holdfast.hosts.terminal.reflow import reflows, remembers
from holdfast.hosts.terminal.room import Room
from holdfast.hosts.terminal.screen import Gear, Screen
from holdfast.hosts.terminal.surface import Hands
from holdfast.hosts.terminal.talking import Talk
from holdfast.hosts.terminal.theme import NONE, theme_for
from holdfast.hosts.terminal.tty import Drawing, Keyboard, Wire, open_output
from holdfast.hosts.terminal.unsent import Unsent


async def talk(start: Start) -> Exit:
    """Talk to the agent until the person leaves."""
    wishes = Wishes(model=start.model, rules=parsed_rules(start.allow, start.deny))
    fetching = Fetching()
    agent = open_agent(start.loaded, wishes, progress=fetching.progress)
    ui = agent.settings.ui
    plain = is_plain(os.environ, screen_reader=ui.screen_reader)
    output = open_output(Wire(), os.environ.get("TERM", ""))
    means = Means(
        theme=NONE if plain else theme_for(ui.theme, os.environ),
        input=Keyboard(sys.stdin),
        output=output,
        lines=StandardLines() if plain else None,
    )
    async with agent.engine:
        key = await wanted_key(start, agent, means)
        if key is None:
            return Exit.OK
        conversation = await opened(
            agent, key, lambda key, held: offer(agent, key, held, means), take_over=start.take_over
        )
        if conversation is None:
            return Exit.HELD
        room = Room(agent, conversation, means.theme, fetching)
        telling = Telling(room, asyncio.get_running_loop().time, echo=not plain)
        kept = agent.settings.persistence
        unsent = Unsent(Drafts(state_folder(os.environ), agent.settings.store, kept=kept))
        surface = partial(_lines, room) if plain else partial(_screen, room, telling, output)
        chat = Talk(room, telling, unsent, surface)
        words = "" if start.wants("resume") else " ".join(start.prompt).strip()
        return await chat.run(Draft(text=words) if words else None)


def _lines(room: Room, hands: Hands) -> Lines:
    return Lines(hands, Recall(lambda: room.folder))


def _screen(room: Room, telling: Telling, output: Drawing, hands: Hands) -> Screen:
    gear = Gear(
        keyboard=lambda: Keyboard(sys.stdin),
        output=output,
        history=Recall(lambda: room.folder),
        completer=Words(room),
        reflows=reflows(os.environ),
        remembers=remembers(os.environ),
        vi=room.agent.settings.ui.keys == "vi",
        theme=lambda: room.theme,
    )
    return Screen(gear, telling, hands)
