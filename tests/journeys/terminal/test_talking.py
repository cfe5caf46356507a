"""Talking: messages of one line and many, what Tab completes, stopping, steering and waiting in line."""

import pytest

from tests.hosts.terminal.ptys import Terminal
from tests.journeys.terminal.house import KEY, MARK, House, ask, ready, slowly, told, words


def test_a_conversation_is_answered_and_kept(house: House) -> None:
    """
    What is said is answered; leaving is quiet; the next window goes on, and both exchanges are in one log.
    """
    house.write({"say": "By the **sea**.\n\n- a pier\n- a boat"}, {"say": "unused"})
    with house.open() as window:
        screen = ask(window, "Where is the harbour?", "a boat")
        assert f"{MARK} Where is the harbour?" in screen
        assert "By the sea." in screen
        assert "• a pier" in screen
        window.press("ctrl-d")
        assert 0 == window.end()
    house.write({"say": "Blue."})
    with ready(house.chat()) as again:
        assert "By the sea." in again.transcript
        ask(again, "Which colour?", "Blue.")
        again.say("/quit")
        assert 0 == again.end()

    assert ["Where is the harbour?", "Which colour?"] == house.said(KEY)


def test_a_workspace_that_was_moved_has_its_conversations(house: House) -> None:
    """
    Sessions belong to the workspace, not to its path: after a move, the last one goes on.
    """
    house.write({"say": "By the sea."})
    with ready(house.chat()) as window:
        ask(window, "Where is the harbour?", "By the sea.")
        window.press("ctrl-d")
        assert 0 == window.end()
    house.workspace = house.workspace.rename(house.workspace.with_name("elsewhere"))
    with ready(house.chat()) as again:
        told(again, "Continuing “Boats”", "By the sea.")


def test_a_message_of_many_lines_is_one_message(house: House) -> None:
    """
    Alt-Enter, Ctrl-J and a backslash before Enter begin a line, a paste keeps its lines, Enter sends all of it at once.
    """
    pasted = "\n".join(f"line {number}" for number in range(60))
    house.write({"say": "Heard once."}, {"say": "Heard twice."}, {"say": "Heard thrice."})
    with house.open() as window:
        window.type("one")
        window.press("alt-enter")
        window.type("two")
        window.press("ctrl-j")
        window.type("three\\")
        window.wait_for("  three\\")
        window.press("enter")
        window.type("four")
        window.wait_for("  four")
        window.press("enter")
        window.wait_for("Heard once.")
        ready(window)
        window.paste("five\nsix")
        window.wait_for("  six")
        window.press("enter")
        window.wait_for("Heard twice.")
        ready(window)
        window.paste(pasted)
        window.wait_for("[pasted 60 lines]")
        window.press("enter")
        window.wait_for("Heard thrice.")

    assert ["one\ntwo\nthree\nfour", "five\nsix", pasted] == house.said(KEY)


def test_a_paste_is_had_back_whole(house: House) -> None:
    """
    What was sent before comes back with its pastes, not with labels that stand for nothing; commands take them too.
    """
    pasted = "\n".join(f"line {number}" for number in range(30))
    house.write({"say": "Heard once."}, {"say": "Heard twice."}, {"say": "Heard thrice."})
    with house.open() as window:
        window.paste(pasted)
        window.wait_for("[pasted 30 lines]")
        window.press("enter")
        window.wait_for("Heard once.")
        ready(window)
        window.press("up", "enter")
        window.wait_for("Heard twice.")
        ready(window)
        window.type("/steer So: ")
        window.paste(pasted)
        window.wait_for("[pasted 30 lines]")
        window.press("enter")
        window.wait_for("Heard thrice.")
        ready(window)

    assert [pasted, pasted, f"So: {pasted}"] == house.said(KEY)


def offers(window: Terminal, key: str) -> bool:
    """Whether a session is offered; if not, Tab is pressed again: the input of the one before may have got it."""
    if key in window.screen:
        return True
    window.press("tab")
    return False


def test_tab_completes_commands_files_and_sessions(house: House) -> None:
    """
    A slash offers commands with what they do, an @ offers files of the workspace, and /resume offers sessions.

    Where there is only one, Enter sends after Tab.
    """
    house.file("harbour.md", "The boat is blue.\n")
    house.write({"say": "So it says."})
    with house.open() as window:
        window.type("/ren")
        window.wait_for("give this conversation a title")
        window.press("tab")
        window.type(" Boats")
        window.wait_for("/rename Boats")
        window.press("enter")
        window.wait_for("is now called Boats")
        ready(window)
        window.type("Read @harb")
        window.wait_for("harbour.md")
        window.press("tab")
        window.wait_for("Read @harbour.md")
        window.press("enter")
        window.wait_for("So it says.")
        ready(window)
        window.say("/new")
        window.type("/resume ")
        window.wait_until(lambda: f"{MARK} /resume" in window.screen, "typed words to stay")
        window.wait_until(lambda: 2 == window.transcript.count("A new conversation."), "the new conversation")
        ready(window)
        window.wait_until(lambda: offers(window, KEY), "the session to be offered")

    assert ["Read @harbour.md\nharbour.md:\nThe boat is blue.\n"] == house.said(KEY)


