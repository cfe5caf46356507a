"""Somebody who follows a page from its top, on a machine where nothing is installed.

Each page has a fresh home folder and a PATH with nothing but the system's own programs. What the first lines of
a page install is installed for real, once for all pages that begin with the same lines.
"""

import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from tests.docs.pages import ROOT, Block
from tests.first_hour.services import OPENAI_KEY
from tests.hosts.terminal.ptys import Terminal
from tests.setup.checkout import Person, copy_checkout

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
]
TYPED = {"holdfast key add openai": OPENAI_KEY}
"""What a person types when a command asks for it."""
PUT = (Path(".local/bin/holdfast"), Path(".local/share/holdfast"), Path("holdfast-env"))
"""What the first lines of pages put into a home folder."""
_CHAT = re.compile(r"(?:\w+=\S+ )*holdfast(?: --\w+(?: (?!-)\S+)?)*")
"""A line that opens the chat: without a prompt, and without a command of its own."""


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Let one test process in."""
    folder.mkdir(parents=True, exist_ok=True)
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def installed(block: Block, shared: Path) -> Path:
    """A home folder in which the first lines of a page were typed in the project's folder; made once."""
    folder = shared / sha256(block.text.encode()).hexdigest()[:16]
    with one_at_a_time(folder):
        home, done = folder / "home", folder / "done"
        if not done.exists():
            person = Person(home, PATH=clean_path())
            ran = person.type("sh", "-e", "-c", block.text, folder=copy_checkout(folder / "project"))
            assert 0 == ran.returncode, f"{block.place}: {ran.stdout}"
            done.touch()
        return home


def clean_path() -> str:
    """Where programs of the system are, the Python of these tests among them."""
    return f"{sys.base_prefix}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class Reader:
    """Types what a page says, with a home folder of their own."""

    def __init__(self, home: Path, shared: Path, **more: str) -> None:
        """Somebody new."""
        self.person = Person(home, PATH=clean_path(), **more)
        self._shared = shared
        self.folder = home / "here"
        self.folder.mkdir()
        self._first = ""

    def install(self, block: Block) -> None:
        """Have what the first lines of a page install."""
        made = installed(block, self._shared)
        for path in PUT:
            here = self.person.home / path
            if os.path.lexists(made / path) and not os.path.lexists(here):
                here.parent.mkdir(parents=True, exist_ok=True)
                here.symlink_to(made / path)
        if "make install" in block.text:  # its last lines say so
            self._first += 'export PATH="$HOME/.local/bin:$PATH"\n'
        self._first += "".join(f"{line}\n" for line in block.text.splitlines() if line.startswith(". "))

    def type(self, line: str) -> "subprocess.CompletedProcess[str]":
        """Type a line where no question can be answered but the ones in TYPED."""
        keys = next((keys for begin, keys in TYPED.items() if line.startswith(begin)), "")
        return subprocess.run(
            ["sh", "-c", f"{self._first}{line}"],
            cwd=self.folder,
            env=self.person.environment,
            input=f"{keys}\n" if keys else "",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )

    def chat(self, line: str) -> Terminal:
        """Open the chat in a terminal."""
        env = {**self.person.environment, "TERM": "xterm-256color", "TZ": "UTC"}
        return Terminal(["sh", "-c", f"{self._first}exec {line}"], env=env, cwd=self.folder, columns=80, rows=30)


def opens_chat(line: str) -> bool:
    """Whether a line opens the chat."""
    return bool(_CHAT.fullmatch(line)) and "--help" not in line and "--version" not in line


def typed_lines(block: Block) -> list[str]:
    """The lines of a shell block that a person types, without the remarks behind them."""
    lines = block.text.splitlines()
    if block.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    return [re.sub(r"  +# .*", "", line) for line in lines if line and not line.startswith("#")]
