"""One line as it is typed, where nothing is drawn again.

Keys are echoed; what was typed before comes on a line of its own. It edits at its end only, as a terminal does by
itself, and knows beyond that what was typed before (the arrows up and down) and what stands in it, so that a draft
can be kept. A backslash before Enter begins a new line of the same message.
"""

import re
from collections.abc import Callable, Sequence

from holdfast.commands.text.width import width as cells
from holdfast.records.printable import printable

PROMPT = "> "
UP, DOWN = frozenset({"\x1b[A", "\x1bOA", "\x10"}), frozenset({"\x1b[B", "\x1bOB", "\x0e"})
_KEY = re.compile(r"\x1b(?:\[[0-9;?]*[@-~]|O.|.)?|.", re.DOTALL)
"""A key: an escape and what belongs to it, or one character."""
_LAST = re.compile(r".[\u0300-\u036f\ufe0f\u200d]*$", re.DOTALL)
"""The last character, with what belongs to it."""
_LAST_WORD = re.compile(r"\S*\s*$")
_LINE = re.compile(r".*$", re.DOTALL)


class TypedLine:
    """What stands after the prompt."""

    def __init__(
        self, write: Callable[[str], None], past: Callable[[], Sequence[str]], leave: Callable[[], None]
    ) -> None:
        """Echo to a terminal; `past` is what was typed before, newest first, and Ctrl-D on an empty line leaves."""
        self._write, self._past, self._leave = write, past, leave
        self.text = ""
        self._back, self._own = 0, ""
        """How far back in the past one is, and what one had typed before one went there."""

    def put(self, text: str) -> None:
        """Let something stand here; it is shown with the next prompt."""
        self.text, self._back = text, 0

    def show(self) -> None:
        """Print the prompt, and what stands after it."""
        self._write(PROMPT + printable(self.text))

    def keys(self, typed: str) -> list[str]:
        """Take keys; gives the lines that were finished with them."""
        finished: list[str] = []
        for key in _KEY.findall(typed):
            if key in "\r\n" and self.text.endswith("\\"):
                self.text = f"{self.text[:-1]}\n"
                self._write("\n")
            elif key in "\r\n":
                self._write("\n")
                finished.append(self.text)
                self.put("")
            else:
                self._key(key)
        return finished

    def _key(self, key: str) -> None:
        if key in UP or key in DOWN:
            self._recall(1 if key in UP else -1)
        elif key in "\x7f\x08":
            self._erase(_LAST)
        elif key == "\x17":
            self._erase(_LAST_WORD)
        elif key == "\x15":
            self._erase(_LINE)
        elif key == "\x04":
            if not self.text:
                self._leave()
        elif key.isprintable():
            self.text += key
            self._write(printable(key))

    def _erase(self, end: re.Pattern[str]) -> None:
        """Take something away at the end."""
        if found := end.search(self.text):
            self.text = self.text[: found.start()]
            self._write("\b \b" * cells(printable(found[0])))

    def _recall(self, by: int) -> None:
        """Go back in what was typed before, or forward to what one had typed."""
        past = [each for each in self._past() if "\n" not in each]
        back = min(max(0, self._back + by), len(past))
        if back == self._back:
            return
        if not self._back:
            self._own = self.text
        self._back, self.text = back, past[back - 1] if back else self._own
        self._write("\n")
        self.show()
