"""What starting a command costs: processor time, user and system, of the whole process.

It is started by a bare interpreter that does nothing else, because a process is charged for the memory of the one it
came from.
"""

import json
import subprocess
import sys
from collections.abc import Sequence

from bench.child import Job, Task

_LAUNCH = """
import json, os, sys
quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, used = os.wait4(pid, 0)
print(json.dumps([status, used.ru_utime + used.ru_stime]))
"""


class CommandTime:
    """Starts the command once to warm its byte code, then as often as asked."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._start()

    def round(self, count: int, seconds: float) -> list[float]:
        """Processor seconds of each start."""
        del seconds
        return [self._start() for _ in range(count)]

    def close(self) -> None:
        """Nothing is open."""

    def _start(self) -> float:
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, *self._command]
        status, used = json.loads(subprocess.run(launch, check=True, capture_output=True, text=True).stdout)
        if status != 0:
            raise RuntimeError(f"{' '.join(self._command)} failed")
        return float(used)


def command_time(command: Sequence[str]) -> Task:
    """A task that starts `command`."""
    return CommandTime(command)


def bare_interpreter(job: Job) -> Task:
    """The floor of any command written in Python."""
    del job
    return command_time([sys.executable, "-c", "pass"])
