"""On which line each key of a TOML text stands."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.config.toml_lines import Way, line_of, positions

TEXT = '''\
# settings
title = "one # two"   # a comment
dotted.name = 1
"quoted.key" = 'x'

[table]
long = """
[not.a.table]
key = "no"
"""
list = [
  1,  # [
  [2, 3],
  { inner = 4 },
]
raw = \'\'\'
x = 1\'\'\'

[table.sub."a b"]
x = { y = { z = 1 } }
[[rules]]
tool = "a"
[[rules]]
tool = "b"
[rules.more]
deep = true
[[rules.each]]
last = 1979-05-27T07:32:00Z
'''
EXPECTED: dict[Way, int] = {
    ("title",): 2,
    ("dotted", "name"): 3,
    ("quoted.key",): 4,
    ("table",): 6,
    ("table", "long"): 7,
    ("table", "list"): 11,
    ("table", "list", 1): 13,
    ("table", "list", 1, 1): 13,
    ("table", "list", 2, "inner"): 14,
    ("table", "raw"): 16,
    ("table", "sub", "a b", "x", "y", "z"): 20,
    ("rules", 0, "tool"): 22,
    ("rules", 1): 23,
    ("rules", 1, "tool"): 24,
    ("rules", 1, "more", "deep"): 26,
    ("rules", 1, "each", 0, "last"): 28,
}


@pytest.mark.parametrize(("path", "line"), EXPECTED.items())
def test_every_key_is_found_on_its_line(path: Way, line: int) -> None:
    """
    Whatever form a key is written in.
    """
    assert line == positions(TEXT)[path]


def test_nothing_inside_a_text_is_a_key() -> None:
    """
    What looks like a key in a text, or in a comment, is none.
    """
    assert not any("not" in path or "key" in path for path in positions(TEXT))


def test_what_has_no_place_stands_where_its_table_stands() -> None:
    """
    A value that cannot be found is looked for around it.
    """
    lines = positions(TEXT)

    assert (6, 23, 1) == (line_of(lines, ("table", "no")), line_of(lines, ("rules", 1, "no")), line_of(lines, ("no",)))


def ways(value: object, way: Way = ()) -> set[Way]:
    """The way to every value of a document that is no table or list."""
    if isinstance(value, dict):
        return {each for name, member in value.items() for each in ways(member, (*way, name))}
    if isinstance(value, list):
        return {each for number, member in enumerate(value) for each in ways(member, (*way, number))}
    return {way}


NAMES = st.sampled_from(["a", "b-c", '"d e"', "'f.g'", '"h\\"i"'])
VALUES = st.recursive(
    st.sampled_from(
        ["1", "true", '"x"', "'y # ]'", '"""\n[t]\nq = 1\n"""', "'''\n}'''", "1.5e3", '"\\"]"', '""', '""""a"""']
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: "[\n" + ", # ,\n".join(each) + "\n]")
        | st.dictionaries(NAMES, inner, max_size=3).map(
            lambda each: "{" + ", ".join(f"{name} = {value}" for name, value in each.items()) + "}"
        )
    ),
    max_leaves=8,
)
LINES = st.lists(
    st.one_of(
        st.tuples(NAMES, VALUES).map(lambda pair: f"{pair[0]} = {pair[1]}"),
        st.lists(NAMES, min_size=1, max_size=3).map(lambda names: f"[{' . '.join(names)}]"),
        st.lists(NAMES, min_size=1, max_size=2).map(lambda names: f"[[{'.'.join(names)}]] # ]"),
        st.just("# x = 1"),
        st.just(""),
    ),
    max_size=10,
)


@given(LINES)
def test_every_value_that_the_parser_finds_has_a_line(lines: list[str]) -> None:
    """
    Both read the same text, so both find the same keys.
    """
    text = "\n".join(lines)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return

    assert set() == ways(table) - {()} - set(positions(text))
