"""Lines from elsewhere: later versions, other programs, and what only looks like a line."""

import json
from datetime import UTC, datetime
from operator import ne

import pytest
from hypothesis import given

from holdfast.errors import BadLine
from holdfast.ids import Position
from holdfast.records.codec import (
    Record,
    decode_line,
    encode,
    suffix,
    verified,
)
from holdfast.records.decode import RESERVED
from holdfast.records.entries import (
    KINDS,
    Described,
    Entry,
    Unknown,
    kind_of,
)
from holdfast.records.scan import parse
from tests.records.drawn import FOREIGN, TEXTS
from tests.records.written import AT, NOW, line_of, said, sealed

NOW_AT = datetime.fromisoformat(AT)


def test_fields_from_a_later_version_are_kept() -> None:
    """
    A field that this version does not know leaves the entry readable, and is copied with its line.
    """
    line = sealed(f'{{"v":1,"pos":4,"at":"{AT}","kind":"described","title":"t","mood":{{"x":[1, 2.50]}}')

    assert Record(Position(4), line, Described(title="t")) == decode_line(line)


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
    "another version of the format, with a field that must be there": ('"v":2', '"kind":"pinned","goal":5'),
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
    assert Record(Position(4), line, expected) == record


UNDERSTOOD = {
    "all of it": ('"kind":"user_said","parts":[{"kind":"text","text":"rain"}]', said("rain")),
    "a part that this version does not know": (
        '"kind":"user_said","parts":[{"kind":"smell","of":"rain"},{"kind":"text","text":"rain"}]',
        said("rain"),
    ),
    "a field of another type": ('"kind":"described","title":"t","archived":"since 2030"', Described(title="t")),
}


@pytest.mark.parametrize(("fields", "expected"), UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_an_entry_of_a_later_format_is_read_as_far_as_it_is_understood(fields: str, expected: Entry) -> None:
    """
    It can be shown and searched; its line says which format it is of, and is kept as it is.
    """
    line = sealed(f'{{"v":2,"pos":4,"at":"{AT}",{fields}')

    record = decode_line(line)
    assert (expected, 2, line) == (record.entry, record.version, record.raw)


ODD_TIMES = {
    "another field of that name first": (f'"x":{{"at":"junk"}},"at":"{AT}"', NOW_AT),
    "before the calendar begins in UTC": ('"at":"0001-01-01T00:00:00+14:00"', datetime(1, 1, 1, tzinfo=UTC)),
    "with spaces": (f'"at" : "{AT}"', NOW_AT),
}


@pytest.mark.parametrize(("at", "expected"), ODD_TIMES.values(), ids=ODD_TIMES)
def test_every_record_has_a_time(at: str, expected: datetime) -> None:
    """
    However another program wrote it: no time keeps a list from being made.
    """
    record = decode_line(sealed(f'{{"v":1,"pos":4,{at},"kind":"described"'))

    assert expected == record.at


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
    "a position that no database holds": f'{{"v":1,"pos":{2**63},"at":"{AT}","kind":"pinned","target":1',
    "a position of nineteen digits": f'{{"v":1,"pos":{10**18},"at":"{AT}","kind":"acme.vote"',
    "a position below 0": f'{{"v":1,"pos":-1,"at":"{AT}","kind":"pinned","target":1',
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


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 900 + "]" * 900], ids=["digits", "depth"])
def test_values_that_python_does_not_read_hide_no_line(value: str) -> None:
    """
    A line of a known kind with such a value, which another program wrote, is kept as it is; what it says is not known.
    """
    line = sealed(f'{{"v":1,"pos":4,"at":"{AT}","kind":"user_said","parts":5,"more":{value}')
    record = decode_line(line)

    assert (4, line) == (record.pos, record.raw)
    assert isinstance(record.entry, Unknown)
    assert "user_said" == record.entry.kind


@pytest.mark.parametrize("kind", ["user_said", "acme.note"])
def test_bytes_that_are_no_text_are_damage(kind: str) -> None:
    """
    Whatever the kind, and although nobody has looked at the words yet.
    """
    body = f'{{"v":1,"pos":4,"at":"{AT}","kind":"{kind}","parts":[{{"kind":"text","text":"a'.encode() + b'\xff"}]'
    line = body + suffix(body)

    with pytest.raises(BadLine):
        decode_line(line)


def test_records_are_equal_whoever_has_looked_at_them() -> None:
    """
    What was decoded already makes no difference; another place or another line does.
    """
    line = line_of(Described(title="t"), 4)
    looked, fresh = decode_line(line), decode_line(line)
    assert Described(title="t") == looked.entry

    assert looked == fresh
    assert hash(looked) == hash(fresh)
    assert looked != decode_line(line_of(Described(title="t"), 5))
    assert looked != decode_line(line_of(Described(title="u"), 4))
    assert looked != line
    assert not ne(looked, fresh)


def test_the_fields_that_are_not_known_are_named() -> None:
    """
    Of a kind of ours they are `extra`; a kind from elsewhere has all of its fields anyway.
    """
    line = sealed(f'{{"v":1,"pos":4,"at":"{AT}","kind":"described","title":"t","mood":{{"x":[1]}}')

    assert {"mood": {"x": [1]}} == decode_line(line).extra
    assert {} == decode_line(line_of(Described(title="t"))).extra
    assert {} == decode_line(line_of(Unknown(kind="acme.vote", fields={"x": 1}))).extra


def test_the_kind_is_read_from_the_line() -> None:
    """
    Also where another program wrote the fields in another order.
    """
    assert "described" == decode_line(line_of(Described(title="t"))).kind
    assert "acme.vote" == decode_line(line_of(Unknown(kind="acme.vote"))).kind
    other = sealed(f'{{"v":1,"kind":"described","pos":4,"at":"{AT}","title":"t"')
    assert "described" == decode_line(other).kind
