"""Normalises the messages of a request, for the renderers of all families.

What holds for all of them is decided here once: text that can be sent, no empty
message, thinking only of the very model that is asked, attachments within bounds and
a line where one is missing. What is left to a family is its own form.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, assert_never

from msgspec.structs import replace

from holdfast.context.legal.attachments import (
    Bounds,
    Media,
    encoded_size,
    media_of,
    too_many,
    why_not,
)
from holdfast.context.legal.calls import wire_arguments, wire_id, wire_name
from holdfast.context.legal.clean_text import EMPTY_MESSAGE, NO_OUTPUT, clean, crumb, is_blank, is_clean
from holdfast.context.legal.rendered import Dropped
from holdfast.ids import BlobId, Position
from holdfast.model.protocol import AssistantMessage, Message, Request, Target, ToolMessage, UserMessage
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall, Value
from holdfast.session.export.content import is_text

Proof = Literal["none", "plain", "signed", "base64"]
"""Which thinking a family takes back: none, any of this model's, signed, or signed in base64."""

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}==|[A-Za-z0-9+/_-]{3}=)?")


class SendableText(Value, frozen=True, kw_only=True):
    """Something to read; never blank."""

    text: str


class SendableThinking(Value, frozen=True, kw_only=True):
    """Thinking that may go back."""

    text: str
    signature: str
    form: str = ""


class SendableCall(Value, frozen=True, kw_only=True):
    """A call that may go back."""

    id: str
    name: str
    arguments: str
    """The text of a JSON object."""


Piece: TypeAlias = SendableText | Media | SendableThinking | SendableCall


class SendableMessage(Value, frozen=True, kw_only=True):
    """A message that may be sent; never empty, and never nothing but thoughts."""

    role: Literal["user", "assistant", "tool"]
    pieces: tuple[Piece, ...]
    pos: Position
    call: str = ""
    """Of a tool's result: the id of the call."""
    name: str = ""
    """Of a tool's result: the name of the tool."""
    ok: bool = True


class Normaliser:
    """Reads the messages of one request."""

    def __init__(self, request: Request, media: Mapping[BlobId, bytes], bounds: Bounds, proof: Proof) -> None:
        """Decide which attachments are sent; the rest is decided message by message."""
        self._request, self._media, self._bounds, self._proof = request, media, bounds, proof
        self._older = _older(request.messages, media, bounds)
        self.dropped: list[Dropped] = []

    def messages(self) -> Iterator[SendableMessage]:
        """Every message that has something to say."""
        for message in self._request.messages:
            said = self._said(message)
            # A reply of which only dropped thoughts were left: an empty message is refused by every family.
            if said.pieces:
                yield said

    def _said(self, message: Message) -> SendableMessage:
        pos = message.pos
        match message:
            case UserMessage():
                pieces = tuple(self._shown(message.parts, pos)) or (SendableText(text=EMPTY_MESSAGE),)
                return SendableMessage(role="user", pieces=pieces, pos=pos)
            case ToolMessage():
                pieces = tuple(self._shown(message.parts, pos)) or (SendableText(text=NO_OUTPUT),)
                call, name = wire_id(message.call), wire_name(message.name)
                return SendableMessage(role="tool", pieces=pieces, pos=pos, call=call, name=name, ok=message.ok)
            case AssistantMessage():
                return SendableMessage(role="assistant", pieces=self._replied(message), pos=pos)
            case _:
                assert_never(message)

    def _shown(self, parts: tuple[Part, ...], pos: Position) -> Iterator[Piece]:
        """What a person or a tool gave."""
        for part in parts:
            match part:
                case Text():
                    yield from _words(part.text)
                case Blob():
                    yield from self._attached(part, pos)
                case Thinking():
                    self._drop("thinking", "it is not in a reply", pos)
                case ToolCall():
                    self._drop("call", "it is not in a reply", pos, part.name)
                case _:
                    assert_never(part)

    def _replied(self, message: AssistantMessage) -> tuple[Piece, ...]:
        """What the model said. A thought that nothing follows goes, as no family takes it."""
        pieces: list[Piece] = []
        for part in message.parts:
            match part:
                case Text():
                    pieces.extend(_words(part.text))
                case Blob() if is_text(part):
                    pieces.extend(self._read(part, message.pos))
                case Blob():
                    pieces.append(SendableText(text=crumb(part)))
                    self._drop_blob(part, "a reply cannot carry it", message.pos)
                case Thinking():
                    pieces.extend(self._thought(part, message.pos))
                case ToolCall():
                    name, arguments = wire_name(part.name), wire_arguments(part.arguments)
                    pieces.append(SendableCall(id=wire_id(part.id), name=name, arguments=arguments))
                case _:
                    assert_never(part)
        # In chat completions thinking is a field of the message, wherever it stood.
        alone = self._proof != "plain" or all(isinstance(piece, SendableThinking) for piece in pieces)
        while alone and pieces and isinstance(pieces[-1], SendableThinking):
            pieces.pop()
            self._drop("thinking", "nothing was said after it", message.pos)
        return tuple(pieces)

    def _thought(self, part: Thinking, pos: Position) -> Iterator[Piece]:
        why = _unproven(part, self._request.target, self._proof)
        if why:
            self._drop("thinking", why, pos)
        else:
            yield SendableThinking(text=part.text, signature=part.signature, form=part.form)

    def _read(self, blob: Blob, pos: Position) -> Iterator[SendableText]:
        """A text that lies beside the log: all of it if it is at hand, or else how it begins."""
        data = self._media.get(blob.blob)
        if data is None:
            yield from _words(blob.preview)
            yield SendableText(text=crumb(blob, "only its beginning is shown" if blob.preview else "not shown"))
            self._drop("text", "its bytes are not at hand", pos, blob.name)
        else:
            yield from _words(f"[{blob.name}]" if blob.name else "")
            yield from _words(data.decode("utf-8", "replace"))

    def _attached(self, blob: Blob, pos: Position) -> Iterator[Piece]:
        if is_text(blob):
            yield from self._read(blob, pos)
        elif why := why_not(blob, self._media, self._bounds) or self._left_behind():
            yield SendableText(text=crumb(blob))
            self._drop_blob(blob, why, pos)
        else:
            yield media_of(blob, self._media[blob.blob])

    def _left_behind(self) -> str:
        """Why an attachment that could be sent is not: there are too many newer ones."""
        # Counted from the oldest on, in the order in which `_older` measured them.
        self._older -= 1
        return "" if self._older < 0 else "there are too many newer ones"

    def _drop_blob(self, blob: Blob, why: str, pos: Position) -> None:
        self._drop("image" if blob.media_type.startswith("image/") else "file", why, pos, blob.name)

    def _drop(
        self, kind: Literal["thinking", "image", "file", "text", "call"], why: str, pos: Position, name: str = ""
    ) -> None:
        self.dropped.append(Dropped(kind=kind, why=why, pos=pos, name=name))


