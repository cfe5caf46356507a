"""Follows a conversation of another process, as lines that are only ever added: entries, and replies as they stream.

Two sources are followed, the log and the draft. The words of a draft are shown once everything is that was written
before them, and never if their reply is written already.
"""

import asyncio
from collections.abc import Callable, Sequence
from itertools import groupby

from holdfast.hosts.terminal.dialogs.remote_reply import RemoteReply
from holdfast.hosts.terminal.draw.activity import Activity, Look
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import Drafted, ModelReplied, ToolFinished
from holdfast.session.store import Store

RECENT = 20
"""Entries before now that a watcher is shown first."""

Say = Callable[[str], None]
"""Prints a line."""


async def watch(store: Store, key: str, look: Look, say: Say, *, begun: str = "") -> None:
    """Print the last entries of a session, how watching is left, and then what is said, until cancelled.

    What is said of leaving comes after what is there already, or else it would have scrolled away.
    """
    state, there, watcher = await store.state(key), asyncio.Event(), Follower(look, say)

    async def written() -> None:
        async for record in store.follow(key, after=max(-1, state.last - RECENT)):
            watcher.written(record)
            if record.pos >= state.last and not there.is_set():
                watcher.note(begun)
                there.set()

    async def drafted() -> None:
        await there.wait()
        async for pieces in store.follow_draft(key):
            watcher.drafted(pieces)

    following = [asyncio.create_task(each) for each in (written(), drafted())]
    try:
        await asyncio.gather(*following)
    finally:
        for task in following:
            task.cancel()
        await asyncio.wait(following)


class Follower:
    """What one who watches was shown."""

    def __init__(self, look: Look, say: Say) -> None:
        """Nothing yet."""
        self._activity, self._say = Activity(look), say
        self._last: object = None
        self._seen = self._replied = -1
        self._waiting: list[Drafted] = []
        self._reply: tuple[Position, RemoteReply] | None = None

    def note(self, text: str) -> None:
        """Show a remark of our own; nothing if it is empty."""
        if text:
            self._show([self._activity.look.theme.painted(text, "dim")], text)

    def written(self, record: Record) -> None:
        """Show an entry, the next of the log; of a reply what was not shown of it."""
        entry, self._seen = record.entry, record.pos
        if isinstance(entry, ModelReplied):
            _, reply = self._reply or (record.pos, self._remote_reply())
            self._reply, self._replied = None, record.pos
            reply.ended(entry)
        else:
            # One call stands right below another.
            owner = ToolFinished if isinstance(entry, ToolFinished) else record
            self._show(self._activity.lines_of(entry), owner)
        self._follow_reply()

    def drafted(self, pieces: Sequence[Drafted]) -> None:
        """Show what streams."""
        self._waiting += pieces
        self._follow_reply()

    def _follow_reply(self) -> None:
        """Show the pieces whose turn it is; a draft may be looked at before what was written first, or too late."""
        due = [piece for piece in self._waiting if self._replied < piece.reply <= self._seen + 1]
        self._waiting = [piece for piece in self._waiting if piece.reply > self._seen + 1]
        for position, pieces in groupby(due, key=lambda piece: piece.reply):
            if self._reply is not None and self._reply[0] != position:
                self._reply[1].close()
                self._reply = None
            if self._reply is None:
                self._reply = position, self._remote_reply()
            self._reply[1].drafted(pieces)

    def _remote_reply(self) -> RemoteReply:
        return RemoteReply(self._activity, self._show)

    def _show(self, lines: list[str], owner: object) -> None:
        if not lines:
            return
        if self._last is not None and self._last is not owner:
            self._say("")
        for line in lines:
            self._say(line)
        self._last = owner
