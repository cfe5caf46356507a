"""Terminals that show no colours, few columns, or nothing but lines; and screen readers."""

import re
import signal

import pytest

from tests.hosts.terminal.ptys import Terminal
from tests.journeys.terminal.house import KEY, MARK, House, ask, calling, slowly, words
from tests.journeys.terminal.kept import kept

MOVES = re.compile(rb"\x1b|\r(?!\n)|\x08")
"""What moves a cursor or colours: everything that a screen reader would stumble over."""
COLOUR = re.compile(rb"\x1b\[[0-9;]*(3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;[0-9;]+)m")


def test_no_color_has_no_colours(house: House) -> None:
    """
    With NO_COLOR nothing is coloured, and everything can still be told apart.
    """
    house.write({"say": "**Bold** and `code`\n\n```python\nx = 1\n```"})
    with house.open(NO_COLOR="1") as window:
        ask(window, "Show", "x = 1")
        ask(window, "/help", "/quit")
        assert None is COLOUR.search(window.raw)


@pytest.mark.parametrize("how", ["dumb", "screen reader"])
def test_plain_lines_never_move_the_cursor(house: House, how: str) -> None:
    """
    A talk, a question, a stop, a command and a choice are lines, in order; not one byte moves the cursor.
    """
    if how == "screen reader":
        house.configure("[ui]\nscreen_reader = true\n")
    house.write(
        {"say": "By the **sea**.\n\n- a pier"},
        calling("shell", command="touch made"),
        {"say": "Made."},
        slowly(words(400).replace(" word", "\n\nword")),
        {"say": "Goodbye."},
    )
    with house.chat("--session", KEY, TERM="dumb" if how == "dumb" else "xterm-256color") as window:
        window.wait_for(">")
        window.say("Where?")
        window.wait_for("By the sea.", "a pier")
        window.say("Make it")
        window.wait_for("touch made", "y for yes")
        window.say("y")
        window.wait_for("Made.")
        window.say("Count")
        window.wait_for("word4")
        window.press("ctrl-c")
        window.wait_for("stopped")
        window.say("/session")
        window.wait_for(KEY)
        window.say("/resume")
        window.wait_for("Number, words")
        window.say("")
        window.say("Bye")
        window.wait_for("Goodbye.")
        window.press("ctrl-d")
        assert 0 == window.end()
        assert [] == MOVES.findall(window.raw.replace(b"^C", b""))

    assert ["Where?", "Make it", "Count", "Bye"] == house.said(KEY)
    assert (house.workspace / "made").exists()


def _say(window: Terminal, said: str, answer: str) -> None:
    """Say a line, and wait for an answer and the prompt below it."""
    window.say(said)
    window.wait_until(lambda: answer in window.screen and window.screen.endswith("\n>"), answer)


@pytest.mark.parametrize("columns", [80, 40])
def test_a_talk_in_plain_lines(house: House, columns: int) -> None:
    """
    Each prompt stands where it is one's turn and nowhere else; questions are broken between words.
    """
    house.write(
        {"say": f"By the **sea**, {words(30)}.\n\n- a pier\n- a boat"},
        calling("shell", command="echo one"),
        {"say": "Then not."},
        calling("shell", command="touch made"),
        {"say": "Made."},
    )
    with house.chat("--session", KEY, TERM="dumb", columns=columns, rows=60) as window:
        window.wait_for("Model:", "\n>")
        _say(window, "Where?", "a boat")
        _say(window, "Do", "one?")
        _say(window, "n", "Then not.")
        _say(window, "Make", "made?")
        _say(window, "y", "Made.")
        expected, actual = kept(f"plain-{columns}", window.transcript, house)

    assert expected == actual


@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
def test_plain_replies_come_line_by_line(house: House, term: str) -> None:
    """
    A full line is there before its paragraph is over.
    """
    house.configure("[ui]\nscreen_reader = true\n")
    house.write([*slowly(words(60)), {"fail": "silence"}])
    with house.chat("--session", KEY, TERM=term) as window:
        window.wait_for("\n>")
        window.say("Count")
        window.wait_for("word12\n")
        assert "word59" not in window.transcript
        window.press("ctrl-c")
        window.wait_until(lambda: re.search(r"stopped by you after \S+ s\n>", window.transcript) is not None, "the end")
        assert 2 == len(re.findall(r"^>", window.transcript, re.MULTILINE))


