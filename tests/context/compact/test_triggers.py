"""When a window is compacted, and to what size."""

import sys

import pytest

from holdfast.context.budget import Budget
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.triggers import Trigger, aim, bearable, due, overflowed, threshold
from holdfast.context.units import Size
from holdfast.errors import Overflow

LARGEST = Size(tokens=800, messages=10)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (Size(tokens=800, messages=10), None),
        (Size(tokens=801, messages=10), Trigger(why="share")),
        (Size(tokens=800, messages=11), Trigger(why="messages")),
        (Size(tokens=801, messages=11), Trigger(why="share")),
    ],
)
def test_a_window_is_compacted_when_it_is_over_its_share_or_has_too_many_messages(
    size: Size, expected: Trigger | None
) -> None:
    """
    Up to the threshold nothing happens; beyond it, the trigger says why.
    """
    assert expected == due(size, LARGEST)


@pytest.mark.parametrize(
    ("messages", "bound", "expected"), [(None, None, sys.maxsize), (None, 100, 80), (30, 100, 30), (None, 1, 1)]
)
def test_the_threshold_is_a_share_of_the_budget_or_a_number_of_messages(
    messages: int | None, bound: int | None, expected: int
) -> None:
    """
    A number of messages that is set counts; otherwise the share of the budget's, if it has one.
    """
    settings = CompactionSettings(messages=messages)

    assert Size(tokens=800, messages=expected) == threshold(Budget(messages=bound), 1_000, settings)


@pytest.mark.parametrize(
    ("limit", "asked", "expected"),
    [(None, None, 1000), (900, None, 1000), (None, 900, 1000), (900, 1000, 900), (2000, 1000, 1000), (0, 1000, 1)],
)
def test_an_overflow_tells_how_much_the_provider_takes(limit: int | None, asked: int | None, expected: int) -> None:
    """
    Where the provider says both numbers, they count; a number that makes no sense does not make the window grow.
    """
    error = Overflow("too long", limit=limit, asked=asked)

    assert Trigger(why="overflow", focus="files", taken=expected) == overflowed(error, "files")


def test_after_an_overflow_the_window_becomes_smaller_than_it_was() -> None:
    """
    What a provider refused is not sent again, even if we count it within its budget.
    """
    size = Size(tokens=500, messages=5)

    assert Size(tokens=450, messages=10) == bearable(Trigger(why="overflow"), size, LARGEST)
    assert Size(tokens=225, messages=10) == bearable(Trigger(why="overflow", taken=500), size, LARGEST)
    assert LARGEST == bearable(Trigger(why="overflow"), Size(tokens=9_000), LARGEST)
    assert LARGEST == bearable(Trigger(why="asked"), size, LARGEST)


def test_the_aim_leaves_room_to_grow() -> None:
    """
    A compaction frees more than what made it due, or the next one would be due at once.
    """
    assert Size(tokens=480, messages=6) == aim(LARGEST, CompactionSettings())
    assert Size(tokens=0, messages=1) == aim(Size(tokens=1, messages=1), CompactionSettings())
