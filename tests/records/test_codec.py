"""A line: what is written is what is read, and what could not be read is not written."""

import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.clock import ManualClock
from holdfast.errors import BadEntry, BadLine
from holdfast.ids import CallId, Position
from holdfast.records.codec import (
    LINE_LIMIT,
    NESTING,
    RESERVED,
    Record,
    decode_line,
    encode,
    encode_line,
    from_json,
    stamp,
    suffix,
    to_json,
    verified,
)
from holdfast.records.entries import (
    KINDS,
    Checkpointed,
    Described,
    Entry,
    Known,
    ModelReplied,
    ToolFinished,
    Unknown,
    UserSaid,
    kind_of,
)
from holdfast.records.lines import parse
from holdfast.records.parts import Text, ToolCall
from tests.records.drawn import DEEPEST, ENTRIES, FOREIGN, KNOWN, TEXTS, known, nested

NOW = ManualClock().now_ns()
AT = stamp(NOW)


def said(text: str) -> UserSaid:
    """Something to write."""
    return UserSaid(parts=(Text(text=text),))


def line_of(entry: Entry, pos: int = 0) -> bytes:
    """An entry's line."""
    return encode_line(pos, AT, entry)


def sealed(body: str) -> bytes:
    """A line with a right checksum, whatever it says."""
    data = body.encode()
    return data + suffix(data)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_every_kind_is_read_back_exactly(kind: str, data: st.DataObject) -> None:
    """
    Whatever an entry of a kind can say (NULs, line separators, lone surrogates, numbers of any size), it says again.
    """
    entry = data.draw(known(KINDS[kind]))

    assert Record(Position(7), entry, line_of(entry, 7)) == decode_line(line_of(entry, 7))


@given(FOREIGN)
def test_an_application_s_own_kind_is_read_back_exactly(entry: Unknown) -> None:
    """
    Any JSON values under any names are kept as they are.
    """
    assert entry == decode_line(line_of(entry)).entry


@given(st.lists(ENTRIES, max_size=6))
def test_entries_written_together_are_read_together(entries: list[Entry]) -> None:
    """
    One piece of bytes holds one line for each entry, whatever the entries are beside each other.
    """
    records, data = encode(entries, Position(3), NOW)

    assert b"".join(record.raw + b"\n" for record in records) == data
    assert list(enumerate(entries, 3)) == [(record.pos, record.entry) for record in records]
    assert records == parse(data).records


@given(ENTRIES)
def test_a_line_is_one_line_of_json(entry: Entry) -> None:
    """
    Any tool that reads JSON Lines reads a log: the only line feed is the one that ends it.
    """
    line = line_of(entry)
    fields = json.loads(line)

    assert b"\n" not in line
    assert ["v", "pos", "at", "kind"] == list(fields)[:4]
    assert (1, 0, AT, kind_of(entry)) == tuple(fields[name] for name in ("v", "pos", "at", "kind"))
    assert "crc" == list(fields)[-1]


@given(ENTRIES, st.data())
def test_any_changed_byte_is_noticed(entry: Entry, data: st.DataObject) -> None:
    """
    No single byte of a line can change without the line being refused.
    """
    line = bytearray(line_of(entry))
    index = data.draw(st.integers(0, len(line) - 1))
    line[index] ^= data.draw(st.integers(1, 255))

    with pytest.raises(BadLine):
        decode_line(bytes(line))


@given(ENTRIES, st.data())
def test_a_torn_line_is_noticed(entry: Entry, data: st.DataObject) -> None:
    """
    A line that was cut anywhere is refused.
    """
    line = line_of(entry)

    assert not verified(line[: data.draw(st.integers(0, len(line) - 1))])


