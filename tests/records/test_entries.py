"""Entries: facts that have a name, cannot change, and say no more than they must."""

import re
from typing import get_args

import msgspec
import pytest
from hypothesis import given

from holdfast.ids import CallId, Position
from holdfast.records.codec import to_json
from holdfast.records.entries import (
    KINDS,
    Entry,
    Known,
    Rewound,
    ToolStarted,
    TurnEnded,
    Unknown,
    UserSaid,
    kind_of,
)
from holdfast.records.parts import Text
from tests.records.drawn import KNOWN

NAMES = """
    opened user_said model_replied tool_started tool_finished file_changed hook_ran permission_asked
    permission_decided question_asked question_answered turn_ended delivered command_ran described compacted
    shortened compaction_undone window_moved pinned unpinned taken_back rewound wake_set wake_ended
    schedule_set schedule_fired schedule_changed
    goal_set goal_amended goal_status_changed goal_progressed goal_verified goal_ended consolidated
    forgotten memory_shown checkpointed drafted
""".split()


def test_kinds_change_only_on_purpose() -> None:
    """
    A kind that is added or renamed is a decision that logs keep for good, so it shows here.
    """
    assert NAMES == list(KINDS)


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_is_named_after_its_class(name: str) -> None:
    """
    Who reads a log finds the class, and who reads the class finds it in the log.
    """
    assert name == re.sub(r"(?<!^)([A-Z])", r"_\1", KINDS[name].__name__).lower()


def test_every_kind_is_an_entry() -> None:
    """
    What can be named can be matched to the end.
    """
    assert {*KINDS.values(), Unknown} == set(get_args(Entry))
    assert set(KINDS.values()) == set(get_args(Known))


@given(KNOWN)
def test_an_entry_knows_its_kind(entry: Known) -> None:
    """
    The name of its kind is the one that its line has.
    """
    assert KINDS[kind_of(entry)] is type(entry)


def test_an_application_s_own_entry_has_its_own_kind() -> None:
    """
    Nothing is made of a name we do not know.
    """
    assert "acme.vote" == kind_of(Unknown(kind="acme.vote"))


def test_a_fact_does_not_change() -> None:
    """
    A correction is another entry.
    """
    fact = UserSaid(parts=(Text(text="said"),))

    with pytest.raises(AttributeError):
        fact.parts = ()  # type: ignore[misc]


def test_fields_are_given_by_name() -> None:
    """
    Two texts beside each other cannot change places.
    """
    with pytest.raises(TypeError):
        ToolStarted(CallId("c"), "n")  # type: ignore[call-arg]
    assert ToolStarted(call=CallId("c"), name="n") == ToolStarted(name="n", call=CallId("c"))


def test_what_is_as_usual_is_not_written() -> None:
    """
    A line has no field that says what it would mean anyway.
    """
    assert b'{"kind":"turn_ended"}' == to_json(TurnEnded())
    assert b'{"kind":"turn_ended","note":"tired"}' == to_json(TurnEnded(note="tired"))


def test_equality_is_content() -> None:
    """
    Two entries that say the same are the same, wherever they stand.
    """
    assert Rewound(to=Position(1)) == msgspec.convert({"kind": "rewound", "to": 1}, Rewound)
