"""Branches: where a conversation may go on, and what it leaves behind."""

import pytest
from hypothesis import given

from holdfast.errors import BadInput, BeyondEnd
from holdfast.records.entries import Entry, Rewound
from holdfast.session.branch import Branch, branches, rewind, undo_rewind
from holdfast.session.state import SessionState
from tests.session.talk import at, flat, meaning, said
from tests.session.test_state import rewinding

FIVE = [said(f"{number}") for number in range(5)]


def test_going_back_is_an_entry() -> None:
    """
    Nothing is removed: the log learns where the conversation goes on.
    """
    assert Rewound(to=at(2)) == rewind(meaning(*FIVE), at(2))
    assert Rewound(to=at(4)) == rewind(meaning(*FIVE), at(4))


def test_a_position_that_is_not_there_is_refused() -> None:
    """
    Neither before the beginning nor beyond the end can anything go on.
    """
    with pytest.raises(BeyondEnd) as refused:
        rewind(meaning(*FIVE), at(5))
    assert (5, 4) == (refused.value.asked, refused.value.end)

    with pytest.raises(BadInput, match="no position -1"):
        rewind(meaning(*FIVE), at(-1))


@given(rewinding())
def test_undoing_a_rewind_leads_back_to_where_it_was(facts: list[Entry]) -> None:
    """
    Whatever was rewound before, one undo takes one rewind back, and a second undo takes that back.
    """
    before = meaning(*facts)
    there = rewind(before, at(0))
    back = undo_rewind(meaning(*facts, there))
    again = undo_rewind(meaning(*facts, there, back))

    assert flat(before.path) == flat(meaning(*facts, there, back).path)
    assert [0] == flat(meaning(*facts, there, back, again).path)


def test_a_rewind_to_before_the_beginning_can_be_undone_too() -> None:
    """
    A log from elsewhere may go back to nothing; what came before and after is still found.
    """
    gone: list[Entry] = [*FIVE, Rewound(to=at(-1))]

    assert Rewound(to=at(4)) == undo_rewind(meaning(*gone))
    assert Rewound(to=at(-1)) == undo_rewind(meaning(*gone, Rewound(to=at(0))))
    assert [Branch(tip=at(4), left_at=at(-1), current=False), Branch(tip=at(0), left_at=at(-1), current=True)] == list(
        branches(meaning(*gone, Rewound(to=at(0))))
    )


def test_without_a_rewind_there_is_nothing_to_undo() -> None:
    """
    It is said, with what to do instead.
    """
    with pytest.raises(BadInput, match="holdfast rewind"):
        undo_rewind(meaning(*FIVE))


def test_a_conversation_that_never_went_back_has_one_branch() -> None:
    """
    The current one, from the beginning.
    """
    assert (Branch(tip=at(4), left_at=at(-1), current=True),) == branches(meaning(*FIVE))
    assert (Branch(tip=at(-1), left_at=at(-1), current=True),) == branches(SessionState())


def test_what_was_left_stays_as_a_branch() -> None:
    """
    Each branch has its end and the place where it parts; the current one is last.
    """
    state = meaning(*FIVE, Rewound(to=at(1)), said("6"), Rewound(to=at(0)), said("8"))

    assert (
        Branch(tip=at(4), left_at=at(-1), current=False),
        Branch(tip=at(6), left_at=at(1), current=False),
        Branch(tip=at(8), left_at=at(0), current=True),
    ) == branches(state)


def test_a_branch_that_is_gone_on_with_is_not_left() -> None:
    """
    Going back and returning leaves nothing behind, and so does going back to a rewind.
    """
    only = (Branch(tip=at(4), left_at=at(-1), current=True),)

    assert only == branches(meaning(*FIVE, Rewound(to=at(1)), Rewound(to=at(4))))
    assert [4, 1] == [each.tip for each in branches(meaning(*FIVE, Rewound(to=at(1)), Rewound(to=at(1))))]
    assert [4, 5] == [each.tip for each in branches(meaning(*FIVE, Rewound(to=at(1)), Rewound(to=at(5))))]


@given(rewinding())
def test_there_is_always_one_current_branch(facts: list[Entry]) -> None:
    """
    It ends at the head, and the others say something that it does not.
    """
    state = meaning(*facts)
    found = branches(state)

    assert [] == [branch.tip for branch in found if not branch.current and branch.tip in flat(state.path)]
    assert [state.head] == [branch.tip for branch in found if branch.current]
    assert len({branch.tip for branch in found}) == len(found)
