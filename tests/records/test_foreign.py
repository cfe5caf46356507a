"""Lines from elsewhere: later versions, other programs, and what only looks like a line."""

import json

import pytest
from hypothesis import given

from holdfast.errors import BadLine
from holdfast.ids import Position
from holdfast.records.codec import (
    RESERVED,
    Record,
    decode_line,
    encode,
    suffix,
    verified,
)
from holdfast.records.entries import (
    KINDS,
    Described,
    Entry,
    Unknown,
    kind_of,
)
from holdfast.records.lines import parse
from tests.records.drawn import FOREIGN, TEXTS
from tests.records.written import AT, NOW, line_of, said, sealed


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


def test_a_record_inside_a_record_is_not_mistaken_for_one() -> None:
    """
    Where a record begins is found again in damaged bytes, even if it quotes another record as JSON.
    """
    quoted = json.loads(line_of(said("quoted")))
    entry = Unknown(kind="acme.quote", fields={"record": quoted, "list": [quoted]})
    line = line_of(entry)

    assert entry == decode_line(line).entry
    assert [] == parse(b"x" + line[1:] + b"\n").records
