"""A goal survives the death of its process, wherever that happens."""

from pathlib import Path

import pytest

from tests.goals.kills import run


@pytest.mark.parametrize(
    "where", [{"append": 4}, {"append": 7}, {"append": 10}, {"append": 13}, {"effect": 2}], ids=str
)
def test_a_killed_goal_goes_on_where_it_was(tmp_path: Path, where: dict[str, int]) -> None:
    """
    The same final state, no effect doubled and none lost, and at most one request made again.
    """
    whole = run(tmp_path / "whole")
    cut = run(tmp_path / "cut", **where)

    assert cut.killed
    assert (whole.state, 0, 0) == (cut.state, cut.doubled, cut.lost)
    assert '"met", true' in cut.state
    assert cut.requests <= whole.requests + 1
