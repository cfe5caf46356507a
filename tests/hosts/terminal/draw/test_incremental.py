"""Markdown where nothing is drawn again."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.hosts.terminal.draw.incremental import IncrementalMarkdown
from holdfast.hosts.terminal.draw.markdown import markdown_lines
from holdfast.hosts.terminal.draw.theme import NONE

PROSE = "The harbour lies between two hills, and a long pier goes out from it into the bay, where boats lie. "
REPLIES = (
    PROSE * 3,
    f"{PROSE}\n{PROSE}\n\n{PROSE}",
    f"**{PROSE.strip()}** and then `some code` in a snake_case_name, 5 * 3 = 15, and [a link](http://a.b).\n\n{PROSE}",
    f"# Title\n\n- {PROSE}\n- {PROSE}\n  - {PROSE}\n1. {PROSE}\n2. short\n\n> {PROSE}",
    f"{PROSE}\n\n```python\nx = 1\n\n{'y' * 60}\nprint(`)\n```\n\n{PROSE}",
    f"Before\n\n| a | b |\n|---|---|\n| {PROSE} | 2 |\n\n{PROSE}",
    f"{PROSE}An *open mark {PROSE}\n\n{PROSE} \\( a * b * c \\) {PROSE}",
    "1.5 million\n- - -\nShort title\n===\nlast",
)


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("text", REPLIES)
@pytest.mark.parametrize("size", [1, 7, 24, 10_000])
def test_it_is_what_it_would_be_at_once(text: str, size: int) -> None:
    """
    However a reply comes, its lines are those of the whole.
    """
    stream = IncrementalMarkdown(40, NONE)
    given_out = "".join([*(stream.feed(piece) for piece in _pieces(text, size)), stream.end()])

    assert markdown_lines(text, 40, NONE) == given_out.splitlines()


words = st.sampled_from(
    ("word ", "\n", "\n\n", "- ", "1. ", "> ", "*", "**", "_", "`", "```\n", "~~", "[a](b)", "[", "|", "---\n", "===\n")
)


@given(st.lists(words, max_size=40).map("".join), st.integers(1, 9))
@example("a | b\n---|---\n" + "c | d\n" * 3, 1)
def test_nothing_is_left_out(text: str, size: int) -> None:
    """
    Whatever a reply turns out to be, every line of it is given out, in its order.
    """
    stream = IncrementalMarkdown(20, NONE)
    given_out = "".join([*(stream.feed(piece) for piece in _pieces(text, size)), stream.end()])

    left = iter(given_out.splitlines())
    assert [] == [line for line in markdown_lines(text, 20, NONE) if line not in left]


def test_full_lines_do_not_wait_for_the_end_of_their_paragraph() -> None:
    """
    A line is given out as soon as it is full, and no sooner; one with an open mark waits for its other half.
    """
    stream = IncrementalMarkdown(40, NONE)

    assert "" == stream.feed("The harbour lies between two hills")
    assert "The harbour lies between two hills, and\n" == stream.feed(", and a long ")
    assert "" == stream.feed("**pier that goes out and out and out and out ")
    assert "a long pier that goes out and out and\nout and out into the bay.\n" == stream.feed("into** the bay.\n\n")
    assert "" == stream.end()


def test_code_comes_line_by_line() -> None:
    """
    Whoever follows code as it is written need not wait for sixteen lines of it.
    """
    stream = IncrementalMarkdown(40, NONE)

    assert "" == stream.feed("```python\n")
    assert "```python\n" == stream.feed("x = 1\n")
    assert "x = 1\n" == stream.feed("y = 2\n")
    assert "y = 2\n```\n" == stream.feed("```\n")


def test_another_width_is_for_what_is_not_begun() -> None:
    """
    A paragraph that was begun is finished as wide as it began, so that no word is missing or twice.
    """
    stream = IncrementalMarkdown(40, NONE)
    out = stream.feed(PROSE)
    stream.resize(20)
    out += stream.feed(f"{PROSE}\n\n")
    stream.resize(20)
    out += stream.feed(f"{PROSE}\n\n")

    expected = [*markdown_lines(PROSE * 2, 40, NONE), "", *markdown_lines(PROSE, 20, NONE)]
    assert expected == out.splitlines()
