"""Run a workload under strace and read what it did."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.crash.layout import lay_out, scan, snapshot
from tests.crash.operations import Operation
from tests.crash.programs import program
from tests.crash.recorder import TRACED, Recorder, skipped
from tests.crash.states import Recording
from tests.crash.trace import calls

HOME: Final = Path(__file__).parents[2]
"""The project's folder, from which children import."""


class CannotRecordError(RuntimeError):
    """The workload itself went wrong, so there is nothing to explore."""


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory that goes away again."""
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="holdfast-crash-", dir=memory if memory.is_dir() else None)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def child(*words: str) -> list[str]:
    """The command that plays a workload in a process of its own."""
    return [sys.executable, "-m", "tests.crash.child", *words]


def environment() -> dict[str, str]:
    """What a child needs to find the project."""
    return {**os.environ, "PYTHONPATH": f"{HOME / 'src'}:{HOME}", "PYTHONDONTWRITEBYTECODE": "1"}


def record(workload: str, *, mutant: str = "", inject: tuple[str, ...] = ()) -> Recording:
    """Prepare a store, play the workload on it under strace, and read the trace."""
    with scratch() as folder:
        root, marks = folder / "store", folder / "marks"
        root.mkdir()
        marks.touch()
        run(child("prepare", workload, str(root), str(marks)))
        told = marks.read_bytes()
        start = scan(root, skipped)
        recorder = Recorder(root=str(root), marks=str(marks), tree=start.copy())
        operations = _played(recorder, folder, child("play", workload, str(root), str(marks), mutant), inject)
    return Recording(name=workload, start=start, operations=operations, told=told)


def go_on(recording: Recording, point: int, workload: str, *, mutant: str = "") -> Recording:
    """What happens when the process is killed at a point, and another workload finds what it left.

    The kernel still has everything the first process wrote, synced or not; a power cut
    during the second may lose what the first never synced.
    """
    before = recording.operations[:point]
    live = recording.start.copy()
    for operation in before:
        live.apply(operation)
    with scratch() as folder:
        root, marks = folder / "store", folder / "marks"
        root.mkdir()
        marks.touch()
        lay_out(snapshot(live.folders, live.files), root)
        recorder = Recorder(root=str(root), marks=str(marks), tree=live, before=before)
        operations = _played(recorder, folder, child("continue", workload, str(root), str(marks), mutant))
    return Recording(
        name=f"{recording.name}, killed at {point}, {workload}",
        start=recording.start,
        operations=operations,
        begins=point,
        told=recording.told,
    )


def _played(recorder: Recorder, folder: Path, command: list[str], inject: tuple[str, ...] = ()) -> list[Operation]:
    log = folder / "trace"
    options = [option for each in inject for option in ("-e", f"inject={each}")]
    watched = [program("strace"), "-f", "-xx", "-s", "100000000", "--seccomp-bpf", "-e", f"trace={TRACED}", *options]
    run([*watched, "-o", str(log), *command])
    with log.open(encoding="ascii") as lines:
        return recorder.feed(calls(lines))


def run(command: list[str], place: Path = HOME) -> None:
    """Run a child to its end, in a folder; what it complains of is the error."""
    done = subprocess.run(command, cwd=place, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotRecordError(f"{' '.join(command[-5:])} failed:\n{done.stderr[-4000:]}")
