"""OpenAI's chat completions, and the many services that speak them.

A reply with calls is followed directly by one message for each of them, and these
hold only text: what else a tool gave comes after them, as the user's. Thinking goes
back to the service that sent it, in the form in which it came (`thoughts`).
Sources: chat completions reference, vision and file guides, the guides to thinking of
DeepSeek, Moonshot, OpenRouter, vLLM and Mistral, and what services answer when they refuse.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, assert_never

from msgspec.structs import replace

from holdfast.context.legal.attachments import GIF, JPEG, PDF, PNG, WEBP, Bounds, Media
from holdfast.context.legal.calls import offered
from holdfast.context.legal.clean_text import CARRIED, clean, is_blank
from holdfast.context.legal.normalise import (
    Normaliser,
    Piece,
    SendableCall,
    SendableMessage,
    SendableText,
    SendableThinking,
    output_of,
    text_of,
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
    from_data_url,
    is_object,
    parsed,
)
from holdfast.context.legal.thoughts import FIELDS, ITEMS, returned
from holdfast.ids import BlobId
from holdfast.model.protocol import Request

BOUNDS = Bounds(
    media_types=frozenset({GIF, JPEG, PDF, PNG, WEBP}),
    count=500,
    each=20 * 1024 * 1024,
    total=45 * 1024 * 1024,  # a whole request may have 50 MB
)

THINKING_ALWAYS = frozenset({"deepseek", "moonshot"})
"""Providers that want `reasoning_content` on every assistant message, empty where there was none."""
_OPENAI = re.compile(r"(gpt-(?!oss)|chatgpt|o\d\b)")
"""OpenAI's own models: over chat completions they neither send thinking nor take it."""
REQUIRED = "reasoning_content"
OLD_LIMIT = frozenset({"deepseek", "mistral", "moonshot", "ollama"})
"""Providers that know `max_tokens` and not `max_completion_tokens`."""


def render(request: Request, media: Mapping[BlobId, bytes]) -> Rendered:
    """A request for chat completions."""
    provider = request.target.provider
    thinks = not _OPENAI.match(request.target.model)
    reader = Normaliser(request, media, BOUNDS, "plain" if thinks else "none")
    system = clean(request.system)
    messages: list[Json] = [] if is_blank(system) else [{"role": "system", "content": system}]
    messages.extend(_messages(reader.messages(), always=thinks and provider in THINKING_ALWAYS))
    limit = "max_tokens" if provider in OLD_LIMIT else "max_completion_tokens"
    body: Json = {"model": request.target.model}
    if request.max_output_tokens:
        body[limit] = request.max_output_tokens
    body["messages"] = messages
    tools = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
        for name, about, schema in offered(request.tools, reader.dropped)
    ]
    return Rendered(body={**body, "tools": tools} if tools else body, dropped=tuple(reader.dropped))


def _messages(said: Iterator[SendableMessage], *, always: bool) -> Iterator[Json]:
    carried: list[Media] = []
    for each in said:
        if each.role != "tool" and carried:
            yield _user((SendableText(text=CARRIED), *carried))
            carried = []
        if each.role == "user":
            yield _user(each.pieces)
        elif each.role == "assistant":
            yield _reply(each.pieces, always=always)
        else:
            carried += [piece for piece in each.pieces if isinstance(piece, Media)]
            yield {"role": "tool", "tool_call_id": each.call, "content": _output(each)}
    if carried:
        yield _user((SendableText(text=CARRIED), *carried))


def _output(said: SendableMessage) -> str:
    """What a tool gave. The family has no mark for a failure, so the words say it."""
    return output_of(said) if said.ok else f"[failed] {output_of(said)}"


def _user(pieces: Sequence[Piece]) -> Json:
    if all(isinstance(piece, SendableText) for piece in pieces):
        return {"role": "user", "content": text_of(pieces)}
    return {"role": "user", "content": [_part(piece) for piece in pieces if isinstance(piece, SendableText | Media)]}


def _part(piece: SendableText | Media) -> Json:
    match piece:
        case SendableText():
            return {"type": "text", "text": piece.text}
        case Media(media_type="application/pdf"):
            name = clean(piece.name) or "document.pdf"
            return {"type": "file", "file": {"filename": name, "file_data": _url(piece)}}
        case Media():
            return {"type": "image_url", "image_url": {"url": _url(piece)}}
        case _:
            assert_never(piece)


def _url(media: Media) -> str:
    return f"data:{media.media_type};base64,{media.data}"


def _reply(pieces: Sequence[Piece], *, always: bool) -> Json:
    calls = [
        {"id": piece.id, "type": "function", "function": {"name": piece.name, "arguments": piece.arguments}}
        for piece in pieces
        if isinstance(piece, SendableCall)
    ]
    thoughts = [piece for piece in pieces if isinstance(piece, SendableThinking)]
    if always:  # logs of earlier versions do not say the form, and here there is only one
        thoughts = [replace(each, form=each.form or REQUIRED) for each in thoughts]
    message: Json = {"role": "assistant", **returned(thoughts, text_of(pieces))}
    if always:
        message.setdefault(REQUIRED, "")
    return {**message, "tool_calls": calls} if calls else message


RULES = EVERYWHERE | {
    "model": "A request names its model.",
    "max_tokens": "The longest reply is named at most once, with at least one token.",
    "messages": "A request has messages, and a user speaks before the assistant.",
    "empty": "A message has content; only a reply with calls may have none.",
    "call_ids": "The id of a call is its own in the request, of 1 to 40 characters.",
    "calls": "A list of calls is not empty.",
    "arguments": "The arguments of a call are the text of a JSON object.",
    "results": "Each call has one message of its own directly after the reply; a result has its call.",
    "thinking": "OpenAI's models take no thinking back; where a reply has it empty, each reply has it.",
    "tool_names": "A tool has a name of its own, of 1 to 64 letters, digits, _ and -.",
    "tool_schemas": "The schema of a tool is that of an object, without alternatives at the top.",
    "tool_count": "Tools are at most 128.",
    "media_types": "An attachment is JPEG, PNG, GIF, WebP or PDF in a data URL, and is what it says.",
    "media_sizes": "Attachments are at most 500, 20 MB each and 45 MB together, in base64.",
}
"""What the checker asks of a body."""

