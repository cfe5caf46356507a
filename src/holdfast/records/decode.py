"""From the bytes of a verified line to its place and its entry.

The place is looked up when a line is read, and with it what makes it a line: it is JSON in UTF-8, of this version and
of a known kind. Other lines go the slow way at once; what these say is decoded when it is looked at.
"""

import json
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from holdfast.errors import BadLine
from holdfast.ids import Position
from holdfast.records.entries import KINDS, Entry, Known, Unknown
from holdfast.records.parts import Part

FORMAT = 1
"""The version of the line format."""

HIGHEST = 10**18 - 1
"""The highest position there can be: eighteen digits, which every reader and every database can hold."""

RESERVED = frozenset({"v", "pos", "at", "kind", "crc"})
"""Names of the line itself, which an entry's own fields cannot have."""

UNUSUAL = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What the fast way raises for lines that go the slow way."""

_Position = Annotated[Position, msgspec.Meta(ge=0, le=HIGHEST)]


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """What every line of this version says of itself."""

    v: Literal[1]
    """A line of a later version goes the slow way, which keeps what it does not understand."""
    pos: _Position
    at: datetime
    kind: Literal[tuple(KINDS)]  # type: ignore[valid-type]
    """So does a kind that is not known."""


class Head(msgspec.Struct, frozen=True, gc=False):
    """What every line of any version says of itself."""

    v: int
    pos: _Position
    at: datetime
    kind: str


_envelopes = msgspec.json.Decoder(Envelope)
ENTRIES: msgspec.json.Decoder[Known] = msgspec.json.Decoder(Known)
"""Decodes the usual entries."""


def places(block: bytes) -> list[Position]:
    """The positions of lines that are JSON, of this version, and of kinds that are known."""
    found = [envelope.pos for envelope in _envelopes.decode_lines(block)]
    if not block.isascii():
        block.decode()  # the decoder steps over texts without a look at them
    return found


def entry_of(line: bytes) -> Entry:
    """The entry of a line that is JSON and of a kind that is known."""
    try:
        return ENTRIES.decode(line)
    except UNUSUAL:
        pass
    try:
        return decode_slowly(line)[1]
    except BadLine:  # it has a number with more digits than Python reads, or nests too deep
        return Unknown(kind=_envelopes.decode(line).kind)


def decode_slowly(line: bytes) -> tuple[Position, Entry]:
    """What the fast path cannot carry: kinds from elsewhere, lone surrogates, later versions."""
    try:
        fields = json.loads(line)
        head = msgspec.convert({name: fields.get(name) for name in Head.__struct_fields__}, Head)
    except (ValueError, RecursionError) as error:
        raise BadLine(f"A line with a right checksum is not an entry: {error}.") from error
    if head.kind in KINDS:
        try:
            return head.pos, known(line, fields, head.kind)
        except ValueError:
            pass  # written by a later version
        if head.v > FORMAT and (entry := _as_far_as_known(fields, head.kind)) is not None:
            return head.pos, entry
    own = {name: value for name, value in fields.items() if name not in RESERVED}
    return head.pos, Unknown(kind=head.kind, fields=own)


def _as_far_as_known(fields: dict[str, object], kind: str) -> Known | None:
    """What this version understands of an entry of a later format, for reading; None if that is not enough."""
    kept: dict[str, object] = {"kind": kind}
    for field in msgspec.structs.fields(KINDS[kind]):
        value = fields.get(field.encode_name)
        if field.name == "parts" and isinstance(value, list):
            value = [part for part in value if _fits(part, Part)]
        if value is not None and _fits(value, field.type):
            kept[field.encode_name] = value
    return msgspec.convert(kept, KINDS[kind]) if _fits(kept, KINDS[kind]) else None


def _fits(value: object, kind: object) -> bool:
    try:
        msgspec.convert(value, kind)
    except ValueError:
        return False
    return True


def known(line: bytes, fields: dict[str, object], kind: str) -> Known:
    """An entry of a known kind, with what the fast decoder does not carry. Raises `ValueError` if it does not fit."""
    try:
        return ENTRIES.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        if kind == "checkpointed":
            fields = fields | {"state": msgspec.Raw(json.dumps(fields.get("state"), separators=(",", ":")).encode())}
        return msgspec.convert(fields, KINDS[kind])
