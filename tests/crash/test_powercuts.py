"""Real power cuts, where mounting is allowed."""

import pytest

from tests.crash.mounts import why_not
from tests.crash.powercuts import cut_power


@pytest.fixture
def _mounting() -> None:
    reason = why_not("ext4")
    if reason:
        pytest.skip(f"no real power cuts: {reason}")


@pytest.mark.usefixtures("_mounting")
def test_a_power_cut_loses_nothing_acknowledged() -> None:
    """
    An ext4 image copied while a writer works on it has everything that was acknowledged.
    """
    cuts = cut_power(5, seed=1)

    assert [] == cuts.lost
    assert cuts.cuts == 5
    assert cuts.acknowledged > 0


@pytest.mark.usefixtures("_mounting")
def test_the_power_cuts_are_real() -> None:
    """
    A writer that never syncs loses records in them.
    """
    assert cut_power(3, seed=1, mutant="no file sync").lost
