"""Anthropic's Messages API.

Turns alternate and a person's is first and last. The results of a reply's calls come
first in the very next message, whoever else speaks in it. Thinking goes back only as
this model signed it, and stands first in its message. The service keeps in its cache
what a request begins with, up to each mark.
Sources: Messages API reference, tool use, extended thinking, prompt caching, vision and
PDF guides, and what the service answers when it refuses.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, assert_never

from holdfast.context.legal.attachments import GIF, JPEG, PDF, PNG, WEBP, Bounds, Media
from holdfast.context.legal.calls import offered, parsed_arguments
from holdfast.context.legal.clean_text import clean, is_blank
from holdfast.context.legal.normalise import (
    Normaliser,
    Piece,
    SendableCall,
    SendableMessage,
    SendableText,
    SendableThinking,
    merged,
)
from holdfast.context.legal.rendered import Json, Rendered, Violation
from holdfast.context.legal.rules import (
    EVERYWHERE,
    BodyPart,
    Findings,
    check_ids,
    check_media,
    check_name,
    check_tools,
    parsed,
)
from holdfast.ids import BlobId
from holdfast.model.protocol import Request

REDACTED = "redacted:"
"""How a signature begins that stands for thinking the provider keeps to itself; the rest is its data."""

CACHED: Json = {"cache_control": {"type": "ephemeral"}}
"""The mark after which the service keeps what it has read, for a few minutes."""

_ENDS, _MARKS = 2, 4
"""How many ends of turns are marked, beside tools and system text; and how many marks a request may have."""

BOUNDS = Bounds(
    media_types=frozenset({GIF, JPEG, PDF, PNG, WEBP}),
    count=100,
    each=5 * 1024 * 1024,
    total=24 * 1024 * 1024,  # a whole request may have 32 MB
)


LONGEST_REPLY = 32_768
"""The longest reply that is asked for where the request leaves it to the service, which leaves it to the request."""


def render(request: Request, media: Mapping[BlobId, bytes]) -> Rendered:
    """A request for the Messages API."""
    reader = Normaliser(request, media, BOUNDS, "signed")
    said = list(merged(reader.messages()))
    tools: list[Json] = [
        {"name": name, "description": about, "input_schema": schema}
        for name, about, schema in offered(request.tools, reader.dropped)
    ]
    body: Json = {"model": request.target.model, "max_tokens": request.max_output_tokens or LONGEST_REPLY}
    system = clean(request.system)
    if not is_blank(system):
        body["system"] = [{"type": "text", "text": system, **CACHED}]
    if called := () if tools else _called(said):
        # Calls without tools are refused; so the tools are named, and none can be called.
        nothing = {"type": "object", "properties": {}}
        tools = [{"name": name, "description": "Not available at present.", "input_schema": nothing} for name in called]
        body["tool_choice"] = {"type": "none"}
    if tools:
        body["tools"] = [*tools[:-1], {**tools[-1], **CACHED}]
    messages = list(_messages(said))
    # What is marked last is written to the cache. The service looks for it only some blocks back from a mark, so the
    # end of the request before, where it was written then, is marked again: a reply with many calls may lie between.
    for blocks in [blocks for role, blocks in messages if role == "user"][-_ENDS:]:
        blocks[-1] = {**blocks[-1], **CACHED}
    spoken = [{"role": role, "content": blocks} for role, blocks in messages]
    return Rendered(body={**body, "messages": spoken}, dropped=tuple(reader.dropped))


def _messages(said: Sequence[SendableMessage]) -> Iterator[tuple[str, list[Json]]]:
    """Who speaks, and the blocks, in turns: results and what a person says next are one message, results first."""
    turn: list[Json] = []
    for each in said:
        if each.role == "assistant":
            if turn:
                yield "user", _turn(turn)
            turn = []
            yield "assistant", _reply(each.pieces)
        elif each.role == "tool":
            turn.extend(_result(each))
        else:
            turn.extend(_block(piece) for piece in each.pieces)
    if turn:
        yield "user", _turn(turn)


def _turn(blocks: list[Json]) -> list[Json]:
    return sorted(blocks, key=lambda block: block["type"] != "tool_result")


def _reply(pieces: Sequence[Piece]) -> list[Json]:
    """A reply: its first thoughts first, its calls last."""
    spoken = [piece for piece in pieces if not isinstance(piece, SendableCall)]
    calls = [piece for piece in pieces if isinstance(piece, SendableCall)]
    # The first run of thoughts goes to the front, where the service wants thinking; later ones stay between the words.
    begin = next((at for at, piece in enumerate(spoken) if isinstance(piece, SendableThinking)), 0)
    end = next((at for at in range(begin, len(spoken)) if not isinstance(spoken[at], SendableThinking)), len(spoken))
    return [_block(piece) for piece in (*spoken[begin:end], *spoken[:begin], *spoken[end:], *calls)]


def _result(said: SendableMessage) -> Iterator[Json]:
    """A tool's result. One that says it failed may hold only text, so the rest comes after it."""
    # A result that says it failed is refused with a picture in it, and the picture may say why it failed.
    inside = [piece for piece in said.pieces if said.ok or isinstance(piece, SendableText)]
    result: Json = {"type": "tool_result", "tool_use_id": said.call}
    if inside:
        result["content"] = [_block(piece) for piece in inside]
    yield result if said.ok else {**result, "is_error": True}
    yield from (_block(piece) for piece in said.pieces if piece not in inside)


