"""How wide text is on a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.commands.text.width import clip, pad, width, wrap

TEXT = st.text(st.sampled_from("ab 字é\u0301👍\u200d-"), max_size=60)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("abc", 3),
        ("港口", 4),
        ("e\u0301", 1),
        ("👍", 2),
        ("", 0),
        ("❤\ufe0f", 2),
        ("👩\u200d🔬", 2),
        ("👍🏽", 2),
        ("🇩🇪🇫🇷", 4),
        ("1\ufe0f\u20e3", 2),
        ("नमस्ते", 4),
        ("한글", 4),
        ("\ufe0f", 1),
        ("é\x07é", 2),
    ],
)
def test_characters_take_their_cells(text: str, cells: int) -> None:
    """
    Chinese, Korean and emoji of several characters take two cells, accents and signs that join none.
    """
    assert cells == width(text)


@given(TEXT, st.integers(0, 20))
def test_clipped_text_fits(text: str, limit: int) -> None:
    """
    What is cut keeps to its limit, and what fits is not cut.
    """
    assert limit >= width(clip(text, limit))
    if width(text) <= limit:
        assert text == clip(text, limit)


@given(TEXT, st.integers(2, 20))
def test_wrapped_text_fits_and_is_whole(text: str, limit: int) -> None:
    """
    No line is wider than the limit, and nothing but spaces is left out.
    """
    lines = list(wrap(text, limit))

    assert all(limit >= width(line) for line in lines)
    assert text.replace(" ", "") == "".join(lines).replace(" ", "")


def test_words_stay_whole_and_indentation_too() -> None:
    """
    Lines break between words where they can; code keeps its shape.
    """
    assert ["one two", "three", "", "    code"] == list(wrap("one two three\n\n    code", 8))
    assert ["onetwoth", "ree"] == list(wrap("onetwothree", 8))
    assert ["a   b", "x" * 90] == list(wrap(f"a\tb\n{'x' * 90}", None))


def test_a_command_between_backticks_stays_whole() -> None:
    """
    Broken between lines, it would be another command where it is pasted; only one that is too long is broken.
    """
    assert ["To add it,", "type", "`a b c`."] == list(wrap("To add it, type `a b c`.", 10))
    assert ["type", "`x a b c d", "e f`."] == list(wrap("type `x a b c d e f`.", 10))


def test_padding_counts_cells() -> None:
    """
    Columns stand below each other, whatever the script.
    """
    assert ["港  ", "a   ", "  港"] == [pad("港", 4), pad("a", 4), pad("港", 4, right=True)]
