"""What every format of an export can do."""

from typing import Protocol

from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.session.export.content import Content
from holdfast.session.state import SessionState


def spoken(first: Position, last: Position) -> str:
    """Positions, both included, in words."""
    return f"position {first}" if first == last else f"positions {first} to {last}"


class Renderer(Protocol):
    """Turns a conversation into the bytes of a document, piece by piece, in order."""

    def begin(self, state: SessionState) -> bytes:
        """What stands before the first record."""
        ...

    def record(self, record: Record, content: Content) -> bytes:
        """One record; `content` holds those of its attachments that could be read."""
        ...

    def gap(self, first: Position, last: Position) -> bytes:
        """Positions, both included, whose records are damaged."""
        ...

    def end(self) -> bytes:
        """What stands after the last record."""
        ...
