"""What comes of writing a request, and of checking one."""

from typing import Literal, TypeAlias

from holdfast.ids import Position
from holdfast.records.parts import Value

Json: TypeAlias = dict[str, object]
"""An object that JSON can hold."""


class Dropped(Value, frozen=True, kw_only=True):
    """Something that a request could not carry."""

    kind: Literal["thinking", "image", "file", "text", "call", "tool", "schema"]
    why: str
    name: str = ""
    """The file, the tool: what it is called, if it has a name."""
    pos: Position = Position(-1)
    """Where its message stands in the log; -1 for what is in no message of the log."""


class Rendered(Value, frozen=True, kw_only=True):
    """A request as its family wants it."""

    body: Json
    """Ready for any JSON encoder: text is valid Unicode, numbers are finite."""
    dropped: tuple[Dropped, ...] = ()


class Violation(Value, frozen=True, kw_only=True):
    """A rule that a request breaks."""

    rule: str
    where: str
    """The place in the body, as in `messages[2].content[0]`."""
    why: str
