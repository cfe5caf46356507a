"""What must be written down before the next window fits."""

import pytest

from holdfast.context.budget import Budget
from holdfast.context.prefix import BEGINNING, GO_ON, Prefix
from holdfast.context.select import Chooser, Fact, length
from holdfast.context.timeline import Timeline
from holdfast.errors import TooSmall
from holdfast.ids import CallId
from holdfast.model.protocol import AssistantMessage
from holdfast.records.entries import Entry, Shortened, WindowMoved
from holdfast.records.parts import Text, Thinking, ToolCall
from tests.context.words import PICTURE, asked, composer, cost, delivered, gave, timeline
from tests.session.talk import at, records_of, replied, said

ENDS = sum(cost(composer().note(text).messages[0]) for text in (BEGINNING, GO_ON))
"""What our own words at both ends may take; there is always room for them."""


def fact(made: Timeline, tokens: int, prefix: Prefix | None = None, **bounds: object) -> Fact | None:
    """What is to be written down if there is room for so many tokens."""
    budget = Budget(**{"target": 0.5, **bounds})  # type: ignore[arg-type]
    chooser = Chooser(made, prefix or Prefix(first=at(0)), budget, tokens + ENDS)
    return None if chooser.fits else chooser.fact()


def turns(count: int, words: int = 9) -> list[Entry]:
    """So many turns of two messages each."""
    return [each for _ in range(count) for each in (said("u " * words), replied("m " * words))]


def test_a_window_that_fits_stays_as_it_is() -> None:
    """
    Up to the bound itself.
    """
    assert None is fact(timeline(*turns(5)), 100)
    assert None is not fact(timeline(*turns(5)), 99)


def test_the_start_jumps_to_a_user_turn_well_below_the_bound() -> None:
    """
    It goes to the oldest turn from which on no more than the target is used, so it can stay there for a while.
    """
    assert WindowMoved(start=at(8), keep=()) == fact(timeline(*turns(5)), 99, keep_first=False)
    assert WindowMoved(start=at(6), keep=()) == fact(timeline(*turns(5)), 99, keep_first=False, target=0.75)


def test_the_first_thing_that_was_said_is_kept() -> None:
    """
    Unless the budget says otherwise, or a summary stands for it.
    """
    made = timeline(*turns(5))

    assert WindowMoved(start=at(8), keep=(at(0),)) == fact(made, 99)
    assert WindowMoved(start=at(8)) == fact(made, 99, Prefix(first=at(0), covered=at(3)))
    assert WindowMoved(start=at(8)) == fact(made, 99, Prefix())


def test_the_number_of_messages_is_a_bound_of_its_own() -> None:
    """
    Tokens and messages are bounds together, and the log says which was reached.
    """
    made = timeline(*turns(5))

    assert WindowMoved(start=at(8), why="messages") == fact(made, 1000, keep_first=False, messages=9)
    assert None is fact(made, 1000, messages=10)


def test_a_delivery_that_the_user_answers_is_kept() -> None:
    """
    An answer without what it answers is no conversation; what was delivered before another turn is not kept.
    """
    made = timeline(*turns(3), delivered("one"), delivered("two"), said("thanks " * 9), replied("m " * 9))

    assert WindowMoved(start=at(8), keep=(at(6), at(7))) == fact(made, 79, keep_first=False)


def test_a_turn_that_is_above_the_target_is_shown_if_it_is_within_the_bound() -> None:
    """
    The newest turn is never cut for the target's sake.
    """
    made = timeline(*turns(2), said("u " * 39), replied("m " * 29))

    assert WindowMoved(start=at(4)) == fact(made, 99, keep_first=False)


def test_an_oversized_turn_loses_its_longest_results_first() -> None:
    """
    As few results as it takes, and each no shorter than it must be.
    """
    facts: list[Entry] = [said("go"), asked("a", "b"), gave("a", "a " * 12_000), gave("b", "b " * 300)]

    assert Shortened(entries=(at(2),), keep=4_000) == fact(timeline(*facts), 5_000)
    assert Shortened(entries=(at(2),), keep=16_000) == fact(timeline(*facts), 11_000, target=1.0)


