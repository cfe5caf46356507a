"""Arguments that are nearly an object: what means one thing becomes it, and nothing else changes."""

import pytest

from holdfast.model.argument_repair import mended


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param('{"a": 1}', '{"a": 1}', id="an object stays as it was written"),
        pytest.param('"{\\"a\\":1}"', '{"a":1}', id="encoded twice"),
        pytest.param(' "\\"{}\\""', "{}", id="encoded three times"),
        pytest.param('{"a":1,}', '{"a":1}', id="a comma at the end of an object"),
        pytest.param('{"a":[1,2, ],\n}', '{"a":[1,2 ]\n}', id="and of a list"),
        pytest.param('"{\\"a\\":1,}"', '{"a":1}', id="both"),
        pytest.param('{"a":",}",}', '{"a":",}"}', id="a comma inside a string is a word"),
    ],
)
def test_what_means_one_object_becomes_it(arguments: str, expected: str) -> None:
    """
    A server that encodes twice, or a model that ends a list with a comma.
    """
    assert expected == mended(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "not JSON",
        '"words"',
        '"cut',
        "[1,]",
        "{'a':1}",
        '{"a":1',
        "\ud83d",
        '"\ud83d"',
        '{"a":"\ud83d"}',
        '"\\"\\\\\\"{}\\\\\\"\\""',
    ],
    ids=ascii,
)
def test_anything_else_stays_as_it_was_sent(arguments: str) -> None:
    """
    What could mean two things is for the tool to refuse.
    """
    assert arguments == mended(arguments)
