"""A diff for people."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from holdfast.hosts.terminal.draw.diffs import changed, diff_lines, rows_of
from holdfast.hosts.terminal.draw.theme import DARK, NONE
from holdfast.tools.files.diffs import diff

_BEFORE = "".join(f"line {n}\n" for n in range(1, 41))
_AFTER = _BEFORE.replace("line 3\n", "line three\nand more\n").replace("line 38\n", "")


def test_a_change_has_its_line_numbers() -> None:
    """
    Lines that come and stay have their number in the new text, lines that go in the old one; a gap is marked.
    """
    assert [
        " 1   line 1",
        " 2   line 2",
        " 3 - line 3",
        " 3 + line three",
        " 4 + and more",
        " 5   line 4",
        " 6   line 5",
        " 7   line 6",
        "   ⋮",
        "36   line 35",
        "37   line 36",
        "38   line 37",
        "38 - line 38",
        "39   line 39",
        "40   line 40",
    ] == diff_lines(diff(_BEFORE, _AFTER, "a.txt"), 80, NONE)


def test_a_change_is_counted() -> None:
    """
    What comes and what goes is counted without the names of the files.
    """
    assert (2, 2) == changed(diff(_BEFORE, _AFTER, "a.txt"))
    assert (1, 1) == changed(diff("-- old\n", "++ new\n", "a.txt"))


def test_colours_say_what_comes_and_goes() -> None:
    """
    Lines that come are green, lines that go are red, others are plain.
    """
    gone, come = diff_lines(diff("a\n", "b\n", "x"), 80, DARK)

    assert (DARK.painted("1 ", "dim") + DARK.painted("- a", "removed")) == gone
    assert (DARK.painted("1 ", "dim") + DARK.painted("+ b", "added")) == come


def test_a_long_line_goes_on_below_itself() -> None:
    """
    At 40 columns nothing of a line is left out.
    """
    lines = diff_lines(diff(None, "x" * 50 + "\n", "x"), 40, NONE)

    assert ["1 + " + "x" * 36, "    " + "x" * 14] == lines


def test_a_long_change_is_folded_with_a_count() -> None:
    """
    Of a change with many lines the first are shown, and how much is left is said.
    """
    lines = diff_lines(diff(None, "a\n" * 100, "x"), 80, NONE, most=3)

    assert ["  1 + a", "  2 + a", "  3 + a", "    … 97 more lines (+97 -0)"] == lines


def test_a_fold_that_would_save_nothing_is_not_made() -> None:
    """
    One line more is shown and not counted.
    """
    assert 4 == len(diff_lines(diff(None, "a\n" * 4, "x"), 80, NONE, most=3))


@pytest.mark.parametrize("text", ["(no difference)", "replaces a binary file of 12 bytes"])
def test_a_remark_stays_a_remark(text: str) -> None:
    """
    What a tool says beside the difference is shown.
    """
    assert [text] == diff_lines(text, 80, NONE)


@given(st.text(max_size=200), st.text(max_size=200), st.integers(20, 90))
def test_every_line_fits_and_nothing_is_obeyed(before: str, after: str, width: int) -> None:
    """
    Whatever a file holds, its difference fits the terminal and moves no cursor.
    """
    lines = diff_lines(diff(before, after, "x"), width, NONE)

    assert [] == [line for line in lines if wcswidth(line) > width]
    assert [] == re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", "".join(lines))


@given(st.lists(st.sampled_from(["a", "b", "--- x", "+++ y", "@@ -1 +1 @@", ""]), max_size=12).map("\n".join))
def test_lines_that_look_like_a_diff_are_lines(text: str) -> None:
    """
    A file that holds a diff is shown line by line as any other.
    """
    rows = rows_of(diff(None, text, "x")) if text else []
    expected = text.split("\n") if text and not text.endswith("\n") else text.split("\n")[:-1]

    assert expected == [row.text for row in rows if row.sign == "+"]
