"""A conversation as text, in pieces that a model can take.

It is told, not replayed: a model that is shown calls and questions answers them, and
one that is told of them sums them up. Thinking is left out, and long results are cut.
"""

from collections.abc import Callable
from typing import assert_never

from holdfast.context.messages import breadcrumb
from holdfast.context.shorten import cut
from holdfast.context.units import Unit
from holdfast.model.protocol import AssistantMessage, Message, ToolMessage, UserMessage
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall

Count = Callable[[str], int]
"""How many tokens a text takes."""

RESULT, ARGUMENTS = 2_000, 600
"""How many characters of a result and of a call's arguments a summary is made of."""


def told(unit: Unit) -> str:
    """A unit in words."""
    return "\n".join(_told(message) for message in unit.messages)


def take(units: tuple[Unit, ...], room: int, count: Count) -> tuple[str, tuple[Unit, ...]]:
    """As many units as fit, in words, and those that are left; at least one, cut if it must be."""
    pieces, used = list[str](), 0
    for unit in units:
        text = told(unit)
        tokens = count(text) + 1
        if pieces and used + tokens > room:
            break
        pieces.append(fitted(text, room, count))
        used += tokens
    return "\n".join(pieces), units[len(pieces) :]


def fitted(text: str, room: int, count: Count) -> str:
    """A text, cut until it fits."""
    keep, shown = len(text), text
    while keep and count(shown) > room:
        keep //= 2
        shown = cut(text, keep)
    return shown


def _told(message: Message) -> str:
    body = "\n".join(words for part in message.parts if (words := _words(part)))
    match message:
        case UserMessage():
            return f"User: {body}"
        case AssistantMessage():
            return f"Agent: {body}"
        case ToolMessage():
            return f"Result of {message.name}{'' if message.ok else ' (failed)'}: {cut(body, RESULT)}"
        case _:
            assert_never(message)


def _words(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case ToolCall():
            return f"(calls {part.name}: {cut(part.arguments, ARGUMENTS)})"
        case Thinking():
            return ""
        case Blob():
            return breadcrumb(part)
        case _:
            assert_never(part)
