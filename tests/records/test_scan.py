"""A block of bytes: every good record in it, and where the damage is."""

from collections.abc import Callable
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.clock import ManualClock
from holdfast.ids import Position
from holdfast.records import scan as lines_module
from holdfast.records.codec import SUFFIX_LENGTH, decode_line, encode, suffix
from holdfast.records.entries import Entry, UserSaid
from holdfast.records.parts import Text
from holdfast.records.scan import NESTED, Damage, Scan, lines_lost, parse, place_of
from tests.records.drawn import ENTRIES

NOW = ManualClock().now_ns()
BODY = b'{"v":1,"pos":0'
NO_ENTRY = BODY + suffix(BODY)
"""A line with a right checksum that is no entry."""


def lines_of(count: int) -> list[bytes]:
    """Lines that each say something."""
    entries = [UserSaid(parts=(Text(text=f"word {number}"),)) for number in range(count)]
    return [record.raw for record in encode(entries, Position(0), NOW)[0]]


def positions(found: Scan) -> list[int]:
    """Where the records that were found stand."""
    return [record.pos for record in found.records]


def lengths(lines: list[bytes], base: int = 0) -> list[int]:
    """Where lines end that follow each other."""
    return [base + sum(len(line) + 1 for line in lines[: index + 1]) for index in range(len(lines))]


def test_nothing_holds_nothing() -> None:
    """
    An empty file has no record and no damage.
    """
    assert Scan([], [], []) == parse(b"")


@pytest.mark.parametrize("base", [0, 1000])
def test_good_lines_are_records_with_their_ends(base: int) -> None:
    """
    Each record's end counts its line feed, from where the block begins in its file.
    """
    lines = lines_of(4)
    found = parse(b"\n".join(lines) + b"\n", base)

    assert lines == [record.raw for record in found.records]
    assert lengths(lines, base) == found.ends
    assert [] == found.damage


def test_a_last_line_without_its_line_feed_counts() -> None:
    """
    A record is whole when its checksum is; only then does its end lie before a line feed.
    """
    lines = lines_of(2)
    block = b"\n".join(lines)

    assert [len(lines[0]) + 1, len(block)] == parse(block).ends


def test_a_torn_end_is_damage() -> None:
    """
    Half a line after good ones takes nothing from them.
    """
    lines = lines_of(3)
    block = b"\n".join(lines)[:-5]
    found = parse(block)

    assert [0, 1] == positions(found)
    assert lengths(lines)[:2] == found.ends
    assert [Damage(found.ends[-1], len(block))] == found.damage


@given(st.lists(ENTRIES, min_size=1, max_size=5), st.sampled_from([0, 8, 97, 10**17 - 2]))
def test_a_block_holds_what_each_of_its_lines_says(entries: list[Entry], first: int) -> None:
    """
    Lines that are read together are read as each alone, also where a position has a digit more than the one before.
    """
    records, block = encode(entries, Position(first), NOW)
    found = parse(block)

    assert records == found.records
    assert [decode_line(record.raw) for record in records] == found.records


def test_a_line_that_another_program_wrote_is_read_with_ours() -> None:
    """
    A time with fewer decimals than we write is a time, though the lines around it begin in another length.
    """
    first, second, third = lines_of(3)
    body = second[:-SUFFIX_LENGTH].replace(b'.000000Z"', b'Z"')
    found = parse(b"\n".join([first, body + suffix(body), third]))

    assert body != second[:-SUFFIX_LENGTH]
    assert [0, 1, 2] == positions(found)
    assert [record.at for record in found.records[:2]] == [found.records[2].at] * 2


@given(st.lists(ENTRIES, min_size=1, max_size=5), st.data())
def test_a_changed_byte_hides_one_record_at_most(entries: list[Entry], data: st.DataObject) -> None:
    """
    Whatever byte changes, every other record is still found, in order, and the bytes are reported.
    """
    records, block = encode(entries, Position(0), NOW)
    index = data.draw(st.integers(0, len(block) - 1))
    changed = bytearray(block)
    changed[index] ^= data.draw(st.integers(1, 255))
    found = parse(bytes(changed))

    hit = block[:index].count(b"\n")
    if block[index : index + 1] == b"\n":
        assert records == found.records
    else:
        assert records[:hit] + records[hit + 1 :] == found.records
        assert any(each.start - 1 <= index <= each.end for each in found.damage)


def test_records_that_lost_the_line_feed_between_them_are_both_there() -> None:
    """
    The one byte that is wrong is all that is reported.
    """
    first, second, third = lines_of(3)
    found = parse(first + b"\0" + second + third + b"\n")

    assert [0, 1, 2] == positions(found)
    assert [Damage(len(first), len(first) + 1)] == found.damage
    assert [len(first), len(first) + 1 + len(second), len(first + second + third) + 2] == found.ends


