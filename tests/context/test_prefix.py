"""What is shown in front of a window: what was kept, what was summarized, what was left out."""

from holdfast.context.prefix import BEGINNING, GO_ON, Prefix, closing, gap, opening, prefix_messages, prefix_of
from holdfast.context.timeline import Timeline
from holdfast.context.units import Unit
from holdfast.records.entries import (
    Compacted,
    CompactionUndone,
    Entry,
    Pinned,
    Rewound,
    Unpinned,
    WindowMoved,
)
from tests.context.words import composer, delivered, spoken, timeline
from tests.session.talk import at, meaning, records_of, replied, said

COMPACTED = Compacted(summary="summarized", first=at(0), last=at(3), verbatim_from=at(4))


def prefix(*entries: Entry) -> Prefix:
    """What a log with these entries says of its window."""
    return prefix_of(meaning(*entries))


def lines(units: list[Unit]) -> list[str]:
    """What units say."""
    return spoken([message for unit in units for message in unit.messages])


def test_a_session_that_says_nothing_of_its_window_shows_everything() -> None:
    """
    Only the first thing that was said is known.
    """
    assert Prefix(first=at(1)) == prefix(replied("hi"), said("a"), said("b"))


def test_the_last_move_on_the_branch_counts() -> None:
    """
    Moves of another branch do not.
    """
    first, second = WindowMoved(start=at(1)), WindowMoved(start=at(2), keep=(at(0),))
    facts: list[Entry] = [said("a"), said("b"), first, said("c"), second]

    assert (2, (0,)) == (prefix(*facts).start, prefix(*facts).keep)
    assert (1, ()) == (prefix(*facts, Rewound(to=at(3))).start, prefix(*facts, Rewound(to=at(3))).keep)


def test_a_summary_counts_until_it_is_undone_on_the_branch() -> None:
    """
    It says up to where it stands for what was said, and where the window begins.
    """
    facts: list[Entry] = [*[said("a")] * 5, COMPACTED]
    undone: list[Entry] = [*facts, CompactionUndone(compaction=at(5))]

    assert (5, 3, 4) == (prefix(*facts).summary, prefix(*facts).covered, prefix(*facts).start)
    assert Prefix(first=at(0)) == prefix(*undone)
    assert prefix(*facts) == prefix(*undone, Rewound(to=at(5)))


def test_of_a_summary_and_a_move_the_later_one_says_where_the_window_begins() -> None:
    """
    The summary is shown in both cases.
    """
    before: list[Entry] = [*[said("a")] * 5, WindowMoved(start=at(2), keep=(at(0),)), COMPACTED]
    after: list[Entry] = [*before, said("b"), WindowMoved(start=at(7))]

    assert (6, 4, ()) == (prefix(*before).summary, prefix(*before).start, prefix(*before).keep)
    assert (6, 7, ()) == (prefix(*after).summary, prefix(*after).start, prefix(*after).keep)


def test_pins_count_once_in_order_and_on_their_branch() -> None:
    """
    A pin of another branch, of an entry of another branch, or one that was taken out holds nothing.
    """
    facts: list[Entry] = [said("a"), said("b"), Pinned(target=at(1)), Pinned(target=at(0)), Pinned(target=at(1))]

    assert (0, 1) == prefix(*facts).pins
    assert (0,) == prefix(*facts, Unpinned(target=at(1))).pins
    assert (0, 1) == prefix(*facts, Unpinned(target=at(1)), Rewound(to=at(4))).pins
    assert () == prefix(*facts, Rewound(to=at(1))).pins
    assert (2,) == prefix(said("a"), Rewound(to=at(0)), said("b"), Pinned(target=at(2)), Pinned(target=at(9))).pins


def test_what_is_shown_in_front_is_what_must_be_at_hand() -> None:
    """
    Kept entries and pins before the start, and the summary wherever it stands.
    """
    made = Prefix(keep=(at(0),), pins=(at(2), at(9)), summary=at(12))

    assert (0, 2, 12) == made.before(at(5))
    assert (0, 2) == Prefix(keep=(at(0),), pins=(at(2), at(9))).before(at(5))


def moved() -> Timeline:
    """A timeline that begins at 6, with what was before it at hand."""
    made = Timeline(composer(), at(6))
    for record in records_of(said("first"), replied("second"), said("third"), COMPACTED):
        made.hold(record)
    return made


def test_what_was_left_out_is_told_in_one_line() -> None:
    """
    The model knows that there was more, and where.
    """
    shown = prefix_messages(moved(), Prefix(first=at(0)), at(6))

    assert ["user: [What was said from 0 to 5 in the log is not shown here, to fit.]"] == lines(shown)


def test_the_first_thing_said_comes_first_and_pinned_messages_stay() -> None:
    """
    First what it all began with, then the line about what is missing, then what was pinned out of that.
    """
    note = "user: [What was said from 0 to 5 in the log is not shown here, to fit.]"
    both = Prefix(first=at(0), keep=(at(0),), pins=(at(1), at(2), at(8)))
    pinned = Prefix(first=at(0), pins=(at(1),))

    assert ["user: first", note, "assistant: second", "user: third"] == lines(prefix_messages(moved(), both, at(6)))
    assert [note, "assistant: second"] == lines(prefix_messages(moved(), pinned, at(6)))


def test_a_summary_stands_in_the_place_of_what_it_covers() -> None:
    """
    Only what no summary stands for is told to be missing.
    """
    summary = "user: [Summary of 0 to 3; the log keeps every word.]\n\nsummarized"
    covered = Prefix(first=at(0), summary=at(3), covered=at(5))
    partly = Prefix(first=at(0), summary=at(3), covered=at(3))

    assert [summary] == lines(prefix_messages(moved(), covered, at(6)))
    assert [summary, "user: [What was said from 4 to 5 in the log is not shown here, to fit.]"] == lines(
        prefix_messages(moved(), partly, at(6))
    )


def test_nothing_is_missing_from_a_window_that_begins_at_the_beginning() -> None:
    """
    Then nothing is told.
    """
    assert None is gap(Prefix(), at(0))
    assert [] == prefix_messages(timeline(said("a")), Prefix(first=at(0)), at(0))


def test_a_person_speaks_first_and_the_model_is_asked_last() -> None:
    """
    Where the log says otherwise, a line of ours does, because providers refuse the rest.
    """
    made = timeline(delivered("Good morning."))
    begins, ends = opening(made.messages(), made), closing(made.messages(), made)
    asked = timeline(said("Good morning."))

    assert ([f"user: {BEGINNING}"], [f"user: {GO_ON}"]) == (lines(begins), lines(ends))
    assert ([], []) == (opening(asked.messages(), asked), closing(asked.messages(), asked))
    assert ([], []) == (opening([], made), closing([], made))
