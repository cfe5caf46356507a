"""The schema a model is told, and what it sends."""

import json
from typing import Annotated

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.errors import ToolFailed


class Edit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One change."""

    title: str
    lines: int = 1


class Edits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several changes."""

    path: Annotated[str, Meta(description="Which file.")]
    edits: list[Edit] = []
    either: Edit | None = None


class Nothing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Takes nothing."""


def test_a_schema_has_no_references_and_no_titles_of_its_own() -> None:
    """
    Some providers do not follow references; a field that is called title stays.
    """
    spec = spec_of("edit", "Edits.", Edits)
    schema = json.loads(spec.schema)

    assert "$ref" not in spec.schema
    assert ("edit", "Edits.", ["path"]) == (spec.name, spec.description, schema["required"])
    assert "Which file." == schema["properties"]["path"]["description"]
    assert {"title", "lines"} == set(schema["properties"]["edits"]["items"]["properties"])
    assert "title" not in schema


def test_what_was_sent_is_parsed() -> None:
    """
    A number in quotes is a number, and nothing at all is an empty object.
    """
    assert Edits(path="a", edits=[Edit(title="b", lines=2)]) == parsed(
        '{"path":"a","edits":[{"title":"b","lines":"2"}]}', Edits
    )
    assert Nothing() == parsed("", Nothing)


@pytest.mark.parametrize("sent", ["no json", "{", "[]", '{"path":1,', '{"other":1}', "\ud800", "[" * 100_000, "null"])
def test_what_cannot_be_used_says_what_to_send(sent: str) -> None:
    """
    The fields by their names.
    """
    with pytest.raises(ToolFailed, match="Send a JSON object with `path`, `edits`, `either`"):
        parsed(sent, Edits)


def test_a_tool_without_arguments_says_so() -> None:
    """
    In words.
    """
    with pytest.raises(ToolFailed, match="Send a JSON object with nothing"):
        parsed('{"x":1}', Nothing)


@given(st.text())
def test_any_text_is_parsed_or_refused(sent: str) -> None:
    """
    Nothing else is ever raised.
    """
    try:
        assert isinstance(parsed(sent, Edits), Edits)
    except ToolFailed as error:
        assert "`path`" in str(error)  # noqa: PT017
