"""Errors of the disk, on each call of a workload.

strace makes one call fail, or kills the process in it; one write is cut short; a
file-size limit and a full tmpfs do it for real. Whatever happens: nothing acknowledged is lost, the
error is one of ours and says what to do, and once the trouble is over the session
goes on.
"""

import asyncio
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from tests.crash.child import SIGN
from tests.crash.marks import Complained, Finished, decoded, promised
from tests.crash.mounts import mounted, why_not
from tests.crash.programs import program
from tests.crash.promises import Duty, broken
from tests.crash.record import HOME, CannotRecordError, child, environment, run, scratch
from tests.crash.trace import Call, calls

ERRORS: Final = {
    "write": ("ENOSPC", "EIO"),
    "pwrite64": ("ENOSPC",),
    "fdatasync": ("EIO", "ENOSPC"),
    "fsync": ("EIO",),
    "ftruncate": ("EIO",),
    "openat": ("ENOSPC", "EMFILE"),
    "mkdir": ("ENOSPC",),
    "link": ("ENOSPC", "EIO"),
    "rename": ("EIO",),
    "unlink": ("EIO",),
    "unlinkat": ("EIO",),
}
"""How each call can fail."""
KILL: Final = "SIGKILL"
SHORT: Final = "short"
WRITES: Final = frozenset({"write", "pwrite64"})


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One call of the workload, and what is to happen to it."""

    name: str
    when: int
    """Which call of this name of its thread, from 1; for a short write, which write of all."""
    what: str
    """An error, SIGKILL, or that it does only half."""
    lasting: bool = False
    """Whether all later calls fail too."""

    def __str__(self) -> str:
        """Say it in a few words."""
        return f"{self.name} {self.when}{' and all after it' if self.lasting else ''}: {self.what}"

    def injection(self) -> str:
        """In strace's words."""
        how = "signal=KILL" if self.what == KILL else f"error={self.what}"
        return f"inject={self.name}:{how}:when={self.when}{'+' if self.lasting else ''}"


class Outcome(msgspec.Struct, kw_only=True):
    """What a run came to."""

    faults: int = 0
    missed: int = 0
    """Faults that hit something else than a file of the store, and so count for nothing."""
    lost: list[str] = msgspec.field(default_factory=list)


def faults(workload: str = "faulted") -> list[Fault]:
    """Every fault that can happen to this workload, from a run without any."""
    with scratch() as folder:
        log, said = _play(folder, workload, None)
        if said:
            raise CannotRecordError(said)
        with log.open(encoding="ascii") as lines:
            found = list(_store_calls(calls(lines), str(folder / "store")))
    planned: dict[Fault, None] = {}
    for name, when in found:
        for what in (*ERRORS[name], KILL):
            planned[Fault(name=name, when=when, what=what)] = None
        if name in {"write", "fdatasync"}:
            planned[Fault(name=name, when=when, what=ERRORS[name][0], lasting=True)] = None
    writes = sum(name in WRITES for name, _ in found)
    return [*planned, *(Fault(name="write", when=number + 1, what=SHORT) for number in range(writes))]


def _store_calls(every: Iterator[Call], root: str) -> Iterator[tuple[str, int]]:
    """The calls on the store's files: name, and which one of its thread's it is."""
    counts: dict[tuple[int, str], int] = {}
    for call in sorted(every, key=lambda each: each.began):
        key = (call.task, call.name)
        counts[key] = counts.get(key, 0) + 1
        reads = call.name == "openat" and "O_CREAT" not in call.args[2]
        if _coded(root) in "".join(call.args) and not reads:
            yield call.name, counts[key]


def _coded(path: str) -> str:
    """A path as strace writes it."""
    return "".join(f"\\x{byte:02x}" for byte in path.encode())