def _block(piece: Piece) -> Json:
    match piece:
        case SendableText():
            return {"type": "text", "text": piece.text}
        case Media():
            source = {"type": "base64", "media_type": piece.media_type, "data": piece.data}
            return {"type": "document" if piece.media_type == PDF else "image", "source": source}
        case SendableThinking() if piece.signature.startswith(REDACTED) and piece.signature != REDACTED:
            return {"type": "redacted_thinking", "data": piece.signature.removeprefix(REDACTED)}
        case SendableThinking():
            return {"type": "thinking", "thinking": piece.text, "signature": piece.signature}
        case SendableCall():
            return {"type": "tool_use", "id": piece.id, "name": piece.name, "input": parsed_arguments(piece.arguments)}
        case _:
            assert_never(piece)


def _called(said: Sequence[SendableMessage]) -> tuple[str, ...]:
    """The names of all tools that were called, each once."""
    return tuple(dict.fromkeys(piece.name for each in said for piece in each.pieces if isinstance(piece, SendableCall)))


RULES = EVERYWHERE | {
    "model": "A request names its model.",
    "max_tokens": "A reply may have at least one token.",
    "first": "The first message is the user's.",
    "last": "The last message is the user's: a reply cannot be begun for the model.",
    "alternation": "User and assistant take turns.",
    "empty": "A message has content.",
    "blank_text": "A text is more than white space.",
    "sides": "Calls and thinking are the assistant's; results, images and documents are the user's.",
    "call_ids": "The id of a call is its own in the request, and made of letters, digits, _ and -.",
    "results": "Each call has one result, before all else in the very next message; a result has its call.",
    "failed_results": "A result that is an error holds only text.",
    "thinking_signed": "Thinking carries its signature, or its data.",
    "thinking_first": "A message with thinking begins with thinking.",
    "thinking_last": "A message does not end with thinking.",
    "tool_names": "A tool has a name of its own, of 1 to 64 letters, digits, _ and -.",
    "tool_schemas": "The schema of a tool is that of an object, without alternatives at the top.",
    "tools_named": "A request with calls names tools.",
    "cache_marks": "At most 4 places are marked for the cache, each for 5 minutes or an hour.",
    "media_types": "An attachment is JPEG, PNG, GIF, WebP or PDF in base64, and is what it says.",
    "media_sizes": "Attachments are at most 100, 5 MB each and 24 MB together, in base64.",
}
"""What the checker asks of a body."""

_ID = re.compile(r"[a-zA-Z0-9_-]+")


class _Mark(BodyPart, frozen=True):
    type: str
    ttl: str = "5m"


class _Cached(BodyPart, frozen=True):
    cache_control: _Mark | None = None


class _Source(BodyPart, frozen=True, tag_field="type", tag="base64"):
    media_type: str
    data: str


class _Text(_Cached, frozen=True, kw_only=True, tag_field="type", tag="text"):
    text: str


class _Image(_Cached, frozen=True, kw_only=True, tag_field="type", tag="image"):
    source: _Source


class _Document(_Cached, frozen=True, kw_only=True, tag_field="type", tag="document"):
    source: _Source


class _Use(_Cached, frozen=True, kw_only=True, tag_field="type", tag="tool_use"):
    id: str
    name: str
    input: dict[str, object]


class _Result(_Cached, frozen=True, kw_only=True, tag_field="type", tag="tool_result"):
    tool_use_id: str
    content: tuple[_Text | _Image | _Document, ...] = ()
    is_error: bool = False


class _Thinking(BodyPart, frozen=True, tag_field="type", tag="thinking"):
    thinking: str
    signature: str


class _Redacted(BodyPart, frozen=True, tag_field="type", tag="redacted_thinking"):
    data: str


_Block: TypeAlias = _Text | _Image | _Document | _Use | _Result | _Thinking | _Redacted
_ASSISTANT = (_Text, _Use, _Thinking, _Redacted)
_USER = (_Text, _Image, _Document, _Result)


class _Message(BodyPart, frozen=True):
    role: Literal["user", "assistant"]
    content: list[_Block]


