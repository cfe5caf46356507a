"""A request in pydantic-ai's words.

What may be sent is decided where it is decided for every provider, in `context/legal`;
here it only changes its form. pydantic-ai then writes it as the service wants it.
"""

from base64 import b64decode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import assert_never

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from holdfast.context.legal.anthropic import REDACTED
from holdfast.context.legal.attachments import Media
from holdfast.context.legal.calls import offered, wire_name
from holdfast.context.legal.clean_text import CARRIED, clean, is_blank
from holdfast.context.legal.families import legal
from holdfast.context.legal.normalise import (
    Normaliser,
    Piece,
    Proof,
    SendableCall,
    SendableMessage,
    SendableText,
    SendableThinking,
    merged,
    output_of,
    text_of,
)
from holdfast.model.protocol import Family, Request
from holdfast.records.parts import Value

REDACTED_ID = "redacted_thinking"
"""How pydantic-ai marks thinking that the provider keeps to itself."""

_PROOFS: dict[Family, Proof] = {"anthropic": "signed", "gemini": "base64"}


class ClientRequest(Value, frozen=True, kw_only=True):
    """A request, ready for a client."""

    messages: list[ModelMessage]
    tools: ModelRequestParameters
    names: dict[str, str]
    """The names of tools as we know them, by those the service is told."""
    callable: bool
    """Whether the tools may be called; otherwise they only stand there for calls of the past."""


def asked(request: Request, *, id_length: int | None = None) -> ClientRequest:
    """Write a request. A service that takes ids of one length only gets them in that length."""
    family = request.target.family
    reader = Normaliser(request, request.media, legal(family).BOUNDS, _PROOFS.get(family, "none"))
    said = list(merged(reader.messages()))
    tools = [
        ToolDefinition(name=name, description=about, parameters_json_schema=schema)
        for name, about, schema in offered(request.tools, reader.dropped)
    ]
    return ClientRequest(
        messages=list(_Writer(request, id_length).messages(said)),
        tools=ModelRequestParameters(function_tools=tools or list(_gone(said))),
        names={wire_name(tool.name): tool.name for tool in reversed(request.tools)},
        callable=bool(tools),
    )


def _gone(said: Sequence[SendableMessage]) -> Iterator[ToolDefinition]:
    """The tools of calls in the past: services refuse calls in a request that names no tools."""
    called = (piece.name for each in said for piece in each.pieces if isinstance(piece, SendableCall))
    for name in dict.fromkeys(called):
        yield ToolDefinition(name=name, description="Not available at present.")


class _Writer:
    """Writes the messages of one request."""

    def __init__(self, request: Request, id_length: int | None) -> None:
        self._target, self._id_length = request.target, id_length
        system = clean(request.system)
        self._system = [] if is_blank(system) else [SystemPromptPart(system)]

    def messages(self, said: Sequence[SendableMessage]) -> Iterator[ModelMessage]:
        """Turns: what came of the calls and what a person said next are one, results first."""
        parts: list[ModelRequestPart] = [*self._system]
        rest: list[UserContent] = []
        for each in said:
            if each.role == "tool":
                part, carried = self._result(each)
                parts.append(part)
                rest += carried
            elif each.role == "user":
                rest += [
                    (piece.text if isinstance(piece, SendableText) else _binary(piece))
                    for piece in each.pieces
                    if isinstance(piece, SendableText | Media)
                ]
            else:
                yield from _turn(parts, rest)
                parts, rest = [], []
                yield self._reply(each.pieces)
        yield from _turn(parts, rest)

    def _result(self, said: SendableMessage) -> tuple[ToolReturnPart, list[UserContent]]:
        """A result, and what of it comes after all results, because it cannot be in one."""
        media = [_binary(piece) for piece in said.pieces if isinstance(piece, Media)]
        inside = media and said.ok and self._target.family == "anthropic"
        text = text_of(said.pieces) if inside else output_of(said)
        part = ToolReturnPart(
            tool_name=said.name,
            content=[*([text] if text else []), *media] if inside else text,
            tool_call_id=self._id(said.call),
            outcome="success" if said.ok else "failed",
        )
        return part, [CARRIED, *media] if media and not inside else []

    def _reply(self, pieces: Sequence[Piece]) -> ModelResponse:
        ordered = _ordered(pieces) if self._target.family == "anthropic" else pieces
        return ModelResponse(
            parts=[part for piece in ordered for part in self._part(piece)],
            model_name=self._target.model,
            provider_name=self._target.provider,
        )

    def _part(self, piece: Piece) -> Iterator[ModelResponsePart]:
        match piece:
            case SendableText():
                yield TextPart(piece.text)
            case SendableCall():
                yield ToolCallPart(piece.name, piece.arguments, self._id(piece.id))
            case SendableThinking():
                yield self._thought(piece)
            case Media():
                pass  # a reply carries none
            case _:
                assert_never(piece)

    def _thought(self, thought: SendableThinking) -> ThinkingPart:
        signer = self._target.provider
        if thought.signature.startswith(REDACTED) and thought.signature != REDACTED:
            data = thought.signature.removeprefix(REDACTED)
            return ThinkingPart("", id=REDACTED_ID, signature=data, provider_name=signer)
        # Gemini takes the signature alone, on the part that the thought led to.
        text = "" if self._target.family == "gemini" else thought.text
        return ThinkingPart(text, signature=thought.signature, provider_name=signer)

    def _id(self, call: str) -> str:
        length = self._id_length
        if length is None or (len(call) == length and call.isalnum()):
            return call
        return sha256(call.encode()).hexdigest()[:length]


def _turn(parts: list[ModelRequestPart], rest: list[UserContent]) -> Iterator[ModelRequest]:
    if rest:
        parts = [*parts, UserPromptPart(rest)]
    if parts:
        yield ModelRequest(parts=parts)


def _ordered(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The first thoughts first, the calls last, as Claude wants them."""
    spoken = [piece for piece in pieces if not isinstance(piece, SendableCall)]
    begin = next((at for at, piece in enumerate(spoken) if isinstance(piece, SendableThinking)), 0)
    end = next((at for at in range(begin, len(spoken)) if not isinstance(spoken[at], SendableThinking)), len(spoken))
    calls = [piece for piece in pieces if isinstance(piece, SendableCall)]
    return [*spoken[begin:end], *spoken[:begin], *spoken[end:], *calls]


def _binary(media: Media) -> BinaryContent:
    return BinaryContent(b64decode(media.data), media_type=media.media_type)
