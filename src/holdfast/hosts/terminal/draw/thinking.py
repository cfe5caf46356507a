"""What a model thinks before it speaks: dimmed and folded, hidden, or whole, as the setting `ui.thinking` says."""

from typing import Literal, TypeAlias

from holdfast.commands.text.width import clip
from holdfast.hosts.terminal.draw.numbers import lasted
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.draw.theme import Theme
from holdfast.records.printable import printable

Mode: TypeAlias = Literal["dim", "hide", "show"]
"""The first lines, one line that says that it thought, or everything."""

FIRST = 3
"""Lines that are shown before the rest is folded."""
LIVE = 2_000
"""Characters at the end of the thinking that are drawn while it goes on."""


class ThinkingStream:
    """The thinking of one reply, while it comes."""

    def __init__(self, width: int, theme: Theme, mode: Mode) -> None:
        """Draw for a width, in colours, in a mode."""
        self._width, self._theme, self._mode = width, theme, mode
        self._pieces: list[str] = []

    def __bool__(self) -> bool:
        """Whether anything was thought."""
        return bool(self._pieces)

    def resize(self, width: int) -> None:
        """Draw for another width from now on."""
        self._width = width

    def feed(self, text: str) -> None:
        """Take more of it."""
        if text:
            self._pieces.append(text)

    def tail(self, rows: int) -> list[str]:
        """Its last lines, for the lines above the input; none where thinking is hidden."""
        if self._mode == "hide" or rows <= 0:
            return []
        taken, size = list[str](), 0
        for piece in reversed(self._pieces):
            taken.append(piece)
            size += len(piece)
            if size > LIVE:
                break
        text = "".join(reversed(taken))[-LIVE:]
        return _dimmed(_wrapped(text, self._width)[-rows:], self._theme)

    def end(self, seconds: float | None = None) -> list[str]:
        """The lines that stay of it, once it is over."""
        text, self._pieces = "".join(self._pieces), []
        return thinking_lines(text, self._width, self._theme, self._mode, seconds=seconds)


def thinking_lines(text: str, width: int, theme: Theme, mode: Mode, *, seconds: float | None = None) -> list[str]:
    """What is shown of a finished thought."""
    if not text.strip():
        return []
    thought = "thought" if seconds is None else f"thought {lasted(seconds)}"
    if mode == "hide":
        return [theme.painted(clip(f"({thought})", width), "dim")]
    lines = _wrapped(text, width)
    more = len(lines) - FIRST
    if mode == "show" or more <= 1:
        return _dimmed(lines, theme)
    folded = theme.painted(clip(f"  … {more:,} more lines ({thought})", width), "dim")
    return [*_dimmed(lines[:FIRST], theme), folded]


def _wrapped(text: str, width: int) -> list[str]:
    lines = wrapped_text(printable(text.strip()), width - 2)
    return [line for line in lines if line.strip()]


def _dimmed(lines: list[str], theme: Theme) -> list[str]:
    return [theme.painted(f"  {line}", "thinking") for line in lines]