_ID = re.compile(r"[^\s]{1,40}")
_MOST_TOOLS = 128


class _Text(BodyPart, frozen=True, tag_field="type", tag="text"):
    text: str


class _Url(BodyPart, frozen=True):
    url: str
    detail: str = "auto"


class _Image(BodyPart, frozen=True, tag_field="type", tag="image_url"):
    image_url: _Url


class _FileData(BodyPart, frozen=True):
    file_data: str
    filename: str


class _File(BodyPart, frozen=True, tag_field="type", tag="file"):
    file: _FileData


class _Function(BodyPart, frozen=True):
    name: str
    arguments: str


class _Call(BodyPart, frozen=True):
    id: str
    type: Literal["function"]
    function: _Function


class _Thinking(BodyPart, frozen=True, tag_field="type", tag="thinking"):
    thinking: list[_Text]


class _System(BodyPart, frozen=True, tag_field="role", tag="system"):
    content: str | list[_Text]


class _User(BodyPart, frozen=True, tag_field="role", tag="user"):
    content: str | list[_Text | _Image | _File]


class _Assistant(BodyPart, frozen=True, tag_field="role", tag="assistant"):
    content: str | list[_Text | _Thinking] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_text: str | None = None
    thinking: str | None = None
    reasoning_details: tuple[dict[str, object], ...] = ()
    thinking_blocks: tuple[dict[str, object], ...] = ()
    tool_calls: list[_Call] | None = None


class _Tool(BodyPart, frozen=True, tag_field="role", tag="tool"):
    tool_call_id: str
    content: str | list[_Text]


_Message: TypeAlias = _System | _User | _Assistant | _Tool


class _Declared(BodyPart, frozen=True):
    name: str
    parameters: dict[str, object]
    description: str = ""


class _Offered(BodyPart, frozen=True):
    type: Literal["function"]
    function: _Declared


class _Body(BodyPart, frozen=True):
    model: str
    messages: list[_Message]
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    tools: tuple[_Offered, ...] = ()
    stream: bool = False
    stream_options: dict[str, object] | None = None


def check(body: object) -> tuple[Violation, ...]:
    """Every rule of chat completions that a body breaks."""
    asked = parsed(body, _Body)
    if not isinstance(asked, _Body):
        return asked
    found = Findings(RULES)
    found.unless(asked.model, "model", "model")
    limits = [limit for limit in (asked.max_tokens, asked.max_completion_tokens) if limit is not None]
    found.unless(len(limits) <= 1 and all(limit > 0 for limit in limits), "max_tokens", "max_tokens")
    spoken = [message for message in asked.messages if not isinstance(message, _System)]
    found.unless(spoken and isinstance(spoken[0], _User), "messages", "messages")
    for index, message in enumerate(asked.messages):
        _check_content(f"messages[{index}]", message, found)
    _check_calls(asked.messages, found)
    _check_thinking(asked, found)
    check_tools([(tool.function.name, tool.function.parameters) for tool in asked.tools], found)
    found.unless(len(asked.tools) <= _MOST_TOOLS, "tool_count", "tools")
    check_media(list(_media(asked.messages)), BOUNDS, found)
    return found.all()


def _check_content(where: str, message: _Message, found: Findings) -> None:
    called = isinstance(message, _Assistant) and message.tool_calls
    content = message.content
    if isinstance(content, list):
        found.unless(content and all(not isinstance(part, _Text) or part.text for part in content), "empty", where)
    else:
        found.unless(content or (content is None and called), "empty", where)


def _check_calls(messages: Sequence[_Message], found: Findings) -> None:
    """Walk the messages with the ids that still want a result."""
    open_ids: list[str] = []
    ids: list[tuple[str, str]] = []
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        if isinstance(message, _Tool):
            found.unless(message.tool_call_id in open_ids, "results", where)
            open_ids = [each for each in open_ids if each != message.tool_call_id]
            continue
        found.unless(not open_ids, "results", where)
        calls = message.tool_calls if isinstance(message, _Assistant) else None
        found.unless(calls is None or calls, "calls", where)
        for call in calls or ():
            check_name(call.function.name, where, found)
            found.unless(is_object(call.function.arguments), "arguments", where)
        open_ids = [call.id for call in calls or ()]
        ids += [(where, each) for each in open_ids]
    found.unless(not open_ids, "results", "messages")
    check_ids(ids, _ID, found)


def _check_thinking(asked: _Body, found: Findings) -> None:
    replies = [message for message in asked.messages if isinstance(message, _Assistant)]
    given = [reply.reasoning_content for reply in replies]
    found.unless("" not in given or None not in given, "thinking", "messages")
    thought = any(getattr(reply, name) for reply in replies for name in (*FIELDS, *ITEMS))
    found.unless(not (thought and _OPENAI.match(asked.model)), "thinking", "messages")


def _media(messages: Sequence[_Message]) -> Iterator[tuple[str, str, str]]:
    for index, message in enumerate(messages):
        for part in message.content if isinstance(message, _User) and isinstance(message.content, list) else ():
            if isinstance(part, _Image):
                yield f"messages[{index}]", *from_data_url(part.image_url.url)
            elif isinstance(part, _File):
                yield f"messages[{index}]", *from_data_url(part.file.file_data)
