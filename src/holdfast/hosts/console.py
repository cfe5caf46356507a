"""The terminal, or whatever stands in its place.

Every readable line goes through `line` or `note`, which make it safe: no control
sequence that somebody said reaches the terminal, whoever forgets about it. Data
for programs goes through `data`, byte for byte when it is piped.
"""

import os
import re
import signal
import sys
from collections.abc import Mapping
from typing import BinaryIO, NamedTuple, TextIO, TypeAlias

from holdfast.commands.text.width import flat, wrap

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
    "|[\U000e0000-\U000e0fff]"
)
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class Styled(NamedTuple):
    """Text with a style."""

    text: str
    style: str


Piece: TypeAlias = str | Styled


def escaped(json_text: str) -> str:
    """JSON with everything a terminal could obey written as an escape; it means the same."""
    return _UNSAFE.sub(lambda found: _escape(found[0]), json_text)


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def give_up(stream: int) -> None:
    """Point standard output (1) or error (2) nowhere after it failed, so that nothing complains at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream)
    os.close(nowhere)


class Console:
    """Where a command reads and writes."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Use the standard streams."""
        self._out, self._err, self._in = _stream(sys.stdout), _stream(sys.stderr), sys.stdin
        plain = bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
        self.is_terminal = self._out.isatty()
        self._watched = self._err.isatty() and environment.get("TERM") != "dumb"
        self._colour_out, self._colour_err = not plain and self.is_terminal, not plain and self._err.isatty()
        self.width = _columns(environment, self._out)
        """How wide it is; None when nobody looks, and lines may be as long as they are."""

    def line(self, *pieces: Piece) -> None:
        """Print one line for people."""
        self._bytes(_encoded("".join(_painted(each, colour=self._colour_out) for each in pieces), self._out))

    def prose(self, text: str, *, indent: str = "") -> None:
        """Print a sentence for people, broken between words where the terminal ends."""
        for line in self._wrapped(text, len(indent)):
            self.line(indent, line)

    def note(self, text: str = "", *, style: str = "") -> None:
        """Print a sentence beside the output: a hint, a warning, a question's answer."""
        self._out.flush()
        for line in self._wrapped(text, 0):
            self._note(Styled(line, style) if style else line)

    def command(self, text: str) -> None:
        """Print a line beside the output that is there to be copied, and so is never broken."""
        self._out.flush()
        self._note(Styled(text, "dim"))

    def error(self, message: str) -> None:
        """Print what went wrong."""
        first, *rest = self._wrapped(f"holdfast: {message}", 0)
        self._note(Styled(first[:9], "red"), first[9:])
        for line in rest:
            self._note(line)

    def _note(self, *pieces: Piece) -> None:
        text = "".join(_painted(each, colour=self._colour_err) for each in pieces)
        try:
            print(_encoded(text, self._err).decode(self._err.encoding or "utf-8"), end="", file=self._err, flush=True)
        except OSError:  # nobody can be told; the exit code still tells
            give_up(2)

    def _wrapped(self, text: str, taken: int) -> list[str]:
        return list(wrap(flat(text), None if self.width is None else self.width - taken))

    def data(self, data: bytes) -> None:
        """Print bytes for programs; on a terminal with everything it could obey escaped."""
        if self.is_terminal:
            data = escaped(data.decode("utf-8", "backslashreplace")).encode()
        self._bytes(data)

    def redraw(self, text: str) -> None:
        """Draw over the line before, on a terminal."""
        self._err.write(f"\r\x1b[K{flat(text)}")
        self._err.flush()

    def flush(self) -> None:
        """Send everything on its way."""
        self._out.flush()

    def settle(self) -> None:
        """Send what can still be sent, before something else is said."""
        try:
            self._out.flush()
        except OSError:
            give_up(1)

    def _bytes(self, data: bytes) -> None:
        binary: BinaryIO = self._out.buffer
        binary.write(data)

    @property
    def can_ask(self) -> bool:
        """Whether there is somebody to ask."""
        return self._in is not None and self._in.isatty()

    @property
    def shows_progress(self) -> bool:
        """Whether somebody watches."""
        return self._watched

    def ask(self, question: str) -> bool:
        """Ask; only a clear yes counts as one."""
        self._out.flush()
        # An event loop takes Ctrl-C for itself, and would not see it before the line is typed.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            self._err.write("\n".join(self._wrapped(f"{question} [y/N]", 1)) + " ")
            self._err.flush()
            answer = self._in.readline()
        finally:
            signal.signal(signal.SIGINT, before)
        if not answer.endswith("\n"):
            self._note()
        return answer.strip().lower() in {"y", "yes"}


def _stream(stream: TextIO | None) -> TextIO:
    """A stream, or nowhere when the shell closed it."""
    return stream or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8", closefd=False)


def _painted(piece: Piece, *, colour: bool) -> str:
    if isinstance(piece, str):
        return flat(piece)
    text = flat(piece.text)
    return f"\x1b[{_CODES[piece.style]}m{text}\x1b[0m" if colour and text else text


def _encoded(text: str, stream: TextIO) -> bytes:
    return f"{text}\n".encode(stream.encoding or "utf-8", "replace")


def _columns(environment: Mapping[str, str], stream: TextIO) -> int | None:
    asked = environment.get("COLUMNS", "")
    if asked.isdecimal() and int(asked) > 0:
        return max(20, int(asked))
    if not stream.isatty():
        return None
    try:
        return max(20, os.get_terminal_size(stream.fileno()).columns or 80)
    except OSError:
        return 80
