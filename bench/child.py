"""The measured side: a process that does one task, in rounds, when the bench asks for a round.

It reads one JSON object per line and answers each with one: first the job, then rounds, then the end. Anything a
library prints goes to standard error, so that the answers stay clean. The garbage collector stays on, as it is in real
use, and runs once before each round. Memory is the peak of the process above what it was once everything was imported.
"""

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

from bench.texts import said

SHORT = 1_000
"""Sessions up to this many messages are fresh in each round, so that they keep their size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a child is asked to do."""

    task: str
    size: int
    """Messages or sessions that are there before the measurement."""
    folder: str
    """An empty folder for this child alone."""
    template: str
    """What this contender's own build task made at this size; empty if the task needs nothing."""
    lines: str
    """A session folder of ours, whose bytes the bare system calls use."""

    def path(self, name: str) -> Path:
        """A place in this child's own folder."""
        return Path(self.folder) / name


class Task(Protocol):
    """One thing to measure. Making it is not measured."""

    def round(self, count: int, seconds: float) -> list[float]:
        """Do it up to `count` times, for at most about `seconds`, at least once; what each one took."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


Tasks = Mapping[str, Callable[[Job], Task]]
"""The name of a task to what makes it."""


def timed(step: Callable[[], object], count: int, seconds: float) -> list[float]:
    """Seconds of each call of `step`."""
    samples: list[float] = []
    clock = time.perf_counter
    end = clock() + seconds
    while len(samples) < count:
        before = clock()
        step()
        after = clock()
        samples.append(after - before)
        if after >= end:
            break
    return samples


async def timed_async(step: Callable[[], Awaitable[object]], count: int, seconds: float) -> list[float]:
    """Seconds of each awaited call of `step`, inside a running event loop."""
    samples: list[float] = []
    clock = time.perf_counter
    end = clock() + seconds
    while len(samples) < count:
        before = clock()
        await step()
        after = clock()
        samples.append(after - before)
        if after >= end:
            break
    return samples


def memory(field: str) -> int:
    """Bytes of memory of this process: `VmRSS` now, `VmHWM` at its peak; 0 where the system does not say."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except FileNotFoundError:
        return 0
    found = [line.split()[1] for line in status.splitlines() if line.startswith(field + ":")]
    return int(found[0]) * 1024


def forget_peak() -> None:
    """Let `VmHWM` begin anew, because importing a library may need more than what is left of it."""
    with suppress(FileNotFoundError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def bytes_written() -> int:
    """Bytes this process has handed to `write` and its kin since it started."""
    for line in Path("/proc/self/io").read_text(encoding="ascii").splitlines():
        if line.startswith("wchar:"):
            return int(line.split()[1])
    raise LookupError("/proc/self/io does not count written bytes here")


def serve(tasks: Tasks) -> None:
    """Do the one job that standard input describes."""
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    job = Job(**json.loads(sys.stdin.readline()))
    said()
    gc.collect()
    forget_peak()
    before = memory("VmRSS")
    task = tasks[job.task](job)
    _answer(wire, {"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        if "round" not in request:
            break
        gc.collect()
        _answer(wire, {"samples": task.round(request["round"], request["seconds"])})
    peak = memory("VmHWM") - before
    task.close()
    # A task that only starts commands is as big as the biggest of them.
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    _answer(wire, {"memory": max(peak, started)})


def _answer(wire: TextIO, reply: dict[str, object]) -> None:
    wire.write(json.dumps(reply) + "\n")
