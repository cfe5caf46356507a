"""A command on a terminal of its own: when its input is there, and what it costs to run.

Both we and nanobot draw with prompt_toolkit, which asks the terminal to bracket pastes in the same write that draws the
first input; so that is what is waited for. Processor time is read from the clock that the system keeps of each process.
Standard library alone: peers are measured with it too.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Self

ROWS, COLUMNS = 24, 80
_INPUT = b"\x1b[?2004h"
_WHERE, _HERE = b"\x1b[6n", b"\x1b[1;1R"
_CONTROLS = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|[@-_])")
_BARE = """
import sys
sys.stdout.write("\\x1b[?2004h> ")
sys.stdout.flush()
sys.stdin.read()
"""
_LIBRARY = """
from prompt_toolkit import PromptSession
PromptSession().prompt("> ")
"""
_PATIENCE = 60.0
_QUIET = 0.5
"""Seconds without work after which a process is idle."""
_NOTHING = 0.005
"""Seconds of processor time that are no work: the size of a window is looked at twice a second."""
_KEPT = 16_384
"""Bytes of what was written that are looked through: more than a screen."""


class OnTerminal:
    """A running command, seen from its terminal."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
        """Start it."""
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._written = b""
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**environment, "TERM": "xterm-256color"},
            cwd=folder,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        """Have it for a while."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave no process behind."""
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, keys: str) -> float:
        """Type something that nothing written so far answers; gives the time."""
        self._take(0)
        self._written = b""
        now = time.perf_counter()
        os.write(self._ours, keys.encode())
        return now

    def wait_for_input(self) -> float:
        """Wait until somebody could type; gives the time."""
        while _INPUT not in self._written:
            self._more(_INPUT.decode())
        return time.perf_counter()

    def wait_for(self, text: str, times: int = 1) -> float:
        """Wait until a text was written so often since something was last typed; gives the time."""
        while _CONTROLS.sub(b"", self._written).decode("utf-8", "replace").count(text) < times:
            self._more(text)
        return time.perf_counter()

    def wait_for_anything(self) -> float:
        """Wait until something was drawn since something was last typed; gives the time."""
        while not self._written:
            self._more("anything")
        return time.perf_counter()

    def wait_until_idle(self) -> None:
        """Wait until it has done nothing for a moment."""
        before = -1.0
        while (now := self.processor_time()) > before + _NOTHING:
            before = now
            end = time.perf_counter() + _QUIET
            while (left := end - time.perf_counter()) > 0:
                self._take(left)

    def processor_time(self) -> float:
        """Seconds of processor time it has had so far, in all its threads."""
        return time.clock_gettime((~self._process.pid << 3) | 2)

    def memory(self) -> int:
        """Bytes of memory that are resident now."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def _more(self, awaited: str) -> None:
        if not self._take(_PATIENCE):
            seen = _CONTROLS.sub(b"", self._written).decode("utf-8", "replace").split()
            raise LookupError(f"{awaited!r} did not come; the last words were: {' '.join(seen[-40:])}")

    def _take(self, wait: float) -> bool:
        """Take in what was written, and answer where the cursor is; whether there was anything."""
        if not select.select([self._ours], [], [], wait)[0]:
            return False
        try:
            piece = os.read(self._ours, 65_536)
        except OSError:  # it has ended
            return False
        if _WHERE in piece:
            os.write(self._ours, _HERE)
        self._written = (self._written + piece)[-_KEPT:]
        return True


Figure = Literal["wall", "processor", "memory"]
"""Seconds until the input is there, seconds of processor time for that, or bytes of memory once it is idle."""


class Chat:
    """Starts a chat, again and again."""

    def __init__(self, figure: Figure, command: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
        """Start it once to warm its byte code and files."""
        self._figure, self._command, self._environment, self._folder = figure, list(command), environment, folder
        self._start()

    def round(self, count: int, seconds: float) -> list[float]:
        """The figure of each start."""
        del seconds
        return [self._start() for _ in range(count)]

    def close(self) -> None:
        """Nothing is open."""

    def _start(self) -> float:
        with OnTerminal(self._command, self._environment, self._folder) as chat:
            there = chat.wait_for_input()
            used = chat.processor_time()
            if self._figure == "wall":
                return there - chat.began
            if self._figure == "processor":
                return used
            chat.wait_until_idle()
            return float(chat.memory())


def _program(text: str, figure: Figure, folder: str) -> Chat:
    return Chat(figure, [sys.executable, "-c", text], {"PATH": os.environ.get("PATH", os.defpath)}, folder)


def bare(figure: Figure, folder: str) -> Chat:
    """The floor: an interpreter that writes a prompt and waits."""
    return _program(_BARE, figure, folder)


def library(figure: Figure, folder: str) -> Chat:
    """An input of prompt_toolkit, and nothing else."""
    return _program(_LIBRARY, figure, folder)
