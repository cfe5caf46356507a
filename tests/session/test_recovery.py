"""Recovery: what a writer that died still owed the log."""

import pytest

from holdfast.records.codec import Record
from holdfast.records.entries import Drafted, ModelReplied
from holdfast.records.parts import Text, Thinking
from holdfast.session.recovery import interrupted_reply
from tests.session.talk import at, records_of, replied, said


def piece(text: str = "", *, thinking: str = "", reply: int = 5) -> Drafted:
    """A piece of a reply that was streaming."""
    return Drafted(reply=at(reply), text=text, thinking=thinking)


def interrupted(*parts: Text | Thinking) -> ModelReplied:
    """A reply that broke off."""
    return ModelReplied(parts=parts, stop="interrupted")


def test_a_draft_becomes_a_reply_marked_as_interrupted() -> None:
    """
    Pieces are one text again, in the order they came, with the thinking before it.
    """
    pieces = [piece(thinking="h"), piece(thinking="m"), piece("an"), piece("swer")]

    assert interrupted(Thinking(text="hm"), Text(text="answer")) == interrupted_reply(pieces, [])
    assert interrupted(Text(text="answer")) == interrupted_reply(pieces[2:], [])
    assert interrupted(Thinking(text="hm")) == interrupted_reply(pieces[:2], [])


def test_a_reply_that_broke_off_had_heard_what_its_pieces_say() -> None:
    """
    What was said after that, while it spoke, enters behind it.
    """
    pieces = [Drafted(reply=at(5), text="an", heard=at(3)), Drafted(reply=at(5), text="swer", heard=at(3))]

    owed = interrupted_reply(pieces, [])

    assert ModelReplied(parts=(Text(text="answer"),), stop="interrupted", heard=at(3)) == owed


@pytest.mark.parametrize("pieces", [[], [piece()]])
def test_nothing_said_is_nothing_owed(pieces: list[Drafted]) -> None:
    """
    A draft without words leaves no reply.
    """
    assert interrupted_reply(pieces, []) is None


@pytest.mark.parametrize("pos", [5, 6, 9])
def test_a_reply_that_is_in_the_log_is_not_said_twice(pos: int) -> None:
    """
    A reply at the draft's position or later is the finished one.
    """
    assert interrupted_reply([piece("answer")], records_of(replied("answer"), first=pos)) is None


@pytest.mark.parametrize("since", [[], records_of(said("more"), first=5), records_of(replied("before"), first=4)])
def test_other_entries_settle_nothing(since: list[Record]) -> None:
    """
    What a user said since, or a reply before, is not the reply that streamed.
    """
    assert interrupted(Text(text="answer")) == interrupted_reply([piece("answer")], since)


def test_of_two_drafts_only_the_unsettled_one_is_owed() -> None:
    """
    A draft that was not dropped in time does not come back with the next one.
    """
    pieces = [piece("first", reply=5), piece("second", reply=7)]

    assert interrupted(Text(text="second")) == interrupted_reply(pieces, records_of(replied("first"), first=5))


def test_a_character_cut_in_two_by_the_stream_is_whole_again() -> None:
    """
    Halves of a character that came in two pieces do not keep the session from opening; a lone half is kept.
    """
    halves = [piece("\ud83d"), piece("\ude00 \ud800"), piece(thinking="\ud83d"), piece(thinking="\ude00")]

    assert interrupted(Text(text="😀 \ud800"), Thinking(text="😀")) == interrupted_reply(halves, [])
