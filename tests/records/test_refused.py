"""What could not be read back as it is: refused before anything is written, with what to do."""

import msgspec
import pytest

from holdfast.errors import BadEntry
from holdfast.ids import CallId
from holdfast.records.codec import (
    LINE_LIMIT,
    NESTING,
    decode_line,
    encode_line,
    stamp,
)
from holdfast.records.decode import HIGHEST, RESERVED
from holdfast.records.entries import (
    KINDS,
    Checkpointed,
    Described,
    Entry,
    ModelReplied,
    ToolFinished,
    Unknown,
    UserSaid,
)
from holdfast.records.parts import Text
from tests.records.drawn import DEEPEST, nested
from tests.records.written import line_of, said


def test_what_is_longer_than_a_line_may_be_is_refused() -> None:
    """
    The limit is said, with what to do about it.
    """
    with pytest.raises(BadEntry, match=f"{LINE_LIMIT:,}.*blob"):
        line_of(said("\0" * (LINE_LIMIT // 6)))
    with pytest.raises(BadEntry, match=f"{LINE_LIMIT:,}"):
        line_of(Unknown(kind="acme.long", fields={"text": "\0" * (LINE_LIMIT // 6)}))


def test_values_nest_as_deep_as_the_page_says() -> None:
    """
    The deepest values that are allowed are read back; one level more is refused.
    """
    entry = Unknown(kind="acme.deep", fields=DEEPEST)

    assert entry == decode_line(line_of(entry)).entry
    with pytest.raises(BadEntry, match=f"{NESTING} deep"):
        line_of(Unknown(kind="acme.deep", fields=nested(NESTING + 1)))


@pytest.mark.parametrize("depth", [500, 5_000, 100_000])
def test_deep_nesting_is_refused_whatever_the_depth(depth: int) -> None:
    """
    No depth overflows the stack of whoever writes it.
    """
    with pytest.raises(BadEntry):
        line_of(Unknown(kind="acme.deep", fields=nested(depth)))


ROUND: dict[str, object] = {}
ROUND["again"] = ROUND
UNFIT: dict[str, object] = {
    "tuple": {"x": (1, 2)},
    "bytes": {"x": b"1"},
    "number as a key": {"x": {1: 2}},
    "not a number": {"x": float("nan")},
    "endless": {"x": float("inf")},
    "more digits than Python reads": {"x": 10**5000},
    "two surrogates that make one character": {"x": "\ud83d\ude00"},
    "itself": ROUND,
    "nothing": None,
    "a list": ["x"],
}


@pytest.mark.parametrize("fields", UNFIT.values(), ids=UNFIT)
def test_what_json_cannot_carry_is_refused(fields: dict[str, object]) -> None:
    """
    An application's own values are JSON values, or they are not written.
    """
    with pytest.raises(BadEntry) as refused:
        line_of(Unknown(kind="acme.odd", fields=fields))

    assert refused.value.hint


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_the_line_s_own_names_are_taken(name: str) -> None:
    """
    A field cannot pose as the line's position, time, kind or checksum.
    """
    with pytest.raises(BadEntry, match=r"no field called at, crc, kind, pos, v"):
        line_of(Unknown(kind="acme.odd", fields={name: "mine"}))


@pytest.mark.parametrize("kind", ["", *KINDS, 5])
def test_our_kinds_cannot_be_imitated(kind: str) -> None:
    """
    An application's own kind has a name of its own.
    """
    with pytest.raises(BadEntry, match="with a dot in it"):
        line_of(Unknown(kind=kind))


WRONG: dict[str, Entry] = {
    "a list for a tuple": UserSaid(parts=[Text(text="x")]),  # type: ignore[arg-type]
    "a dict for a part": UserSaid(parts=({"kind": "text", "text": "x"},)),  # type: ignore[arg-type]
    "a dict with a lone surrogate": UserSaid(parts=({"kind": "text", "text": "\ud800"},)),  # type: ignore[arg-type]
    "bytes for text": Described(title=b"x"),  # type: ignore[arg-type]
    "a number for text": Described(title=5),  # type: ignore[arg-type]
    "a number beside a lone surrogate": Described(title=5, tags=("\ud800",)),  # type: ignore[arg-type]
    "a fraction": ToolFinished(call=CallId("1"), name="t", milliseconds=1.5),  # type: ignore[arg-type]
    "more digits than Python reads": ToolFinished(call=CallId("1"), name="t", milliseconds=10**5000),
    "as many beside a lone surrogate": ToolFinished(call=CallId("\ud800"), name="t", milliseconds=10**5000),
    "a word that is not one of those": ModelReplied(parts=(), stop="tired"),  # type: ignore[arg-type]
    "two surrogates that make one character": said("\ud83d\ude00"),
    "raw JSON with a field of its own": Described(title=msgspec.Raw(b'"a","x":1')),  # type: ignore[arg-type]
    "no entry": "hello",  # type: ignore[dict-item]
    "nothing": None,  # type: ignore[dict-item]
    "a part": Text(text="x"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("entry", WRONG.values(), ids=WRONG)
def test_what_would_not_be_read_back_as_it_is_is_refused(entry: Entry) -> None:
    """
    A value of another type is an error when it is written, not a surprise when it is read.
    """
    with pytest.raises(BadEntry) as refused:
        line_of(entry)

    assert refused.value.hint


STATES = {
    "space around it": b" {}",
    "a second value": b'{},"x":1',
    "its end too early": b"1}",
    "nothing": b"",
    "no UTF-8": b'"\xff"',
    "another encoding": "{}".encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "a line feed": b'{"a":\n1}',
    "a raw control character": b'"\x01"',
    "nesting": b"[" * 200 + b"]" * 200,
    "endless nesting": b"[" * 100_000 + b"]" * 100_000,
    "spaces beside a lone surrogate": b'{"a": "\\ud800"}',
}


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_a_checkpoint_holds_compact_json_and_nothing_else(state: bytes) -> None:
    """
    What a checkpoint carries cannot break its line, nor add to it.
    """
    with pytest.raises(BadEntry):
        line_of(Checkpointed(format=1, state=msgspec.Raw(state)))


@pytest.mark.parametrize("state", [b"{}", {"a": 1}, "{}", None, 5])
def test_a_checkpoint_s_state_is_raw(state: object) -> None:
    """
    Something that is not marked as JSON is not taken for it.
    """
    with pytest.raises(BadEntry):
        line_of(Checkpointed(format=1, state=state))  # type: ignore[arg-type]


def test_an_entry_behind_the_highest_position_is_refused() -> None:
    """
    No reader would find it: a line with that position counts as damage. The highest position itself is read.
    """
    highest = encode_line(HIGHEST, stamp(0), said("last"))

    assert HIGHEST == decode_line(highest).pos
    with pytest.raises(BadEntry, match="the highest that a log can have"):
        encode_line(HIGHEST + 1, stamp(0), said("lost"))
