"""OpenAI's Responses API, used without its memory: our log is the only transcript.

A conversation is a flat list of items. Each call has an output under its id, and each
output its call. Reasoning goes back encrypted, under the id and as this model gave it,
and only before what it led to. Messages of the assistant must have ids: they get ones of
our own, because the service refuses its own id where the reasoning before it is not sent.
Sources: Responses reference, reasoning and vision guides, and what the service
answers when it refuses.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, assert_never

from holdfast.context.legal.attachments import GIF, JPEG, PDF, PNG, WEBP, Bounds, Media
from holdfast.context.legal.calls import offered
from holdfast.context.legal.clean_text import clean, is_blank
from holdfast.context.legal.normalise import (
    Normaliser,
    Piece,
    SendableCall,
    SendableMessage,
    SendableText,
    SendableThinking,
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
from holdfast.ids import BlobId
from holdfast.model.protocol import Request

BOUNDS = Bounds(
    media_types=frozenset({GIF, JPEG, PDF, PNG, WEBP}),
    count=500,
    each=20 * 1024 * 1024,
    total=45 * 1024 * 1024,  # a whole request may have 50 MB
)
LEAST_OUTPUT = 16
"""The smallest bound of a reply that the service takes."""
REASONS = re.compile(r"(o\d|gpt-([5-9]|\d\d))(?!.*chat)")
"""Models that reason; the others refuse to be asked for it."""
ENCRYPTED = "reasoning.encrypted_content"
"""What is asked for so that reasoning can go back, as nothing is stored there."""
_SIGNED = re.compile(r"(rs_[\w-]{1,100}):(.+)", re.DOTALL)


def signature(item: str, encrypted: str) -> str:
    """Encrypted reasoning and the id it came under, as the signature of a thought; one is refused without the other."""
    found = _SIGNED.fullmatch(f"{item}:{encrypted}")
    return found[0] if found else encrypted


def render(request: Request, media: Mapping[BlobId, bytes]) -> Rendered:
    """A request for the Responses API."""
    reader = Normaliser(request, media, BOUNDS, "signed")
    items = [item for said in reader.messages() for item in _items(said)]
    for index, item in enumerate(items):
        if item.get("role") == "assistant":
            item["id"] = f"msg_{index}"
    body: Json = {"model": request.target.model}
    if request.max_output_tokens:
        body["max_output_tokens"] = max(LEAST_OUTPUT, request.max_output_tokens)
    system = clean(request.system)
    if not is_blank(system):
        body["instructions"] = system
    tools = [
        {"type": "function", "name": name, "description": about, "parameters": schema, "strict": False}
        for name, about, schema in offered(request.tools, reader.dropped)
    ]
    if tools:
        body["tools"] = tools
    if REASONS.match(request.target.model):
        body["include"] = [ENCRYPTED]
    return Rendered(body={**body, "store": False, "input": items}, dropped=tuple(reader.dropped))


def _items(said: SendableMessage) -> Iterator[Json]:
    if said.role == "tool":
        yield {"type": "function_call_output", "call_id": said.call, "output": _output(said)}
    elif said.role == "user":
        yield {"type": "message", "role": "user", "content": _content(said.pieces)}
    else:
        yield from (_item(piece) for piece in said.pieces)


def _output(said: SendableMessage) -> str | list[Json]:
    """What a tool gave. The family has no mark for a failure, so the words say it."""
    if any(isinstance(piece, Media) for piece in said.pieces):
        failed = () if said.ok else (SendableText(text="[failed]"),)
        return _content((*failed, *said.pieces))
    text = text_of(said.pieces)
    return text if said.ok else f"[failed] {text}"


def _content(pieces: Sequence[Piece]) -> list[Json]:
    return [_part(piece) for piece in pieces if isinstance(piece, SendableText | Media)]


def _part(piece: SendableText | Media) -> Json:
    match piece:
        case SendableText():
            return {"type": "input_text", "text": piece.text}
        case Media(media_type="application/pdf"):
            name = clean(piece.name) or "document.pdf"
            return {"type": "input_file", "filename": name, "file_data": _url(piece)}
        case Media():
            return {"type": "input_image", "detail": "auto", "image_url": _url(piece)}
        case _:
            assert_never(piece)


def _url(media: Media) -> str:
    return f"data:{media.media_type};base64,{media.data}"


def _item(piece: Piece) -> Json:
    """One item of a reply."""
    match piece:
        case SendableThinking():
            summary = [] if is_blank(piece.text) else [{"type": "summary_text", "text": piece.text}]
            found = _SIGNED.fullmatch(piece.signature)
            item: Json = {"id": found[1]} if found else {}
            encrypted = found[2] if found else piece.signature
            return {"type": "reasoning", **item, "summary": summary, "encrypted_content": encrypted}
        case SendableCall():
            return {"type": "function_call", "call_id": piece.id, "name": piece.name, "arguments": piece.arguments}
        case SendableText() | Media():
            content = [{"type": "output_text", "text": text_of((piece,)), "annotations": []}]
            return {"type": "message", "role": "assistant", "status": "completed", "content": content}
        case _:
            assert_never(piece)


RULES = EVERYWHERE | {
    "model": "A request names its model.",
    "max_output_tokens": "A reply may have at least 16 tokens.",
    "input": "A request has input, and a user speaks first.",
    "empty": "A message, an output and the instructions have content.",
    "sides": "Output text is the assistant's; input text, images and files are the user's.",
    "item_ids": "A message of the assistant has an id that begins with msg_ and a status; an id is its own.",
    "call_ids": "The id of a call is its own in the request, of 1 to 64 characters.",
    "arguments": "The arguments of a call are the text of a JSON object.",
    "results": "Each call has one output after it; an output has its call.",
    "reasoning_encrypted": "Reasoning comes back encrypted, because nothing is stored.",
    "reasoning_followed": "After reasoning comes what it led to: a message of the assistant, or a call.",
    "tool_names": "A tool has a name of its own, of 1 to 64 letters, digits, _ and -.",
    "tool_schemas": "The schema of a tool is that of an object, without alternatives at the top.",
    "tool_count": "Tools are at most 128.",
    "media_types": "An attachment is JPEG, PNG, GIF, WebP or PDF in a data URL, and is what it says.",
    "media_sizes": "Attachments are at most 500, 20 MB each and 45 MB together, in base64.",
}
"""What the checker asks of a body."""

_ID = re.compile(r"[^\s]{1,64}")
_MESSAGE_ID = re.compile(r"msg_[\w-]{1,60}")
_MOST_TOOLS = 128


class _InputText(BodyPart, frozen=True, tag_field="type", tag="input_text"):
    text: str


class _OutputText(BodyPart, frozen=True, tag_field="type", tag="output_text"):
    text: str
    annotations: tuple[object, ...]


class _Image(BodyPart, frozen=True, tag_field="type", tag="input_image"):
    image_url: str
    detail: Literal["auto", "low", "high"] = "auto"


class _File(BodyPart, frozen=True, tag_field="type", tag="input_file"):
    filename: str
    file_data: str


_Part: TypeAlias = _InputText | _OutputText | _Image | _File


class _Message(BodyPart, frozen=True, tag_field="type", tag="message"):
    role: Literal["user", "assistant"]
    content: list[_Part]
    id: str | None = None
    status: Literal["completed"] | None = None


class _Call(BodyPart, frozen=True, tag_field="type", tag="function_call"):
    call_id: str
    name: str
    arguments: str


class _Output(BodyPart, frozen=True, tag_field="type", tag="function_call_output"):
    call_id: str
    output: str | list[_InputText | _Image | _File]


class _Summary(BodyPart, frozen=True, tag_field="type", tag="summary_text"):
    text: str


class _Reasoning(BodyPart, frozen=True, tag_field="type", tag="reasoning"):
    summary: list[_Summary]
    encrypted_content: str
    id: str | None = None


_Item: TypeAlias = _Message | _Call | _Output | _Reasoning


class _Tool(BodyPart, frozen=True):
    type: Literal["function"]
    name: str
    parameters: dict[str, object]
    description: str = ""
    strict: bool = False


class _Body(BodyPart, frozen=True):
    model: str
    input: list[_Item]
    store: Literal[False]
    max_output_tokens: int | None = None
    instructions: str | None = None
    tools: tuple[_Tool, ...] = ()
    include: tuple[str, ...] = ()
    stream: bool = False


def check(body: object) -> tuple[Violation, ...]:
    """Every rule of the Responses API that a body breaks."""
    asked = parsed(body, _Body)
    if not isinstance(asked, _Body):
        return asked
    found = Findings(RULES)
    found.unless(asked.model, "model", "model")
    limit = asked.max_output_tokens
    found.unless(limit is None or limit >= LEAST_OUTPUT, "max_output_tokens", "max_output_tokens")
    found.unless(asked.instructions != "", "empty", "instructions")
    first = asked.input[0] if asked.input else None
    found.unless(isinstance(first, _Message) and first.role == "user", "input", "input[0]")
    for index, item in enumerate(asked.input):
        after = asked.input[index + 1] if index + 1 < len(asked.input) else None
        _check_item(f"input[{index}]", item, after, found)
    _check_calls(asked.input, found)
    ids = [item.id for item in asked.input if isinstance(item, _Message | _Reasoning) and item.id]
    found.unless(len(ids) == len(set(ids)), "item_ids", "input")
    check_tools([(tool.name, tool.parameters) for tool in asked.tools], found)
    found.unless(len(asked.tools) <= _MOST_TOOLS, "tool_count", "tools")
    check_media(list(_media(asked.input)), BOUNDS, found)
    return found.all()


def _check_item(where: str, item: _Item, after: _Item | None, found: Findings) -> None:
    match item:
        case _Message():
            theirs = item.role == "assistant"
            sided = all(isinstance(part, _OutputText) == theirs for part in item.content)
            found.unless(sided, "sides", where)
            found.unless(_full(item.content), "empty", where)
            named = bool(item.id and _MESSAGE_ID.fullmatch(item.id) and item.status)
            found.unless(named if theirs else item.id is None, "item_ids", where)
        case _Call():
            check_name(item.name, where, found)
            found.unless(is_object(item.arguments), "arguments", where)
        case _Output():
            found.unless(item.output if isinstance(item.output, str) else _full(item.output), "empty", where)
        case _Reasoning():
            found.unless(item.encrypted_content, "reasoning_encrypted", where)
            found.unless(_led_to(after), "reasoning_followed", where)
        case _:
            assert_never(item)


def _full(content: Sequence[_Part]) -> bool:
    texts = (part.text for part in content if isinstance(part, _InputText | _OutputText))
    return bool(content) and all(texts)


def _led_to(after: _Item | None) -> bool:
    return isinstance(after, _Call | _Reasoning) or (isinstance(after, _Message) and after.role == "assistant")


def _check_calls(items: Sequence[_Item], found: Findings) -> None:
    called: set[str] = set()
    outputs = Counter(item.call_id for item in items if isinstance(item, _Output))
    for index, item in enumerate(items):
        match item:
            case _Call():
                called.add(item.call_id)
                found.unless(outputs[item.call_id] == 1, "results", f"input[{index}]")
            case _Output():
                found.unless(item.call_id in called, "results", f"input[{index}]")
            case _:
                pass
    ids = [(f"input[{index}]", item.call_id) for index, item in enumerate(items) if isinstance(item, _Call)]
    check_ids(ids, _ID, found)


def _media(items: Sequence[_Item]) -> Iterator[tuple[str, str, str]]:
    for index, item in enumerate(items):
        for part in _parts(item):
            if isinstance(part, _Image):
                yield f"input[{index}]", *from_data_url(part.image_url)
            elif isinstance(part, _File):
                yield f"input[{index}]", *from_data_url(part.file_data)


def _parts(item: _Item) -> Sequence[_Part]:
    match item:
        case _Message():
            return item.content
        case _Output(output=list()):
            return [part for part in item.output if not isinstance(part, str)]
        case _:
            return ()