class _Tool(_Cached, frozen=True, kw_only=True):
    name: str
    input_schema: dict[str, object]
    description: str = ""


class _Body(BodyPart, frozen=True):
    model: str
    max_tokens: int
    messages: list[_Message]
    system: str | list[_Text] | None = None
    tools: tuple[_Tool, ...] = ()
    tool_choice: dict[str, object] | None = None
    stream: bool = False


def check(body: object) -> tuple[Violation, ...]:
    """Every rule of the Messages API that a body breaks."""
    asked = parsed(body, _Body)
    if not isinstance(asked, _Body):
        return asked
    found = Findings(RULES)
    found.unless(asked.model, "model", "model")
    found.unless(asked.max_tokens > 0, "max_tokens", "max_tokens")
    system = [_Text(text=asked.system)] if isinstance(asked.system, str) else asked.system or ()
    _check_texts("system", system, found)
    _check_turns(asked.messages, found)
    blocks = [message.content for message in asked.messages]
    for index, message in enumerate(asked.messages):
        _check_blocks(f"messages[{index}]", message, found)
        _check_results(f"messages[{index}]", blocks[index - 1] if index else (), blocks[index], found)
    # The calls of the last message have no message after them, so none of them may be there.
    _check_results("messages", blocks[-1] if blocks else (), (), found)
    _check_tools(asked, found)
    _check_marks([*asked.tools, *system, *(each for content in blocks for each in content)], found)
    check_media(list(_media(asked.messages)), BOUNDS, found)
    return found.all()


def _check_turns(messages: Sequence[_Message], found: Findings) -> None:
    roles = [message.role for message in messages]
    found.unless(roles[:1] == ["user"], "first", "messages[0]")
    found.unless(roles[-1:] == ["user"], "last", f"messages[{len(roles) - 1}]")
    for index in range(1, len(roles)):
        found.unless(roles[index] != roles[index - 1], "alternation", f"messages[{index}]")


def _check_blocks(where: str, message: _Message, found: Findings) -> None:
    content = message.content
    found.unless(content, "empty", where)
    _check_texts(where, content, found)
    lawful = _ASSISTANT if message.role == "assistant" else _USER
    found.unless(all(isinstance(block, lawful) for block in content), "sides", where)
    thinking = [isinstance(block, _Thinking | _Redacted) for block in content]
    found.unless(not any(thinking) or thinking[0], "thinking_first", where)
    found.unless(not thinking or not thinking[-1], "thinking_last", where)
    for block in content:
        match block:
            case _Thinking(signature="") | _Redacted(data=""):
                found.add("thinking_signed", where)
            case _Use():
                check_name(block.name, where, found)
            case _Result():
                _check_texts(where, block.content, found)
                plain = all(isinstance(inner, _Text) for inner in block.content)
                found.unless(plain or not block.is_error, "failed_results", where)
            case _:
                pass


def _check_texts(where: str, blocks: Sequence[_Block], found: Findings) -> None:
    texts = [block.text for block in blocks if isinstance(block, _Text)]
    found.unless(not any(is_blank(text) for text in texts), "blank_text", where)


def _check_results(where: str, before: Sequence[_Block], blocks: Sequence[_Block], found: Findings) -> None:
    """The results in one message against the calls in the one before it."""
    calls = sorted(block.id for block in before if isinstance(block, _Use))
    results = [block.tool_use_id for block in blocks if isinstance(block, _Result)]
    first = all(isinstance(block, _Result) for block in blocks[: len(results)])
    found.unless(first and calls == sorted(results), "results", where)


def _check_tools(asked: _Body, found: Findings) -> None:
    check_tools([(tool.name, tool.input_schema) for tool in asked.tools], found)
    uses = [
        (f"messages[{index}]", block.id)
        for index, message in enumerate(asked.messages)
        for block in message.content
        if isinstance(block, _Use)
    ]
    check_ids(uses, _ID, found)
    found.unless(asked.tools or not uses, "tools_named", "tools")


def _check_marks(places: Sequence[_Tool | _Block], found: Findings) -> None:
    inner = [each for place in places if isinstance(place, _Result) for each in place.content]
    marks = [each.cache_control for each in (*places, *inner) if isinstance(each, _Cached) and each.cache_control]
    found.unless(len(marks) <= _MARKS, "cache_marks", "cache_control")
    for mark in marks:
        found.unless(mark.type == "ephemeral" and mark.ttl in {"5m", "1h"}, "cache_marks", "cache_control")


def _media(messages: Sequence[_Message]) -> Iterator[tuple[str, str, str]]:
    for index, message in enumerate(messages):
        for block in message.content:
            inner = block.content if isinstance(block, _Result) else [block]
            for each in inner:
                if isinstance(each, _Image | _Document):
                    yield f"messages[{index}]", each.source.media_type, each.source.data
