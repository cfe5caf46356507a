"""Terminals that show no colours, few columns, or nothing but lines; and screen readers."""

import re

import pytest

from tests.journeys.terminal.house import KEY, House, ask, calling, slowly, words

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
