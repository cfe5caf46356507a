"""Bytes ↔ entries: the only place that meets a raw line.

A line is built by hand around what msgspec writes, so that `v`, `pos` and `at` always
come first and `crc` last; the checksum covers the bytes before it, and a reader
compares the whole suffix. What msgspec cannot carry (lone surrogates) goes through
the standard library instead, and whatever would not read back exactly is refused
before anything is written. A record keeps its line, so fields that this version
does not know survive being copied.
"""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from struct import pack
from typing import TypeVar

import msgspec
from msgspec.structs import fields as fields_of

from holdfast.errors import BadEntry, BadLine
from holdfast.ids import Position
from holdfast.records.checksum import crc32
from holdfast.records.decode import ENTRIES, HIGHEST, RESERVED, UNUSUAL, decode_slowly, entry_of, known, places
from holdfast.records.entries import KINDS, Checkpointed, Entry, Known, Unknown, kind_of, said_at
from holdfast.records.slices import SLICE, json_of, text_length, without_texts

LINE_LIMIT = 128 * 1024 * 1024
"""The most bytes one line may have; longer content belongs into a blob."""

NESTING = 100
"""How deep an application's own values may nest; a reader deep inside a program has little stack left."""

START = b'{"v":'
"""How every line begins. It stands nowhere else in a line, so that a record is found again inside damage."""
_SUFFIX = b',"crc":"%08x"}'
SUFFIX_LENGTH = 18
_AT = b'"at":"'
_KIND = re.compile(rb'\{"v":1,"pos":\d{1,18},"at":"[^"\\]{1,40}","kind":"(\w+)"[,}]')
"""How a line begins that this program wrote."""
_VERSION = re.compile(rb'\{"v":(\d{1,9}),')


S = TypeVar("S", bound=msgspec.Struct)


class Record(msgspec.Struct, frozen=True, gc=False, eq=False):
    """An entry with its place in the log.

    Its line was checked when it was read: the checksum, the JSON, the kind and the position. What else it says is
    decoded when somebody looks at it.
    """

    pos: Position
    raw: bytes
    """Its line, as it stands in the log, without the line feed."""
    known: Entry | None = None
    """The entry, once somebody has looked at it."""

    @property
    def entry(self) -> Entry:
        """The entry itself."""
        entry = self.known
        if entry is None:
            entry = entry_of(self.raw)
            msgspec.structs.force_setattr(self, "known", entry)
        return entry

    def __eq__(self, other: object) -> bool:
        """Whether both say the same at the same place."""
        if not isinstance(other, Record):
            return NotImplemented
        return self.pos == other.pos and self.raw == other.raw and self.entry == other.entry

    def __ne__(self, other: object) -> bool:
        """Whether they do not; the base would compare what only one of them has decoded."""
        return not self == other

    def __hash__(self) -> int:
        """By its place and its line."""
        return hash((self.pos, self.raw))

    @property
    def at(self) -> datetime:
        """When it was written, UTC."""
        start = self.raw.find(_AT) + len(_AT)
        try:
            return datetime.fromisoformat(self.raw[start : self.raw.index(b'"', start)].decode()).astimezone(UTC)
        except (ValueError, OverflowError):
            return _odd_time(self.raw)

    @property
    def kind(self) -> str:
        """The kind of the entry, as the log has it; read from the line, so what else it says is not decoded."""
        found = _KIND.match(self.raw)
        return found[1].decode() if found else kind_of(self.entry)

    @property
    def extra(self) -> dict[str, object]:
        """The fields of its line that this version does not know; they stay when the line is copied."""
        fields: dict[str, object] = json.loads(self.raw)
        entry = self.entry
        known = entry.fields if isinstance(entry, Unknown) else {each.encode_name for each in fields_of(type(entry))}
        return {name: value for name, value in fields.items() if name not in known and name not in RESERVED}

    @property
    def when(self) -> datetime:
        """When it was said, UTC: what came from elsewhere was said before it was written."""
        return said_at(self.entry) or self.at

    @property
    def version(self) -> int:
        """The format of its line; above `FORMAT`, a later Holdfast wrote it."""
        return version_of(self.raw)


_VALUES = "Use JSON values: lists rather than tuples, text as keys, no two surrogates that make one character."
_encode, _decode = msgspec.json.Encoder().encode, ENTRIES.decode


