"""The terminal itself: what is written to it, the keys that come from it, and that it may go away.

A window that is closed must not cost anything: what is written then goes nowhere, and the keyboard says
that it has come to its end, so that the chat leaves in good order.
"""

import os
import select
import termios
import tty
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TextIO, cast

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output

USUAL = Size(rows=24, columns=80)
_HUNG_UP = select.POLLHUP | select.POLLERR | select.POLLNVAL


class TerminalOutput:
    """Standard output as bytes that are all written, or go nowhere once nobody is there."""

    encoding = "utf-8"

    def __init__(self) -> None:
        """Somebody is there."""
        self.gone = False

    def write(self, text: str) -> int:
        """Write everything."""
        data = text.encode("utf-8", "replace")
        while data and not self.gone:
            try:
                data = data[os.write(1, data) :]
            except BlockingIOError:  # whoever shares the terminal may have made it so
                select.select([], [1], [])
            except OSError:
                self.gone = True
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""

    def fileno(self) -> int:
        """Standard output."""
        return 1

    def isatty(self) -> bool:
        """It is a terminal."""
        return True


class Keyboard(Vt100Input):
    """Keys from standard input, which ends when the terminal goes away."""

    def __init__(self, stdin: TextIO) -> None:
        """Read from a terminal."""
        super().__init__(stdin)
        self._ahead = False

    def raw_mode(self) -> AbstractContextManager[None]:
        """Have keys as they are pressed."""
        # Until now the terminal gave lines, and made of Enter what Ctrl-J is: such a line was meant to be sent.
        self._ahead = bool(select.select([self.fileno()], [], [], 0)[0])
        return super().raw_mode()

    def read_keys(self) -> list[KeyPress]:
        """The keys that were pressed."""
        keys = super().read_keys()
        if not keys and _hung_up(self.fileno()):
            self.stdin_reader.closed = True
        if self._ahead:
            self._ahead = False
            keys = [KeyPress(Keys.Enter, "\r") if each.key == Keys.ControlJ else each for each in keys]
        return keys


@contextmanager
def key_by_key(terminal: int) -> Iterator[bool]:
    """Have keys from a terminal as they are pressed, without its echo; whether that can be had. Ctrl-C is a signal."""
    try:
        before = termios.tcgetattr(terminal)
    except termios.error:
        yield False
        return
    if not before[3] & termios.ECHO:  # whoever is at the other end echoes and edits, and sends lines
        yield False
        return
    tty.setcbreak(terminal)
    try:
        yield True
    finally:
        with suppress(termios.error):
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _hung_up(descriptor: int) -> bool:
    asked = select.poll()
    asked.register(descriptor, select.POLLIN)
    return any(event & _HUNG_UP for _, event in asked.poll(0))


def size() -> Size:
    """How large the terminal is."""
    try:
        columns, rows = os.get_terminal_size(1)
    except OSError:
        return USUAL
    return Size(rows=rows or USUAL.rows, columns=columns or USUAL.columns)


class Drawing(Vt100_Output):
    """What draws; between `hold` and `release` in one write, so that nobody sees half of it."""

    _held = False

    def hold(self) -> None:
        """Write nothing for now."""
        self._held = True

    def release(self) -> None:
        """Write what was held."""
        self._held = False
        self.flush()

    def erase_down(self) -> None:
        """Erase the rest of the screen, from a column after the first."""
        # Erased from its very corner, tmux keeps what stood there in the scrollback: a prompt that was never used.
        self.write_raw(" \x1b[J\b")

    def flush(self) -> None:
        """Write what was drawn."""
        if not self._held:
            super().flush()


def open_output(wire: TerminalOutput, term: str) -> Drawing:
    """What draws. It never asks the terminal where its cursor is: the answer would be waited for."""
    return Drawing(cast("TextIO", wire), size, term=term, enable_cpr=False)
