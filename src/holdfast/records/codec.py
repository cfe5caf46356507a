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
from typing import Literal, TypeVar
from zlib import crc32

import msgspec

from holdfast.errors import BadEntry, BadLine
from holdfast.ids import Position
from holdfast.records.entries import KINDS, Checkpointed, Entry, Known, Unknown, kind_of

FORMAT = 1
"""The version of the line format."""

LINE_LIMIT = 128 * 1024 * 1024
"""The most bytes one line may have; longer content belongs into a blob."""

NESTING = 100
"""How deep an application's own values may nest; a reader deep inside a program has little stack left."""

SUFFIX_LENGTH = 18
_AT = b'"at":"'
RESERVED = frozenset({"v", "pos", "at", "kind", "crc"})
"""Names of the line itself, which an entry's own fields cannot have."""


S = TypeVar("S", bound=msgspec.Struct)


class Record(msgspec.Struct, frozen=True, gc=False):
    """An entry with its place in the log."""

    pos: Position
    entry: Entry
    raw: bytes
    """Its line, as it stands in the log, without the line feed."""

    @property
    def at(self) -> datetime:
        """When it was written, UTC."""
        start = self.raw.index(_AT) + len(_AT)
        return datetime.fromisoformat(self.raw[start : self.raw.index(b'"', start)].decode()).astimezone(UTC)


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """What every line says of itself."""

    v: Literal[1]
    """A line of a later version goes the slow way, which keeps what it does not understand."""
    pos: Position


_encode = msgspec.json.Encoder().encode
_envelopes = msgspec.json.Decoder(Envelope)
_entries: msgspec.json.Decoder[Known] = msgspec.json.Decoder(Known)


@lru_cache(maxsize=8)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def stamp(now_ns: int) -> str:
    """A time as it stands in a line: UTC, always with six decimals."""
    # Formatting a date costs as much as writing the line, so a second's is kept.
    seconds, rest = divmod(now_ns, 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1000:06d}Z"


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
    """One whole line, without its line feed. Raises `BadEntry` if it would not read back exactly."""
    fields = _foreign_fields(entry) if isinstance(entry, Unknown) else _known_fields(entry)
    if b"\n" in fields:
        raise BadEntry(f"The {kind_of(entry)!r} entry holds a raw line feed.", hint="Give its state as compact JSON.")
    if len(fields) > LINE_LIMIT:
        raise BadEntry(
            f"The {kind_of(entry)!r} entry takes {len(fields):,} bytes; a line may have {LINE_LIMIT:,}.",
            hint="Attach the content as a blob.",
        )
    body = b'{"v":1,"pos":%d,"at":"%b",%b' % (pos, at.encode(), fields)
    return body + suffix(body)


def encode(entries: Sequence[Entry], first: Position, now_ns: int) -> tuple[list[Record], bytes]:
    """Entries as records from a position on, and their lines as one piece."""
    at = stamp(now_ns)
    records, data = [], b""
    for pos, entry in enumerate(entries, first):
        line = encode_line(pos, at, entry)
        records.append(Record(Position(pos), entry, line))
        data += line + b"\n"
    return records, data


def _known_fields(entry: Known) -> bytes:
    if isinstance(entry, Checkpointed):
        return _checkpoint_fields(entry)
    try:
        encoded = _encode(entry)
        _entries.decode(encoded)
    except UnicodeEncodeError:
        return _surrogate_fields(entry)
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise BadEntry(f"The {kind_of(entry)!r} entry cannot be written: {error}.") from error
    return encoded[1:-1]


def _checkpoint_fields(entry: Checkpointed) -> bytes:
    # It carries JSON of its own, in which there may be lone surrogates: the standard library checks it.
    state = bytes(entry.state)
    try:
        exact = state == state.strip() and json.loads(state) is not None
    except (ValueError, RecursionError):
        exact = False
    if not exact or not isinstance(entry.format, int):
        raise BadEntry("The state of a 'checkpointed' entry is not JSON.", hint="Give it as `to_json` writes it.")
    return _encode(entry)[1:-1]


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
    named = entry.kind and entry.kind == str(entry.kind) and entry.kind not in KINDS
    if not named or not RESERVED.isdisjoint(entry.fields):
        names = ", ".join(map(repr, entry.fields))
        raise BadEntry(
            f"An application's own entry cannot have the kind {entry.kind!r} and the fields {names}.",
            hint=f"Choose a kind with a dot in it, and no field called {', '.join(sorted(RESERVED))}.",
        )
    try:
        text = json.dumps({"kind": entry.kind, **entry.fields}, separators=(",", ":"), allow_nan=False)
        back = json.loads(text)
        exact = back == {"kind": entry.kind, **entry.fields}
    except (TypeError, ValueError, RecursionError) as error:
        raise BadEntry(f"The {entry.kind!r} entry cannot be written as JSON: {error}.") from error
    if _nests_deeper(entry.fields, NESTING):
        raise BadEntry(f"The {entry.kind!r} entry nests too deep.", hint=f"Values may nest {NESTING} deep.")
    if not exact:
        raise BadEntry(
            f"The {entry.kind!r} entry would not read back as it is.",
            hint="Use lists rather than tuples, and text as keys.",
        )
    return text.encode()[1:-1]


def _nests_deeper(value: object, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        inside = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [each for values in inside for each in values]
    return bool(level)


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
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return [_decode_slowly(line) for line in lines]
    return [Record(envelope.pos, entry, line) for envelope, entry, line in zip(envelopes, entries, lines, strict=True)]


def _decode_slowly(line: bytes) -> Record:
    """What the fast path cannot carry: kinds from elsewhere, lone surrogates, later versions."""
    try:
        fields = json.loads(line)
        datetime.fromisoformat(fields.pop("at"))
        pos, kind, version = Position(int(fields.pop("pos"))), str(fields["kind"]), fields.pop("v")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise BadLine(f"A line with a right checksum is not an entry: {error}.") from error
    del fields["crc"]
    if kind in KINDS and version == FORMAT:
        try:
            return Record(pos, _known(line, fields, kind), line)
        except msgspec.MsgspecError:
            pass  # written by a later version: kept below as it is
    del fields["kind"]
    return Record(pos, Unknown(kind=kind, fields=fields), line)


def _known(line: bytes, fields: dict[str, object], kind: str) -> Known:
    try:
        return _entries.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        if kind == "checkpointed":
            fields["state"] = msgspec.Raw(json.dumps(fields.get("state"), separators=(",", ":")).encode())
        return msgspec.convert(fields, KINDS[kind])
