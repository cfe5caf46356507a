"""Gemini's generateContent.

Calls of a reply are answered in the very next content, by as many responses under the
same names, and nothing else stands there. Thinking goes back as the signature on the
part it led to; models from 3 on refuse a call without one, and take a word in its place
that says the call is not theirs. The model stands in the body as `models/…`; who sends
it puts it into the address where the service wants it there.
Sources: generateContent reference, function calling and thought signature guides,
and what the service answers when it refuses.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, assert_never

from holdfast.context.legal.attachments import HEIC, HEIF, JPEG, PDF, PNG, WEBP, Bounds, Media
from holdfast.context.legal.calls import offered, parsed_arguments
from holdfast.context.legal.clean_text import CARRIED, clean, is_blank
from holdfast.context.legal.normalise import (
    Normaliser,
    Piece,
    SendableCall,
    SendableMessage,
    SendableText,
    SendableThinking,
    merged,
    output_of,
)
from holdfast.context.legal.rendered import Dropped, Json, Rendered, Violation
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

BOUNDS = Bounds(
    media_types=frozenset({HEIC, HEIF, JPEG, PDF, PNG, WEBP}),
    count=3000,
    each=7 * 1024 * 1024,
    total=18 * 1024 * 1024,  # a whole request with its attachments inside may have 20 MB
)
UNSIGNED = "skip_thought_signature_validator"
"""Google's own word for a call that its model did not sign, because another model made it."""

_LAX = re.compile(r"(?:models/)?gemini-[12]\b")
"""Models that do not mind a call without a signature."""


def render(request: Request, media: Mapping[BlobId, bytes]) -> Rendered:
    """A request for generateContent."""
    reader = Normaliser(request, media, BOUNDS, "base64")
    strict = not _LAX.match(request.target.model)
    contents = list(_contents(merged(reader.messages()), reader.dropped, strict=strict))
    body: Json = {"model": f"models/{request.target.model}"}
    system = clean(request.system)
    if not is_blank(system):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    declared = [
        {"name": name, "description": about, "parametersJsonSchema": schema}
        for name, about, schema in offered(request.tools, reader.dropped)
    ]
    if declared:
        body["tools"] = [{"functionDeclarations": declared}]
    limit = {"maxOutputTokens": request.max_output_tokens} if request.max_output_tokens else {}
    return Rendered(body={**body, "generationConfig": limit, "contents": contents}, dropped=tuple(reader.dropped))


def _contents(said: Iterator[SendableMessage], dropped: list[Dropped], *, strict: bool) -> Iterator[Json]:
    responses: list[Json] = []
    carried: list[Media] = []
    for each in said:
        if each.role == "tool":
            responses.append(_response(each))
            carried += [piece for piece in each.pieces if isinstance(piece, Media)]
            continue
        yield from _answered(responses, carried)
        responses, carried = [], []
        if each.role == "user":
            yield _user(each.pieces)
        else:
            yield {"role": "model", "parts": _reply(each, dropped, strict=strict)}
    yield from _answered(responses, carried)


def _answered(responses: Sequence[Json], carried: Sequence[Media]) -> Iterator[Json]:
    """The responses to all calls of a reply, and after them what they cannot carry."""
    if responses:
        yield {"role": "user", "parts": [*responses]}
    if carried:
        yield _user((SendableText(text=CARRIED), *carried))


def _response(said: SendableMessage) -> Json:
    response = {"output" if said.ok else "error": output_of(said)}
    return {"functionResponse": {"id": said.call, "name": said.name, "response": response}}


def _user(pieces: Sequence[Piece]) -> Json:
    return {"role": "user", "parts": [_part(piece) for piece in pieces if not isinstance(piece, SendableThinking)]}


