"""The command in processes of its own: through pipes, and on a terminal."""

import errno
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from fcntl import ioctl
from pathlib import Path
from typing import NamedTuple

COMMAND = [sys.executable, "-W", "error", "-m", "holdfast.hosts.main"]
PATIENCE = 60.0
"""Seconds until a process that says nothing has failed."""


class Answer(NamedTuple):
    """What is typed once something has appeared."""

    after: str
    keys: str


class Seen(NamedTuple):
    """What a process left on the screen."""

    code: int
    text: str


def environment(store: Path, **more: str) -> dict[str, str]:
    """An environment that knows nothing but the store."""
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**known, "HOLDFAST_STORE": str(store), "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm", **more}


def run(store: Path, *words: str, **more: str) -> "subprocess.CompletedProcess[bytes]":
    """Run the command with its output in pipes and nothing to read."""
    return subprocess.run(
        [*COMMAND, *words],
        check=False,
        env=environment(store, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
    )


def on_terminal(
    command: Sequence[str], env: Mapping[str, str], *, columns: int = 80, answers: Sequence[Answer] = ()
) -> Seen:
    """Run a command on a terminal of its own, and type answers as it asks."""
    pid, screen = pty.fork()
    if pid == 0:  # pragma: no cover
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored where the tests run in a shell's background
        ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execvpe(command[0], list(command), dict(env))
    text, left = b"", list(answers)
    until = time.monotonic() + PATIENCE
    while (piece := _read(screen, until)) is not None:
        text += piece
        if left and left[0].after.encode() in text:
            os.write(screen, left.pop(0).keys.encode())
    os.close(screen)
    return Seen(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text.decode().replace("\r\n", "\n"))


def _read(screen: int, until: float) -> bytes | None:
    """What has appeared; None when the process has gone."""
    if not select.select([screen], [], [], max(0.0, until - time.monotonic()))[0]:
        raise AssertionError("the command says nothing, and does not end")
    try:
        return os.read(screen, 65536) or None
    except OSError as error:
        # Linux says so when the last process has left the terminal.
        if error.errno == errno.EIO:
            return None
        raise


def type_at(store: Path, *words: str, columns: int = 80, answers: Sequence[Answer] = (), **more: str) -> Seen:
    """Run the command on a terminal."""
    return on_terminal([*COMMAND, *words], environment(store, **more), columns=columns, answers=answers)


def processor_seconds(process: int) -> float:
    """How long a process has had a processor; other programs on the machine add nothing to that."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
