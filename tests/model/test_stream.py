"""Streams: whatever the order of the pieces, the reply is what was said, and no half call is in it."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.ids import CallId
from holdfast.model.protocol import CallDelta, Delta, Finished, Stop, Target, TextDelta, ThinkingDelta
from holdfast.model.stream import Accumulator, CutCall, Reply
from holdfast.records.parts import Part, Text, Thinking, ToolCall, Usage

TARGET = Target(family="anthropic", model="claude-opus-5-5", provider="anthropic")


def replied(*deltas: Delta) -> Reply:
    """What a stream of these deltas comes to."""
    accumulator = Accumulator(TARGET)
    for delta in deltas:
        accumulator.add(delta)
    return accumulator.reply()


def call(id_: str, name: str = "read", arguments: str = "{}") -> ToolCall:
    """A call as the log keeps it."""
    return ToolCall(id=CallId(id_), name=name, arguments=arguments)


def test_pieces_of_text_become_one_text() -> None:
    """
    How a provider cuts its stream does not show in the log.
    """
    expected = Reply(parts=(Text(text="Hello, world"),), stop="ended", usage=Usage(output_tokens=3))

    assert expected == replied(
        TextDelta(text="Hel"),
        TextDelta(text=""),
        TextDelta(text="lo, world"),
        Finished(usage=Usage(output_tokens=3)),
    )


def test_a_stream_of_nothing_is_an_empty_reply() -> None:
    """
    A model may say nothing; that is not a text of no words.
    """
    assert Reply(stop="ended") == replied(TextDelta(text=""), ThinkingDelta(), Finished())


def test_kinds_keep_the_order_in_which_they_came() -> None:
    """
    Thinking, words and calls stand where the model put them.
    """
    parts: tuple[Part, ...] = (
        Thinking(text="hmm"),
        Text(text="I look. "),
        call("a"),
        Text(text="And again."),
        call("b"),
    )

    assert Reply(parts=parts, stop="called") == replied(
        ThinkingDelta(text="h"),
        ThinkingDelta(text="mm"),
        TextDelta(text="I look. "),
        CallDelta(index=0, id="a", name="read", arguments="{}"),
        TextDelta(text="And again."),
        CallDelta(index=1, id="b", name="read", arguments="{}"),
        Finished(stop="called"),
    )


def test_a_signature_belongs_to_the_thinking_it_ends() -> None:
    """
    Signed thinking names who signed it. What goes on after a signature is another piece; one alone is hidden thinking.
    """
    signed = Thinking(text="one", signature="s1", provider="anthropic", model="claude-opus-5-5")
    hidden = Thinking(text="", signature="s2", provider="anthropic", model="claude-opus-5-5")

    assert (signed, hidden, Thinking(text="two")) == replied(
        ThinkingDelta(text="one"),
        ThinkingDelta(signature="s1"),
        ThinkingDelta(signature="s2"),
        ThinkingDelta(text="two"),
        Finished(),
    ).parts


def test_arguments_stay_as_they_were_sent() -> None:
    """
    Whoever runs the tool decides what broken JSON means.
    """
    sent = '{"a": 1e999, "a": tru'

    assert (call("a", arguments=sent),) == replied(
        CallDelta(index=0, id="a", name="read", arguments=sent[:5]),
        CallDelta(index=0, arguments=sent[5:]),
        Finished(stop="called"),
    ).parts


def test_a_call_without_arguments_has_none() -> None:
    """
    Some providers send no piece at all for a tool that takes nothing.
    """
    assert (call("a", arguments="{}"),) == replied(CallDelta(index=0, id="a", name="read"), Finished()).parts


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["", ""], ["call_0", "call_1"]),
        (["a", "a"], ["a", "a_1"]),
        (["a_2", "a", "a"], ["a_2", "a", "a_2_2"]),
        (["", "call_0"], ["call_0", "call_0_1"]),
    ],
)
def test_every_call_of_a_reply_has_an_id_of_its_own(ids: list[str], expected: list[str]) -> None:
    """
    Providers leave ids out and give one twice; the same stream always gets the same ids.
    """
    deltas = [CallDelta(index=index, id=given, name="read", arguments="{}") for index, given in enumerate(ids)]

    parts = replied(*deltas, Finished(stop="called")).parts

    assert expected == [part.id for part in parts if isinstance(part, ToolCall)]


def test_id_and_name_sent_with_every_piece_are_taken_once() -> None:
    """
    A name repeated is not a longer name.
    """
    piece = CallDelta(index=0, id="a", name="read", arguments="")

    assert (call("a"),) == replied(piece, piece, CallDelta(index=0, arguments="{}"), Finished()).parts


@pytest.mark.parametrize(
    ("said", "calls", "expected"),
    [
        ("ended", True, "called"),
        ("called", False, "ended"),
        ("length", True, "length"),
        ("refused", False, "refused"),
        ("refused", True, "refused"),
    ],
)
def test_a_reply_with_calls_has_stopped_for_them(said: Stop, calls: bool, expected: Stop) -> None:
    """
    Providers disagree on what a reply with calls ended for, so the calls decide.
    """
    deltas = [CallDelta(index=0, id="a", name="read", arguments="{}")] if calls else [TextDelta(text="hi")]

    assert expected == replied(*deltas, Finished(stop=said)).stop


def test_a_broken_stream_leaves_words_and_thinking() -> None:
    """
    What was said was said, though nobody knows why it ended.
    """
    assert Reply(parts=(Thinking(text="hm"), Text(text="Hel"))) == replied(
        ThinkingDelta(text="hm"), TextDelta(text="Hel")
    )


@pytest.mark.parametrize("arguments", ["", "{", '{"path": "/et', '{"a": 1', "12", "[1]", '{"\udc80'])
@pytest.mark.parametrize("end", [(), (Finished(stop="length"),)])
def test_a_call_that_may_go_on_is_not_in_the_reply(arguments: str, end: tuple[Finished, ...]) -> None:
    """
    Cut by the network or by the limit of tokens: a call whose arguments may go on is never run, and the reply says so.
    """
    reply = replied(
        CallDelta(index=0, id="a", name="read", arguments='{"whole": 1}'),
        CallDelta(index=1, id="b", name="remove", arguments=arguments),
        *end,
    )

    assert (call("a", arguments='{"whole": 1}'),) == reply.parts
    assert (CutCall(index=1, id=CallId("b"), name="remove", arguments=arguments),) == reply.cut


def test_a_call_without_a_name_is_not_in_the_reply() -> None:
    """
    Nobody could run it.
    """
    assert Reply(stop="ended", cut=(CutCall(index=0, id=CallId("a"), name="", arguments="{}"),)) == replied(
        CallDelta(index=0, id="a", arguments="{}"), Finished(stop="called")
    )


def test_nothing_follows_the_end() -> None:
    """
    A provider's code that goes on after the end is wrong, and is told so.
    """
    with pytest.raises(BadInput, match="goes on after"):
        replied(Finished(), TextDelta(text="more"))


PIECES = st.lists(st.text(max_size=4), min_size=1, max_size=5)


@given(st.lists(PIECES, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_parallel_calls_may_arrive_in_any_turns(calls: list[list[str]], dice: Random) -> None:
    """
    Pieces of one call keep their order; how the calls are woven together does not matter to their arguments.
    """
    left = {index: list(pieces) for index, pieces in enumerate(calls)}
    deltas: list[Delta] = []
    while left:
        index = dice.choice(sorted(left))
        deltas.append(CallDelta(index=index, id=f"id{index}", name=f"tool{index}", arguments=left[index].pop(0)))
        if not left[index]:
            del left[index]

    parts = replied(*deltas, Finished(stop="called")).parts

    expected = {f"id{index}": "".join(pieces) or "{}" for index, pieces in enumerate(calls)}
    assert expected == {part.id: part.arguments for part in parts if isinstance(part, ToolCall)}


@given(st.text(), st.integers(0, 10), st.integers(1, 5))
def test_any_beginning_of_a_stream_is_a_reply(text: str, upto: int, piece: int) -> None:
    """
    A stream may break anywhere, and what came is the beginning of what would have come; white space alone is nothing.
    """
    deltas = [TextDelta(text=text[at : at + piece]) for at in range(0, len(text), piece)]

    said = "".join(part.text for part in replied(*deltas[:upto]).parts if isinstance(part, Text))

    assert text.startswith(said)
    came = text[: upto * piece]
    assert (came if came.strip() else "") == said


def test_thinking_keeps_the_form_in_which_it_came() -> None:
    """
    Who sent it and how stand with it, because it goes back so; another form is another piece.
    """
    by = {"provider": "anthropic", "model": "claude-opus-5-5"}

    assert (
        Thinking(text="one two", form="reasoning", **by),
        Thinking(text="three", form="<think>", **by),
        Text(text="Well."),
    ) == replied(
        ThinkingDelta(text="one ", form="reasoning"),
        ThinkingDelta(text="two", form="reasoning"),
        ThinkingDelta(text="three", form="<think>"),
        TextDelta(text="Well."),
        Finished(),
    ).parts


def test_words_that_were_thinking_become_thinking() -> None:
    """
    Where only the end of it is marked, what came before was streamed as words; signed thinking stays what it is.
    """
    by = {"provider": "anthropic", "model": "claude-opus-5-5"}
    signed = Thinking(text="", signature="c2ln", **by)

    assert (signed, Thinking(text="Hm, well.", form="</think>", **by), Text(text="Yes.")) == replied(
        ThinkingDelta(signature="c2ln"),
        TextDelta(text="Hm, "),
        TextDelta(text="well."),
        ThinkingDelta(form="</think>", before=True),
        TextDelta(text="Yes."),
        Finished(),
    ).parts


def test_white_space_alone_says_nothing() -> None:
    """
    It is neither words nor thinking.
    """
    assert Reply(stop="ended") == replied(
        ThinkingDelta(text="\n", form="<think>"), ThinkingDelta(text=" "), TextDelta(text="\n\n "), Finished()
    )


def test_arguments_are_mended_when_the_call_is_whole() -> None:
    """
    Encoded twice and cut anywhere, they are the object that they mean.
    """
    reply = replied(
        CallDelta(index=0, id="a", name="read", arguments='"{\\"path'),
        CallDelta(index=0, arguments='\\":1}"'),
        Finished(stop="length"),
    )

    assert (call("a", arguments='{"path":1}'),) == reply.parts
