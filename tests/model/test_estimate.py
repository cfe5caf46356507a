"""Estimated tokens: near the exact count in every genre, and never too few by much."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.genres import GENRES, token_error
from holdfast.model.estimate import Estimate
from holdfast.model.tokens import exact

NEAR = 0.10
"""How far off a genre may be."""
UNDER = 0.04
"""How far under it may be; the genres made from this checkout change a little with every commit."""


def test_every_genre_is_nearly_right() -> None:
    """
    The estimate is within 10 % of the exact count, and at most 4 % under it.
    """
    counter = exact("gpt-4o")
    assert counter is not None

    errors = token_error(Estimate(), counter)

    assert {} == {genre: error for genre, error in errors.items() if not -UNDER <= error <= NEAR}
    assert list(GENRES) == list(errors)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        (" ", 1),
        ("ok", 1),
        ("Hello, world!", 4),
        ("maxRetryCount", 4),
        ("2026-11-16", 7),
        ("def count(self) -> int:\n    return 1\n", 13),
        ("你好\uff0c世界", 5),
        ("這個", 5),
        ("\udc80", 1),
    ],
)
def test_short_texts_are_counted_sensibly(text: str, expected: int) -> None:
    """
    Nothing is 0, something is at least 1, and what is cut apart costs for each piece; half a character is no error.
    """
    assert expected == Estimate().count(text)


@given(st.text())
def test_any_text_has_a_count(text: str) -> None:
    """
    No text is an error, and only the empty one costs nothing.
    """
    assert bool(text) == (Estimate().count(text) > 0)


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=5))
def test_more_text_never_counts_less(texts: list[str]) -> None:
    """
    A text takes at least as many tokens as its beginning, so that shortening always helps.
    """
    counts = [Estimate().count("".join(texts[:number])) for number in range(len(texts) + 1)]

    assert all(before <= after for before, after in pairwise(counts))


@given(st.text(), st.integers(1, 5000))
def test_a_scale_makes_counts_larger_or_smaller(text: str, permille: int) -> None:
    """
    A vocabulary that takes more tokens counts more.
    """
    assert Estimate(permille=permille).count(text) <= Estimate(permille=permille + 100).count(text)
