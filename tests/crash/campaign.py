"""Which recordings are explored, shared out among processes.

Every workload is recorded and explored. Then it is killed at many of its points and
another process goes on with what it left: the kernel still has what the first one
wrote, a later power cut may not.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final, ParamSpec, TypeVar

from tests.crash.explorer import Found, Plan, explore
from tests.crash.mutants import MUTANTS
from tests.crash.operations import Marked
from tests.crash.record import go_on, record
from tests.crash.states import Recording
from tests.crash.workloads import WORKLOADS

P = ParamSpec("P")
T = TypeVar("T")
WORKERS: Final = 2
MUTANT_POINTS: Final = 60
"""Power cuts at each point that are enough to catch a wrong writer."""


def pool(workers: int = WORKERS) -> ProcessPoolExecutor:
    """Processes to explore in."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def alone(work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Run one exploration in a process of its own: a test's own process is slowed down by measuring coverage."""
    with pool(1) as worker:
        return worker.submit(work, *args, **options).result()


def record_and_explore(name: str, plan: Plan, writer: str = "") -> tuple[Recording, Found]:
    """Record one workload, with a wrong writer or the right one, and explore it."""
    recording = record(name, mutant=writer, inject=WORKLOADS[name].inject)
    return recording, explore(recording, plan)


def continue_and_explore(recording: Recording, point: int, plan: Plan, writer: str = "") -> Found:
    """Kill a recorded workload at a point, let another process go on, and explore that."""
    return explore(go_on(recording, point, WORKLOADS[recording.name].then, mutant=writer), plan)


def continue_at(recording: Recording, points: list[int], plan: Plan) -> Found:
    """The same at several points."""
    total = Found()
    for point in points:
        total.add(continue_and_explore(recording, point, plan))
    return total


def killing_points(recording: Recording, every: int) -> list[int]:
    """Where a workload is killed: after operations, not after remarks."""
    points = [point + 1 for point, operation in enumerate(recording.operations) if not isinstance(operation, Marked)]
    return points[::every]


def catch(name: str) -> str:
    """Explore with one wrong writer or reader; the first promise it breaks, '' if none."""
    mutant = MUTANTS[name]
    writer = "" if mutant.reads else name
    plan = Plan(per_point=MUTANT_POINTS, reader=name if mutant.reads else "", stop_at=1)
    for workload in mutant.workloads:
        recording, found = record_and_explore(workload, plan, "" if mutant.continued else writer)
        points = killing_points(recording, 1) if mutant.continued else []
        for point in points:
            found.add(continue_and_explore(recording, point, plan, writer))
            if found.violations:
                break
        if found.violations:
            return str(found.violations[0])
    return ""


def catch_all() -> dict[str, str]:
    """What each wrong writer and reader was caught by."""
    with pool() as workers:
        return dict(zip(MUTANTS, workers.map(catch, MUTANTS), strict=True))


def campaign(plan: Plan, *, every: int) -> Found:
    """Explore every workload, and what follows when it is killed at every n-th of its points."""
    total = Found()
    with pool() as workers:
        first = [workers.submit(record_and_explore, name, plan) for name in WORKLOADS]
        later = []
        for job in first:
            recording, found = job.result()
            total.add(found)
            if every and WORKLOADS[recording.name].then:
                later += [
                    workers.submit(continue_and_explore, recording, point, plan)
                    for point in killing_points(recording, every)
                ]
        for continued in later:
            total.add(continued.result())
    return total
