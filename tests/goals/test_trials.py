"""What is promised of goals, tried in part; `make goals` tries it whole."""

import pytest

from tests.goals.trials import TRIALS, Trial


@pytest.mark.parametrize("trial", TRIALS, ids=[each.name for each in TRIALS])
async def test_goals_keep_what_is_promised(trial: Trial) -> None:
    """
    Each figure meets its goal.
    """
    found = await trial.run(trial.part)

    assert trial.goal(found), found
