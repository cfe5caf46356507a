"""Times, sizes and counts in a few letters."""

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.commands.text.times import ago, clock, count, human_size

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-30, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86_400, "1 d ago"),
    ],
)
def test_the_last_week_is_told_by_distance(seconds: int, said: str) -> None:
    """
    What happened lately is told by how long ago it was.
    """
    assert said == ago(NOW - timedelta(seconds=seconds), NOW)


@pytest.mark.parametrize("days", [8, 400, -2])
def test_the_rest_is_told_by_date(days: int) -> None:
    """
    What is further away, or in the future of a wrong clock, has a date.
    """
    then = NOW - timedelta(days=days)

    assert f"{then.astimezone():%Y-%m-%d}" == ago(then, NOW)


def test_a_time_has_its_date_once_a_day() -> None:
    """
    Within a day the time is enough.
    """
    assert f"{NOW.astimezone():%Y-%m-%d %H:%M}" == clock(NOW)
    assert f"{NOW.astimezone():%H:%M}" == clock(NOW, NOW)
    assert clock(NOW) == clock(NOW, NOW - timedelta(days=1))


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (9940, "9.9 KB"), (9950, "10 KB"), (12_345_678, "12 MB")],
)
def test_sizes_have_units(size: int, said: str) -> None:
    """
    A size is at most four characters and a unit.
    """
    assert said == human_size(size)


def test_words_agree_with_their_number() -> None:
    """
    One entry, two entries.
    """
    assert ["1 entry", "2,000 entries", "0 bytes"] == [
        count(1, "entry", "entries"),
        count(2000, "entry", "entries"),
        count(0, "byte"),
    ]
