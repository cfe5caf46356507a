"""The first token of Claude, as the bench measures it."""

import pytest

from bench.child import Job
from bench.first_token import TASKS


@pytest.mark.parametrize("task", TASKS)
def test_both_programs_hear_the_word(task: str) -> None:
    """
    A program that hears nothing, or something else, ends with an error, and is not measured.
    """
    running = TASKS[task](Job(task=task, size=0, folder="", template="", lines=""))
    seconds = running.round(1, 0)
    running.close()

    assert [True] == [0 < each < 60 for each in seconds]
