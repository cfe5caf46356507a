"""The conversation of the bench, and what a prompt cache makes of it."""

from itertools import chain, islice

import pytest

from bench.conversation import ROOM, Ledger, Line, conversation
from bench.simple import sliding, tail


def test_every_contender_has_the_same_conversation() -> None:
    """
    The same turns in every run, and a shorter conversation begins like a longer one.
    """
    turns = list(conversation(20))

    assert turns == list(islice(conversation(), 20))


def test_every_call_has_its_result_in_its_turn() -> None:
    """
    What is made up is a conversation as providers take it.
    """
    for turn in conversation(100):
        called = [call.id for line in turn for call in line.calls]

        assert ["user", "assistant"] == [turn[0].role, turn[-1].role]
        assert called == [line.call for line in turn if line.role == "tool"]
        assert len(called) == len(set(called))


def test_only_an_unchanged_beginning_is_reused() -> None:
    """
    What comes after the first change is new, even if it was sent before.
    """
    ledger = Ledger()
    ledger.ask([("a", 10), ("b", 20), ("c", 30)])
    ledger.ask([("a", 10), ("x", 10), ("c", 20)])

    assert 10.0 == ledger.share
    assert pytest.approx(0.091) == ledger.cost


def test_a_request_that_grows_costs_little() -> None:
    """
    All of the request before is reused if nothing in front of it moved.
    """
    ledger = Ledger()
    ledger.ask([("a", 50)])
    ledger.ask([("a", 50), ("b", 0)])

    assert 50.0 == ledger.share


def test_windows_by_hand_keep_their_bounds() -> None:
    """
    They begin with a person's words, and are as long as they are said to be.
    """
    lines: list[Line] = list(chain.from_iterable(conversation(100)))

    for made in (sliding(lines), tail(lines)):
        assert "user" == made[0].role
        assert lines[-1] == made[-1]
    assert 100 < len(sliding(lines)) <= 120
    assert 0.8 * ROOM < sum(line.tokens for line in tail(lines)) <= ROOM
