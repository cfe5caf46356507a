"""Ids, names, arguments and schemas that every family takes."""

import json
import re

import pytest
from hypothesis import given

from holdfast.context.legal.calls import can_be_sent, offered, parsed_arguments, wire_arguments, wire_id, wire_name
from holdfast.context.legal.rendered import Dropped
from holdfast.errors import BadInput
from holdfast.model.protocol import ToolSpec
from tests.context.legal.conversations import arguments, names


@pytest.mark.parametrize("call", ["call_12_0", "a", "x" * 40])
def test_an_id_that_all_take_stays(call: str) -> None:
    """
    What is lawful everywhere is not changed.
    """
    assert call == wire_id(call)


@pytest.mark.parametrize("call", ["", "x" * 41, "a b", "functions.run:0", "\ud800"])
def test_any_other_id_becomes_one(call: str) -> None:
    """
    An id that some provider refuses is replaced, the same way every time.
    """
    assert re.fullmatch(r"call_[0-9a-f]{32}", wire_id(call))
    assert wire_id(call) == wire_id(call)


@given(names, names)
def test_names_are_taken_and_stay_apart(one: str, other: str) -> None:
    """
    Every name becomes one that all families take, and no two tools become one.
    """
    assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", wire_name(one))
    assert (one == other) == (wire_name(one) == wire_name(other))


@pytest.mark.parametrize("text", ["{}", '{"a": 1}', ' {"b":[1.50, null, true, "é"]} '])
def test_arguments_that_are_an_object_stay(text: str) -> None:
    """
    Arguments go back byte for byte as the model sent them, so that a cache knows them.
    """
    assert text == wire_arguments(text)
    assert json.loads(text) == parsed_arguments(text)


@pytest.mark.parametrize("text", ["", " \n"])
def test_no_arguments_are_an_empty_object(text: str) -> None:
    """
    Models send nothing for a tool without arguments.
    """
    assert "{}" == wire_arguments(text)


@pytest.mark.parametrize("text", ["{", "[1]", '{"a":1,"a":2}', '{"a":NaN}', '{"a":"\\ud800"}', f'{{"a":{2**64}}}'])
def test_other_arguments_are_shown_as_they_are(text: str) -> None:
    """
    Arguments that a provider would refuse, or read otherwise, are shown in an object, whole.
    """
    assert {"_raw": text} == parsed_arguments(text)


@given(arguments)
def test_arguments_are_the_same_as_text_and_as_an_object(text: str) -> None:
    """
    A family that wants text and one that wants an object are told the same.
    """
    assert json.loads(wire_arguments(text)) == parsed_arguments(text)
    assert parsed_arguments(wire_arguments(text)) == parsed_arguments(text)


def test_a_tool_is_offered_once() -> None:
    """
    Of two tools with one name the first is offered, and the other is told of.
    """
    dropped: list[Dropped] = []
    tools = (ToolSpec(name="run", description="Runs."), ToolSpec(name="run", description="Walks."))

    assert [("run", "Runs.", {"type": "object", "properties": {}})] == list(offered(tools, dropped))
    assert [Dropped(kind="tool", name="run", why="another tool has this name")] == dropped


def test_a_tool_without_description_has_its_name() -> None:
    """
    A description is never blank.
    """
    tool = ToolSpec(name="run", description=" ")

    assert ["run"] == [about for _, about, _ in offered((tool,), [])]


def test_alternatives_at_the_top_of_a_schema_go() -> None:
    """
    Providers refuse them; without them every lawful call is still lawful, and it is told of.
    """
    dropped: list[Dropped] = []
    tool = ToolSpec(name="run", description="Runs.", schema='{"properties":{"a":{}},"oneOf":[],"not":{}}')

    assert [{"type": "object", "properties": {"a": {}}}] == [schema for _, _, schema in offered((tool,), dropped)]
    assert [Dropped(kind="schema", name="run", why="providers refuse oneOf and not at the top of a schema")] == dropped


@pytest.mark.parametrize("schema", ["", "[]", '{"a":', '{"a":"\\u0000"}'])
def test_a_schema_that_is_no_object_is_refused(schema: str) -> None:
    """
    A tool that cannot be described is its author's to mend, before anything is sent.
    """
    with pytest.raises(BadInput, match="The schema of the tool 'run'"):
        list(offered((ToolSpec(name="run", description="Runs.", schema=schema),), []))


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("{}", True),
        ('{"type": "object", "properties": {"a.b-C_1": {"type": "string"}, "b": true}, "required": ["b"]}', True),
        ('{"type": "object", "oneOf": []}', True),
        ("[]", False),
        ("{", False),
        ('{"a": NaN}', False),
        ('{"type": "array"}', False),
        ('{"type": ["object", "null"]}', False),
        ('{"properties": []}', False),
        ('{"properties": {"a": 5}}', False),
        ('{"properties": {"a b": {}}}', False),
        ('{"properties": {"": {}}}', False),
        ('{"required": "a"}', False),
        ('{"required": [1]}', False),
        ('{"a": ' * 40 + "1" + "}" * 40, False),
    ],
)
def test_what_schema_every_family_takes(schema: str, *, expected: bool) -> None:
    """
    That of an object, whose arguments have plain names and are described each.
    """
    assert expected is can_be_sent(schema)
