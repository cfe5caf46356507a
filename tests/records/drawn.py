"""Entries of every kind, drawn at random from what their types allow.

The types themselves say what a field can be, so a kind that is added is tested without a word here.
"""

import types
import typing
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, NewType

import msgspec
from hypothesis import strategies as st

from holdfast.records.codec import NESTING
from holdfast.records.decode import RESERVED
from holdfast.records.entries import KINDS, Entry, Known, Unknown

Drawn = st.SearchStrategy[object]


def joined(text: str) -> str:
    """The text with each pair of surrogates as the one character it stands for."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


ODD = st.text('\0\n\r"\\\x7f\x85\u2028\u2029\ufeff\uffff\ud800\udbff\udc00\udfff😀', max_size=4)
# Drawn apart, because a character among all there are is almost never one of those.
TEXTS = st.tuples(st.text(max_size=8), ODD, st.text(max_size=8)).map(lambda pieces: joined("".join(pieces)))
"""Any text there is: NULs, line separators, lone surrogates."""
NUMBERS = st.integers() | st.integers(-(2**200), 2**200)
SCALARS = st.none() | st.booleans() | NUMBERS | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES: Drawn = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=8
)
"""Any JSON value."""
STATES = st.just(b'{"last":7,"title":"t\\ud800"}') | st.just(b"{}") | st.just(b'[1,{"a":null}]')


def of(hint: object) -> Drawn:
    """Values of a type that a field of an entry has."""
    if isinstance(hint, NewType):
        return of(hint.__supertype__)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return structs(hint)
    arguments = typing.get_args(hint)
    match typing.get_origin(hint):
        case typing.Union | types.UnionType:
            return st.one_of([of(each) for each in arguments])
        case found if found is Literal:
            return st.sampled_from(arguments)
        case found if found is tuple:
            return st.lists(of(arguments[0]), max_size=3).map(tuple)
        case _:
            return PLAIN[hint]


PLAIN: dict[object, Drawn] = {
    str: TEXTS,
    int: NUMBERS,
    bool: st.booleans(),
    type(None): st.none(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    msgspec.Raw: STATES.map(msgspec.Raw),
}


def structs(kind: type[msgspec.Struct]) -> Drawn:
    """Values of one struct."""
    fields = {name: of(hint) for name, hint in typing.get_type_hints(kind).items()}
    build: Callable[..., object] = kind
    return st.builds(build, **fields)


def known(kind: type[Known]) -> st.SearchStrategy[Known]:
    """Entries of one of our kinds."""
    return typing.cast("st.SearchStrategy[Known]", structs(kind))


KNOWN: st.SearchStrategy[Known] = st.one_of([known(kind) for kind in KINDS.values()])
FOREIGN = st.builds(
    Unknown,
    kind=TEXTS.filter(lambda text: text != "" and text not in KINDS),
    fields=st.dictionaries(TEXTS.filter(lambda text: text not in RESERVED), VALUES, max_size=4),
)
ENTRIES: st.SearchStrategy[Entry] = KNOWN | FOREIGN
"""Any entry there is."""


def nested(depth: int) -> dict[str, object]:
    """Fields that nest so deep."""
    value: object = 1
    for level in range(depth):
        value = [value] if level % 2 else {"in": value}
    return {"value": value}


DEEPEST = nested(NESTING)
