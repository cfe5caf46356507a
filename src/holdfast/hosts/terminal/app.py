"""The chat in a terminal: opens what was asked for, shows an input as soon as it can, and talks."""

import asyncio
import os
import sys
from functools import partial

from holdfast.assembly.agent import Wishes, open_agent, parsed_rules
from holdfast.config.places import state_folder
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.terminal.beginning import opened, wanted_key
from holdfast.hosts.terminal.completing import Words
from holdfast.hosts.terminal.drafts import Draft, Drafts
from holdfast.hosts.terminal.live import Telling
from holdfast.hosts.terminal.plain import Lines, is_plain
from holdfast.hosts.terminal.recall import Recall
from holdfast.hosts.terminal.room import Room
from holdfast.hosts.terminal.screen import Gear, Screen
from holdfast.hosts.terminal.surface import Hands
from holdfast.hosts.terminal.talking import Talk
from holdfast.hosts.terminal.tty import Keyboard, Wire, open_output
from holdfast.hosts.terminal.unsent import Unsent


async def talk(call: Call) -> Exit:
    """Talk to the agent until the person leaves."""
    wishes = Wishes(model=call.text("model"), rules=parsed_rules(call.texts("allow"), call.texts("deny")))
    agent = open_agent(call.loaded, wishes)
    async with agent.engine:
        conversation = await opened(agent, await wanted_key(call, agent), take_over=call.flag("take_over"))
        room = Room(agent, conversation)
        plain = is_plain(os.environ, screen_reader=agent.settings.ui.screen_reader)
        if plain:
            room.use_theme("none")
        telling = Telling(room, asyncio.get_running_loop().time, echo=not plain)
        unsent = Unsent(Drafts(state_folder(os.environ), agent.settings.store))
        chat = Talk(room, telling, unsent, Lines if plain else partial(_screen, room, telling))
        words = " ".join(call.texts("prompt")).strip()
        return await chat.run(Draft(text=words) if words else None)


def _screen(room: Room, telling: Telling, hands: Hands) -> Screen:
    ui = room.agent.settings.ui
    gear = Gear(
        input=Keyboard(sys.stdin),
        output=open_output(Wire(), os.environ.get("TERM", "")),
        history=Recall(state_folder(os.environ), room.agent.identity),
        completer=Words(room),
        vi=ui.keys == "vi",
        theme=lambda: room.theme,
    )
    return Screen(gear, telling, hands)
