"""The log itself: JSON Lines as they stand on the disk, and one JSON document of them.

Records are copied, not written anew, so fields and kinds of a later version, and
numbers no computer can hold, survive.
"""

import json

from holdfast.ids import Position
from holdfast.records.codec import SUFFIX_LENGTH, Record, to_json
from holdfast.session.export.content import Content
from holdfast.session.state import SessionState

FORMAT = 1
"""The version of the JSON document."""


def body(record: Record) -> bytes:
    """A record as one JSON object without what is there to protect its line: `v` and `crc`."""
    return b"{" + record.raw.partition(b",")[2][:-SUFFIX_LENGTH] + b"}"


class JsonLines:
    """Every line as it is: what is read back gives the same log."""

    def begin(self, state: SessionState) -> bytes:  # noqa: ARG002
        """Nothing."""
        return b""

    def record(self, record: Record, content: Content) -> bytes:  # noqa: ARG002
        """The line."""
        return record.raw + b"\n"

    def gap(self, first: Position, last: Position) -> bytes:  # noqa: ARG002
        """Nothing: positions tell."""
        return b""

    def end(self) -> bytes:
        """Nothing."""
        return b""


class JsonDocument:
    """One JSON object: what is known about the session, and its entries."""

    def __init__(self) -> None:
        """Start with no entry."""
        self._separator = b"\n"
        self._missing: list[tuple[int, int]] = []

    def begin(self, state: SessionState) -> bytes:
        """Open the object and its list of entries."""
        return b'{"holdfast":%d,"key":%b,"session":%b,"entries":[' % (
            FORMAT,
            json.dumps(state.key).encode(),
            to_json(state),
        )

    def record(self, record: Record, content: Content) -> bytes:  # noqa: ARG002
        """One entry, on a line of its own."""
        separator, self._separator = self._separator, b",\n"
        return separator + body(record)

    def gap(self, first: Position, last: Position) -> bytes:
        """Remember it for the end, where all gaps are listed."""
        self._missing.append((first, last))
        return b""

    def end(self) -> bytes:
        """Close the list, and say what is missing."""
        return b'\n],"missing":%b}\n' % json.dumps(self._missing).encode()
