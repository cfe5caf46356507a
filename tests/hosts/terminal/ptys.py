"""A program on a terminal of its own: what a person would see, and keys that a person would press.

What the program writes goes through an emulator of a terminal, so a test asks for what stands on the
screen, not for bytes. Every wait has a deadline, and says what was on the screen when it passed.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

import pexpect
import pyte

from tests.hosts.processes import COMMAND, environment, processor_seconds

PATIENCE = 60.0
"""Seconds until something that does not appear has failed."""

KEYS = {
    "enter": "\r",
    "tab": "\t",
    "shift-tab": "\x1b[Z",
    "esc": "\x1b",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "page-up": "\x1b[5~",
    "page-down": "\x1b[6~",
    "alt-enter": "\x1b\r",
}
SCROLLBACK = 20_000


def _hear_ctrl_c() -> None:
    """In a shell's background Ctrl-C is ignored, and children would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class _Screen(pyte.HistoryScreen):
    """A screen that answers when it is asked, such as where its cursor stands."""

    def __init__(self, columns: int, rows: int, answer: Callable[[str], None]) -> None:
        super().__init__(columns, rows, history=SCROLLBACK, ratio=0.5)
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        """Answer."""
        self._answer(data)


class Terminal:
    """A program, its keyboard and its screen."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path | None = None,
        columns: int = 80,
        rows: int = 24,
    ) -> None:
        """Start the program."""
        self._screen = _Screen(columns, rows, self._answer)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        """Everything it wrote."""
        self._child: pexpect.spawn[bytes] = pexpect.spawn(
            command[0],
            list(command[1:]),
            env=dict(env),
            cwd=None if cwd is None else str(cwd),
            dimensions=(rows, columns),
            timeout=PATIENCE,
            preexec_fn=_hear_ctrl_c,
        )
        self._child.delaybeforesend = None
        self._gone = False

    def _answer(self, data: str) -> None:
        """What the terminal itself says, such as where its cursor stands."""
        self._child.send(data)

    @property
    def pid(self) -> int:
        """The process."""
        return int(self._child.pid or 0)

    @property
    def processor_seconds(self) -> float:
        """How long it has had a processor."""
        return processor_seconds(self.pid)

    @property
    def lines(self) -> list[str]:
        """What stands on the screen, without blanks at the ends."""
        self._read(0)
        return [line.rstrip() for line in self._screen.display]

    @property
    def screen(self) -> str:
        """The same as one text, without empty lines at its end."""
        return "\n".join(self.lines).rstrip("\n")

    @property
    def transcript(self) -> str:
        """The screen and everything that scrolled off its top."""
        gone = ["".join(row[at].data for at in range(self._screen.columns)).rstrip() for row in self._scrolled()]
        return "\n".join([*gone, *self.lines]).rstrip("\n")

    def _scrolled(self) -> Iterable[Mapping[int, pyte.screens.Char]]:
        self._read(0)
        return list(self._screen.history.top)

    def type(self, keys: str) -> None:
        """Type text, as it is."""
        self._child.send(keys)

    def press(self, *names: str) -> None:
        """Press keys by name: `enter`, `esc`, `up`, `alt-enter`, `ctrl-c`."""
        for name in names:
            self.type(chr(ord(name[-1]) - 96) if name.startswith("ctrl-") else KEYS[name])

    def say(self, text: str) -> None:
        """Type a line, and press enter."""
        self.type(f"{text}\r")

    def paste(self, text: str) -> None:
        """Paste, as a terminal does for a program that asked to be told."""
        self.type(f"\x1b[200~{text}\x1b[201~")

    def resize(self, columns: int, rows: int = 24) -> None:
        """Make the window another size."""
        self._screen.resize(rows, columns)
        self._child.setwinsize(rows, columns)

    def wait_for(self, *texts: str, seconds: float = PATIENCE) -> str:
        """Wait until all texts are to be seen, on the screen or above it; gives the screen."""
        self.wait_until(lambda: all(text in self.transcript for text in texts), f"to see {texts}", seconds)
        return self.screen

    def wait_gone(self, text: str, seconds: float = PATIENCE) -> str:
        """Wait until a text is no longer on the screen; gives the screen."""
        self.wait_until(lambda: text not in self.screen, f"not to see {text!r}", seconds)
        return self.screen

    def wait_until(self, seen: Callable[[], bool], what: str = "it", seconds: float = PATIENCE) -> None:
        """Wait until something is so."""
        until = time.monotonic() + seconds
        while not seen():
            if time.monotonic() > until or not (self._read(0.05) or self._child.isalive() or seen()):
                raise AssertionError(f"waited for {what}; the screen was:\n{self.transcript}")

    def watch(self, seconds: float) -> str:
        """Let time pass, for what must not happen; gives the screen."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._read(0.05)
        return self.screen

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send the process a signal."""
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Close the window."""
        self._read(0)
        self._gone = True
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, self._child.child_fd)  # the last one who had the terminal open lets go of it
        os.close(nowhere)

    def end(self, seconds: float = PATIENCE) -> int:
        """Wait until the process has ended; its exit code, below zero for a signal."""
        until = time.monotonic() + seconds
        while self._child.isalive():
            if time.monotonic() > until:
                raise AssertionError(f"the process does not end; the screen was:\n{self.transcript}")
            self._read(0.05)
        self._read(0)
        signalled, code = self._child.signalstatus, self._child.exitstatus
        return -int(signalled) if signalled is not None else int(code or 0)

    def _read(self, wait: float) -> bool:
        """Take in what was written; whether there was anything."""
        found = False
        while not self._gone:
            try:
                piece = self._child.read_nonblocking(65536, timeout=0 if found else wait)
            except (pexpect.TIMEOUT, pexpect.EOF):
                break
            found = True
            self.raw += piece
            self._stream.feed(piece)
        if self._gone and wait:
            time.sleep(wait)  # nothing can be read any more, and the process is given time
        return found

    def __enter__(self) -> Self:
        """Have a terminal for a block of code."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave no process behind."""
        if self._child.isalive():
            self.kill()
            self._child.wait()
        if not self._child.closed:
            self._child.close(force=True)


