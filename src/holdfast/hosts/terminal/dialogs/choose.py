"""A list to choose from, a few lines high: moved in by arrows, filtered by typing.

What is offered comes from a source, which may still be loading. Only the lines that are seen are drawn, so
thousands cost no more than ten. Where nothing can be redrawn, the same is a numbered list.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Layout, VSplit, Window
from prompt_toolkit.output import ColorDepth

from holdfast.commands.text.width import clip, pad
from holdfast.commands.text.width import width as cells
from holdfast.hosts.terminal.dialogs.io import DialogIO, LineIO
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.draw.theme import Theme

HIGHEST = 10
"""Lines of the list."""
BELOW = 3
"""Lines about what is chosen."""
NUMBERED = 20
"""Entries of a numbered list."""
NARROW = 60
"""Columns below which notes are left out in favour of words."""


class ListRow(NamedTuple):
    """One thing that is offered; its texts are safe, and on one line."""

    text: str
    note: str = ""
    """What stands at the right."""
    short: str = ""
    """The same for a narrow terminal."""


class ListSource(Protocol):
    """What is offered."""

    @property
    def heading(self) -> str:
        """What is chosen from, in a few words."""
        ...

    @property
    def hint(self) -> str:
        """Keys of its own, in words; '' for none."""
        ...

    def found(self) -> Sequence[str]:
        """What matches what was typed, best first, by keys."""
        ...

    def row(self, key: str) -> ListRow:
        """How one of them is shown."""
        ...

    def about(self, key: str) -> str:
        """More about the one that is looked at; '' while nothing is known."""
        ...

    def typed(self, text: str) -> None:
        """Look for something else."""
        ...

    def looked_at(self, index: int) -> None:
        """The one at an index is looked at; those after it may be needed soon."""
        ...

    def widened(self) -> None:
        """Offer more kinds of things, or fewer again."""
        ...

    async def work(self, changed: Callable[[], None]) -> None:
        """Load and look things up until cancelled, saying when something is there."""
        ...

    async def settle(self) -> None:
        """Wait until what was asked for so far is there."""
        ...


async def choose(source: ListSource, io: DialogIO, query: str = "") -> str | None:
    """Let a person choose; gives the key, or None if they leave."""
    if io.lines is not None:
        return await _by_number(source, io.lines, query)
    return await _Chooser(source, io, query).run()


class List:
    """A list, the one that is looked at in it, and the part that is seen."""

    def __init__(self, source: ListSource) -> None:
        """Look at the first."""
        self._source = source
        self.at = self._top = 0

    @property
    def key(self) -> str | None:
        """The one that is looked at."""
        found = self._source.found()
        return found[min(self.at, len(found) - 1)] if found else None

    def move(self, by: int) -> None:
        """Look at another one."""
        self.at = max(0, min(len(self._source.found()) - 1, self.at + by))
        self._source.looked_at(self.at)

    def first(self) -> None:
        """Look at the first one."""
        self.at = 0
        self._source.looked_at(0)

    def lines(self, columns: int, rows: int, theme: Theme) -> list[str]:
        """The part of the list that is seen."""
        found = self._source.found()
        self.at = max(0, min(self.at, len(found) - 1))
        self._top = max(0, min(self._top, len(found) - rows, self.at), self.at - rows + 1)
        seen = found[self._top : self._top + rows]
        return [
            _drawn(self._source.row(key), columns, theme, chosen=self._top + index == self.at)
            for index, key in enumerate(seen)
        ]


def _drawn(row: ListRow, columns: int, theme: Theme, *, chosen: bool) -> str:
    note = row.note if columns >= NARROW else row.short
    room = columns - 2 - (cells(note) + 2 if note else 0)
    text = f"{'▸' if chosen else ' '} {pad(clip(row.text, room), room)}"
    if chosen:
        return theme.painted(f"{text}  {note}" if note else text, "chosen")
    return f"{text}  {theme.painted(note, 'dim')}" if note else text.rstrip()


class _Chooser:
    """A list on a screen."""

    def __init__(self, source: ListSource, io: DialogIO, query: str) -> None:
        self._source, self._io = source, io
        self._list = List(source)
        self._buffer = Buffer(multiline=False, on_text_changed=self._typed)
        self._buffer.text = query
        self._buffer.cursor_position = len(query)
        depth = ColorDepth.DEPTH_1_BIT if io.theme.plain else ColorDepth.DEPTH_4_BIT
        self._app: Application[str | None] = Application(
            layout=Layout(self._layout()),
            key_bindings=self._keys(),
            input=io.input,
            output=io.output,
            color_depth=depth,
            erase_when_done=True,
        )
        self._app.ttimeoutlen = 0.05

    async def run(self) -> str | None:
        work = asyncio.create_task(self._work())
        try:
            return await self._app.run_async()
        finally:
            work.cancel()
            await asyncio.wait([work])

    async def _work(self) -> None:
        try:
            await self._source.work(self._app.invalidate)
        except Exception as error:  # noqa: BLE001 # boundary: whatever a source fails with ends the choice
            self._app.exit(exception=error)

    def _typed(self, buffer: Buffer) -> None:
        self._source.typed(buffer.text)
        self._list.first()

    def _layout(self) -> HSplit:
        def text(lines: Callable[[], list[str]], rows: Callable[[], int]) -> Window:
            control = FormattedTextControl(lambda: ANSI("\n".join(lines())))
            return Window(control, height=lambda: Dimension.exact(rows()), wrap_lines=False)

        search = VSplit(
            [Window(FormattedTextControl("search: "), width=8, height=1), Window(BufferControl(self._buffer), height=1)]
        )
        return HSplit(
            [
                text(self._head, lambda: 2),
                search,
                text(lambda: self._list.lines(self._columns, self._rows, self._io.theme), lambda: self._rows),
                text(self._below, lambda: BELOW),
                text(self._foot, lambda: len(self._foot())),
            ]
        )

    @property
    def _columns(self) -> int:
        return self._io.output.get_size().columns

    @property
    def _rows(self) -> int:
        most = self._io.output.get_size().rows - BELOW - 6
        return max(1, min(HIGHEST, most, len(self._source.found())))

    def _head(self) -> list[str]:
        return ["", self._io.theme.painted(clip(self._source.heading, self._columns), "strong")]

    def _below(self) -> list[str]:
        key = self._list.key
        words = self._source.about(key) if key is not None else "Nothing is found."
        lines = wrapped_text(words, self._columns - 2)
        if len(lines) > BELOW:
            lines = [*lines[: BELOW - 1], clip(f"{lines[BELOW - 1]} …", self._columns - 2)]
        return [self._io.theme.painted(f"  {line}", "dim") for line in lines]

    def _foot(self) -> list[str]:
        hint = f" · {self._source.hint}" if self._source.hint else ""
        text = f"↑↓ move · Enter choose · Esc leave{hint}"
        return [self._io.theme.painted(line, "dim") for line in wrapped_text(text, self._columns)]

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        for names, by in ((("up", "c-p"), -1), (("down", "c-n"), 1), (("pageup",), -HIGHEST), (("pagedown",), HIGHEST)):
            for name in names:
                keys.add(name)(self._mover(by))
        keys.add("enter")(self._take)
        for name in ("escape", "c-c", "c-d"):
            # At once: nothing that begins with Esc means anything here, and arrows come as keys of their own.
            keys.add(name, eager=True)(lambda event: event.app.exit(result=None))
        keys.add("c-a")(lambda _: self._widen())
        return keys

    def _take(self, event: KeyPressEvent) -> None:
        """Choose what is looked at; where nothing is found, or not yet, Enter does nothing."""
        if self._list.key is not None:
            event.app.exit(result=self._list.key)

    def _mover(self, by: int) -> Callable[[KeyPressEvent], None]:
        return lambda _: self._list.move(by)

    def _widen(self) -> None:
        self._source.widened()
        self._list.first()


async def _by_number(source: ListSource, lines: LineIO, query: str) -> str | None:
    """The same as a numbered list, asked for by line."""
    work = asyncio.create_task(source.work(lambda: None))
    source.typed(query)
    try:
        while True:
            await _settled(source, work)
            found = source.found()[:NUMBERED]
            lines.say(source.heading if found else "Nothing is found.")
            for number, key in enumerate(found, 1):
                row = source.row(key)
                lines.say(f"{number:>3}  {row.text}" + (f"  ({row.short})" if row.short else ""))
            said = await lines.ask("Number, words to look for, or nothing to leave: ")
            if said is None or not said.strip():
                return None
            if said.strip().isdecimal() and 0 < int(said) <= len(found):
                return found[int(said) - 1]
            source.typed(said.strip())
    finally:
        work.cancel()
        await asyncio.wait([work])


async def _settled(source: ListSource, work: asyncio.Task[None]) -> None:
    """Wait for what was asked for; a source that fails says why instead."""
    there = asyncio.create_task(source.settle())
    await asyncio.wait([there, work], return_when=asyncio.FIRST_COMPLETED)
    if work.done():
        there.cancel()
        work.result()
