"""Input and output of dialogs: keys and a screen, or plain lines where a terminal cannot redraw or must not."""

import asyncio
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from prompt_toolkit.input import Input, create_input
from prompt_toolkit.output import Output, create_output

from holdfast.config.settings import UiSettings
from holdfast.hosts.terminal.draw.theme import NONE, Theme, is_dumb, theme_for


class LineIO(Protocol):
    """A terminal as lines that come and go."""

    def say(self, line: str) -> None:
        """Print a line."""
        ...

    async def ask(self, prompt: str) -> str | None:
        """Print a question and take a line; None when there will be no more."""
        ...


class StandardLines:
    """Standard input and output."""

    def say(self, line: str) -> None:
        """Print a line."""
        print(line, flush=True)

    async def ask(self, prompt: str) -> str | None:
        """Print a question and take a line; None when there will be no more."""
        print(prompt, end="", flush=True)
        loop, there = asyncio.get_running_loop(), asyncio.Event()
        # Waiting for the line here and not in a thread: a thread would hold the process up when it wants to end.
        loop.add_reader(sys.stdin.fileno(), there.set)
        try:
            await there.wait()
        finally:
            loop.remove_reader(sys.stdin.fileno())
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None


class DialogIO(NamedTuple):
    """How a choice is put."""

    theme: Theme
    input: Input
    output: Output
    lines: LineIO | None = None
    """Set where only lines can be used."""


def io_for(ui: UiSettings, environment: Mapping[str, str] | None = None) -> DialogIO:
    """The means of this process's own terminal."""
    values = os.environ if environment is None else environment
    plain = ui.screen_reader or is_dumb(values)
    theme = NONE if plain else theme_for(ui.theme, values)
    return DialogIO(theme, create_input(), create_output(), StandardLines() if plain else None)
