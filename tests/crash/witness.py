"""A second reader of the log, which shares no code with the first.

It looks at the bytes of a crash state before the store sees them and says which
whole records are there and which bytes are none. The store is then held to it: what
the witness found must be readable, and what it could not read must be kept aside.
"""

import re
import zlib
from collections.abc import Iterable
from typing import Final

import msgspec

_SEGMENT: Final = re.compile(r"(?:sessions/|trash/\d+\+)([^/]+)/(\d{6,})\.jsonl")
_RECORD: Final = re.compile(rb'\{"v":1,"pos":(\d+),[^\n]*?,"crc":"([0-9a-f]{8})"\}')
_SUFFIX: Final = len(',"crc":"00000000"}')
TOKEN: Final = re.compile(rb"#[a-z]+\d+#")
"""What every text of a workload carries, once, to be recognised by."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A whole record, and where its bytes are."""

    pos: int
    raw: bytes
    start: int
    end: int


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """One segment of a session's log."""

    folder: str
    number: int
    records: tuple[Seen, ...]
    junk: tuple[bytes, ...]
    """Stretches that belong to no record, line feeds left out."""


def segments(files: Iterable[tuple[tuple[str, ...], bytes]]) -> list[Segment]:
    """Every segment among the files of a state, in order."""
    found = []
    for names, content in files:
        for name in names:
            match = _SEGMENT.fullmatch(name)
            if match:
                found.append(segment(match[1], int(match[2]), content))
    return sorted(found, key=lambda each: (each.folder, each.number))


def segment(folder: str, number: int, content: bytes) -> Segment:
    """Read one segment."""
    records: list[Seen] = []
    junk: list[bytes] = []
    at = 0
    while at < len(content):
        found = _next(content, at)
        end = len(content) if found is None else found.start
        junk += [piece for piece in content[at:end].split(b"\n") if piece]
        if found is None:
            break
        records.append(found)
        at = found.end
    return Segment(folder=folder, number=number, records=tuple(records), junk=tuple(junk))


def _next(content: bytes, at: int) -> Seen | None:
    start = content.find(b'{"v":1,"pos":', at)
    while start >= 0:
        match = _RECORD.match(content, start)
        if match and zlib.crc32(match[0][:-_SUFFIX]) == int(match[2], 16):
            return Seen(pos=int(match[1]), raw=match[0], start=start, end=match.end())
        start = content.find(b'{"v":1,"pos":', start + 1)
    return None


def visible(log: list[Segment]) -> list[Seen]:
    """The records that a reader must see: those no later segment begins again at or before."""
    kept: list[Seen] = []
    for each in log:
        if each.records:
            first = min(record.pos for record in each.records)
            kept = [record for record in kept if record.pos < first]
        kept += each.records
    return kept


def tokens(raw: bytes) -> list[str]:
    """The tokens in a line."""
    return [found.decode() for found in TOKEN.findall(raw)]
