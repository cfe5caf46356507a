"""One line as it is typed, where nothing is drawn again."""

import pytest

from holdfast.hosts.terminal.input.typed_line import TypedLine

UP, DOWN = "\x1b[A", "\x1b[B"


class _Terminal:
    """What was written, and whether somebody left."""

    def __init__(self, *past: str) -> None:
        self.written, self.left = "", False
        self.line = TypedLine(self._write, lambda: past, self._leave)

    def _write(self, text: str) -> None:
        self.written += text

    def _leave(self) -> None:
        self.left = True


def test_what_is_typed_is_echoed_and_finished_with_enter() -> None:
    """
    Lines that are pasted come one after the other; what follows the last one stands there.
    """
    terminal = _Terminal()

    assert ["one", "two"] == terminal.line.keys("one\rtwo\nthr")
    assert "thr" == terminal.line.text
    assert "one\ntwo\nthr" == terminal.written


def test_a_backslash_before_enter_begins_a_new_line() -> None:
    """
    The message goes on in the next line, without the backslash; Enter after anything else finishes it.
    """
    terminal = _Terminal()

    assert ["one\ntwo"] == terminal.line.keys("one\\\rtwo\r")
    assert "one\\\ntwo\n" == terminal.written


@pytest.mark.parametrize(
    ("typed", "left", "moved"),
    [
        ("boats\x7f", "boat", 1),
        ("日本\x08", "日", 2),
        ("e\u0301\x7f", "", 1),
        ("two words \x17", "two ", 6),
        ("two words\x15", "", 9),
        ("\x7f", "", 0),
    ],
)
def test_the_end_is_taken_away(typed: str, left: str, moved: int) -> None:
    """
    A letter, with what belongs to it and as wide as it is; a word; the line.
    """
    terminal = _Terminal()
    terminal.line.keys(typed)

    assert left == terminal.line.text
    assert moved == terminal.written.count("\b \b")


def test_the_past_comes_on_lines_of_its_own() -> None:
    """
    Up and down, not beyond its ends, and back to what was begun; messages of several lines are passed over.
    """
    terminal = _Terminal("second", "of\ntwo lines", "first")
    terminal.line.keys(f"begun{UP}{UP}{UP}")

    assert "begun\n> second\n> first" == terminal.written
    assert ["first"] == terminal.line.keys("\r")
    terminal.line.keys(f"new{UP}{DOWN}{DOWN}")
    assert "new" == terminal.line.text


def test_other_keys_do_nothing_and_nothing_is_obeyed() -> None:
    """
    Keys that mean something elsewhere are no letters; what is pasted cannot move the cursor.
    """
    terminal = _Terminal()
    terminal.line.keys("a\x1b[D\x1b[3~\x1bOP\t\x01\x1bxb\u202e")

    assert "ab" == terminal.line.text
    assert "ab" == terminal.written


def test_ctrl_d_leaves_an_empty_line_only() -> None:
    """
    With something typed it does nothing, so that nothing is lost by it.
    """
    terminal = _Terminal()
    terminal.line.keys("a\x04")
    assert not terminal.left
    terminal.line.keys("\x7f\x04")
    assert terminal.left