def _reply(said: SendableMessage, dropped: list[Dropped], *, strict: bool) -> list[Json]:
    """A reply, each thought as the signature of what it led to: a call, or else the next words."""
    parts: list[Json] = []
    signature = ""
    unsigned = strict
    calls = [at for at, piece in enumerate(said.pieces) if isinstance(piece, SendableCall)]
    for at, piece in enumerate(said.pieces):
        if isinstance(piece, SendableThinking):
            if signature:
                dropped.append(Dropped(kind="thinking", why="another thought follows it", pos=said.pos))
            signature = piece.signature
            continue
        if isinstance(piece, SendableCall):
            signature = signature or (UNSIGNED if unsigned else "")
            unsigned = False  # of calls made together, the first carries the signature
        elif calls and at < calls[-1]:
            parts.append(_part(piece))
            continue
        parts.append({**_part(piece), "thoughtSignature": signature} if signature else _part(piece))
        signature = ""
    return parts


def _part(piece: SendableText | Media | SendableCall) -> Json:
    match piece:
        case SendableText():
            return {"text": piece.text}
        case Media():
            return {"inlineData": {"mimeType": piece.media_type, "data": piece.data}}
        case SendableCall():
            return {"functionCall": {"id": piece.id, "name": piece.name, "args": parsed_arguments(piece.arguments)}}
        case _:
            assert_never(piece)


RULES = EVERYWHERE | {
    "model": "A request names its model.",
    "max_output_tokens": "A reply may have at least one token.",
    "first": "The first content is the user's.",
    "last": "The last content is the user's.",
    "alternation": "The model does not speak twice in a row.",
    "empty": "A content has parts, and a part says one thing that is not blank.",
    "sides": "Calls and signatures are the model's; responses and attachments are the user's.",
    "call_ids": "The id of a call is its own in the request.",
    "results": "The calls of a reply are answered in the very next content, each once, by name, and alone.",
    "signature_base64": "A signature is base64.",
    "call_signed": "In the present turn, the first call of each reply is signed.",
    "tool_names": "A function has a name of its own, of 1 to 64 letters, digits, _ and -, no digit first.",
    "tool_schemas": "The schema of a function is that of an object, without alternatives at the top.",
    "media_types": "An attachment is JPEG, PNG, WebP, HEIC, HEIF or PDF in base64, and is what it says.",
    "media_sizes": "Attachments are at most 3000, 7 MB each and 18 MB together, in base64.",
}
"""What the checker asks of a body."""

_ID = re.compile(r"[^\s]{1,64}")
_FIRST = re.compile(r"[a-zA-Z_]")
_BASE64 = re.compile(r"(?:[\w+/-]{4})*(?:[\w+/-]{2}==|[\w+/-]{3}=)?", re.ASCII)


class _Camel(BodyPart, frozen=True, rename="camel"):
    """A part of a body."""


class _Inline(_Camel, frozen=True):
    mime_type: str
    data: str


class _Call(_Camel, frozen=True):
    name: str
    args: dict[str, object]
    id: str


class _Response(_Camel, frozen=True):
    name: str
    response: dict[str, object]
    id: str


class _Part(_Camel, frozen=True):
    text: str | None = None
    inline_data: _Inline | None = None
    function_call: _Call | None = None
    function_response: _Response | None = None
    thought_signature: str | None = None


class _Content(_Camel, frozen=True):
    role: Literal["user", "model"]
    parts: list[_Part]


class _System(_Camel, frozen=True):
    parts: list[_Part]


class _Function(_Camel, frozen=True):
    name: str
    parameters_json_schema: dict[str, object]
    description: str = ""


class _Tools(_Camel, frozen=True):
    function_declarations: list[_Function]


class _Config(_Camel, frozen=True):
    max_output_tokens: int | None = None


class _Body(_Camel, frozen=True):
    model: str
    contents: list[_Content]
    generation_config: _Config
    system_instruction: _System | None = None
    tools: tuple[_Tools, ...] = ()


