"""The surface for terminals and readers that cannot have redraws: plain lines, in order, nothing moved.

The terminal itself edits the line that is typed, as it does for any simple program. Everything can be done
here that can be done on the screen; questions are answered with a line.
"""

import asyncio
import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping

from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import DummyOutput

from holdfast.agent.approval import Question
from holdfast.hosts.terminal.drafts import Draft
from holdfast.hosts.terminal.means import Means
from holdfast.hosts.terminal.questions import asked, by_words, ways_in_words
from holdfast.hosts.terminal.surface import Hands, Result
from holdfast.hosts.terminal.theme import NONE, is_dumb
from holdfast.records.safe import safe

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


class Lines:
    """Plain lines out, plain lines in."""

    def __init__(self, hands: Hands) -> None:
        """Nothing is said yet."""
        self._hands = hands
        self._questions: deque[Question] = deque()
        self._begun: list[str] = []
        self._bytes = b""
        self._ended = asyncio.Event()
        self._awaited: asyncio.Future[str] | None = None
        self._stopped = float("-inf")
        self._prompted = False

    def show(self, text: str) -> None:
        """Print lines."""
        if self._prompted:
            self._prompted = False
            text = f"\n{text}"
        self._write(text)

    def refresh(self) -> None:
        """Ask for the next line when nothing runs any more."""
        if not self._hands.busy and not self._questions and not self._prompted:
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
        """Show a message that waits to be sent; it cannot be put where the terminal edits."""
        if draft.text:
            self.show(f"Not sent yet: {safe(draft.text)}\n")

    async def aside(self, work: Callable[[Means], Awaitable[Result]]) -> Result:
        """Lend the lines to a choice until it is made."""
        return await work(Means(NONE, DummyInput(), DummyOutput(), _Choice(self)))

    async def line(self, prompt: str) -> str:
        """Take one line for a choice, before anything else gets it."""
        self._write(prompt)
        self._awaited = asyncio.get_running_loop().create_future()
        try:
            return await self._awaited
        finally:
            self._awaited = None

    def clear(self) -> None:
        """There is nothing to clear: lines stay where they are."""

    async def run(self) -> None:
        """Take lines until somebody leaves or the terminal is gone."""
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._read)
        loop.add_signal_handler(signal.SIGINT, self._interrupted)
        self.refresh()
        try:
            await self._ended.wait()
        finally:
            loop.remove_reader(sys.stdin.fileno())
            loop.remove_signal_handler(signal.SIGINT)

    def leave(self) -> None:
        """Take no more lines."""
        self._ended.set()

    def _put(self, question: Question) -> None:
        self.show("".join(f"{line}\n" for line in [*asked(question), ways_in_words(question)]))
        self._prompt()

    def _prompt(self) -> None:
        self._write("> ")
        self._prompted = True

    def _read(self) -> None:
        try:
            data = os.read(sys.stdin.fileno(), 65536)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._hands.leave()
            return
        *lines, self._bytes = (self._bytes + data).split(b"\n")
        for line in lines:
            self._take(line.decode(sys.stdin.encoding or "utf-8", "replace").rstrip("\r"))

    def _take(self, line: str) -> None:
        """One line: an answer, a piece of a message, or its end."""
        self._prompted = False
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_result(line)
            return
        if self._questions:
            question = self._questions.popleft()
            self._hands.answered(question, by_words(question, line))
            if self._questions:
                self._put(self._questions[0])
            return
        if line.endswith("\\"):
            self._begun.append(line[:-1])
            return
        text, self._begun = "\n".join([*self._begun, line]), []
        if text.strip():
            self._hands.said(Draft(text=text))
        else:
            self._hands.go_on()
            self.refresh()

    def _interrupted(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._hands.busy:
            self._hands.stop()
        elif now - self._stopped < TWICE:
            self._hands.leave()
        else:
            self._stopped, self._begun = now, []
            self.show("Ctrl-C again leaves.\n")
            self.refresh()

    def _write(self, text: str) -> None:
        encoding = sys.stdout.encoding
        data = (text if _is_unicode() else text.translate(_ASCII)).encode(encoding, "replace")
        while data:
            try:
                data = data[os.write(1, data) :]
            except OSError:  # nobody is there any more: the end of the input says so too
                return


class _Choice:
    """The lines, as a choice uses them."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def say(self, line: str) -> None:
        """Print a line."""
        self._lines.show(f"{line}\n")

    async def ask(self, prompt: str) -> str | None:
        """Print a question and take a line."""
        return await self._lines.line(prompt)
