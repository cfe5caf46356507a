"""A sample of the crash states, and every wrong writer. `make crash` explores the rest."""

import pytest

from tests.crash.campaign import alone, catch, continue_at, record_and_explore
from tests.crash.explorer import Plan
from tests.crash.mutants import MUTANTS
from tests.crash.operations import Linked, Moved
from tests.crash.record import go_on, record
from tests.crash.states import Recording
from tests.crash.workloads import WORKLOADS

SAMPLE = Plan(per_point=40, seed=7)
CONTINUED = ("create", "append", "seal", "fork", "delete", "repair")


def naming_points(recording: Recording) -> list[int]:
    """Right after a name appeared or moved, before its folder can have been synced."""
    return [point + 1 for point, operation in enumerate(recording.operations) if isinstance(operation, Linked | Moved)]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_crash_keeps_every_promise(workload: str) -> None:
    """
    Killed or cut off at any of its calls, a store recovers with nothing acknowledged lost.
    """
    _, found = alone(record_and_explore, workload, SAMPLE)

    assert [] == [str(violation) for violation in found.violations]
    assert found.unique > 20


@pytest.mark.parametrize("workload", CONTINUED)
def test_what_a_killed_process_left_is_made_to_last_by_the_next(workload: str) -> None:
    """
    Bytes and names that a killed process never synced are synced before anything is built on them.
    """
    recording = record(workload)

    points = naming_points(recording)
    found = alone(continue_at, recording, [*points[:2], *points[-1:]], SAMPLE)

    assert [] == [str(violation) for violation in found.violations]


@pytest.mark.parametrize("name", MUTANTS)
def test_the_explorer_can_fail(name: str) -> None:
    """
    A store that breaks one rule is caught.
    """
    assert alone(catch, name) != ""


def test_a_second_process_sees_what_the_first_left() -> None:
    """
    The kernel keeps what a killed process wrote, so the next one finds it.
    """
    recording = record("create")

    continued = go_on(recording, len(recording.operations), "going on")

    assert recording.operations == continued.operations[: continued.begins]
    assert len(continued.operations) > len(recording.operations)
