"""The process that is recorded, killed or made to fail: it plays one workload.

`python -m tests.crash.child prepare|play|continue|suffer WORKLOAD ROOT MARKS [MUTANT [SHORT]]`
One that is to suffer says when it is ready, and begins when it is told to; its write
number SHORT is cut short.
"""

import asyncio
import sys
from pathlib import Path
from typing import Final

from holdfast.clock import Clock, ManualClock, SystemClock
from holdfast.stores.files import store as files
from tests.crash import mutants
from tests.crash.shortening import shorten
from tests.crash.speaker import Speaker, open_plain
from tests.crash.trials import TRIALS
from tests.crash.workloads import WORKLOADS, Workload

ACTIONS: Final = ("prepare", "play", "continue", "suffer")
NOON: Final = 1_794_830_400_000_000_000
HOUR: Final = 3_600_000_000_000
SIGN: Final = "hit"
"""The file beside the marks that says that a write was cut short."""


def clock_for(action: str, name: str) -> Clock:
    """A time that is the same in every run where states are counted, so that time makes no other state."""
    return ManualClock(NOON + HOUR * ACTIONS.index(action)) if name in WORKLOADS else SystemClock()


async def prepare(workload: Workload, root: Path, marks: Path, clock: Clock) -> None:
    """Do what comes before the story."""
    if workload.prepare is not None:
        async with open_plain(root, segment_bytes=workload.segment_bytes, clock=clock) as store:
            await workload.prepare(Speaker(store, marks, "before"))
    if workload.spoil is not None:
        workload.spoil(root)


async def play(workload: Workload, root: Path, marks: Path, clock: Clock, voice: str) -> None:
    """Tell the story."""
    async with open_plain(root, segment_bytes=workload.segment_bytes, clock=clock) as store:
        await workload.play(Speaker(store, marks, voice))


def main(action: str, name: str, root: Path, marks: Path, mutant: str = "", short: str = "") -> None:
    """Do one of them. The first letter of the action keeps the tokens of two processes apart."""
    workload = (WORKLOADS | TRIALS)[name]
    if name in TRIALS or workload.inject:
        files.THREADS = 1  # so that the n-th call of a thread is the same call in every run
    if action == "suffer":
        print("ready", flush=True)
        sys.stdin.readline()
    if short:
        shorten(root, int(short), marks.with_name(SIGN))
    with mutants.applied(mutant):
        clock = clock_for(action, name)
        if action == "prepare":
            asyncio.run(prepare(workload, root, marks, clock))
        else:
            asyncio.run(play(workload, root, marks, clock, action[0]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]), *sys.argv[5:])
