"""Parser for the stream of OpenAI's Responses API: events to deltas.

OpenAI's newer models take tools over this API only. Reasoning comes encrypted when its
item is done, and goes back as it came, under its id: both are the signature of the thinking before it.
"""

from collections.abc import Iterator

import msgspec

from holdfast.context.legal.openai_responses import signature
from holdfast.model.protocol import CallDelta, Delta, Finished, Stop, Target, TextDelta, ThinkingDelta
from holdfast.providers.http.failures import Endpoint, broken, from_stream, not_a_reply
from holdfast.providers.http.lenient_json import NotJson, read
from holdfast.providers.http.token_counts import Tokens, counted, priced
from holdfast.records.parts import Usage


class _Wire(msgspec.Struct):
    """Part of an event. What is not named here is not looked at."""


class _Item(_Wire):
    type: str = ""
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    encrypted_content: str | None = None


class _Details(_Wire):
    cached_tokens: Tokens | None = None


class _OutputDetails(_Wire):
    reasoning_tokens: Tokens | None = None


class _Usage(_Wire):
    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    input_tokens_details: _Details | None = None
    output_tokens_details: _OutputDetails | None = None


class _Incomplete(_Wire):
    reason: str | None = None


class _Response(_Wire):
    usage: object = None
    incomplete_details: _Incomplete | None = None


class _Event(_Wire):
    type: str = ""
    output_index: int = 0
    delta: str | None = None
    item: _Item | None = None
    response: _Response | None = None
    error: object = None


_DECODER = msgspec.json.Decoder(_Event, strict=False)


class ResponseEvents:
    """Reads the stream of one reply."""

    whole: frozenset[str] = frozenset()
    """It comes as a stream only."""

    def __init__(self, target: Target, endpoint: Endpoint) -> None:
        self._target, self._endpoint = target, endpoint
        self._calls: dict[int, int] = {}
        self._filled: set[int] = set()
        self._ended: _Event | None = None
        self._refused = False

    @property
    def over(self) -> bool:
        """Whether the server said that nothing more comes."""
        return self._ended is not None

    complete = over

    def take(self, data: bytes, name: str = "") -> Iterator[Delta]:
        """The deltas of one event."""
        try:
            event = read(_DECODER, data)
        except NotJson as error:
            raise not_a_reply(data, self._endpoint) from error
        if event.error or name == "error" or event.type in {"error", "response.failed"}:
            raise from_stream(data, self._endpoint)
        match event.type:
            case "response.output_text.delta":
                yield TextDelta(text=event.delta or "")
            case "response.refusal.delta":
                self._refused = True
                yield TextDelta(text=event.delta or "")
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield ThinkingDelta(text=event.delta or "")
            case "response.function_call_arguments.delta":
                yield from self._arguments(event.output_index, event.delta or "")
            case "response.output_item.added" | "response.output_item.done":
                yield from self._item(event)
            case "response.completed" | "response.incomplete":
                self._ended = event

    def finish(self) -> Finished:
        """How the reply ended, once the stream has; raises if it broke off."""
        response = self._ended.response if self._ended else None
        if self._ended is None or response is None:
            raise broken(self._endpoint)
        stop: Stop = "called" if self._calls else "ended"
        if self._ended.type == "response.incomplete":
            reason = response.incomplete_details and response.incomplete_details.reason
            stop = "refused" if reason == "content_filter" else "length"
        return Finished(stop="refused" if self._refused else stop, usage=self._used(response.usage))

    def _item(self, event: _Event) -> Iterator[Delta]:
        item = event.item or _Item()
        done = event.type.endswith("done")
        if item.type == "reasoning" and done and item.encrypted_content:
            yield ThinkingDelta(signature=signature(item.id or "", item.encrypted_content))
        if item.type == "function_call":
            at = event.output_index
            if at not in self._calls:
                self._calls[at] = len(self._calls)
                yield CallDelta(index=self._calls[at], id=item.call_id or "", name=item.name or "")
            if done and at not in self._filled:  # servers may send the arguments whole, and not in pieces
                yield from self._arguments(at, item.arguments or "")

    def _arguments(self, at: int, text: str) -> Iterator[Delta]:
        if text and at in self._calls:
            self._filled.add(at)
            yield CallDelta(index=self._calls[at], arguments=text)

    def _used(self, said: object) -> Usage | None:
        told = counted(said, _Usage)
        if told is None:
            return None
        details, given = told.input_tokens_details, told.output_tokens_details
        usage = Usage(
            input_tokens=max(told.input_tokens, 0),
            cached_tokens=max((details and details.cached_tokens) or 0, 0),
            output_tokens=max(told.output_tokens, 0),
            reasoning_tokens=max((given and given.reasoning_tokens) or 0, 0),
        )
        return priced(self._target.model, usage)
