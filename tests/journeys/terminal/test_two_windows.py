"""Two windows on one session: the second is told who has it, and may watch, take over or fork."""

import re

import pytest

from tests.hosts.terminal.ptys import Terminal
from tests.journeys.terminal.house import KEY, MARK, House, ask, ready, slowly, told, words


def _second(house: House) -> Terminal:
    window = house.chat("--session", KEY)
    window.wait_for("held by", "watch", "take it over", "fork")
    return window


def _read_along(window: Terminal, end: str) -> list[str]:
    """The words of a reply that a window showed while it watched, up to what is said below it."""
    return re.findall(r"w[ord\d]*", window.transcript.partition("goes back.")[2].partition(end)[0])


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


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_the_second_window_reads_along(house: House, term: str) -> None:
    """
    It shows a reply while it streams, line by line as they are full, and in the end each word once.
    """
    house.write(slowly(words(1_000)))
    with house.open() as first:
        first.say("Count")
        first.wait_for("word5")
        with house.chat("--session", KEY, TERM=term) as second:
            second.wait_for("held by", "watch")
            second.say("w")
            second.wait_for("Watching;", "word20")
            assert [] == house.replies(), "the reply is not written yet"
            first.press("ctrl-c")
            second.wait_for("stopped")
            assert house.replies()[0].split() == _read_along(second, "stopped")


def test_the_second_window_sees_what_becomes_of_a_reply_whose_window_was_killed(house: House) -> None:
    """
    What streamed stays; when a third window opens the session, the rest of it comes, and that it broke off.
    """
    house.write(slowly(words(1_000)))
    with house.open() as first:
        first.say("Count")
        first.wait_for("word5")
        with _second(house) as second:
            second.type("w")
            second.wait_for("word20")
            first.kill()
            first.end()
            with house.open():
                second.wait_for("The reply broke off here.")
            assert house.replies()[0].split() == _read_along(second, "The reply")


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
            assert "Another writer" not in first.transcript
            second.wait_for(f"{MARK} not sent")
            second.press("ctrl-c")
            second.wait_gone(f"{MARK} not sent")
            ask(second, "From the second", "Green.")
        assert f"{MARK} not sent" in first.screen
        assert "taken over" in first.screen.splitlines()[-1]
        assert 1 == first.transcript.count("This session was taken over"), "once is enough"
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


def test_what_was_taken_over_can_be_had_back(house: House) -> None:
    """
    The first window is told in plain words; Enter brings it back: at once if nobody has it, else after asking.
    """
    house.write({"say": "Red."}, {"say": "Green."}, {"say": "Blue."})
    with house.open() as first:
        ask(first, "Before", "Red.")
        with _second(house) as second:
            second.type("t")
            ready(second)
            told(first, "This session was taken over by another window", "Enter on an empty line asks for it back")
            first.say("Too late")
            first.wait_until(lambda: first.transcript.count("asks for it back") == 2, "to be told again")
            first.wait_for(f"{MARK} Too late")
            assert "the turn failed" not in first.transcript
            first.press("ctrl-c")
            first.wait_gone(f"{MARK} Too late")
            first.press("enter")
            first.wait_for("held by", "take it over")
            first.type("q")
            first.wait_until(lambda: "taken over" in first.screen.splitlines()[-1], "to be without it still")
            first.say("Still too late")
            first.wait_until(lambda: first.transcript.count("asks for it back") == 3, "to be told once more")
            first.wait_for(f"{MARK} Still too late")
            first.press("ctrl-c")
            first.wait_gone(f"{MARK} Still too late")
            first.press("enter")
            first.wait_until(lambda: first.transcript.count("held by") == 2, "the question again")
            first.type("t")
            ready(first)
            ask(first, "Had back", "Green.")
            second.say("Lost")
            told(second, "taken over by another window")
        ask(first, f"/resume {KEY}", "you are in")

    assert ["Before", "Had back"] == house.said(KEY)


def test_it_is_had_back_at_once_from_a_window_that_is_gone(house: House) -> None:
    """
    /resume with the same key opens it again when nobody has it, with what was said elsewhere meanwhile.
    """
    house.write({"say": "Red."}, {"say": "Green."})
    with house.open() as first:
        ask(first, "Before", "Red.")
        with _second(house) as second:
            second.type("t")
            ready(second)
            ask(second, "Elsewhere", "Red.")
            second.press("ctrl-d")
            assert 0 == second.end()
        told(first, "taken over by another window")
        first.say("Too late")
        first.wait_until(lambda: first.transcript.count("taken over by another window") == 2, "to be told again")
        first.wait_for(f"{MARK} Too late")
        first.press("ctrl-c")
        first.wait_gone(f"{MARK} Too late")
        first.say(f"/resume {KEY}")
        first.wait_for("Elsewhere")
        ready(first)
        ask(first, "Again", "Green.")

    assert ["Before", "Elsewhere", "Again"] == house.said(KEY)


def test_each_window_keeps_its_own_draft(house: House) -> None:
    """
    What is typed in a window that has lost the session is not mixed with what is typed in the one that has it.
    """
    with house.open() as first:
        first.type("one")
        first.wait_until(lambda: [] != house.drafts(), "the draft")
        first.watch(0.3)
        with _second(house) as second:
            second.type("t")
            second.wait_for(f"{MARK} one")
            second.type(" and two")
            first.type(" for me")
            second.watch(0.5)
            second.kill()
            second.end()
        first.kill()
        first.end()
    with house.open() as third:
        third.wait_for("one and two", "one for me")


def test_windows_with_sessions_of_their_own_have_drafts_of_their_own(house: House) -> None:
    """
    Two new conversations of one workspace, of which nothing was said yet, do not see each other's words.
    """
    with ready(house.chat("--new")) as first, ready(house.chat("--new")) as second:
        first.type("one")
        second.type("two")
        first.watch(0.4)
        for window in (first, second):
            window.kill()
            window.end()
    with ready(house.chat()) as latest:
        latest.wait_for(f"{MARK} two")
        assert "one" not in latest.screen.splitlines()[-2]


def test_a_window_with_only_lines_watches_and_takes_over(house: House) -> None:
    """
    The same choices by line: w shows what happens until Enter, t takes over.
    """
    house.write({"say": "Red."}, {"say": "Red."})
    with house.open() as first:
        with house.chat("--session", KEY, TERM="dumb") as early:
            early.wait_for("held by", "t, n or q:")  # in a new conversation there is nothing to watch or to copy
            early.say("q")
        ask(first, "Before", "Red.")
        _watched_by_line(house, first)

    assert ["Before", "While watched", "From the lines"] == house.said(KEY)


def _watched_by_line(house: House, first: Terminal) -> None:
    with house.chat("--session", KEY, TERM="dumb") as second:
        second.wait_for("held by", "w, t, f, n or q:")
        second.say("w")
        second.wait_for("Watching; Enter goes back.")
        ask(first, "While watched", "Red.")
        second.wait_for("While watched", "Red.")
        second.say("")
        second.wait_until(lambda: second.transcript.count("w, t, f, n or q:") == 2, "the question again")
        second.say("t")
        second.wait_for("\n>")
        second.say("From the lines")
        second.wait_for("From the lines")
        second.wait_until(lambda: "Red." in second.screen.rpartition("From the lines")[2], "the answer")
        second.wait_until(lambda: second.screen.endswith("\n>"), "the prompt")
