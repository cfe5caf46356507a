"""Several processes that want one session, paused and woken."""

from tests.crash.rivals import dispute


def test_paused_and_fenced_writers_never_interleave_or_roll_back() -> None:
    """
    However often a session changes hands, and whoever sleeps meanwhile, what was acknowledged is there, once.
    """
    found = dispute(60, seed=1)

    assert [] == found.wrong
    assert all(found.acknowledged.values())