def check(body: object) -> tuple[Violation, ...]:
    """Every rule of generateContent that a body breaks."""
    asked = parsed(body, _Body)
    if not isinstance(asked, _Body):
        return asked
    found = Findings(RULES)
    found.unless(asked.model.removeprefix("models/"), "model", "model")
    limit = asked.generation_config.max_output_tokens
    found.unless(limit is None or limit > 0, "max_output_tokens", "generationConfig")
    for part in asked.system_instruction.parts if asked.system_instruction else ():
        found.unless(part.text and _full(part), "empty", "systemInstruction")
    _check_turns(asked.contents, found)
    parts = [content.parts for content in asked.contents]
    for index, content in enumerate(asked.contents):
        _check_parts(f"contents[{index}]", content, found)
        _check_results(f"contents[{index}]", parts[index - 1] if index else (), parts[index], found)
    _check_results("contents", parts[-1] if parts else (), (), found)
    if not _LAX.match(asked.model):
        _check_signed(asked.contents, found)
    _check_tools(asked, found)
    check_media(list(_media(asked.contents)), BOUNDS, found)
    return found.all()


def _check_turns(contents: Sequence[_Content], found: Findings) -> None:
    roles = [content.role for content in contents]
    found.unless(roles[:1] == ["user"], "first", "contents[0]")
    found.unless(roles[-1:] == ["user"], "last", f"contents[{len(roles) - 1}]")
    for index in range(1, len(roles)):
        found.unless(roles[index - 1 : index + 1] != ["model", "model"], "alternation", f"contents[{index}]")


def _check_parts(where: str, content: _Content, found: Findings) -> None:
    found.unless(content.parts and all(_full(part) for part in content.parts), "empty", where)
    for part in content.parts:
        if content.role == "user":
            found.unless(part.function_call is None and part.thought_signature is None, "sides", where)
        else:
            found.unless(part.function_response is None and part.inline_data is None, "sides", where)
        if part.thought_signature is not None:
            signed = part.thought_signature and _BASE64.fullmatch(part.thought_signature)
            found.unless(signed, "signature_base64", where)


def _full(part: _Part) -> bool:
    said = [
        each for each in (part.text, part.inline_data, part.function_call, part.function_response) if each is not None
    ]
    return len(said) == 1 and not (isinstance(said[0], str) and is_blank(said[0]))


def _check_results(where: str, before: Sequence[_Part], parts: Sequence[_Part], found: Findings) -> None:
    """The responses in one content against the calls in the one before it."""
    calls = [(part.function_call.id, part.function_call.name) for part in before if part.function_call]
    results = [(part.function_response.id, part.function_response.name) for part in parts if part.function_response]
    alone = not results or len(results) == len(parts)
    found.unless(alone and sorted(calls) == sorted(results), "results", where)


def _check_signed(contents: Sequence[_Content], found: Findings) -> None:
    """A turn begins with what a person wrote last."""
    asked = [index for index, each in enumerate(contents) if each.role == "user" and any(p.text for p in each.parts)]
    for index in range(asked[-1] if asked else 0, len(contents)):
        calls = [part for part in contents[index].parts if part.function_call]
        found.unless(not calls or calls[0].thought_signature, "call_signed", f"contents[{index}]")


def _check_tools(asked: _Body, found: Findings) -> None:
    functions = [each for tools in asked.tools for each in tools.function_declarations]
    check_tools([(each.name, each.parameters_json_schema) for each in functions], found)
    calls = [
        (f"contents[{index}]", part.function_call)
        for index, content in enumerate(asked.contents)
        for part in content.parts
        if part.function_call
    ]
    check_ids([(where, call.id) for where, call in calls], _ID, found)
    for where, name in [*((where, call.name) for where, call in calls), *(("tools", each.name) for each in functions)]:
        check_name(name, where, found)
        found.unless(_FIRST.match(name), "tool_names", where)


def _media(contents: Sequence[_Content]) -> Iterator[tuple[str, str, str]]:
    for index, content in enumerate(contents):
        for part in content.parts:
            if part.inline_data:
                yield f"contents[{index}]", part.inline_data.mime_type, part.inline_data.data
