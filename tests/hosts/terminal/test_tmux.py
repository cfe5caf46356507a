"""Inside tmux, which breaks lines anew when a window changes, also by what was erased in them."""

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hosts.processes import COMMAND
from tests.hosts.terminal.ptys import Place

PATIENCE = 30
"""Seconds until what must come has to be there."""

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Pane:
    """A window of a tmux of its own, with the chat in it."""

    def __init__(self, place: Place) -> None:
        """Start it."""
        self._socket = str(place.home / "tmux")
        kept = {name: text for name, text in place.environment.items() if name not in {"TERM", "XTERM_VERSION"}}
        words = [*COMMAND, "--session", "s", "--model", "scripted:../script.jsonl"]
        settings = [f"{name}={text}" for name, text in kept.items()]
        command = shlex.join(["env", *settings, *words])
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-c", str(place.workspace), command)

    def _tmux(self, *words: str) -> str:
        ran = subprocess.run(["tmux", "-S", self._socket, *words], capture_output=True, text=True, check=True)
        return ran.stdout

    @property
    def transcript(self) -> str:
        """The screen and everything that scrolled off its top."""
        return self._tmux("capture-pane", "-p", "-S", "-")

    def say(self, text: str) -> None:
        """Type a line, and press enter."""
        self._tmux("send-keys", "-l", text)
        self._tmux("send-keys", "Enter")

    def resize(self, columns: int) -> None:
        """Make the window another width."""
        self._tmux("resize-window", "-x", str(columns))

    def wait_until(self, seen: Callable[[str], bool]) -> str:
        """Wait until something is to be seen; gives all of it."""
        until = time.monotonic() + PATIENCE
        while not seen(text := self.transcript):
            assert time.monotonic() < until, text
        return text

    def end(self) -> None:
        """Leave nothing behind."""
        self._tmux("kill-server")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Somewhere to talk."""
    return Place(tmp_path)


@pytest.fixture
def pane(place: Place) -> Iterator[Pane]:
    """The chat; its model writes code with short lines, below a long line that stands under the input."""
    code = "".join(f"line{number}\n\n" for number in range(60))
    title = {"say": "A title that fills the line below the input", "when": "title"}
    place.write(title, [{"delay": 0.05}, {"say": f"```\n{code}```\n\nDone."}])
    pane = Pane(place)
    yield pane
    pane.end()


def test_a_window_that_becomes_narrower_leaves_no_line_twice(pane: Pane) -> None:
    """
    What is unfinished is found again whatever stood in its rows before, so each line is there once, in order.
    """
    pane.wait_until(lambda text: "✓" in text)
    pane.say("Write.")
    pane.wait_until(lambda text: "line12" in text)
    for columns, number in ((50, 20), (80, 30), (35, 40)):
        pane.resize(columns)
        pane.wait_until(lambda text, number=number: f"line{number}" in text)  # type: ignore[misc]
    text = pane.wait_until(lambda text: "Done." in text and "✓" in text)

    assert [f"line{number}" for number in range(60)] == re.findall(r"line\d+", text)
