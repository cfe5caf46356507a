"""Bytes that change by themselves."""

import pytest

from tests.crash import mutants
from tests.crash.bitflips import flip


@pytest.mark.parametrize("seed", [1, 2])
def test_a_changed_byte_is_seen_and_hides_nothing(seed: int) -> None:
    """
    After any change every record it did not touch is there, and none is given for another.
    """
    flips = flip(750, seed=seed)

    assert [] == flips.hidden
    assert flips.changes == 750
    assert flips.seen > 700


def test_the_changes_can_show_a_wrong_reader() -> None:
    """
    Without the checksum, a changed record would be given for what was said.
    """
    with mutants.applied("no checksum"):
        assert flip(100, seed=1).hidden
