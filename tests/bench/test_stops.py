"""What the rows about stops and drafts measure really happens."""

from pathlib import Path

import pytest

from bench.child import Job
from bench.row import Figures, other_below
from bench.stops import TASKS


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A folder to measure in."""
    return Job(task="any", size=0, folder=str(tmp_path), template="", lines="")


@pytest.mark.parametrize("task", [name for name in TASKS if name.startswith("cancel")])
def test_every_figure_is_a_turn_that_was_stopped(job: Job, task: str) -> None:
    """
    One that ended otherwise is refused, so each figure is one.
    """
    running = TASKS[task](job)
    samples = running.round(2, 60.0)
    running.close()

    assert [True, True] == [0 < sample < 60 for sample in samples]


def test_the_command_is_watched_while_it_speaks(job: Job) -> None:
    """
    Each piece is printed, and most are seen in the draft before the reply is whole.
    """
    running = TASKS["draft_lag"](job)
    samples = running.round(1, 0)
    running.close()

    assert [True] == [0 < sample < 60 for sample in samples]


@pytest.mark.parametrize(("others", "expected"), [({"a": 1.0}, True), ({"a": 9.0}, False), ({}, None)])
def test_what_stands_beside_can_have_a_goal(others: dict[str, float], expected: bool | None) -> None:
    """
    And cannot be judged where it could not be measured.
    """
    assert expected == other_below("a", 5)(Figures(ours=0.0, floor=None, others=others))
