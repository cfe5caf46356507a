"""Two windows on one session: the second is told who has it, and may watch, take over or fork."""

from tests.hosts.terminal.ptys import Terminal
from tests.journeys.terminal.house import KEY, MARK, House, ask, ready, slowly, told, words


def _second(house: House) -> Terminal:
    window = house.chat("--session", KEY)
    window.wait_for("held by", "watch", "take it over", "fork")
    return window


def test_the_second_window_watches_live(house: House) -> None:
    """
    It says who has the session, then shows what was said and what is said now, and going back changes nothing.
    """
    house.write({"say": "Red."}, {"say": "Green."}, {"say": "Blue."})
    with house.open() as first:
        ask(first, "Before", "Red.")
        with _second(house) as second:
            assert str(first.pid) in second.transcript
            second.type("w")
            second.wait_for("Before", "Red.")
            ask(first, "While watched", "Green.")
            second.wait_for("While watched", "Green.")
            second.press("ctrl-c")
            second.wait_until(lambda: second.transcript.count("held by") == 2, "the question again")
            second.type("q")
            assert 4 == second.end()
        ask(first, "Afterwards", "Blue.")

    assert ["Before", "While watched", "Afterwards"] == house.said(KEY)


def test_the_second_window_takes_over_and_the_first_loses_nothing(house: House) -> None:
    """
    Taken over within a reply, the first is told so, keeps what it showed, and goes on elsewhere; so does the second.
    """
    house.write(slowly(words(1_000)))
    with house.open() as first:
        first.say("Count")
        first.wait_for("word12")
        first.type("not sent")
        house.write({"say": "Green."})
        with _second(house) as second:
            second.type("t")
            second.wait_for("word12")
            ready(second)
            told(first, "This session was taken over by another window")
            second.wait_for(f"{MARK} not sent")
            second.press("ctrl-c")
            second.wait_gone(f"{MARK} not sent")
            ask(second, "From the second", "Green.")
        assert f"{MARK} not sent" in first.screen
        assert "taken over" in first.screen.splitlines()[-1]
        first.press("ctrl-c")
        first.say("/new")
        first.wait_for("A new conversation.")
        ready(first)

    assert ["Count", "From the second"] == house.said(KEY)
    assert "word12" in house.replies()[0]


def test_the_second_window_forks(house: House) -> None:
    """
    It goes on in a copy, while the first goes on in the original.
    """
    house.write({"say": "Red."}, {"say": "Green."})
    with house.open() as first:
        ask(first, "Before", "Red.")
        house.write({"say": "Blue."})
        with _second(house) as second:
            second.type("f")
            ready(second)
            ask(second, "In the copy", "Blue.")
        ask(first, "In the original", "Green.")

    assert ["Before", "In the original"] == house.said(KEY)
    (copy,) = (each.name for each in (house.store / "sessions").iterdir() if each.name != KEY)
    assert ["Before", "In the copy"] == house.said(copy)
