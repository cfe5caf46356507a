"""Which reading is meant depends on who asks: a search looks back, a reminder looks ahead."""

from holdfast.times.find import find
from tests.times.readings import NOW, short


def test_a_search_looks_back() -> None:
    """
    For a search "Friday" is the last one, and today is a day that has begun.
    """
    assert ["2026-11-13", "2026-11-19", None] == [
        past and short(past) for past in (find(said, NOW)[0].past(NOW) for said in ("Friday", "Thursday", "tomorrow"))
    ]


def test_a_reminder_looks_ahead() -> None:
    """
    For a reminder "Friday" is the next one, and a time of day that is over is none.
    """
    assert ["2026-11-20", "2026-11-19 21:00", None] == [
        future and short(future)
        for future in (find(said, NOW)[0].future(NOW) for said in ("Friday", "today at 9:00", "today at 8am"))
    ]


def test_a_pasted_log_is_not_read_to_its_end() -> None:
    """
    Only the beginning of a very long text is looked at.
    """
    assert [] == find("x " * 5_000 + "tomorrow", NOW)
