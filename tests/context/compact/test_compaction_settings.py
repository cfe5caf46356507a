"""CompactionSettings that can never work are refused where they are made."""

import pytest

from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.errors import BadInput


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": 0},
        {"share": 1.1},
        {"target": 0},
        {"gain": 2},
        {"turns": 0},
        {"reads": 0},
        {"entries": 0},
        {"output": 0},
        {"messages": 0},
        {"protected": -1},
        {"characters": -1},
        {"window": 8_192},
    ],
)
def test_settings_that_can_never_work_are_refused(wrong: dict[str, float]) -> None:
    """
    Who gives a wrong setting hears of it at once, not when the first window is full.
    """
    with pytest.raises(BadInput):
        CompactionSettings(**wrong)  # type: ignore[arg-type]  # one of them at a time


def test_the_defaults_are_those_that_are_documented() -> None:
    """
    Four fifths of the budget, forty thousand tokens of results protected, two turns never summarized.
    """
    settings = CompactionSettings()

    assert (0.8, 40_000, 2, 0.1) == (settings.share, settings.protected, settings.turns, settings.gain)