class Place:
    """A home, a workspace, a store and a script for the model, in a folder."""

    def __init__(self, folder: Path, *, welcomed: bool = True) -> None:
        """Make the workspace, for somebody who was here before."""
        self.home, self.store = folder / "home", folder / "store"
        self.workspace, self.script = folder / "work", folder / "script.jsonl"
        self.workspace.mkdir()
        self.home.mkdir()
        self.state = self.home / ".local" / "state" / "holdfast"
        if welcomed:
            self.state.mkdir(parents=True)
            (self.state / "welcomed").touch()
        # As xterm does, the emulator cuts lines off when it becomes narrower, and does not break them anew.
        screen = {"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(390)"}
        self.environment = {**environment(self.store, HOME=str(self.home)), **screen}

    def write(self, *lines: object) -> None:
        """Write the script of the model."""
        self.script.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def configure(self, text: str) -> None:
        """Write the user's settings."""
        file = self.home / ".config" / "holdfast" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def chat(self, *words: str, columns: int = 80, rows: int = 24, **more: str) -> Terminal:
        """Open the chat."""
        return Terminal(
            [*COMMAND, *words, "--model", "scripted:../script.jsonl"],
            env={**self.environment, **more},
            cwd=self.workspace,
            columns=columns,
            rows=rows,
        )

    def run(self, *words: str) -> str:
        """What another command prints."""
        ran = subprocess.run(
            [*COMMAND, *words], env=self.environment, cwd=self.workspace, capture_output=True, text=True, check=True
        )
        return ran.stdout

    def entries(self, key: str) -> list[dict[str, object]]:
        """What the log of a session says."""
        return [json.loads(line) for line in self.run("show", key, "--raw").splitlines()]

    def said(self, key: str) -> list[str]:
        """What a person said in a session, as it went to the model."""
        return ["\n".join(_texts(entry)) for entry in self.entries(key) if entry["kind"] == "user_said"]


def _texts(entry: Mapping[str, object]) -> list[str]:
    parts = entry["parts"]
    return [str(part.get("text", part.get("name"))) for part in parts] if isinstance(parts, list) else []