def _play(folder: Path, workload: str, fault: Fault | None) -> tuple[Path, str]:
    """Run the workload with a fault; the trace, and what the process said if it ended badly.

    strace joins when everything is imported: it counts the calls of each thread from then on,
    so the n-th call is one of the store, not one of Python's start.
    """
    root, marks, log = folder / "store", folder / "marks", folder / "trace"
    root.mkdir()
    marks.touch()
    short = [str(fault.when)] if fault is not None and fault.what == SHORT else []
    command = child("suffer", workload, str(root), str(marks), "", *short)
    with subprocess.Popen(
        command, cwd=HOME, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with _watching(process.pid, log, [] if fault is None or short else ["-e", fault.injection()]):
            _, said = process.communicate(b"\n")
    return log, said.decode(errors="replace")[-2000:] if process.returncode > 0 else ""


@contextmanager
def _watching(pid: int, log: Path, options: list[str]) -> Iterator[None]:
    """Have strace follow a process for a block of code, until the process ends."""
    command = [program("strace"), "-f", "-xx", "-y", "-s", "100000000", "-e", f"trace={','.join(ERRORS)}", *options]
    with subprocess.Popen([*command, "-o", str(log), "-p", str(pid)], stderr=subprocess.PIPE) as tracer:
        assert tracer.stderr is not None
        told = tracer.stderr.readline()
        if b"attached" not in told:
            raise CannotRecordError(f"strace cannot follow a process here: {told.decode(errors='replace').strip()}")
        yield


def suffer(fault: Fault) -> Outcome:
    """Run the workload with one fault, and look at what is left."""
    with scratch() as folder:
        log, said = _play(folder, "faulted", fault)
        if not _hit(log, folder, fault):
            return Outcome(missed=1)
        told = list(decoded([(folder / "marks").read_bytes()]))
        complaints = [f"not an error of ours:\n{said}"] if said else []
        complaints += [
            f"an error without a hint: {mark.error}" for mark in told if isinstance(mark, Complained) and not mark.hint
        ]
        if fault.what != KILL and not fault.lasting and not any(isinstance(mark, Finished) for mark in told):
            complaints.append("the session did not go on after the trouble was over")
        owed = promised(told)
        complaints += asyncio.run(broken(folder / "store", None, Duty(allowed=owed, owed=owed, survived=owed)))
    return Outcome(faults=1, lost=[f"{fault}: {complaint}" for complaint in complaints])


def _hit(log: Path, folder: Path, fault: Fault) -> bool:
    """Whether the fault happened to a file of the store."""
    if fault.what == SHORT:
        return (folder / SIGN).exists()
    coded = _coded(str(folder / "store"))
    sign = " = ?" if fault.what == KILL else "(INJECTED)"
    begun: dict[str, str] = {}
    with log.open(encoding="ascii") as lines:
        for line in lines:
            task = line.split(" ", 1)[0]
            if line.endswith("<unfinished ...>\n"):
                begun[task] = line
            if sign in line and coded in line + (begun[task] if "resumed>" in line else ""):
                return True
            if fault.what == KILL and "killed by" in line and coded in begun.get(task, ""):
                return True
    return False


def suffer_all(planned: list[Fault], *, workers: int = 2) -> Outcome:
    """Every fault, a few at a time; each runs in processes of its own."""
    total = Outcome()
    with ThreadPoolExecutor(workers) as pool:
        for outcome in pool.map(suffer, planned):
            total.faults += outcome.faults
            total.missed += outcome.missed
            total.lost += outcome.lost
    return total


def fault_everything() -> Outcome:
    """All of it; what needs mounting is left out where `why_not` gives a reason."""
    total = suffer_all(faults())
    for outcome in (limit_file_size(), *([] if why_not("tmpfs") else [fill_a_tmpfs()])):
        total.faults += outcome.faults
        total.lost += outcome.lost
    return total


def fill_a_tmpfs() -> Outcome:
    """A store on a file system that is full, and then is not."""
    with scratch() as folder, mounted("tmpfs", folder / "small", "-t", "tmpfs", "-o", "size=512k") as small:
        return _crammed(folder, small, "crammed")


def limit_file_size() -> Outcome:
    """A limit on the size of files cuts writes short, as a full disk does."""
    with scratch() as folder:
        return _crammed(folder, folder, "limited")


def _crammed(folder: Path, place: Path, workload: str) -> Outcome:
    root, marks = place / "store", folder / "marks"
    root.mkdir()
    marks.touch()
    run(child("play", workload, str(root), str(marks), ""), place)
    told = list(decoded([marks.read_bytes()]))
    complaints = [mark for mark in told if isinstance(mark, Complained)]
    lost = [f"an error without a hint: {mark.error}" for mark in complaints if not mark.hint]
    if not complaints:
        lost.append("the place was never full")
    if not any(isinstance(mark, Finished) for mark in told):
        lost.append("the session did not go on when there was space again")
    owed = promised(told)
    lost += asyncio.run(broken(root, None, Duty(allowed=owed, owed=owed, survived=owed)))
    return Outcome(faults=len(complaints), lost=[f"{workload}: {each}" for each in lost])
