"""Text made safe to show: nothing in it moves a cursor, and nothing readable is lost."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.records.printable import printable, printable_line

ACTING = st.text("\x1b\r\x9b\u202e\u2028\u200d\ud800\ue000\U000e0041", max_size=5)
ANY = st.tuples(st.text(), ACTING, st.text()).map("".join)
SHOWN = {
    "plain words": ("plain words", "plain words"),
    "lines and tabs": ("a\n\tb", "a\n\tb"),
    "an escape": ("\x1b[2J", "␛[2J"),
    "a bell": ("\x07", "␇"),
    "a carriage return": ("a\rb", "a␍b"),
    "delete": ("\x7f", "\ufffd"),
    "a C1 control": ("\x9b31m", "\ufffd31m"),
    "reading turned round": ("a\u202eb", "a\ufffdb"),
    "a line separator": ("a\u2028b", "a\ufffdb"),
    "a lone surrogate": ("\ud800", "\ufffd"),
    "a private character": ("\ue000", "\ufffd"),
    "a tag": ("\U000e0041", "\ufffd"),
    "a family": ("👩\u200d👧", "👩\u200d👧"),
    "other scripts": ("日本語 עברית ẞ", "日本語 עברית ẞ"),
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_would_act_is_shown_instead(text: str, shown: str) -> None:
    """
    Control sequences and characters that turn the text are made visible; everything else stays.
    """
    assert shown == printable(text)


@given(ANY)
def test_no_control_character_is_left(text: str) -> None:
    """
    Whatever was said, only line feeds and tabs can move the cursor.
    """
    acting = {char for char in printable(text) if unicodedata.category(char) in {"Cc", "Cs", "Cf", "Zl", "Zp"}}

    assert set() == acting - set("\n\t\u200c\u200d")


@given(ANY)
def test_each_character_stays_one_character(text: str) -> None:
    """
    Positions in the text that is shown are those in the text that was said; doing it twice changes nothing.
    """
    assert len(text) == len(printable(text))
    assert printable(text) == printable(printable(text))


@given(ANY, st.integers(1, 40))
def test_a_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    """
    A preview never breaks a list.
    """
    line = printable_line(text, limit)

    assert limit >= len(line)
    assert [] == [char for char in line if char in "\n\t\r"]


def test_a_line_says_that_it_was_cut() -> None:
    """
    An ellipsis stands for what did not fit, without a space before it.
    """
    assert "one two" == printable_line("  one\n\n two ", 7)
    assert "one…" == printable_line("one two", 5)
    assert "onetwo…" == printable_line("onetwothree", 7)