def without_thinking(request: Request) -> Request:
    """The request without what the model thought, for services that refuse it."""
    return replace(request, messages=tuple(map(_without_thoughts, request.messages)))


def merged(messages: Iterator[SendableMessage]) -> Iterator[SendableMessage]:
    """The messages, with what one side said in a row as one message."""
    last: SendableMessage | None = None
    for said in messages:
        if last is not None and said.role == last.role != "tool":
            last = SendableMessage(role=said.role, pieces=last.pieces + said.pieces, pos=said.pos)
            continue
        if last is not None:
            yield last
        last = said
    if last is not None:
        yield last


def text_of(pieces: Sequence[Piece]) -> str:
    """The words of a message, one after the other."""
    return "\n".join(piece.text for piece in pieces if isinstance(piece, SendableText))


def output_of(said: SendableMessage) -> str:
    """What a tool gave, for results that are one text: what is no text is shown after them."""
    below = [clean(f"[{piece.name or 'attachment'}: shown below]") for piece in said.pieces if isinstance(piece, Media)]
    return "\n".join([text for text in (text_of(said.pieces), *below) if text])


def _without_thoughts(message: Message) -> Message:
    if not isinstance(message, AssistantMessage):
        return message
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, Thinking)))


def _words(text: str) -> Iterator[SendableText]:
    sent = clean(text)
    if not is_blank(sent):
        yield SendableText(text=sent)


def _older(messages: Sequence[Message], media: Mapping[BlobId, bytes], bounds: Bounds) -> int:
    """How many of the oldest attachments stay behind."""
    sizes = [
        encoded_size(len(media[part.blob]))
        for message in messages
        if not isinstance(message, AssistantMessage)
        for part in message.parts
        if isinstance(part, Blob) and not is_text(part) and not why_not(part, media, bounds)
    ]
    return too_many(sizes, bounds)


def _unproven(part: Thinking, target: Target, proof: Proof) -> str:
    """Why thinking may not go back; '' if it may."""
    if proof == "none":
        return "thinking is not taken back"
    # A signature proves something to the model that made it and to nobody else.
    if (part.provider, part.model) != (target.provider, target.model):
        return "it is of another model"
    if proof == "plain":
        return "there is nothing in it" if is_blank(part.text) and not part.signature else ""
    if part.form:
        return "it came in a form of chat completions"
    if not part.signature or not is_clean(part.signature):
        return "it is not signed"
    if not is_clean(part.text):
        return "its text cannot be sent as it was signed"
    if proof == "base64" and not _BASE64.fullmatch(part.signature):
        return "its signature is not in base64"
    return ""
