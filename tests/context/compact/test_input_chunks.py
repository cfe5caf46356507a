"""A conversation in words, in pieces that fit."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast import CallId, Position, Text, Thinking, ToolCall
from holdfast.context.compact.input import fitted, take, told
from holdfast.context.units import Unit
from holdfast.model.protocol import AssistantMessage, Message, ToolMessage, UserMessage
from tests.context.compact.talk import COUNTER
from tests.context.machine import PICTURE

count = COUNTER.count


def unit(*messages: Message) -> Unit:
    """A unit."""
    return Unit(first=Position(0), last=Position(0), messages=messages, tokens=1)


def words(text: str) -> Unit:
    """A unit of some words."""
    return unit(UserMessage(parts=(Text(text=text),)))


def test_a_unit_is_told_in_words() -> None:
    """
    Calls and results are told of, not shown; thinking is left out; pictures are named; long results are cut.
    """
    call = ToolCall(id=CallId("c"), name="shell", arguments='{"command":"ls"}')
    asked = AssistantMessage(parts=(Thinking(text="hmm"), Text(text="I look."), call))
    good = ToolMessage(call=CallId("c"), name="shell", parts=(Text(text="x" * 5_000),))
    bad = ToolMessage(call=CallId("c"), name="shell", parts=(Text(text="no"),), ok=False)

    text = told(unit(UserMessage(parts=(Text(text="Look"), PICTURE)), asked, good, bad))

    assert text.startswith(
        "User: Look\n[image: a.png, 3 bytes, not shown]\n"
        'Agent: I look.\n(calls shell: {"command":"ls"})\nResult of shell: xxx'
    )
    assert text.endswith("\nResult of shell (failed): no")
    assert "hmm" not in text
    assert len(text) < 2_400


@given(st.lists(st.text(max_size=600), min_size=1, max_size=8), st.integers(60, 400))
def test_a_piece_fits_and_nothing_is_left_behind(texts: list[str], room: int) -> None:
    """
    However long its units are, no piece is longer than what the model can take, and each unit is in one.
    """
    units = tuple(words(text) for text in texts)
    taken = 0
    while units:
        text, left = take(units, room, count)
        assert count(text) <= room
        assert len(left) < len(units)
        taken += len(units) - len(left)
        units = left

    assert len(texts) == taken


def test_a_text_is_cut_until_it_fits() -> None:
    """
    The reader sees that it was cut; where nothing of it fits, the note alone is left.
    """
    text = "word " * 1_000

    assert "short" == fitted("short", 10, count)
    assert count(fitted(text, 100, count)) <= 100
    assert fitted(text, 0, count) == "[… 5,000 characters are not shown …]"