@lru_cache(maxsize=8)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def stamp(now_ns: int) -> str:
    """A time as it stands in a line: UTC, always with six decimals."""
    # Formatting a date costs as much as writing the line, so a second's is kept.
    seconds, rest = divmod(now_ns // 1000, 1_000_000)
    return f"{_second(seconds)}.{str(1_000_000 + rest)[1:]}Z"


def version_of(line: bytes) -> int:
    """The version that a line names, read without verifying it; 0 where it names none."""
    found = _VERSION.match(line)
    return int(found[1]) if found else 0


def _odd_time(line: bytes) -> datetime:
    """The time of a line that another program wrote, as near as there is one in UTC."""
    at = msgspec.convert(json.loads(line)["at"], datetime)
    try:
        return at.astimezone(UTC)
    except OverflowError:  # in the first or the last hours that a calendar has
        return at.replace(tzinfo=UTC)


def to_json(value: msgspec.Struct) -> bytes:
    """A value as compact JSON, lone surrogates included."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode()


def from_json(data: bytes, kind: type[S]) -> S:
    """What `to_json` wrote. Raises `msgspec.ValidationError` if it is something else."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.convert(json.loads(data), kind)


def suffix(body: bytes) -> bytes:
    """How a line ends whose bytes up to the checksum are `body`."""
    return _SUFFIX % crc32(body)


def encode_line(pos: int, at: str, entry: Entry) -> bytes:
    """One whole line, without its line feed. Raises `BadEntry` if it would not read back exactly."""
    if pos > HIGHEST:
        raise BadEntry(
            f"Position {pos:,} is above {HIGHEST:,}, the highest that a log can have, so the entry would not be read.",
            hint="Begin a new session, or fork this one at an earlier position.",
        )
    if isinstance(entry, Unknown):
        fields = _foreign_fields(entry)
    elif text_length(entry) > SLICE:
        return _long_line(pos, at, entry)
    else:
        fields = _known_fields(entry)
    if len(fields) > LINE_LIMIT:
        raise _too_long(entry, len(fields))
    body = b'{"v":1,"pos":%d,"at":"%b",%b' % (pos, at.encode(), fields)
    return body + _SUFFIX % crc32(body)


def _too_long(entry: Entry, size: int) -> BadEntry:
    return BadEntry(
        f"The {kind_of(entry)!r} entry takes {size:,} bytes; a line may have {LINE_LIMIT:,}.",
        hint="Attach the content as a blob.",
    )


def _long_line(pos: int, at: str, entry: Known) -> bytes:
    """The same line, made and checked slice by slice: in a thread, it lets the event loop run."""
    short, texts = without_texts(entry)
    rest = _known_fields(short)
    pieces: list[bytes] = []
    try:
        for mark, text in texts.items():
            before, _, rest = rest.partition(mark.encode())
            pieces += [before, *json_of(text)]
    except ValueError as error:
        raise _inexact(entry) from error
    pieces.append(rest)
    size = sum(map(len, pieces))
    if size > LINE_LIMIT:
        raise _too_long(entry, size)
    pieces.insert(0, b'{"v":1,"pos":%d,"at":"%b",' % (pos, at.encode()))
    summed = 0
    for piece in pieces:
        summed = crc32(piece, summed)
    return b"".join([*pieces, _SUFFIX % summed])


def encode(entries: Sequence[Entry], first: Position, now_ns: int) -> tuple[list[Record], bytes]:
    """Entries as records from a position on, and their lines as one piece."""
    at = stamp(now_ns)
    records: list[Record] = []
    lines: list[bytes] = []
    for pos, entry in enumerate(entries, first):
        line = encode_line(pos, at, entry)
        records.append(Record(Position(pos), line, entry))
        lines += (line, b"\n")
    return records, b"".join(lines)


def _known_fields(entry: Known) -> bytes:
    if isinstance(entry, Checkpointed):
        return _checkpoint_fields(entry)
    try:
        encoded = _encode(entry)
        exact = _decode(encoded) == entry
    except UnicodeEncodeError:
        return _surrogate_fields(entry)
    except (TypeError, ValueError) as error:
        raise _unfit(entry, error) from error
    if not exact:
        raise _inexact(entry)
    return encoded[1:-1]


def _unfit(entry: Entry, error: Exception) -> BadEntry:
    return BadEntry(f"The {type(entry).__name__} entry cannot be written: {error}.", hint="Its types tell what fits.")


def _inexact(entry: Entry) -> BadEntry:
    return BadEntry(
        f"The {type(entry).__name__} entry would not be read back as it is.",
        hint="Give values of the types it names (a tuple is no list), and no two surrogates that make one character.",
    )


def _checkpoint_fields(entry: Checkpointed) -> bytes:
    # It carries JSON of its own, in which there may be lone surrogates: the standard library checks it.
    try:
        encoded = _encode(entry)
        fields = json.loads(encoded)
        shallow = b"\n" not in encoded and not _nests_deeper(fields, NESTING)
        exact = shallow and known(encoded, fields, "checkpointed") == entry
    except (TypeError, ValueError, RecursionError) as error:
        raise _unfit(entry, error) from error
    if not exact:
        raise BadEntry("The state of a checkpoint is not compact JSON.", hint="Give it as `to_json` writes it.")
    return encoded[1:-1]


def _surrogate_fields(entry: Known) -> bytes:
    try:
        text = json.dumps(msgspec.to_builtins(entry), separators=(",", ":"))
        exact = msgspec.convert(json.loads(text), type(entry)) == entry
    except (TypeError, ValueError) as error:
        raise _unfit(entry, error) from error
    if not exact:
        raise _inexact(entry)
    return text.encode()[1:-1]


def _foreign_fields(entry: Unknown) -> bytes:
    try:
        text = json.dumps({"kind": entry.kind, **entry.fields}, separators=(",", ":"), allow_nan=False)
        back = json.loads(text)
        exact = back == {"kind": entry.kind, **entry.fields}
    except (TypeError, ValueError, RecursionError) as error:
        raise BadEntry(f"The {entry.kind!r} entry cannot be written as JSON: {error}.", hint=_VALUES) from error
    named = entry.kind and entry.kind == str(entry.kind) and entry.kind not in KINDS
    if not named or not RESERVED.isdisjoint(entry.fields):
        names = ", ".join(map(repr, entry.fields))
        raise BadEntry(
            f"An application's own entry cannot have the kind {entry.kind!r} and the fields {names}.",
            hint=f"Choose a kind with a dot in it, and no field called {', '.join(sorted(RESERVED))}.",
        )
    if _nests_deeper(entry.fields, NESTING):
        raise BadEntry(f"The {entry.kind!r} entry nests too deep.", hint=f"Values may nest {NESTING} deep.")
    if not exact:
        raise BadEntry(f"The {entry.kind!r} entry would not read back as it is.", hint=_VALUES)
    return text.encode()[1:-1].replace(START, b'{"\\u0076":')


def _nests_deeper(fields: dict[str, object], limit: int) -> bool:
    """Whether a field's value holds more dictionaries and lists inside each other than that."""
    level: list[dict[str, object] | list[object]] = [fields]
    for _ in range(limit + 1):
        inside = [value for each in level for value in (each.values() if isinstance(each, dict) else each)]
        level = [value for value in inside if isinstance(value, (dict, list))]
    return bool(level)


def verified(line: bytes) -> bool:
    """Whether a line (without its line feed) is whole."""
    return line.startswith(START) and line[-SUFFIX_LENGTH:] == suffix(line[:-SUFFIX_LENGTH])


def all_verified(lines: list[bytes]) -> bool:
    """Whether all lines are whole: the same as asking each, in half the time, and that is a third of reading a log."""
    sums = pack(f">{len(lines)}I", *[crc32(line[:-SUFFIX_LENGTH]) for line in lines]).hex().encode()
    # All suffixes in one piece: the same bytes again and again, and in each the eight digits of its sum.
    suffixes = bytearray(b',"crc":"________"}' * len(lines))
    for digit in range(8):
        suffixes[8 + digit :: SUFFIX_LENGTH] = sums[digit::8]
    found = b"".join([line[-SUFFIX_LENGTH:] for line in lines])
    return found == suffixes and {line[: len(START)] for line in lines} == {START}


def decode_line(line: bytes) -> Record:
    """One verified line (without its line feed) to its record. Raises `BadLine` if it is not whole."""
    if not verified(line):
        raise BadLine("The line does not match its checksum.", hint="`holdfast verify` says which lines of a log do.")
    return decode_verified(line, [line])[0]


def decode_verified(block: bytes, lines: list[bytes]) -> list[Record]:
    """Records of verified lines; `block` is the same lines joined by line feeds."""
    try:
        return list(map(Record, places(block), lines))
    except UNUSUAL:
        return [_decoded(line) for line in lines]


def _decoded(line: bytes) -> Record:
    try:
        return Record(places(line)[0], line)
    except UNUSUAL:
        pos, entry = decode_slowly(line)
        return Record(pos, line, entry)
