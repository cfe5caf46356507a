"""Waiting for processes that are not ours to wait for, and for tasks that must end without waiting for anything."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def alive(process: int) -> bool:
    """Whether a process is there and not merely waiting to be counted."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in {"Z", "X"}


def wait_until(true: Callable[[], bool]) -> bool:
    """Wait for other processes, a minute at most."""
    end = time.monotonic() + 60
    while not (done := true()) and time.monotonic() < end:
        time.sleep(0.01)
    return done


def all_gone(*processes: int) -> bool:
    """Whether they end; one that is killed takes a moment."""
    return wait_until(lambda: not any(map(alive, processes)))


async def within_turns(task: asyncio.Task[T], turns: int = 100) -> T:
    """What a task gives that waits for no time and for nobody: it ends within so many turns of the loop."""
    for _ in range(turns):
        await asyncio.sleep(0)
    assert task.done(), "it waits for something"
    return await task
