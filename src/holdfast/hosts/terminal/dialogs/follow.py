"""Watches a session, wherever it is open, as lines that are only ever added: entries, and replies as they stream."""

from collections.abc import Callable

from holdfast.agent.events import Appended, Event, TextStreamed, ThinkingStreamed
from holdfast.engine.engine import Engine
from holdfast.hosts.terminal.draw.activity import Activity, Look
from holdfast.hosts.terminal.draw.streamed_reply import StreamedReply
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import ModelReplied, ToolFinished
from holdfast.records.parts import Text, Thinking

RECENT = 20
"""Entries before now that a watcher is shown first."""

Say = Callable[[str], None]
"""Prints a line."""


async def watch(engine: Engine, key: str, look: Look, say: Say, *, begun: str = "") -> None:
    """Print the last entries of a session, how watching is left, and then what is said, until cancelled.

    What is said of leaving comes after what is there already, or else it would have scrolled away.
    """
    last, lines = (await engine.store.state(key)).last, EventLines(look, say)
    async with await engine.attach(key, after=max(-1, last - RECENT)) as attachment:
        there = attachment.snapshot
        async for event in attachment:
            lines.take(event)
            if isinstance(event, Appended) and event.record.pos == there.state.last:
                lines.note(begun)
                for piece in there.reply.streamed() if there.reply is not None else ():
                    lines.take(piece)


class EventLines:
    """What one who watches was shown."""

    def __init__(self, look: Look, say: Say) -> None:
        """Nothing yet."""
        self._activity, self._say = Activity(look), say
        self._last: object = None
        self._reply: tuple[Position, StreamedReply] | None = None

    def note(self, text: str) -> None:
        """Show a remark of our own; nothing if it is empty."""
        if text:
            self._show([self._activity.look.theme.painted(text, "dim")], text)

    def take(self, event: Event) -> None:
        """Show an entry, or more of a reply that streams; what else happens comes with its entry."""
        match event:
            case Appended(record=record):
                self._written(record)
            case TextStreamed() | ThinkingStreamed():
                if self._reply is not None and self._reply[0] != event.reply:
                    self._reply[1].close()
                    self._reply = None
                if self._reply is None:
                    self._reply = event.reply, StreamedReply(self._activity, self._show)
                self._reply[1].streamed((Text if isinstance(event, TextStreamed) else Thinking)(text=event.text))
            case _:
                pass

    def _written(self, record: Record) -> None:
        """Show an entry; of a reply what was not shown of it."""
        entry = record.entry
        if isinstance(entry, ModelReplied):
            reply = self._reply[1] if self._reply is not None else StreamedReply(self._activity, self._show)
            self._reply = None
            reply.ended(entry)
        else:
            # One call stands right below another.
            owner = ToolFinished if isinstance(entry, ToolFinished) else record
            self._show(self._activity.lines_of(entry), owner)

    def _show(self, lines: list[str], owner: object) -> None:
        if not lines:
            return
        if self._last is not None and self._last is not owner:
            self._say("")
        for line in lines:
            self._say(line)
        self._last = owner
