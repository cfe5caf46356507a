"""The surface for terminals and readers that cannot have redraws: plain lines, in order, nothing moved.

Everything can be done here that can be done on the screen; questions are answered with a line. A dumb terminal edits
the line that is typed by itself, as it does for any simple program; elsewhere keys are taken as they are pressed, so
that what was typed before can be had back and a draft is kept.
"""

import asyncio
import os
import signal
import sys
import tty
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext

from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import DummyOutput

from holdfast.agent.permissions import Question
from holdfast.commands.run import is_command
from holdfast.hosts.terminal.dialogs.io import DialogIO
from holdfast.hosts.terminal.dialogs.questions import asked, by_words, is_own, refusal, ways_in_words
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.draw.theme import NONE, is_dumb
from holdfast.hosts.terminal.input.history import InputHistory
from holdfast.hosts.terminal.input.surface import Result, UserActions
from holdfast.hosts.terminal.input.tty import key_by_key, size
from holdfast.hosts.terminal.input.typed_line import TypedLine
from holdfast.hosts.terminal.input.unsent import Draft, joined
from holdfast.records.printable import printable

TWICE = 2.0
"""Seconds within which Ctrl-C leaves when it is pressed twice."""
_ASCII = {
    0x2713: "ok", 0x2717: "x", 0x2298: "-", 0x2016: "=", 0x25A0: "#", 0x2022: "*", 0x2026: "...", 0x203A: ">",
    0xB7: "-", 0x2502: "|", 0x2500: "-", 0x201C: '"', 0x201D: '"', 0x2018: "'", 0x2019: "'", 0x2013: "-", 0x2014: "-",
    0x2192: "->", 0x2610: "[ ]", 0x2611: "[x]", 0x2588: "#", 0x2591: ".",
}  # fmt: skip
"""Our own signs, for terminals that do not have them."""


def is_plain(environment: Mapping[str, str], *, screen_reader: bool) -> bool:
    """Whether plain lines are wanted, or all that there is."""
    return screen_reader or is_dumb(environment) or not _is_unicode()


def _is_unicode() -> bool:
    return sys.stdout.encoding.lower().replace("-", "") == "utf8"


