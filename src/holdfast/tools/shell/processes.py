"""The processes that belong to a command, and signals for all of them.

A command may start others that leave its process group. Inside a sandbox none can leave the
sandbox. Outside they are looked for in `/proc`: by parent, by session, and by a mark in their
environment, which a process keeps unless it clears it on purpose. That last one is beyond us.
"""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

MARK = "HOLDFAST_JOB"
"""The variable that marks all processes of a command."""

_PROC = Path("/proc")


def signal_all(leader: int, mark: str, *, confined: bool, number: signal.Signals) -> None:
    """Send a signal to everything a command started; what is gone already is no error."""
    if confined:
        _signal_sandbox(leader, number)
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)
    _send(_below([leader]) | _marked(leader, mark), number)


def _signal_sandbox(leader: int, number: signal.Signals) -> None:
    """Bubblewrap would die at once and take the command along before it could tidy up, so that is asked first.

    Where nothing is inside yet, the sandbox is still being made. Then both of bubblewrap's processes are killed: the
    second, left alone, would finish it and run the command, as it does not yet look at whether the first one lives.
    """
    made = _below([leader])
    inside = _below(made)
    if inside and number != signal.SIGKILL:
        _send(inside, number)
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    _send(made, signal.SIGKILL)


def _send(processes: Iterable[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _below(parents: Iterable[int]) -> set[int]:
    """The children of some processes, their children, and so on."""
    children: dict[int, list[int]] = {}
    for process, parent, _ in _all():
        children.setdefault(parent, []).append(process)
    found: set[int] = set()
    waiting = list(parents)
    while waiting:
        new = [child for child in children.get(waiting.pop(), ()) if child not in found]
        found.update(new)
        waiting += new
    return found


def _marked(leader: int, mark: str) -> set[int]:
    """Processes of the leader's session, and those with its mark."""
    wanted = f"{MARK}={mark}".encode()
    found = set()
    for process, _, session in _all():
        with suppress(OSError):
            if session == leader or wanted in (_PROC / str(process) / "environ").read_bytes().split(b"\0"):
                found.add(process)
    return found


def _all() -> list[tuple[int, int, int]]:
    """Every process with its parent and its session; nothing where there is no `/proc`."""
    found = []
    with suppress(FileNotFoundError):
        for entry in os.scandir(_PROC):
            if entry.name.isdigit():
                with suppress(OSError):
                    # The name of the program, in parentheses, may hold anything.
                    fields = (_PROC / entry.name / "stat").read_bytes().rpartition(b")")[2].split()
                    found.append((int(entry.name), int(fields[1]), int(fields[3])))
    return found
