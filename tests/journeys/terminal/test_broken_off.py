"""However a window ends, what was said, shown and typed is there when one comes back."""

import re
import signal

from tests.journeys.terminal.house import KEY, MARK, House, calling, ready, slowly, told, words


def test_a_reply_that_was_killed_is_there_and_can_be_gone_on_with(house: House) -> None:
    """
    After kill -9 within a reply one is told so, sees what was shown, and goes on with an empty Enter.
    """
    house.write(slowly(words(400)))
    with house.open() as window:
        window.say("Count")
        window.wait_for("word30")
        shown = [word for word in window.transcript.split() if word.startswith("word")]
        window.kill()
        assert -signal.SIGKILL == window.end()

    house.write({"say": "And so on."})
    with house.open() as again:
        told(again, f"{MARK} Count", "word12", "broken off", "what was shown of it is kept", "Press Enter")
        again.press("enter")
        again.wait_for("And so on.")
        ready(again)

    first, second = house.replies()
    assert shown[:-12] == first.split()[: len(shown) - 12], "a kill costs a tenth of a second of what was shown at most"
    assert "And so on." == second
    assert ["Count"] == house.said(KEY)


def test_a_tool_that_was_killed_may_have_run_and_is_not_run_again(house: House) -> None:
    """
    After kill -9 within a tool one is told that it may have run; the model is told too, and it is not run again.
    """
    marks = house.workspace / "marks"
    command = "echo ran >> marks; sleep 60"
    house.write(calling("shell", say="I try.", command=command))
    with house.open("--allow", "shell") as window:
        window.say("Try it")
        window.wait_until(lambda: marks.exists() and "ran" in marks.read_text(), "the tool to begin")
        window.kill()
        assert -signal.SIGKILL == window.end()

    house.write({"say": "I see that it may have run."})
    with house.open("--allow", "shell") as again:
        told(again, "broken off", "shell", "may have done something")
        again.say("/continue")
        again.wait_for("I see that it may have run.")
        ready(again)

    ((outcome, result),) = house.results()
    assert ("interrupted", True) == (outcome, "may have" in result)
    assert "ran\n" == marks.read_text()


def test_a_closed_window_keeps_the_reply_and_what_was_being_typed(house: House) -> None:
    """
    A window that is closed within a reply ends by itself; what was shown is kept, and what was typed is back.
    """
    house.write(slowly(words(2_000)))
    with house.open() as window:
        window.say("Count")
        window.wait_for("word12")
        window.type("not sent")
        window.wait_for(f"{MARK} not sent")
        window.hang_up()
        window.end()
    house.write({"say": "Heard."})
    with house.open() as again:
        again.wait_for("word12", f"{MARK} not sent")
        again.type(", but now")
        again.press("enter")
        again.wait_for("Heard.")

    assert ["Count", "not sent, but now"] == house.said(KEY)
    assert "word12" in house.replies()[0]


def test_a_draft_survives_every_way_to_leave(house: House) -> None:
    """
    Words that were typed and not sent are back after SIGHUP, SIGTERM and kill -9; once they are sent, they are not.
    """
    house.write({"say": "Heard."})
    with house.open() as window:
        window.type("typed")
        window.wait_for(f"{MARK} typed")
        window.kill(signal.SIGHUP)
        assert 0 == window.end()
    with house.open() as window:
        window.wait_for(f"{MARK} typed")
        window.type(" more")
        window.wait_for(f"{MARK} typed more")
        window.kill(signal.SIGTERM)
        assert 0 == window.end()
    with house.open() as window:
        window.wait_for(f"{MARK} typed more")
        window.type(" yet")
        window.wait_until(lambda: any("yet" in file.read_text() for file in house.drafts()), "the draft")
        window.kill()
        assert -signal.SIGKILL == window.end()
    with house.open() as window:
        window.wait_for(f"{MARK} typed more yet")
        window.press("enter")
        window.wait_for("Heard.")
        window.wait_until(lambda: [] == house.drafts(), "the draft to be gone")

    assert ["typed more yet"] == house.said(KEY)


def test_sigterm_within_a_turn_leaves_in_good_order(house: House) -> None:
    """
    SIGTERM ends the process long before the reply is over.

    What was shown is kept, and the terminal is given back as it was.
    """
    house.write(slowly(words(2_000)))
    with house.open() as window:
        window.say("Count")
        window.wait_for("word12")
        window.kill(signal.SIGTERM)
        assert 0 == window.end()
        assert window.raw.rfind(b"\x1b[?2004l") > window.raw.rfind(b"\x1b[?2004h"), "bracketed paste is left on"
        assert window.raw.rfind(b"\x1b[?25l") < window.raw.rfind(b"\x1b[?25h"), "the cursor is left hidden"

    assert "word12" in house.replies()[0]


def test_a_window_that_changes_its_size_within_a_reply_shows_all_of_it(house: House) -> None:
    """
    Made narrow and wide again while the model speaks, every word is to be seen once, in order, and nothing is torn.
    """
    house.write(slowly(words(240)))
    with house.open() as window:
        window.say("Count")
        window.wait_for("word20")
        window.resize(44)
        window.wait_for("word80")
        window.resize(100)
        window.wait_for("word150")
        window.resize(80)
        window.wait_for("word239")
        ready(window)
        shown = window.transcript

    assert words(240).split() == re.findall(r"word\d+", shown)
    assert [words(240)] == house.replies()
