"""A message with less in it, cut where the reader can see it.

The beginning and the end stay, because that is where commands say what they did and
how it ended. Cutting the same message to the same length gives the same bytes.
"""

import json
from typing import TypeVar, assert_never

import msgspec

from holdfast.context.messages import breadcrumb
from holdfast.model.protocol import Message
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall

M = TypeVar("M", bound=Message)

HEAD_SHARE = 3
"""Of what is kept, all but one part in so many is the beginning."""
SMALLEST_PICTURE = 1000
"""Where fewer characters than this are kept, a picture would be the longest thing left."""


def cut(text: str, keep: int) -> str:
    """At most `keep` characters of a text, and a note in the place of the rest."""
    if len(text) <= keep:
        return text
    tail = keep // HEAD_SHARE
    head = keep - tail
    note = f"[… {len(text) - keep:,} characters are not shown …]"
    if not keep:
        return note
    return f"{text[:head]}\n{note}\n{text[len(text) - tail :]}" if tail else f"{text[:head]}\n{note}"


def shortened(message: M, keep: int) -> M:
    """The message with at most about `keep` characters of content."""
    # A signature covers all of the thinking, so that is whole or not there.
    parts = tuple(part for part in message.parts if not isinstance(part, Thinking)) or message.parts
    return msgspec.structs.replace(message, parts=_parts(parts, keep))


def _parts(parts: tuple[Part, ...], keep: int) -> tuple[Part, ...]:
    """Each part gets an equal share of what is kept."""
    share = keep // max(1, len(parts))
    return tuple(_part(part, share) for part in parts)


def _part(part: Part, keep: int) -> Part:
    match part:
        case Text():
            return Text(text=cut(part.text, keep))
        case ToolCall():
            if len(part.arguments) <= keep:
                return part
            return msgspec.structs.replace(part, arguments=json.dumps({"not_shown": cut(part.arguments, keep)}))
        case Thinking():
            return Thinking(text=cut(part.text, keep))
        case Blob():
            return part if keep >= SMALLEST_PICTURE else Text(text=breadcrumb(part))
        case _:
            assert_never(part)
