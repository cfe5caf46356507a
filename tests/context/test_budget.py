"""How much a model may be shown."""

import pytest

from holdfast.context.budget import Budget
from holdfast.errors import BadInput


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: Budget(tokens=100, output=100), "less than that as `output`"),
        (lambda: Budget(tokens=100, output=-1), "less than that as `output`"),
        (lambda: Budget(target=0), "above 0"),
        (lambda: Budget(target=1.1), "up to 1"),
        (lambda: Budget(messages=0), "at least 1"),
        (lambda: Budget(reply=-1), "0 or more"),
    ],
)
def test_a_budget_that_can_hold_nothing_is_refused(make: "type[Budget]", hint: str) -> None:
    """
    It says what to give instead.
    """
    with pytest.raises(BadInput, match=hint):
        make()


def test_the_room_is_what_reply_system_text_and_tools_leave() -> None:
    """
    All that the provider counts comes out of one budget.
    """
    assert 650 == Budget(tokens=1000, output=200).room(fixed=150)


def test_a_provider_that_counts_more_than_we_do_makes_the_room_smaller() -> None:
    """
    The room is in our tokens, so that what we count is compared with what we count.
    """
    budget = Budget(tokens=1000, output=200)

    assert 400 == budget.room(ratio=2000)
    assert 1600 == budget.room(ratio=500)
    assert 800_000 == budget.room(ratio=0)


@pytest.mark.parametrize(
    ("budget", "asked", "own", "expected"),
    [
        (Budget(tokens=200_000), 8_000, 64_000, 64_000),
        (Budget(tokens=200_000), 8_000, 0, 0),
        (Budget(tokens=200_000, reply=0), 8_000, 64_000, 0),
        (Budget(tokens=200_000, reply=1_000), 8_000, 64_000, 1_000),
        (Budget(tokens=100_000, output=8_000), 80_000, 64_000, 10_000),
        (Budget(tokens=100_000, output=8_000), 92_000, 64_000, 8_000),
        (Budget(tokens=4_096, output=0), 4_096, 512, 1),
    ],
)
def test_the_longest_reply_is_the_models_own_and_fits_into_the_window(
    budget: Budget, asked: int, own: int, expected: int
) -> None:
    """
    Where nobody knows it, or the budget says so, it is left to the service; it never ends beyond the window.
    """
    assert expected == budget.longest_reply(asked, own)
