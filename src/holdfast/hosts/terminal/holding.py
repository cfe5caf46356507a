"""A session that another process holds: who has it, and what can be done.

It can be watched as it goes on, without touching it; taken over, which fences the other; copied, to go on
in the copy; or left alone. Nothing is taken without being asked for.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from enum import Enum

from prompt_toolkit.input import Input

from holdfast.assembly.agent import Agent
from holdfast.errors import Held
from holdfast.hosts.terminal.activity import Look
from holdfast.hosts.terminal.means import Lines, Means, means_for
from holdfast.hosts.terminal.spans import wrapped_text
from holdfast.hosts.terminal.watching import watch
from holdfast.records.safe import safe, safe_line
from holdfast.session.store import Store


class Choice(Enum):
    """What is to be done."""

    TAKE_OVER = "t"
    FORK = "f"
    NEW = "n"
    LEAVE = "q"


_WATCH = "w"
_WAYS = (
    (_WATCH, "watch it live, without touching it"),
    ("t", "take it over: the other is told, and can write nothing more to it"),
    ("f", "fork it: go on in a copy, the other keeps the original"),
    ("n", "begin a new session"),
    ("q", "leave"),
)
_LEAVING = frozenset({"\x03", "\x04", "\x1b", "q"})


async def offer(agent: Agent, key: str, held: Held, means: Means | None = None) -> Choice:
    """Say who holds a session, and let a person choose; watching comes back to the question."""
    means = means or means_for(agent.settings.ui)
    width = means.output.get_size().columns
    say = means.lines.say if means.lines is not None else _writer(means)
    store = agent.engine.store
    while True:
        holder = await store.holder(key)
        who = str(holder) if holder is not None else f"{held.holder} (gone by now: t opens it)"
        title = safe_line((await store.state(key)).title, 60)
        for line in _question(f"“{title}”" if title else "This session", who, width, means):
            say(line)
        chosen = await _chosen(means)
        if chosen != _WATCH:
            return Choice(chosen)
        look = Look(theme=means.theme, width=width, thinking=agent.settings.ui.thinking)
        await _watched(store, key, look, means, say)


def _question(what: str, who: str, width: int, means: Means) -> list[str]:
    head = [means.theme.painted(line, "warning") for line in wrapped_text(safe(f"{what} is held by {who}."), width)]
    ways = [
        f"  {means.theme.painted(way, 'strong') if not index else ' '}  {line}"
        for way, does in _WAYS
        for index, line in enumerate(wrapped_text(does, width - 5))
    ]
    return [*head, *ways]


async def _chosen(means: Means) -> str:
    """The key or the line that was given; whoever goes away leaves."""
    known = {way for way, _ in _WAYS}
    if means.lines is not None:
        return await _by_line(means.lines, known)
    async with aclosing(pressed(means.input)) as keys:
        async for key in keys:
            if key in _LEAVING:
                break
            if key.lower() in known:
                return key.lower()
    return Choice.LEAVE.value


async def _by_line(lines: Lines, known: set[str]) -> str:
    while True:
        said = await lines.ask("w, t, f, n or q: ")
        if said is None:
            return Choice.LEAVE.value
        if said.strip()[:1].lower() in known:
            return said.strip()[:1].lower()


def _writer(means: Means) -> Callable[[str], None]:
    def say(line: str) -> None:
        means.output.write_raw(f"{line}\n")
        means.output.flush()

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


async def _watched(store: Store, key: str, look: Look, means: Means, say: Callable[[str], None]) -> None:
    how = f"Watching; {'Ctrl-C' if means.lines is None else 'Enter'} goes back."
    watching = asyncio.create_task(watch(store, key, look, say, begun=how))
    leaving = asyncio.create_task(_left(means))
    try:
        await asyncio.wait([watching, leaving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (watching, leaving):
            task.cancel()
        await asyncio.wait([watching, leaving])
    if not watching.cancelled():
        watching.result()
    say("")


async def _left(means: Means) -> None:
    """Wait for somebody who wants to go back."""
    if means.lines is not None:
        await means.lines.ask("")
        return
    async with aclosing(pressed(means.input)) as keys:
        async for key in keys:
            if key in _LEAVING:
                return
