"""Waiting for processes that are not ours to wait for."""

import time
from collections.abc import Callable
from pathlib import Path


def alive(process: int) -> bool:
    """Whether a process is there and not merely waiting to be counted."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in {"Z", "X"}


def wait_until(true: Callable[[], bool]) -> bool:
    """Wait for other processes, ten seconds at most."""
    end = time.monotonic() + 10
    while not (done := true()) and time.monotonic() < end:
        time.sleep(0.01)
    return done


def all_gone(*processes: int) -> bool:
    """Whether they end; one that is killed takes a moment."""
    return wait_until(lambda: not any(map(alive, processes)))
