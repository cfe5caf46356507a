"""A line: what is written is what is read."""

import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadLine
from holdfast.ids import CallId, Position
from holdfast.records.codec import (
    Record,
    decode_line,
    encode,
    encode_line,
    from_json,
    stamp,
    to_json,
    verified,
)
from holdfast.records.entries import (
    KINDS,
    Checkpointed,
    Entry,
    Known,
    ModelReplied,
    ToolFinished,
    Unknown,
    kind_of,
)
from holdfast.records.parts import Text, ToolCall
from holdfast.records.scan import parse
from tests.records.drawn import ENTRIES, FOREIGN, KNOWN, known
from tests.records.written import AT, NOW, line_of, said


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_every_kind_is_read_back_exactly(kind: str, data: st.DataObject) -> None:
    """
    Whatever an entry of a kind can say (NULs, line separators, lone surrogates, numbers of any size), it says again.
    """
    entry = data.draw(known(KINDS[kind]))

    assert Record(Position(7), line_of(entry, 7), entry) == decode_line(line_of(entry, 7))


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


def test_arguments_of_tools_are_kept_as_text() -> None:
    """
    What a model sent is kept to the letter: keys given twice, numbers no float holds, text that is not JSON.
    """
    call = ToolCall(id=CallId("1"), name="t", arguments='{"a": 1e999, "a": 0.10} and more')
    entry = ModelReplied(parts=(call,), stop="called")

    assert entry == decode_line(line_of(entry)).entry
