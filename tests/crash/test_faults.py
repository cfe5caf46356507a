"""Errors of the disk: on every call, and with a place that is really full."""

import pytest

from tests.crash.faults import faults, fill_a_tmpfs, limit_file_size, suffer_all
from tests.crash.mounts import why_not


@pytest.mark.parametrize("share", range(4))
def test_a_fault_on_any_call_loses_nothing(share: int) -> None:
    """
    ENOSPC, EIO, half a write or SIGKILL on any call loses nothing; the error says what to do, and the session goes on.
    """
    planned = faults()[share::4]

    outcome = suffer_all(planned, workers=1)

    assert [] == outcome.lost
    assert outcome.faults + outcome.missed == len(planned)
    assert outcome.faults > outcome.missed * 9


def test_a_short_write_is_taken_back() -> None:
    """
    A write that did not fit leaves the log as it was, and the session goes on when there is room.
    """
    outcome = limit_file_size()

    assert [] == outcome.lost
    assert outcome.faults > 0


def test_a_full_file_system_loses_nothing() -> None:
    """
    A store on a full disk says so, keeps what it acknowledged, and goes on when there is space again.
    """
    reason = why_not("tmpfs")
    if reason:
        pytest.skip(f"a small tmpfs cannot be made: {reason}")

    outcome = fill_a_tmpfs()

    assert [] == outcome.lost
    assert outcome.faults > 0