class PlainSurface:
    """Plain lines out, plain lines in."""

    def __init__(self, actions: UserActions, past: InputHistory) -> None:
        """Nothing is said yet; `past` is what was typed before."""
        self._actions, self._past = actions, past
        self._questions: deque[Question] = deque()
        self._begun: list[str] = []
        self._waiting: Draft | None = None
        self._decoder = getincrementaldecoder(sys.stdin.encoding or "utf-8")("replace")
        self._line = TypedLine(_write, lambda: list(past.load_history_strings()), actions.leave)
        self._keys = False
        """Whether keys come as they are pressed, and not lines."""
        self._bytes = ""
        self._ended = asyncio.Event()
        self._awaited: asyncio.Future[str] | None = None
        self._stopped = float("-inf")
        self._prompted = self._repeats = False

    def show(self, text: str) -> None:
        """Print lines; a question that waits is put again after them."""
        if not text:
            return
        self._print(text)
        if self._questions and not self._repeats:
            self._repeats = True
            asyncio.get_running_loop().call_soon(self._repeat)

    def _print(self, text: str) -> None:
        if self._prompted or self._line.text:
            text = f"\n{text}"
        self._prompted = False
        _write(text)

    def _repeat(self) -> None:
        self._repeats = False
        if self._questions and not self._prompted:
            self._put(self._questions[0])

    def refresh(self) -> None:
        """Ask for the next line when everything is said and done."""
        if self._actions.listening and not self._questions and not self._prompted and self._awaited is None:
            self._prompt()

    def ask(self, question: Question) -> None:
        """Put a question; the next line is its answer."""
        self._questions.append(question)
        if len(self._questions) == 1:
            self._put(question)

    def withdraw(self, question: str) -> None:
        """A question needs no answer any more."""
        was = self._questions[0] if self._questions else None
        self._questions = deque(each for each in self._questions if each.id != question)
        if self._questions and self._questions[0] is not was:
            self._put(self._questions[0])

    def put(self, draft: Draft) -> None:
        """Let a message stand in the input, or where the terminal itself edits, say how it is sent."""
        if not draft.text:
            return
        if self._keys and not draft.pasted:
            *self._begun, last = draft.text.split("\n")
            self._line.put(last)
        else:
            self._waiting = draft
            self.show(f"Not sent yet: {printable(draft.text)}\nA line with only a dot sends it.\n")
        self._typed()

    async def aside(self, work: Callable[[DialogIO], Awaitable[Result]]) -> Result:
        """Lend the lines to a choice until it is made."""
        return await work(DialogIO(NONE, DummyInput(), DummyOutput(), _Choice(self)))

    async def line(self, prompt: str) -> str:
        """Take one line for a choice, before anything else gets it."""
        _write(prompt)
        self._awaited = asyncio.get_running_loop().create_future()
        try:
            return await self._awaited
        finally:
            self._awaited = None

    def clear(self) -> None:
        """There is nothing to clear: lines stay where they are."""

    def forget(self) -> None:
        """Bring nothing back that was typed in another session, or before the list was cleared."""
        self._past.forget()

    async def run(self) -> None:
        """Take lines until somebody leaves or the terminal is gone."""
        loop, stdin = asyncio.get_running_loop(), sys.stdin.fileno()
        with key_by_key(stdin) if not is_dumb(os.environ) else nullcontext(enter_result=False) as self._keys:
            loop.add_reader(stdin, self._read)
            loop.add_signal_handler(signal.SIGINT, self._interrupted)
            loop.add_signal_handler(signal.SIGCONT, self._woken)
            self.refresh()
            try:
                await self._ended.wait()
            finally:
                loop.remove_reader(stdin)
                loop.remove_signal_handler(signal.SIGINT)
                loop.remove_signal_handler(signal.SIGCONT)

    def leave(self) -> None:
        """Take no more lines."""
        self._ended.set()

    def _put(self, question: Question) -> None:
        lines = [*asked(question), ways_in_words(question)]
        self._print("".join(f"{line}\n" for text in lines for line in wrapped_text(text, size().columns)))
        self._prompt()

    def _prompt(self) -> None:
        self._line.show()
        self._prompted = True

    def _read(self) -> None:
        try:
            data = os.read(sys.stdin.fileno(), 65536)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._actions.leave()
            return
        self._stopped = float("-inf")
        text = self._decoder.decode(data)
        if self._keys:
            lines = self._line.keys(text)
        else:
            *lines, self._bytes = (self._bytes + text).split("\n")
        for line in lines:
            self._take(line.rstrip("\r"))
        self._typed()

    def _typed(self) -> None:
        """Tell what is not sent yet."""
        if self._questions or self._awaited is not None:
            return
        waiting = self._waiting or Draft()
        text = "\n".join([*self._begun, self._line.text or self._bytes])
        self._actions.typed(joined(waiting, Draft(text=text)))

    def _take(self, line: str) -> None:
        """One line: an answer, a piece of a message, or its end."""
        self._prompted = False
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_result(line)
        elif self._questions:
            self._answer(self._questions[0], line)
        elif line.endswith("\\"):
            self._begun.append(line[:-1])
        elif line == "." and self._waiting is not None and not self._begun:
            waiting, self._waiting = self._waiting, None
            self._actions.said(waiting)
        else:
            text, self._begun = "\n".join([*self._begun, line]), []
            self._say(text)

    def _answer(self, question: Question, line: str) -> None:
        """Answer with a line; a command is run, and the question is put again after what it shows."""
        command = is_command(line)
        if not command or is_own(question):
            self._questions.popleft()
            self._actions.answered(question, refusal(question) if command else by_words(question, line))
            if self._questions:
                self._put(self._questions[0])
        if command:
            self._past.store_string(line)
            self._actions.said(Draft(text=line))

    def _say(self, text: str) -> None:
        if text.strip():
            self._waiting = None
            self._past.store_string(text)
            self._actions.said(Draft(text=text))
        else:
            self._actions.go_on()
            self.refresh()

    def _woken(self) -> None:
        """Go on after Ctrl-Z: the shell has had the terminal, and left it as it likes it."""
        if self._keys:
            tty.setcbreak(sys.stdin.fileno())
        if self._prompted:
            self.show("\n")
        self.refresh()

    def _interrupted(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._stopped < TWICE:
            self._actions.leave()
            return
        self._stopped = now
        if self._actions.busy:
            self._actions.stop()
        else:
            self._begun = []
            self.show("Ctrl-C again leaves.\n")
            self._line.put("")
            self._typed()
            self.refresh()


def _write(text: str) -> None:
    encoding = sys.stdout.encoding
    data = (text if _is_unicode() else text.translate(_ASCII)).encode(encoding, "replace")
    while data:
        try:
            data = data[os.write(1, data) :]
        except OSError:  # nobody is there any more: the end of the input says so too
            return


class _Choice:
    """The lines, as a choice uses them."""

    def __init__(self, lines: PlainSurface) -> None:
        self._lines = lines

    def say(self, line: str) -> None:
        """Print a line."""
        self._lines.show(f"{line}\n")

    async def ask(self, prompt: str) -> str | None:
        """Print a question and take a line."""
        return await self._lines.line(prompt)