@pytest.mark.parametrize("mark", ["\0", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r", "\r\n", "\n"])
def test_only_line_feeds_part_lines(mark: str) -> None:
    """
    What some programs take for the end of a line is text like any other.
    """
    entries: list[Entry] = [said(f"one{mark}two"), Unknown(kind="acme.note", fields={mark: mark})]
    records, data = encode(entries, Position(0), NOW)

    assert [*(record.raw for record in records), b""] == data.split(b"\n")
    assert entries == [record.entry for record in parse(data).records]


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 10**100, 10**4299])
def test_numbers_have_no_size(number: int) -> None:
    """
    A number beyond 64 bits is the same number when it is read, in our kinds and in others.
    """
    ours = ToolFinished(call=CallId("1"), name="t", milliseconds=number)
    theirs = Unknown(kind="acme.count", fields={"number": number})

    assert [ours, theirs] == [decode_line(line_of(entry)).entry for entry in (ours, theirs)]


def test_a_text_of_64_mb_is_kept() -> None:
    """
    A very long message is written and read like a short one.
    """
    entry = said("0123456789abcde\n" * (4 * 1024 * 1024))

    assert entry == decode_line(line_of(entry)).entry


def test_what_is_longer_than_a_line_may_be_is_refused() -> None:
    """
    The limit is said, with what to do about it.
    """
    with pytest.raises(BadEntry, match=f"{LINE_LIMIT:,}.*blob"):
        line_of(said("\0" * (LINE_LIMIT // 6)))


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


def test_fields_from_a_later_version_are_kept() -> None:
    """
    A field that this version does not know leaves the entry readable, and is copied with its line.
    """
    line = sealed(f'{{"v":1,"pos":4,"at":"{AT}","kind":"described","title":"t","mood":{{"x":[1, 2.50]}}')

    assert Record(Position(4), Described(title="t"), line) == decode_line(line)


@pytest.mark.parametrize("field", [r'"mood":"\ud800"', r'"\ud800":1', '"mood":' + "9" * 30])
def test_odd_fields_from_a_later_version_are_kept_too(field: str) -> None:
    """
    However odd a field is, its line is a record, and copied as it is.
    """
    line = sealed(f'{{"v":1,"pos":4,"at":"{AT}","kind":"described","title":"t",{field}')

    record = decode_line(line)
    assert (4, "described", line) == (record.pos, kind_of(record.entry), record.raw)


@given(TEXTS.filter(lambda text: text not in KINDS and text != ""), FOREIGN)
def test_kinds_from_elsewhere_are_rewritten_byte_for_byte(kind: str, entry: Unknown) -> None:
    """
    A kind that this version does not know is the same line when it is read and written again.
    """
    line = line_of(Unknown(kind=kind, fields=entry.fields), 5)
    record = decode_line(line)

    assert line == record.raw == line_of(record.entry, 5)


LATER = {
    "a part that this version does not know": ('"v":1', '"kind":"user_said","parts":[{"kind":"smell","of":"rain"}]'),
    "a field of another type": ('"v":1', '"kind":"checkpointed","format":"2.0","state":{}'),
    "another version of the format": ('"v":2', '"kind":"user_said","parts":[]'),
}


@pytest.mark.parametrize(("version", "fields"), LATER.values(), ids=LATER)
def test_known_kinds_that_say_more_are_kept_as_unknown(version: str, fields: str) -> None:
    """
    What this version cannot take for one of its own kinds it keeps as it is, and does not guess.
    """
    line = sealed(f'{{{version},"pos":4,"at":"{AT}",{fields}')
    said = json.loads(line)

    record = decode_line(line)
    expected = Unknown(kind=said["kind"], fields={name: said[name] for name in said if name not in RESERVED})
    assert Record(Position(4), expected, line) == record


def test_one_odd_line_leaves_its_neighbours_as_they_are() -> None:
    """
    Lines that are read together do not change what each of them says.
    """
    entries: list[Entry] = [said("plain"), said("\ud800"), Unknown(kind="acme.vote"), said("plain")]
    _, data = encode(entries, Position(0), NOW)

    assert entries == [record.entry for record in parse(data).records]


NO_ENTRY = {
    "not JSON": '{"v":1,"pos":0,,',
    "no time": '{"v":1,"pos":0,"kind":"pinned","target":1',
    "a time that is none": '{"v":1,"pos":0,"at":"yesterday","kind":"pinned","target":1',
    "no position": f'{{"v":1,"at":"{AT}","kind":"pinned","target":1',
    "a position that is no number": f'{{"v":1,"pos":"0","at":"{AT}","kind":"pinned","target":1',
    "a position between two": f'{{"v":1,"pos":0.5,"at":"{AT}","kind":"pinned","target":1',
    "no kind": f'{{"v":1,"pos":0,"at":"{AT}","target":1',
    "a kind that is no text": f'{{"v":1,"pos":0,"at":"{AT}","kind":5',
    "a version that is no number": f'{{"v":"one","pos":0,"at":"{AT}","kind":"pinned","target":1',
    "endless nesting": f'{{"v":1,"pos":0,"at":"{AT}","kind":"acme.deep","x":{"[" * 100_000}{"]" * 100_000}',
}


@pytest.mark.parametrize("body", NO_ENTRY.values(), ids=NO_ENTRY)
def test_a_right_checksum_does_not_make_an_entry(body: str) -> None:
    """
    A line that says no position, time or kind is refused, and nothing else is raised.
    """
    assert verified(sealed(body))
    with pytest.raises(BadLine, match="not an entry"):
        decode_line(sealed(body))


def test_invalid_bytes_under_a_right_checksum_are_refused() -> None:
    """
    Text that is not UTF-8 is never guessed at.
    """
    body = b'{"v":1,"pos":0,"at":"%b","kind":"described","title":"\xff"' % AT.encode()

    with pytest.raises(BadLine):
        decode_line(body + suffix(body))


def test_a_record_knows_when_it_was_written() -> None:
    """
    Its time is read from its line, to the microsecond, in UTC.
    """
    line = encode_line(0, stamp(1_794_787_200_123_456_789), said('"at":"1999-01-01T00:00:00Z"'))

    assert datetime(2026, 11, 16, 0, 0, 0, 123456, tzinfo=UTC) == decode_line(line).at


@pytest.mark.parametrize(
    ("now_ns", "expected"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (999, "1970-01-01T00:00:00.000000Z"),
        (1_794_787_200_000_001_000, "2026-11-16T00:00:00.000001Z"),
        (1_794_787_199_999_999_999, "2026-11-15T23:59:59.999999Z"),
    ],
)
def test_times_are_written_with_six_decimals(now_ns: int, expected: str) -> None:
    """
    Every time in a log has the same width, so that lines sort and columns line up.
    """
    assert expected == stamp(now_ns)


@given(KNOWN)
def test_a_value_alone_is_read_back_too(entry: Known) -> None:
    """
    What goes into a checkpoint or a lease file obeys the same exactness.
    """
    if not isinstance(entry, Checkpointed):
        assert entry == from_json(to_json(entry), type(entry))


def test_a_value_of_another_shape_is_an_error() -> None:
    """
    Reading the wrong thing never gives a value.
    """
    with pytest.raises(msgspec.ValidationError):
        from_json(b'{"text":5}', Text)


def test_a_record_inside_a_record_is_not_mistaken_for_one() -> None:
    """
    Where a record begins is found again in damaged bytes, even if it quotes another record as JSON.
    """
    quoted = json.loads(line_of(said("quoted")))
    entry = Unknown(kind="acme.quote", fields={"record": quoted, "list": [quoted]})
    line = line_of(entry)

    assert entry == decode_line(line).entry
    assert [] == parse(b"x" + line[1:] + b"\n").records


def test_arguments_of_tools_are_kept_as_text() -> None:
    """
    What a model sent is kept to the letter: keys given twice, numbers no float holds, text that is not JSON.
    """
    call = ToolCall(id=CallId("1"), name="t", arguments='{"a": 1e999, "a": 0.10} and more')
    entry = ModelReplied(parts=(call,), stop="called")

    assert entry == decode_line(line_of(entry)).entry