def test_a_screen_reader_has_what_was_typed_before(house: House) -> None:
    """
    The arrows bring it on a line of its own; backspace, Ctrl-W and Ctrl-U take away; other keys do nothing.
    """
    house.configure("[ui]\nscreen_reader = true\n")
    house.write({"say": "One."}, {"say": "Two."}, {"say": "Three."})
    with house.chat("--session", KEY) as window:
        window.wait_for("\n>")
        window.say("first")
        window.wait_for("One.\n>")
        window.type("seconds\x7f")
        window.press("enter")
        window.wait_for("Two.\n>")
        window.type("begun")
        window.press("up", "up")
        window.wait_for("> begun\n> second\n> first")
        window.press("down", "down")
        window.wait_until(lambda: window.transcript.endswith("> second\n> begun"), "what was begun")
        window.press("left", "tab", "ctrl-u")
        window.type("öl 日本 not this\x17\x17\x7f\x7f")
        window.press("enter")
        window.wait_for("Three.\n>")
        window.press("ctrl-d")
        assert 0 == window.end()
    with house.chat("--session", KEY) as window:
        window.wait_for("\n>")
        window.press("up", "up", "enter")
        window.wait_for("One.\n>")

    assert ["first", "second", "öl 日", "second"] == house.said(KEY)


def test_a_draft_in_plain_lines_survives(house: House) -> None:
    """
    What was typed and not sent is there again; where the terminal itself edits, it is said, and a dot sends it.
    """
    house.configure("[ui]\nscreen_reader = true\n")
    house.write({"say": "One."})
    with house.chat("--session", KEY) as window:
        window.wait_for("\n>")
        window.say("over \\")
        window.type("two lin")
        window.wait_until(lambda: [] != house.drafts(), "the draft")
        window.watch(0.3)
        window.kill()
        window.end()
    with house.chat("--session", KEY) as window:
        window.wait_for("> two lin")
        window.press("ctrl-d")
        window.type("e")
        window.watch(0.3)
        window.kill()
        window.end()
    with house.chat("--session", KEY, TERM="dumb") as window:
        window.wait_for("Not sent yet: over", "two line", "only a dot")
        window.press("ctrl-d")
        assert 0 == window.end()
    with house.chat("--session", KEY, TERM="dumb") as window:
        window.wait_for("Not sent yet: over", "\n>")
        window.say(".")
        window.wait_for("One.")

    assert ["over \ntwo line"] == house.said(KEY)


def test_plain_lines_go_on_after_they_were_put_aside(house: House) -> None:
    """
    Back from Ctrl-Z, the prompt is there again with what was begun, and keys are taken as before.
    """
    house.configure("[ui]\nscreen_reader = true\n")
    house.write({"say": "One."})
    with house.chat("--session", KEY) as window:
        window.wait_for("\n>")
        window.type("half")
        window.wait_for("> half")
        window.kill(signal.SIGCONT)
        window.wait_until(lambda: window.transcript.count("> half") == 2, "the prompt again")
        window.say(" and whole")
        window.wait_for("One.\n>")

    assert ["half and whole"] == house.said(KEY)


UTF_8, ASCII = ("", ""), ("0", "0")
"""Whether Python takes UTF-8 where the locale says nothing; so it does if it is not told otherwise."""


@pytest.mark.parametrize(("name", "python"), [("C", UTF_8), ("POSIX", UTF_8), ("C", ASCII)])
def test_a_locale_without_letters_of_others(house: House, name: str, python: tuple[str, str]) -> None:
    """
    Where only ASCII can be written, signs of ours are, and of others a question mark; nothing breaks off.
    """
    ascii_only = python is ASCII
    house.write(
        {"say": "A pier – and “boats”, 日本 ✓\n\n- one"}, calling("shell", command="echo boat"), {"say": "Done…"}
    )
    utf8, coerced = python
    with house.chat("--session", KEY, LC_ALL=name, PYTHONUTF8=utf8, PYTHONCOERCECLOCALE=coerced) as window:
        window.wait_for("asked for", "\n>" if ascii_only else MARK)
        window.say("Where?")
        window.wait_for('A pier - and "boats", ?? ok' if ascii_only else "A pier – and “boats”", "one")
        window.say("Grüße")
        window.wait_for("y for yes" if ascii_only else "y yes")
        window.say("y")
        window.wait_for("Done..." if ascii_only else "Done…")
        window.press("ctrl-d")
        assert 0 == window.end()

    assert ["ok"] == [outcome for outcome, _ in house.results()]
    assert ascii_only or house.said(KEY)[-1] == "Grüße"


def test_a_command_at_a_question_in_plain_lines(house: House) -> None:
    """
    It is run, not told to the model, and the question is put again after what it showed.
    """
    house.write(calling("shell", command="touch made"), {"say": "Then not."})
    with house.chat("--session", KEY, TERM="dumb") as window:
        window.wait_for("Model:", "\n>")
        window.say("Make")
        window.wait_for("An empty line is no.")
        window.say("/session")
        window.wait_until(lambda: window.transcript.count("An empty line is no.") == 2, "the question once more")
        assert "since" in window.transcript
        _say(window, "n", "Then not.")

    assert ["denied"] == [outcome for outcome, _ in house.results()]
