"""pydantic-ai's events to deltas.

A signature ends the thinking it is for. Gemini signs what a thought led to instead of the
thought, so there the signature goes in front of it, as thinking without words.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from pydantic_ai.messages import (
    ModelResponsePart,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import StreamedResponse

from holdfast.context.legal.anthropic import REDACTED
from holdfast.errors import ModelError, Unavailable
from holdfast.model.prices import cost
from holdfast.model.protocol import CallDelta, Delta, Finished, Stop, TextDelta, ThinkingDelta
from holdfast.records.parts import Usage

_REDACTED_IDS = ("redacted_thinking", "redacted_content")
"""How pydantic-ai marks thinking that a provider keeps to itself: Anthropic's, Bedrock's."""

_STOPS: Mapping[str, Stop] = {"stop": "ended", "tool_call": "called", "length": "length", "content_filter": "refused"}


class ReplyEvents:
    """Reads the events of one reply."""

    def __init__(self, names: Mapping[str, str]) -> None:
        """Take the names of tools as we know them, by those the service was told."""
        self._names = names
        self._calls: dict[int, tuple[int, str]] = {}
        """Which call a part is, and the id it came with."""
        self._begun = 0

    def deltas(self, event: ModelResponseStreamEvent) -> Iterator[Delta]:
        """What an event adds to the reply."""
        match event:
            case PartStartEvent():
                yield from self._started(event.index, event.part)
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                yield TextDelta(text=text)
            case PartDeltaEvent(delta=ThinkingPartDelta() as more):
                yield from _thought(more.content_delta, more.signature_delta or _signature(more.provider_details))
            case PartDeltaEvent(delta=ToolCallPartDelta(args_delta=arguments)) if arguments:
                yield CallDelta(index=self._calls[event.index][0], arguments=_text(arguments))
            case _:
                pass  # the end of a part, and what it makes of the whole, say nothing new

    def _started(self, index: int, part: ModelResponsePart) -> Iterator[Delta]:
        match part:
            case TextPart():
                yield from _thought("", _signature(part.provider_details))
                yield from [TextDelta(text=part.content)] if part.content else []
            case ThinkingPart():
                signature = part.signature or _signature(part.provider_details)
                redacted = signature and part.id in _REDACTED_IDS
                yield from _thought(part.content, f"{REDACTED}{signature}" if redacted else signature)
            case ToolCallPart():
                yield from self._called(index, part)
            case _:
                pass  # what a provider's own tools did; none is asked for

    def _called(self, index: int, part: ToolCallPart) -> Iterator[Delta]:
        """A call. A part that starts again with another id is another call, sent in a piece of its own."""
        known = self._calls.get(index)
        if known and known[1] == part.tool_call_id:
            return
        call = self._begun
        self._begun += 1
        self._calls[index] = (call, part.tool_call_id)
        yield from _thought("", _signature(part.provider_details))
        name = self._names.get(part.tool_name, part.tool_name)
        yield CallDelta(index=call, id=part.tool_call_id, name=name, arguments=_text(part.args))


def finished(streamed: StreamedResponse, model: str) -> Finished:
    """How a stream that is over ended. One that did not say so broke off."""
    raw = (streamed.provider_details or {}).get("finish_reason")
    match streamed.finish_reason:
        case "stop" | "tool_call" | "length" | "content_filter" as reason:
            return Finished(stop=_STOPS[reason], usage=_usage(streamed, model))
        case "error":
            raise ModelError(f"The model gave up: {raw or 'it did not say why'}.", hint="Ask again in other words.")
        case None if raw:
            return Finished(usage=_usage(streamed, model))  # it paused, or stopped for a reason of its own
        case None:
            raise Unavailable("The stream broke off before the reply was complete.")
        case _:
            assert_never(streamed.finish_reason)


def _usage(streamed: StreamedResponse, model: str) -> Usage:
    told = streamed.usage
    used = Usage(
        input_tokens=told.input_tokens,
        cached_tokens=told.cache_read_tokens,
        output_tokens=told.output_tokens,
        cache_write_tokens=told.cache_write_tokens,
        reasoning_tokens=told.details.get("reasoning_tokens", 0),
    )
    return used.plus(Usage(cost_micros=cost(model, used) or 0))


def _thought(text: str | None, signature: str | None) -> Iterator[ThinkingDelta]:
    if text or signature:
        yield ThinkingDelta(text=text or "", signature=signature or "")


def _signature(details: object) -> str:
    """The signature that Gemini puts on a part."""
    found = details.get("thought_signature") if isinstance(details, dict) else None
    return found if isinstance(found, str) else ""


def _text(arguments: str | dict[str, Any] | None) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False) if arguments else ""