def test_zeroed_blocks_and_rubbish_are_damage_between_records() -> None:
    """
    Whatever stands in between, what is good before and after it is found.
    """
    first, second, third = lines_of(3)
    block = first + b"\n" + b"\0" * 512 + b"\n" + second + b"\n\xff\xfe rubbish" + third + b" more\n"
    found = parse(block)

    assert [0, 1, 2] == positions(found)
    assert [512, len(b"\xff\xfe rubbish"), len(b" more")] == [each.end - each.start for each in found.damage]
    assert [b"\0" * 512, b"\xff\xfe rubbish", b" more"] == [block[each.start : each.end] for each in found.damage]


def test_empty_lines_are_no_damage() -> None:
    """
    A line feed too many says nothing and loses nothing.
    """
    first, second = lines_of(2)
    found = parse(b"\n" + first + b"\n\n\n" + second + b"\n")

    assert [0, 1] == positions(found)
    assert [len(first) + 2, len(first + second) + 5] == found.ends
    assert [] == found.damage


@pytest.mark.parametrize("around", [b"", b"rubbish"])
def test_a_right_checksum_over_no_entry_is_damage(around: bytes) -> None:
    """
    A line that verifies and says nothing is reported, and its neighbours are found.
    """
    first, second = lines_of(2)
    odd = around + NO_ENTRY
    found = parse(b"\n".join([first, odd, second]) + b"\n")

    assert [0, 1] == positions(found)
    assert [Damage(len(first) + 1, len(first) + 1 + len(odd))] == found.damage


def test_a_suffix_alone_is_damage() -> None:
    """
    The end of a line that lost its beginning is no record.
    """
    (line,) = lines_of(1)

    assert [Damage(0, 18), Damage(19, 43)] == parse(line[-18:] + b"\n" + b'{"v":1' + line[-18:]).damage


ENDING = b',"crc":"00000000"}'
DAMAGED = {
    "one beginning and many endings": lambda length: b'{"v":1' + ENDING * (length // len(ENDING)),
    "many beginnings": lambda length: b'{"v":' * (length // 5),
    "beginnings and endings in turn": lambda length: (b'{"v":1' + ENDING) * (length // (6 + len(ENDING))),
    "beginnings, then endings": lambda length: b'{"v":' * (length // 10) + ENDING * (length // 36),
}


@pytest.mark.parametrize("damaged", DAMAGED.values(), ids=DAMAGED)
def test_looking_for_good_records_in_a_damaged_line_takes_linear_time(
    damaged: Callable[[int], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Ten times the bytes are ten times the work, however they look, and the record between them is found.
    """
    (line,) = lines_of(1)
    summed: list[int] = []

    def counted(data: bytes, value: int = 0) -> int:
        summed.append(len(data) + 1)
        return crc32(data, value)

    monkeypatch.setattr(lines_module, "crc32", counted)
    costs = []
    for length in (60_000, 600_000):
        summed.clear()
        block = damaged(length) + line + damaged(length)
        assert [0] == positions(parse(block))
        costs.append(sum(summed))
        assert costs[-1] <= 2 * (NESTED + 1) * len(block)

    assert costs[1] <= 11 * costs[0]


def test_a_record_that_holds_a_beginning_is_found_in_damage() -> None:
    """
    Other programs may write an object into a field that begins as a line does.
    """
    body = NO_ENTRY[:-SUFFIX_LENGTH] + b',"at":"2026-11-16T09:00:00Z","kind":"acme.vote","x":{"v":1,"crc":"00000000"}'
    found = parse(b"rubbish" + body + suffix(body) + b"\n")

    assert [0] == positions(found)
    assert [Damage(0, 7)] == found.damage


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"v":1,"pos":42,"at":"torn', 42),
        (b'{"v":12,"pos":0,', 0),
        (b'{"v":1,"pos":42', None),
        (b'x{"v":1,"pos":42,', None),
        (b'{"v":1,"pos":' + b"9" * 30 + b",", None),
        (b"", None),
    ],
)
def test_a_torn_line_may_still_tell_its_position(line: bytes, expected: int | None) -> None:
    """
    The position at the beginning of a damaged line is a hint to what is missing, where it is whole.
    """
    assert expected == place_of(line)


def test_lines_that_look_whole_may_have_been_acknowledged() -> None:
    """
    What began like an entry, was ended by a line feed and is not good counts as lost; a torn end does not.
    """
    first, second = lines_of(2)

    assert 2 == lines_lost(first[:-1] + b"\n" + b"rubbish\n" + second[:-2] + b"\n" + second + b"\n" + first[:20])
    assert 0 == lines_lost(b"\0" * 20)
