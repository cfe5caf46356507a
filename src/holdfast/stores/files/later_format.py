"""Whether a later Holdfast wrote in a session: such a session is read, and never written to.

The version of the lines of a log never goes down (docs/reference/log-format.md), so its end tells, and the
pieces of a reply that lie beside it.
"""

import json
import os
import re
from pathlib import Path

import msgspec

from holdfast.errors import LaterFormat
from holdfast.ids import SessionKey
from holdfast.records.codec import START, verified, version_of
from holdfast.records.decode import FORMAT
from holdfast.stores.files.drafts import DRAFT
from holdfast.stores.files.segments import opened, segment_numbers, segment_path

TAIL = 4 * 1024
"""How much of the end of a file is looked at first."""
_OURS = START + b"%d," % FORMAT
_NAMED = re.compile(rb'"holdfast":"([^"\\]{1,40})"')


class Later(msgspec.Struct, frozen=True):
    """The version of a later format, and which Holdfast writes it, where the line says so."""

    version: int
    holdfast: str = ""


def refuse_later(folder: Path, key: SessionKey) -> None:
    """Raise `LaterFormat` if a later Holdfast wrote in a session. Reads the ends of its files, changes nothing."""
    # All segments: the one with the highest number may be a copy that a person made.
    for path in (*(segment_path(folder, number) for number in segment_numbers(folder)), folder / DRAFT):
        later = _at_the_end(path)
        if later is not None:
            raise LaterFormat(key, later.version, newest=FORMAT, holdfast=later.holdfast)


def _at_the_end(path: Path) -> Later | None:
    """What the last line of a later format, whole or not, says at the end of a file; None if there is none."""
    try:
        with opened(path) as descriptor:
            size = os.fstat(descriptor).st_size
            length = min(size, TAIL)
            data = os.pread(descriptor, length, size - length)
            # The last whole line must be among them; where it is long, only its beginning matters.
            while length < size and data.count(b"\n", 0, -1) < 1:
                length = min(size, length * 4)
                data = os.pread(descriptor, length, size - length)
    except FileNotFoundError:
        return None
    for line in reversed(data.split(b"\n")):
        if (later := later_line(line)) is not None:
            return later
    return None


def later_line(line: bytes) -> Later | None:
    """What a line says of a later format; None for a line of ours, also where its version is a damaged byte."""
    version = version_of(line)
    if version <= FORMAT or verified(_OURS + line.partition(b",")[2]):
        return None
    named = _NAMED.search(line)
    return Later(version, json.loads(b'"%b"' % named[1]) if named else "")