def test_ctrl_c_stops_a_reply_and_keeps_what_was_shown(house: House) -> None:
    """
    Ctrl-C while the model speaks ends the turn; what was shown stays, is in the log, and the next message is answered.
    """
    house.write(slowly(words(400)), {"say": "Still here."})
    with house.open() as window:
        window.say("Count")
        window.wait_for("word12")
        window.press("ctrl-c")
        window.wait_for("■ stopped")
        ready(window)
        shown = window.transcript
        ask(window, "Are you there?", "Still here.")
        window.press("ctrl-c")
        window.wait_for("Ctrl-C again leaves")
        window.press("ctrl-c")
        assert 0 == window.end()

    first, second = house.replies()
    assert "word12" in first
    assert "word399" not in first
    assert all(word in shown for word in first.split())
    assert "Still here." == second


def test_words_typed_while_a_turn_runs_steer_it_or_wait_for_its_end(house: House) -> None:
    """
    Enter steers at the next step, Ctrl-Q waits for the end of the turn, and Esc stops; no word is lost or said twice.
    """
    house.file("a.txt", "alpha\n")
    house.write(
        [*slowly(words(60)), {"call": {"name": "read_file", "arguments": {"path": "a.txt"}}}],
        {"say": "Steered."},
        {"say": "After that."},
        slowly(words(400, name="more")),
        {"say": "Never mind."},
    )
    with house.open() as window:
        window.say("Begin")
        window.wait_for("word3")
        window.say("and hurry")
        window.type("then tell me more")
        window.press("ctrl-q")
        window.wait_for("After that.")
        ready(window)
        window.say("Go on")
        window.wait_for("more12")
        window.press("esc")
        window.wait_for("■ stopped")
        ready(window)

    assert ["Begin", "and hurry", "then tell me more", "Go on"] == house.said(KEY)
    replies = house.replies()
    assert ["Steered.", "After that."] == replies[1:3]
    entered = [entry.get("enters", "now") for entry in house.entries(KEY) if entry["kind"] == "user_said"]
    assert ["now", "step", "after", "now"] == entered


def test_nothing_that_comes_between_cuts_a_reply_in_two(house: House) -> None:
    """
    Words typed while code streams, and a title that is found meanwhile, leave it the code it is, every line whole.
    """
    code = [f"# note {number}\nvalue_{number} = count({number})" for number in range(20)]
    house.write(slowly("\n".join(["```python", *code, "```", "", "That was **all**."]), 0.05), {"say": "Heard."})
    with house.open() as window:
        window.say("Write")
        window.wait_for("value_3 = c")
        window.say("and hurry")
        window.wait_for("(heard at the next step)")
        window.say("/rename Numbers")
        window.wait_for("Heard.")
        ready(window)
        lines = window.transcript.splitlines()

    whole = [line for each in code for line in each.splitlines()]
    assert whole == [line for line in lines if line in whole]
    assert ["```python", "```"] == [line for line in lines if line.startswith("```")]
    assert "That was all." in lines


def test_a_new_conversation_has_an_empty_window(house: House) -> None:
    """
    How full the window of the last one was is not said of the next; on coming back neither, before it is known.
    """
    house.write({"say": "Ahoy."})
    with house.open() as window:
        ask(window, "Hello", "Ahoy.")
        assert " %" in window.screen.splitlines()[-1]
        ask(window, "/new", "A new conversation.")
        assert " %" not in window.screen.splitlines()[-1]


def test_a_reply_is_saved_when_it_is_in_the_log(house: House) -> None:
    """
    While it streams, the line below does not say that everything is saved; when it was stopped, it is.
    """
    house.write([*slowly(words(12)), {"fail": "silence"}])
    with house.open() as window:
        window.say("Count")
        window.wait_for("word11")
        assert window.screen.splitlines()[-1].endswith("…") or "saving …" in window.screen.splitlines()[-1]
        window.press("esc")
        window.wait_for("stopped")
        ready(window)

    assert "word11" in house.replies()[0]


@pytest.mark.parametrize(
    ("setting", "says", "farewell"),
    [
        ('durability = "interval"', "written \u2713", "is kept as"),
        ('durability = "os"', "written \u2713", "is kept as"),
        ("persistence = false", "not kept", "Nothing of this conversation is kept"),
    ],
)
def test_the_status_says_how_safe_it_is(house: House, setting: str, says: str, farewell: str) -> None:
    """
    What only a killed process leaves is not called saved, nor is it always about to be; what is not kept is called so.
    """
    house.configure(f"{setting}\n")
    house.write({"say": "By the sea."})
    with house.chat("--session", KEY) as window:
        window.wait_for("Model:")
        window.say("Where?")
        window.wait_for("By the sea.")
        window.wait_until(lambda: window.screen.splitlines()[-1].endswith(says), says)
        window.press("ctrl-d")
        window.wait_for(farewell)
        assert 0 == window.end()
