"""A dialog for a session that another process holds: who has it, and what can be done.

It can be watched as it goes on, without touching it; taken over, which fences the other; copied, to go on
in the copy; or left alone. Nothing is taken without being asked for.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing
from enum import Enum

from prompt_toolkit.input import Input

from holdfast.assembly.agent import AgentRuntime
from holdfast.engine.engine import Engine
from holdfast.errors import Held
from holdfast.hosts.terminal.dialogs.follow import watch
from holdfast.hosts.terminal.dialogs.io import DialogIO, LineIO, io_for
from holdfast.hosts.terminal.draw.activity import Look
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.records.printable import printable, printable_line


class HeldChoice(Enum):
    """What is to be done."""

    TAKE_OVER = "t"
    FORK = "f"
    NEW = "n"
    LEAVE = "q"


_WATCH = "w"
_WAYS = {
    _WATCH: "watch it live, without touching it",
    "t": "take it over: the other is told, and can write nothing more to it",
    "f": "fork it: go on in a copy, the other keeps the original",
    "n": "begin a new session",
    "q": "leave",
}
_OF_A_LOG = frozenset({_WATCH, "f"})
"""What needs a session in which something was said."""
_LEAVING = frozenset({"\x03", "\x04", "\x1b", "q"})


async def offer(agent: AgentRuntime, key: str, held: Held, io: DialogIO | None = None) -> HeldChoice:
    """Say who holds a session, and let a person choose; watching comes back to the question."""
    io = io or io_for(agent.settings.ui)
    width = io.output.get_size().columns
    say = io.lines.say if io.lines is not None else _writer(io)
    store = agent.engine.store
    while True:
        holder = await store.holder(key)
        who = str(holder) if holder is not None else f"{held.holder} (gone by now: t opens it)"
        exists = await store.exists(key)  # in a new conversation nothing was said yet
        title = printable_line((await store.state(key)).title, 60) if exists else ""
        ways = {way: does for way, does in _WAYS.items() if exists or way not in _OF_A_LOG}
        for line in _question(f"“{title}”" if title else "This session", who, ways, io):
            say(line)
        chosen = await _chosen(ways, io)
        if chosen != _WATCH:
            return HeldChoice(chosen)
        look = Look(theme=io.theme, width=width, thinking=agent.settings.ui.thinking)
        await _watched(agent.engine, key, look, io, say)


def _question(what: str, who: str, ways: Mapping[str, str], io: DialogIO) -> list[str]:
    width = io.output.get_size().columns
    head = [io.theme.painted(line, "warning") for line in wrapped_text(printable(f"{what} is held by {who}."), width)]
    lines = [
        f"  {io.theme.painted(way, 'strong') if not index else ' '}  {line}"
        for way, does in ways.items()
        for index, line in enumerate(wrapped_text(does, width - 5))
    ]
    return [*head, *lines]


async def _chosen(known: Collection[str], io: DialogIO) -> str:
    """The key or the line that was given; whoever goes away leaves."""
    if io.lines is not None:
        return await _by_line(io.lines, known)
    async with aclosing(pressed(io.input)) as keys:
        async for key in keys:
            if key in _LEAVING:
                break
            if key.lower() in known:
                return key.lower()
    return HeldChoice.LEAVE.value


async def _by_line(lines: LineIO, known: Collection[str]) -> str:
    while True:
        said = await lines.ask(f"{', '.join([*known][:-1])} or {[*known][-1]}: ")
        if said is None:
            return HeldChoice.LEAVE.value
        if said.strip()[:1].lower() in known:
            return said.strip()[:1].lower()


def _writer(io: DialogIO) -> Callable[[str], None]:
    def say(line: str) -> None:
        io.output.write_raw(f"{line}\n")
        io.output.flush()

    return say


async def pressed(keys: Input) -> AsyncGenerator[str]:
    """Each key that is pressed, as its characters; ends when the terminal is gone. Close it to give the keys back."""
    waiting: asyncio.Queue[str | None] = asyncio.Queue()

    def ready() -> None:
        for key in (*keys.read_keys(), *keys.flush_keys()):
            waiting.put_nowait(key.data)
        if keys.closed:
            waiting.put_nowait(None)

    with keys.raw_mode(), keys.attach(ready):
        while (key := await waiting.get()) is not None:
            yield key


async def _watched(engine: Engine, key: str, look: Look, io: DialogIO, say: Callable[[str], None]) -> None:
    how = f"Watching; {'Ctrl-C' if io.lines is None else 'Enter'} goes back."
    watching = asyncio.create_task(watch(engine, key, look, say, begun=how))
    leaving = asyncio.create_task(_left(io))
    try:
        await asyncio.wait([watching, leaving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (watching, leaving):
            task.cancel()
        await asyncio.wait([watching, leaving])
    if not watching.cancelled():
        watching.result()
    say("")


async def _left(io: DialogIO) -> None:
    """Wait for somebody who wants to go back."""
    if io.lines is not None:
        await io.lines.ask("")
        return
    async with aclosing(pressed(io.input)) as keys:
        async for key in keys:
            if key in _LEAVING:
                return
