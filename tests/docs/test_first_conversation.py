"""The screens of the first conversation are those that a person sees who does what the page says.

`UPDATE_SCREENS=1` writes them into the page anew; whoever does that reads the page as a person would.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from holdfast.hosts.terminal.draw.activity import PROMPT
from tests.docs.followed import Reader, opens_chat
from tests.docs.pages import ROOT, blocks
from tests.hosts.terminal.ptys import Terminal

PAGE = ROOT / "docs" / "tutorial" / "first-conversation.md"
SHOWN = {"screen", "file"}
CHANGING = (
    (re.compile(r"boat-\d{8}-\d{6}-[0-9a-f]{4}"), "boat-20261118-090500-3fa1"),
    (re.compile(r"\b20\d\d-\d\d-\d\d"), "2026-11-18"),
    (re.compile(r"\b\d\d:\d\d(:\d\d)?\b"), "09:05"),
    (re.compile(r"[⠀-⣿] writing.*"), "⠋ writing"),
    (re.compile(r"\b\d+ s\b"), "2 s"),
    (re.compile(r"[█░]+ [\d.]+k?/[\d.]+k \d+ %"), "█░░░░░░░░░ 2.5k/196k 1 %"),
    (re.compile(r"\b[\d.]+k tokens"), "5.0k tokens"),
)
"""What differs from run to run, and what stands on the page for it."""


class Boat(Reader):
    """A folder called `boat` with the script of the page, on the machine of somebody who was never here."""

    def __init__(self, folder: Path, shared: Path) -> None:
        """Install what the page installs, and make the folder."""
        super().__init__(folder / "home", shared, XTERM_VERSION="XTerm(390)")
        self.install(next(block for block in blocks(PAGE) if block.mark == "installs"))
        self.home = self.person.home
        self.folder = self.workspace = self.home / "boat"
        self.workspace.mkdir()
        self.store = self.home / ".holdfast"
        script = next(block.text for block in blocks(PAGE) if block.mark == "script")
        (self.workspace / "script.jsonl").write_text(script)

    def has_kept(self) -> bool:
        """Whether the last words before the kill are in a file; a kill may cost the tenth of a second before it."""
        return any(b"hardly" in file.read_bytes() for file in self.store.rglob("*") if file.is_file())

    def start(self) -> Terminal:
        """Type what the page says."""
        typed = [block.text.strip() for block in blocks(PAGE) if block.language == "text"]
        return self.chat(next(line for line in typed if opens_chat(line)))


def named(text: str, boat: Boat) -> str:
    """A screen with what stands on the page for all that differs from run to run."""
    text = text.replace(str(boat.home), "~")
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"


def rested(window: Terminal, *texts: str) -> str:
    """What stands there once these are seen, nothing runs, and everything is saved."""
    window.wait_for(*texts)
    window.wait_until(lambda: is_rested(window.lines), "everything to be saved")
    return window.transcript


def is_rested(lines: list[str]) -> bool:
    """Whether a screen ends with a line that says that everything is saved, and nothing runs."""
    last = next((line for line in reversed(lines) if line), "")
    return last.endswith("✓") and " s ·" not in last


def since(text: str, begin: str) -> str:
    """The text from the last place on where something begins."""
    return text[text.rindex(begin) :]


def talk(boat: Boat) -> Iterator[str]:
    """Do what the page says; gives each screen."""
    with boat.start() as window:
        yield rested(window, "/help")
        window.say("How do I paint a wooden boat?")
        yield since(rested(window, "enough.", "Painting the boat"), f"{PROMPT}How")
        window.say("Which colour is best?")
        window.wait_for("scratches hardly")
        window.wait_until(boat.has_kept, "it to be written down")
        yield since(window.transcript, f"{PROMPT}Which")
        assert "holdfast\n" == Path(f"/proc/{window.pid}/comm").read_text()  # the name that pkill is given
        window.kill()
        window.end()
    with boat.start() as window:
        yield rested(window, "broken off")
        window.press("enter")
        yield since(rested(window, "the sea."), "As I said")
        window.say("/rewind")
        yield since(rested(window, "/undo", f"{PROMPT}Which colour is best?"), f"{PROMPT}/rewind")
        window.type(" In the south?\r")
        yield since(rested(window, "fades least."), f"{PROMPT}Which")
        window.say("/export boat.md")
        yield since(rested(window, "Wrote"), f"{PROMPT}/export")
        window.press("ctrl-d")
        assert 0 == window.end()
    yield (boat.workspace / "boat.md").read_text()


def write(shown: list[str]) -> None:
    """Put what was shown into the page."""
    text, fresh = PAGE.read_text(), iter(shown)
    marks = "|".join(SHOWN)
    block = re.compile(rf"(^<!-- (?:{marks}) -->\n```text\n).*?(^```$)", re.MULTILINE | re.DOTALL)
    PAGE.write_text(block.sub(lambda found: f"{found[1]}{next(fresh)}{found[2]}", text))


def test_the_screens_on_the_page_are_those_that_one_sees(shared: Path) -> None:
    """
    Who follows the first conversation sees what stands there, kill -9 included.
    """
    with TemporaryDirectory() as folder:  # its path is short, so that lines that hold it break as on the page
        boat = Boat(Path(folder), shared)
        shown = [named(screen, boat) for screen in talk(boat)]
    if os.environ.get("UPDATE_SCREENS"):
        write(shown)

    assert [block.text for block in blocks(PAGE) if block.mark in SHOWN] == shown
