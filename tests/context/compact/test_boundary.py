"""Only whole, old turns are summarized."""

import pytest

from holdfast import CallId, Delivered, ModelReplied, Text, ToolCall, TurnEnded, UserSaid
from holdfast.context.compact.boundary import asks, boundary
from holdfast.context.timeline import Timeline
from holdfast.context.units import Composer
from holdfast.model.protocol import AssistantMessage
from holdfast.records.entries import Entry
from tests.context.compact.talk import cost, replied, said
from tests.session.talk import records_of


def up_to(turns: int, *entries: Entry) -> int | None:
    """Where the summary of a conversation would end: at which position."""
    timeline = Timeline(Composer(cost))
    for record in records_of(*entries):
        timeline.add(record)
    cut = boundary(timeline, turns)
    return None if cut is None else timeline.units()[cut].first


def turn(number: int, answer: str = "Done.") -> tuple[Entry, ...]:
    """A turn of three entries."""
    return (said(f"Do {number}"), replied(answer), TurnEnded())


@pytest.mark.parametrize(("turns", "expected"), [(1, 9), (2, 6), (3, 3), (4, None), (5, None)])
def test_the_newest_turns_are_never_summed_up(turns: int, expected: int | None) -> None:
    """
    As many as the setting says; and where there are no others, nothing is.
    """
    assert expected == up_to(turns, *(entry for number in range(4) for entry in turn(number)))


def test_what_a_person_says_in_a_row_is_one_turn() -> None:
    """
    Three messages sent quickly are summarized together or not at all.
    """
    assert 3 == up_to(1, *turn(0), said("wait"), said("no"), said("this one"), replied("Yes."))


def test_the_agents_open_question_is_never_summed_up() -> None:
    """
    Neither while nobody has answered it, nor while the newest turn is the answer; but once that is over.
    """
    question = turn(1, "Which database should I use?")

    assert 3 == up_to(1, *turn(0), *question, said("Postgres"))
    assert 8 == up_to(1, *turn(0), *question, said("Postgres"), replied("Good."), said("Go on"))
    assert 3 == up_to(1, *turn(0), *question, Delivered(parts=(Text(text="Also, shall I go on?"),)))


def test_a_turn_with_a_question_at_the_very_beginning_keeps_everything() -> None:
    """
    If all that is old is what the question is about, there is nothing to summarize.
    """
    assert None is up_to(1, *turn(0, "Which one?"), said("That one"))
    assert None is up_to(1, Delivered(parts=(Text(text="Hi, anything to do?"),)), said("Yes"))


def test_a_summary_ends_only_where_a_window_may_begin() -> None:
    """
    What was said for after the turn stands before its end in the log, so nothing is cut between them.
    """
    later = UserSaid(parts=(Text(text="And then that"),), enters="after")

    assert 3 == up_to(1, *turn(0), said("Do it"), later, replied("Done."), TurnEnded(), replied("That too."))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Shall I?", True),
        ("Shall I? I can also stop.", True),
        ('Do you mean "this"?)', True),
        ("要继续吗\uff1f好", True),
        ("See http://example.org/?a=b", False),
        ("Why? Because.\n\nSo it is done.", False),
        ("Done.", False),
        ("", False),
    ],
)
def test_a_question_is_known_by_its_mark_in_the_last_paragraph(text: str, expected: bool) -> None:
    """
    A question further up is one the agent answered itself; one in an address is none.
    """
    call = ToolCall(id=CallId("c"), name="ask", arguments='{"q":"what?"}')

    assert expected == asks(AssistantMessage(parts=(Text(text=text), call)))


def test_a_reply_that_calls_tools_can_ask() -> None:
    """
    The question is looked for in all replies, whatever else they hold.
    """
    call = ToolCall(id=CallId("c"), name="ask")
    asked = ModelReplied(parts=(Text(text="Is it this one?"), call), stop="called")

    assert 3 == up_to(1, *turn(0), said("Do it"), asked, said("Yes"))
