"""Work in a process of its own that can be killed.

A regular expression that never ends, or a file made to keep a parser busy, cannot be stopped in a
thread. The child gets its job as one argument, answers in lines of JSON, and ends by itself when its
time is over, also if we are gone by then. It runs outside the workspace and with no environment.
"""

import asyncio
import json
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
        yield _answers(process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def _answers(process: asyncio.subprocess.Process) -> AsyncIterator[Any]:
    if process.stdout is not None:
        async for line in process.stdout:
            try:
                said = json.loads(line)
            except ValueError:  # half a line: it was ended in the middle of it
                return
            yield said
