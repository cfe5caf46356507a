"""The other end of `child.py`: a process that bounds itself, takes its job and answers in lines of JSON."""

import json
import os
import resource
import signal
from contextlib import suppress
from typing import Any


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
