"""kill -9, again and again."""

import pytest

from tests.crash.kills import torture


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_killed_process_loses_nothing_acknowledged(seed: int) -> None:
    """
    Whenever the process dies, what it acknowledged is there, in its place, once.
    """
    toll = torture(130, seed=seed, workers=1)

    assert [] == toll.lost
    assert toll.kills >= 130
    assert toll.acknowledged > toll.kills
