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
from holdfast.hosts.terminal.completing import Offered, Source, Words
from holdfast.hosts.terminal.drafts import Draft, Drafts
from holdfast.hosts.terminal.live import Telling
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
        telling = Telling(room, asyncio.get_running_loop().time)
        unsent = Unsent(Drafts(state_folder(os.environ), agent.settings.store), conversation.key)
        chat = Talk(room, telling, unsent, partial(_screen, room, telling))
        words = " ".join(call.texts("prompt")).strip()
        return await chat.run(Draft(text=words) if words else None)


def _screen(room: Room, telling: Telling, hands: Hands) -> Screen:
    ui = room.agent.settings.ui
    gear = Gear(
        input=Keyboard(sys.stdin),
        output=open_output(Wire(), os.environ.get("TERM", "")),
        history=Recall(state_folder(os.environ), room.agent.identity),
        completer=Words(_source(room)),
        vi=ui.keys == "vi",
        colour=not room.theme.plain,
    )
    return Screen(gear, telling, hands)


def _source(room: Room) -> Source:
    from holdfast.hosts.slash.table import COMMANDS

    async def sessions(_: str) -> list[Offered]:
        page = await room.agent.engine.store.list(workspace=room.agent.identity, limit=50)
        return [Offered(each.title or each.key) for each in page.sessions]

    takers = {f"/{name}" for each in COMMANDS if each.takes == "session" for name in (each.name, *each.aliases)}
    return Source(
        root=room.agent.root,
        commands=lambda: [Offered(f"/{each.name}", each.help) for each in COMMANDS],
        sessions=sessions,
        takes_session=takers.__contains__,
    )
