"""The messages of the next request, and what they leave out."""

from holdfast.context.prefix import GO_ON, Prefix
from holdfast.context.window import LeftOut, Window, build_window
from holdfast.records.entries import Shortened
from tests.context.words import cost, seen, timeline
from tests.session.talk import at, records_of, replied, said


def test_a_window_is_what_is_kept_in_front_and_everything_after() -> None:
    """
    Its tokens are those of its messages, our own included, and all that is not whole is named in order.
    """
    made = timeline(said("first"), replied("one"), said("second"), replied("x" * 50))
    made.move(at(2), (at(0),))
    made.add(records_of(Shortened(entries=(at(3), at(0)), keep=2), first=4)[0])
    window = build_window(made, Prefix(first=at(0), keep=(at(0),), start=at(2)))

    assert 5 == len(window.messages)
    assert f"user: {GO_ON}" == seen(window)[-1]
    assert sum(map(cost, window.messages)) == window.tokens
    assert (
        LeftOut(first=at(0), last=at(1), why="to fit"),
        LeftOut(first=at(0), last=at(0), why="shortened"),
        LeftOut(first=at(3), last=at(3), why="shortened"),
    ) == window.left_out


def test_nothing_is_an_empty_window() -> None:
    """
    A session in which nothing was said has nothing to show.
    """
    assert Window(messages=(), tokens=0, start=at(0)) == build_window(timeline(), Prefix())
