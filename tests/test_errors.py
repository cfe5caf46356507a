"""What errors carry, and what they say to do."""

import pytest

from holdfast.errors import (
    CompactionStuck,
    ContextError,
    HoldfastError,
    ModelError,
    Overflow,
    Refused,
    TooSmall,
    Unavailable,
)


def test_an_overflow_is_a_refusal_that_carries_its_counts() -> None:
    """
    Who meets an overflow can make the request fit, because it knows by how much it is too long.
    """
    error = Overflow("The request is too long.", limit=200_000, asked=200_001)

    assert isinstance(error, Refused)
    assert isinstance(error, ModelError)
    assert (200_000, 200_001) == (error.limit, error.asked)
    assert "Compact the session" in str(error)


@pytest.mark.parametrize(("seconds", "hint"), [(None, "Try again later."), (2.5, "Try again in 2.5 seconds.")])
def test_an_absence_says_when_to_try_again(seconds: float | None, hint: str) -> None:
    """
    A provider's own word on how long to wait is kept.
    """
    error = Unavailable("The service is overloaded.", retry_after=seconds)

    assert (seconds, hint) == (error.retry_after, error.hint)
    assert isinstance(error, ModelError)


def test_a_budget_that_is_too_small_says_how_much_is_needed() -> None:
    """
    The user learns what would do.
    """
    error = TooSmall(900, 800)

    assert (900, 800) == (error.needed, error.budget)
    assert error.message == "The newest turn needs 900 tokens, and the budget is 800."
    assert isinstance(error, ContextError)


def test_a_compaction_that_is_stuck_says_what_to_do() -> None:
    """
    Compaction never loops: it stops with what the user can do.
    """
    error = CompactionStuck(1000, 950)

    assert (1000, 950) == (error.before, error.after)
    assert "Start a new session" in error.hint
    assert isinstance(error, HoldfastError)
