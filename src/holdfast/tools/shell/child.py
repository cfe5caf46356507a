"""Child processes that can be killed, with limits on time and memory.

A regular expression that never ends, or a file made to keep a parser busy, cannot be stopped in a
thread. The child gets its job as one argument, answers in lines of JSON, and ends by itself when its
time is over, also if we are gone by then. It runs outside the workspace and with no environment.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

LONGEST_ANSWER = 1 << 20
"""Bytes of one line that a child may answer."""

SOURCE = str(Path(__file__).resolve().parents[3])
"""Where a child finds its module, wherever it is started."""


@asynccontextmanager
async def child(
    module: str, job: Mapping[str, object], *, stdin: BinaryIO | None = None
) -> AsyncIterator[AsyncIterator[Any]]:
    """Start a module with a job, and give the lines it answers; it is killed at the end of the block."""
    import asyncio  # here, as the other end loads this module too and has no use for it

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", module, json.dumps(job)),
        stdin=stdin or asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd="/",
        env={"PYTHONPATH": SOURCE, "PYTHONUTF8": "1"},
        limit=LONGEST_ANSWER,
    )
    try:
        yield _answers(process.stdout)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def _answers(lines: AsyncIterator[bytes] | None) -> AsyncIterator[Any]:
    if lines is not None:
        async for line in lines:
            try:
                said = json.loads(line)
            except ValueError:  # half a line: it was ended in the middle of it
                return
            yield said


def job_of(arguments: list[str], *, seconds: float, memory: int) -> Any:  # noqa: ANN401
    """Bound the time and memory of this process, and read its job."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the system ends us, whatever Python is busy with
    signal.setitimer(signal.ITIMER_REAL, seconds)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return json.loads(arguments[1])


def answer(**said: object) -> None:
    """Answer one line."""
    os.write(1, json.dumps(said).encode() + b"\n")