def test_an_oversized_turn_begins_later_where_no_result_can_be_cut() -> None:
    """
    When a tight budget leaves no user turn, the nearest one comes back.
    """
    steps = [each for _ in range(5) for each in (asked("a"), gave("a", "r " * 8))]
    made = timeline(said("first"), replied("ok"), said("go"), *steps)
    tight = fact(made, 50, Prefix(first=at(0)))

    assert WindowMoved(start=at(2), keep=(at(0),)) == tight
    made.move(at(2), (at(0),))
    inside = fact(made, 50, Prefix(first=at(0), keep=(at(0),), start=at(2)), keep_first=False)
    assert WindowMoved(start=at(11), keep=(at(2),)) == inside


def test_a_turn_that_goes_on_keeps_the_user_turn_that_was_brought_back() -> None:
    """
    The window may move again and again inside one turn.
    """
    made = Timeline(composer(), at(3))
    for record in records_of(*[each for _ in range(3) for each in (asked("a"), gave("a", "r " * 8))], first=3):
        made.add(record)
    made.hold(records_of(said("go"), first=2)[0])

    assert WindowMoved(start=at(7), keep=(at(2),)) == fact(made, 30, Prefix(first=at(2), keep=(at(2),)))


def test_where_only_the_last_step_is_left_it_is_the_start() -> None:
    """
    A step above the target is better than none.
    """
    made = timeline(said("go"), asked("a"), gave("a", "r " * 9), asked("b"), gave("b", "r " * 50))

    assert WindowMoved(start=at(3), keep=(at(0),)) == fact(made, 30)


def test_what_nothing_else_helps_is_cut_everywhere() -> None:
    """
    Words, results and pictures, each visibly, until it fits.
    """
    long = timeline(said("u " * 3000))

    assert Shortened(entries=(at(0),), keep=4_000) == fact(long, 2_100)
    long.add(records_of(Shortened(entries=(at(0),), keep=4_000), first=1)[0])
    assert Shortened(entries=(at(0),), keep=1_000) == fact(long, 600)


def test_what_is_too_long_by_itself_loses_no_more_than_it_must() -> None:
    """
    What was piped in is what is asked about: a quarter too much of it does not leave a hundredth.
    """
    long = timeline(said("u " * 250_000))

    assert Shortened(entries=(at(0),), keep=256_000) == fact(long, 200_000)


def test_a_budget_that_cannot_hold_the_newest_turn_is_an_error() -> None:
    """
    It says how much would be needed, of which.
    """
    with pytest.raises(TooSmall) as tokens:
        fact(timeline(said("one two three")), 2)
    with pytest.raises(TooSmall) as messages:
        fact(timeline(asked("a", "b")), 1000, messages=2)

    assert (4, 2, "tokens") == (tokens.value.needed, tokens.value.budget, tokens.value.unit)
    assert ("messages", 2) == (messages.value.unit, messages.value.budget)


def test_a_long_first_message_is_cut_before_newer_turns_go() -> None:
    """
    What is kept in front may take half of the room; the newest turns matter more.
    """
    made = timeline(said("u " * 3000), *turns(6))
    assert WindowMoved(start=at(1), keep=(at(0),)) == fact(made, 1000, target=1.0)
    made.move(at(1), (at(0),))
    prefix = Prefix(first=at(0), keep=(at(0),), start=at(1))

    assert Shortened(entries=(at(0),), keep=250) == fact(made, 1000, prefix)
    made.add(records_of(Shortened(entries=(at(0),), keep=250), first=20)[0])
    assert None is fact(made, 1000, prefix)


def test_pins_that_cannot_be_cut_down_push_newer_turns_out() -> None:
    """
    Pinned messages stay, also where they take more than their part.
    """
    made = timeline(*[said(f"pin {number}") for number in range(8)], *turns(3))
    prefix = Prefix(pins=tuple(at(number) for number in range(8)), start=at(8))
    made.move(at(8), prefix.pins)

    assert WindowMoved(start=at(12)) == fact(made, 65, prefix, keep_first=False)


def test_the_length_of_a_message_is_that_of_all_its_parts() -> None:
    """
    Pictures count as a long text, and calls by their arguments.
    """
    call = ToolCall(id=CallId("a"), name="shell", arguments="12345")
    parts = (Text(text="12"), Thinking(text="123"), call, PICTURE)

    assert 6_010 == length(AssistantMessage(parts=parts))
