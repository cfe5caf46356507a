"""When a model is asked again, and after how long."""

import pytest

from holdfast import BadInput, Unavailable
from holdfast.agent.limits import RetryPolicy

FAILED = Unavailable("503")


def test_waits_double_up_to_the_cap_and_are_drawn_from_all_of_it() -> None:
    """
    Exponential backoff with full jitter, and then the end.
    """
    policy = RetryPolicy(attempts=5, base=2.0, cap=10.0)

    assert [2.0, 4.0, 8.0, 10.0, None] == [policy.wait(attempt, FAILED, lambda: 1.0) for attempt in range(1, 6)]
    assert (1.0, 0.0) == (policy.wait(1, FAILED, lambda: 0.5), policy.wait(1, FAILED, lambda: 0.0))


@pytest.mark.parametrize(("asked", "expected"), [(0.0, 1.0), (7.0, 7.0), (60.0, 60.0), (61.0, None)])
def test_what_the_provider_asks_for_counts(asked: float, expected: float | None) -> None:
    """
    Unless it asks for more patience than there is, or for none: then it says nothing.
    """
    assert expected == RetryPolicy().wait(1, Unavailable("429", retry_after=asked), lambda: 1.0)


def test_one_attempt_is_never_tried_again() -> None:
    """
    Whatever the provider asks for.
    """
    assert RetryPolicy(attempts=1).wait(1, Unavailable("429", retry_after=0.0), lambda: 1.0) is None


@pytest.mark.parametrize(("name", "value"), [("attempts", 0), ("base", -1.0), ("cap", float("nan")), ("idle", -0.1)])
def test_a_policy_that_cannot_be_is_refused(name: str, value: float) -> None:
    """
    By name.
    """
    with pytest.raises(BadInput, match=name):
        RetryPolicy(**{name: value})  # type: ignore[arg-type]
