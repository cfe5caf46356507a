"""Bytes ↔ entries: the only place that meets a raw line.

A line is built by hand around what msgspec writes, so that `v`, `pos` and `at` always
come first and `crc` last; the checksum covers the bytes before it, and a reader
compares the whole suffix. What msgspec cannot carry (lone surrogates) goes through
the standard library instead, and whatever would not read back exactly is refused
before anything is written. A record keeps its line, so fields that this version
does not know survive being copied.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeVar
from zlib import crc32

import msgspec

from holdfast.errors import BadEntry, BadLine
from holdfast.ids import Position
from holdfast.records.entries import KINDS, Entry, Known, Unknown, kind_of

FORMAT = 1
"""The version of the line format."""

LINE_LIMIT = 128 * 1024 * 1024
"""The most bytes one line may have; longer content belongs into a blob."""

SUFFIX_LENGTH = 18
RESERVED = frozenset({"v", "pos", "at", "kind", "crc"})
"""Names of the line itself, which an entry's own fields cannot have."""


S = TypeVar("S", bound=msgspec.Struct)


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An entry with its place in the log."""

    pos: Position
    at: datetime
    entry: Entry
    raw: bytes
    """Its line, as it stands in the log, without the line feed."""


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """What every line says of itself."""

    v: int
    pos: Position
    at: datetime


_encode = msgspec.json.Encoder().encode
_envelopes = msgspec.json.Decoder(Envelope)
_entries: msgspec.json.Decoder[Known] = msgspec.json.Decoder(Known)


@lru_cache(maxsize=8)
def _second(seconds: int) -> tuple[str, datetime]:
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.", at


def moment(now_ns: int) -> tuple[str, datetime]:
    """A time as it stands in a line (UTC, always with six decimals) and as a value."""
    # Formatting a date costs as much as writing the line, so a second's is kept.
    seconds, rest = divmod(now_ns, 1_000_000_000)
    text, at = _second(seconds)
    micros = rest // 1000
    return f"{text}{micros:06d}Z", at.replace(microsecond=micros)


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
    return b',"crc":"%08x"}' % crc32(body)


def encode_line(pos: int, at: str, entry: Entry) -> bytes:
    """One whole line, line feed included. Raises `BadEntry` if it would not read back exactly."""
    fields = _foreign_fields(entry) if isinstance(entry, Unknown) else _known_fields(entry)
    if b"\n" in fields:
        raise BadEntry(f"The {kind_of(entry)!r} entry holds a raw line feed.", hint="Give its state as compact JSON.")
    if len(fields) > LINE_LIMIT:
        raise BadEntry(
            f"The {kind_of(entry)!r} entry takes {len(fields):,} bytes; a line may have {LINE_LIMIT:,}.",
            hint="Attach the content as a blob.",
        )
    body = b'{"v":1,"pos":%d,"at":"%b",%b' % (pos, at.encode(), fields)
    return body + suffix(body) + b"\n"


def encode(entries: Sequence[Entry], first: Position, now_ns: int) -> tuple[tuple[Record, ...], bytes]:
    """Entries as records from a position on, and their lines as one piece."""
    text, at = moment(now_ns)
    lines = [encode_line(first + index, text, entry) for index, entry in enumerate(entries)]
    records = tuple(
        Record(pos=Position(first + index), at=at, entry=entry, raw=lines[index][:-1])
        for index, entry in enumerate(entries)
    )
    return records, b"".join(lines)


def _known_fields(entry: Known) -> bytes:
    try:
        encoded = _encode(entry)
        _entries.decode(encoded)
    except UnicodeEncodeError:
        return _surrogate_fields(entry)
    except (msgspec.MsgspecError, TypeError, RecursionError) as error:
        raise BadEntry(f"The {kind_of(entry)!r} entry cannot be written: {error}.") from error
    return encoded[1:-1]


def _surrogate_fields(entry: Known) -> bytes:
    text = json.dumps(msgspec.to_builtins(entry), separators=(",", ":"))
    try:
        back = msgspec.convert(json.loads(text), type(entry))
    except msgspec.MsgspecError as error:
        raise BadEntry(f"The {kind_of(entry)!r} entry cannot be written: {error}.") from error
    if back != entry:
        raise BadEntry(
            f"The {kind_of(entry)!r} entry has text with two surrogates that would be read back as one character.",
            hint="Decode the text with errors='replace', or join the pair.",
        )
    return text.encode()[1:-1]


def _foreign_fields(entry: Unknown) -> bytes:
    if not entry.kind or entry.kind in KINDS or not RESERVED.isdisjoint(entry.fields):
        raise BadEntry(
            f"An application's own entry cannot have the kind {entry.kind!r} and the fields {sorted(entry.fields)}.",
            hint=f"Choose a kind with a dot in it, and no field called {', '.join(sorted(RESERVED))}.",
        )
    try:
        text = json.dumps({"kind": entry.kind, **entry.fields}, separators=(",", ":"), allow_nan=False)
        back = json.loads(text)
        exact = back == {"kind": entry.kind, **entry.fields}
    except (TypeError, ValueError, RecursionError) as error:
        raise BadEntry(f"The {entry.kind!r} entry cannot be written as JSON: {error}.") from error
    if not exact:
        raise BadEntry(
            f"The {entry.kind!r} entry would not read back as it is.",
            hint="Use lists rather than tuples, and text as keys.",
        )
    return text.encode()[1:-1]


def verified(line: bytes) -> bool:
    """Whether a line (without its line feed) is whole."""
    return line.startswith(b'{"v":') and line[-SUFFIX_LENGTH:] == suffix(line[:-SUFFIX_LENGTH])


def decode_line(line: bytes) -> Record:
    """One verified line (without its line feed) to its record. Raises `BadLine` if it is not whole."""
    if not verified(line):
        raise BadLine("The line does not match its checksum.", hint="`holdfast verify` says which lines of a log do.")
    return decode_verified(line, [line])[0]


def decode_verified(block: bytes, lines: list[bytes]) -> list[Record]:
    """Records of verified lines; `block` is the same lines joined by line feeds."""
    try:
        envelopes = _envelopes.decode_lines(block)
        entries = _entries.decode_lines(block)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return [_decode_slowly(line) for line in lines]
    return [
        Record(pos=envelope.pos, at=envelope.at, entry=entry, raw=line)
        for envelope, entry, line in zip(envelopes, entries, lines, strict=True)
    ]


def _decode_slowly(line: bytes) -> Record:
    """What the fast path cannot carry: kinds from elsewhere, lone surrogates, later versions."""
    try:
        fields = json.loads(line)
        pos, at = Position(int(fields.pop("pos"))), datetime.fromisoformat(fields.pop("at")).astimezone(UTC)
        kind, version = str(fields["kind"]), fields.pop("v")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadLine(f"A line with a right checksum is not an entry: {error}.") from error
    del fields["crc"]
    if kind in KINDS and version == FORMAT:
        try:
            return Record(pos=pos, at=at, entry=_known(line, fields, kind), raw=line)
        except msgspec.MsgspecError:
            pass  # written by a later version: kept below as it is
    del fields["kind"]
    return Record(pos=pos, at=at, entry=Unknown(kind=kind, fields=fields), raw=line)


def _known(line: bytes, fields: dict[str, object], kind: str) -> Known:
    try:
        return _entries.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.convert(fields, KINDS[kind])
