"""The surface that is redrawn: an input at the bottom that is always there, and everything else above it.

What is finished is printed once, in few large writes, and scrolls away as the output of any program does;
only what is unfinished is drawn again. Printing and drawing happen in one step that the terminal is asked
to show at once, so nothing flickers and no half line is ever seen.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from prompt_toolkit.application import Application, in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.document import Document
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.output import ColorDepth

from holdfast.agent.permissions import Question
from holdfast.hosts.terminal.dialogs.io import DialogIO
from holdfast.hosts.terminal.dialogs.questions import asked, ways
from holdfast.hosts.terminal.draw.reflow import Reflowing
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.draw.theme import Theme
from holdfast.hosts.terminal.input.answer_keys import AnswerKeys
from holdfast.hosts.terminal.input.complete import wanted
from holdfast.hosts.terminal.input.history import InputHistory
from holdfast.hosts.terminal.input.keys import INPUT, KeyTargets, Sending, bindings
from holdfast.hosts.terminal.input.paste import Pastes
from holdfast.hosts.terminal.input.prompt import STYLE, Around, make_layout
from holdfast.hosts.terminal.input.surface import Result, SurroundingLines, UserActions
from holdfast.hosts.terminal.input.tty import Drawing
from holdfast.hosts.terminal.input.unsent import Draft

NOT_YET = "a moment without typing, and keys answer this"
BATCH, SOON = 1 / 15, 0.01
"""Seconds between two redraws that no key asked for, and until one after a quiet moment."""
AT_ONCE, NOW = "\x1b[?2026h", "\x1b[?2026l"
"""Between them a terminal that knows them shows nothing, and then all of it."""
LATER = "it can be answered when you pause in typing"
ESCAPE_SECONDS, CHORD_SECONDS = 0.05, 0.6
"""How long Esc waits for what may follow it while a turn runs, and while none does."""


class ScreenParts(NamedTuple):
    """What a screen is made with."""

    keyboard: Callable[[], Input]
    """Each who takes keys has its own, so that none waits for half a key that another was given."""
    output: Drawing
    history: InputHistory
    completer: Completer
    vi: bool
    reflows: bool
    """Whether the terminal breaks lines anew when it is resized."""
    remembers: bool
    """Whether it breaks them by what was erased in them as well."""
    theme: Callable[[], Theme]


class Screen:
    """An input that is always there, below what was printed."""

    def __init__(self, parts: ScreenParts, view: SurroundingLines, actions: UserActions) -> None:
        """Make it; `run` shows it."""
        self._parts, self._view, self._actions = parts, view, actions
        self._pending: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self._last = float("-inf")
        self._drawn: tuple[tuple[int, int, int], list[str]] = ((-1, 0, 0), [])
        self._rows: tuple[list[str], int] = ([], 1)
        """The lines above the input, and how many there are in it, as they were drawn last."""
        self._pastes = Pastes()
        self._buffer = Buffer(
            name=INPUT,
            multiline=True,
            history=parts.history,
            completer=parts.completer,
            complete_while_typing=Condition(self._completes),
            tempfile_suffix=".md",
            on_text_changed=lambda _: self._typed(),
        )
        self._answering = AnswerKeys(self._buffer, self._pastes, actions, self.refresh)
        targets = KeyTargets(actions, self._answering, self._pastes)
        self._sending = Sending(targets)
        kind: type[Application[None]] = Reflowing if parts.reflows else Application
        self._app = kind(
            layout=make_layout(self._buffer, Around(self._live, self._status)),
            key_bindings=bindings(targets, self._sending),
            editing_mode=EditingMode.VI if parts.vi else EditingMode.EMACS,
            input=parts.keyboard(),
            output=parts.output,
            style=STYLE,
            include_default_pygments_style=False,
            color_depth=ColorDepth.DEPTH_1_BIT if parts.theme().plain else ColorDepth.DEPTH_4_BIT,
            erase_when_done=True,
        )
        self._app.ttimeoutlen = ESCAPE_SECONDS
        self._app.before_render += lambda _: self._print()
        self._app.after_render += lambda _: self._finish()
        self._app.key_processor.before_key_press += lambda _: self._answering.pressed()

    def show(self, text: str) -> None:
        """Print finished lines above the input."""
        self._pending.append(text)
        self.refresh()

    def refresh(self) -> None:
        """Draw again, soon."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(loop.time() + SOON, self._last + BATCH), self._draw)

    def ask(self, question: Question) -> None:
        """Put a question."""
        self._answering.ask(question)

    def withdraw(self, question: str) -> None:
        """A question needs no answer any more."""
        self._answering.withdraw(question)

    def put(self, draft: Draft) -> None:
        """Put a message into the input, before what was typed already."""
        if draft.text:
            self._pastes.texts.update(draft.pasted)
            if self._answering.armed:
                self._answering.put(draft.text)
                return
            text = "\n".join(each for each in (draft.text, self._buffer.text) if each)
            self._buffer.set_document(Document(text), bypass_readonly=True)

    async def aside(self, work: Callable[[DialogIO], Awaitable[Result]]) -> Result:
        """Lend the terminal to a choice until it is made; what is printed meanwhile waits."""
        async with in_terminal():
            self._write()
            return await work(DialogIO(self._parts.theme(), self._parts.keyboard(), self._parts.output))

    def forget(self) -> None:
        """Bring nothing back that was typed in another session, or before the list was cleared."""
        self._parts.history.forget()
        self._buffer.reset(self._buffer.document)  # its lines are loaded anew

    def clear(self) -> None:
        """Begin with an empty screen."""
        self._app.renderer.clear()
        self.refresh()

    async def run(self) -> None:
        """Take keys until somebody leaves or the terminal is gone."""
        try:
            await self._app.run_async(handle_sigint=False, set_exception_handler=False)
        except EOFError:
            self._actions.leave()
        finally:
            self._write()

    def leave(self) -> None:
        """Take no more keys."""
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    def _typed(self) -> None:
        self._sending.typed()
        if self._answering.armed:
            self._answering.typed()
        self._actions.typed(Draft(text=self._answering.unsent, pasted=dict(self._pastes.texts)))

    def _completes(self) -> bool:
        return not self._answering.armed and wanted(self._buffer.document.text_before_cursor)

    def _live(self, columns: int, rows: int) -> list[str]:
        if self._drawn[0] != (self._app.render_counter, columns, rows):
            self._drawn = ((self._app.render_counter, columns, rows), self._lines(columns, rows))
        return self._drawn[1]

    def _lines(self, columns: int, rows: int) -> list[str]:
        lines = self._view.live(columns, rows)
        question = self._answering.question
        if question is None:
            return lines
        put = [line for text in asked(question) for line in wrapped_text(text, columns)]
        how = ways(question) if self._answering.armed else NOT_YET
        return [*lines, *put[: rows // 2], *wrapped_text(how, columns)]

    def _status(self, columns: int) -> str:
        return "Ctrl-C again leaves" if self._sending.warned else self._view.status(columns)

    def _draw(self) -> None:
        self._timer, self._last = None, asyncio.get_running_loop().time()
        self._app.timeoutlen = ESCAPE_SECONDS if self._actions.busy else CHORD_SECONDS
        self._app.invalidate()

    def _print(self) -> None:
        self._parts.output.hold()
        self._parts.output.write_raw(AT_ONCE)
        moved = self._parts.remembers and self._moved()
        if self._pending or moved:
            self._app.renderer.erase()
            self._write()

    def _moved(self) -> bool:
        """Whether a row is to hold something else than what it held, and perhaps more."""
        size = self._parts.output.get_size()
        (before, typed), live = self._rows, self._live(size.columns, size.rows)
        self._rows = live, self._buffer.document.line_count
        return (
            len(live) != len(before) or typed != self._rows[1] or not all(map(str.startswith, live[:-1], before[:-1]))
        )

    def _write(self) -> None:
        text = "".join(self._pending).replace("\n", "\r\n")
        self._pending.clear()
        self._app.output.write_raw(text)
        self._app.output.flush()

    def _finish(self) -> None:
        self._parts.output.write_raw(NOW)
        self._parts.output.release()
