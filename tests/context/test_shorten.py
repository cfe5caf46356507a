"""Cutting a message, so that the reader sees it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.context.shorten import cut, shortened
from holdfast.ids import CallId
from holdfast.model.protocol import AssistantMessage, ToolMessage, UserMessage
from holdfast.records.parts import Text, Thinking, ToolCall
from tests.context.words import PICTURE


@pytest.mark.parametrize(
    ("keep", "left"),
    [
        (12, "abcdefghijkl"),
        (9, "abcdef\n[… 3 characters are not shown …]\njkl"),
        (2, "ab\n[… 10 characters are not shown …]"),
        (0, "[… 12 characters are not shown …]"),
    ],
)
def test_the_beginning_and_the_end_of_a_text_stay(keep: int, left: str) -> None:
    """
    A command says at the beginning what it does and at the end how it went; a note says how much is missing between.
    """
    assert left == cut("abcdefghijkl", keep)


@given(st.text(max_size=300), st.integers(0, 300))
def test_no_more_is_kept_than_was_allowed(text: str, keep: int) -> None:
    """
    Beside the note there are at most as many characters as were asked for; a text that is short enough is untouched.
    """
    left = cut(text, keep)

    assert left == text or len(left) - len(f"\n[… {len(text) - keep:,} characters are not shown …]\n") <= keep


def test_each_part_gets_an_equal_share() -> None:
    """
    No part is gone because another is long.
    """
    message = UserMessage(parts=(Text(text="a" * 50), Text(text="b" * 9)))
    [first, second] = shortened(message, 20).parts

    assert Text(text=f"{'a' * 7}\n[… 40 characters are not shown …]\naaa") == first
    assert Text(text="b" * 9) == second


def test_a_call_that_is_cut_still_has_an_object_for_arguments() -> None:
    """
    A provider takes calls only with JSON, and short arguments stay as they were.
    """
    long = ToolCall(id=CallId("c"), name="shell", arguments='{"text":"' + "x" * 100 + '"}')
    short = ToolCall(id=CallId("d"), name="shell")
    [first, second] = shortened(AssistantMessage(parts=(long, short)), 20).parts

    assert isinstance(first, ToolCall)
    assert (long.id, long.name) == (first.id, first.name)
    assert cut(long.arguments, 10) == json.loads(first.arguments)["not_shown"]
    assert short == second


def test_thinking_is_whole_or_not_there() -> None:
    """
    A signature covers all of it; where there is nothing else, it is cut and no longer signed.
    """
    signed = Thinking(text="t" * 50, signature="s", provider="p", model="m")

    assert (Text(text="hi"),) == shortened(AssistantMessage(parts=(signed, Text(text="hi"))), 30).parts
    assert (Thinking(text=cut(signed.text, 30)),) == shortened(AssistantMessage(parts=(signed,)), 30).parts


def test_a_picture_leaves_a_breadcrumb_where_little_is_kept() -> None:
    """
    A picture takes as much as a long text; in its place stands what it was.
    """
    message = ToolMessage(call=CallId("c"), name="shell", parts=(PICTURE,))

    assert (PICTURE,) == shortened(message, 1000).parts
    assert (Text(text="[image: boat.png, 2,000 bytes, not shown]"),) == shortened(message, 999).parts
