"""The events of Anthropic's Messages API to deltas.

A reply comes block by block: words, thinking, thinking that is kept secret, calls. The signature of a thought ends
it. Other blocks are what the service's own tools did; none is asked for.
"""

from collections.abc import Iterator, Mapping

import msgspec

from holdfast.context.legal.anthropic import REDACTED
from holdfast.model.protocol import CallDelta, Delta, Finished, Stop, Target, TextDelta, ThinkingDelta
from holdfast.providers.http.failures import Endpoint, broken, from_stream, not_a_reply
from holdfast.providers.http.lenient_json import NotJson, read
from holdfast.providers.http.token_counts import Tokens, counted, priced
from holdfast.records.parts import Usage

_STOPS: Mapping[str, Stop] = {
    "tool_use": "called",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
"""Why the service stops; whatever else it says is the end of what the model had to say."""
_NO_INPUT = frozenset({b"", b"{}", b"null"})


class _Wire(msgspec.Struct):
    """Part of an event. What is not named here is not looked at."""


class _Block(_Wire):
    """How a block begins, or a piece of it."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"")
    partial_json: str | None = None
    stop_reason: str | None = None


class _Usage(_Wire):
    input_tokens: Tokens | None = None
    cache_read_input_tokens: Tokens | None = None
    cache_creation_input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None


class _Message(_Wire):
    usage: object = None


class _Event(_Wire):
    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Block | None = None
    usage: object = None
    error: object = None
    content: list[_Block] | None = None
    stop_reason: str | None = None


_DECODER = msgspec.json.Decoder(_Event, strict=False)


class MessageEvents:
    """Reads the stream of one reply, or a reply that came whole."""

    whole = frozenset({"content"})
    """What an answer has that came in one piece."""

    def __init__(self, target: Target, endpoint: Endpoint) -> None:
        self._target, self._endpoint = target, endpoint
        self._calls: dict[int, int] = {}
        """Which call of the reply a block is."""
        self._inputs: dict[int, str] = {}
        """Arguments that came with the beginning of a call, until a piece of them comes."""
        self._stop: Stop | None = None
        self._usage: _Usage | None = None
        self.over = False
        """Whether the server said that nothing more comes."""

    @property
    def complete(self) -> bool:
        """Whether the model has said all it had to say."""
        return self._stop is not None

    def take(self, data: bytes, name: str = "") -> Iterator[Delta]:
        """The deltas of one event."""
        try:
            event = read(_DECODER, data)
        except NotJson as error:
            raise not_a_reply(data, self._endpoint) from error
        if event.error or name == "error" or event.type == "error":
            raise from_stream(data, self._endpoint)
        yield from self._said(event)

    def finish(self) -> Finished:
        """How the reply ended, once the stream has; raises if it broke off."""
        if self._stop is None:
            raise broken(self._endpoint)
        return Finished(stop=self._stop, usage=self._used())

    def _said(self, event: _Event) -> Iterator[Delta]:
        match event.type:
            case "message_start":
                self._count(event.message and event.message.usage)
            case "content_block_start":
                yield from self._begun(event.index, event.content_block or _Block())
            case "content_block_delta":
                yield from self._more(event.index, event.delta or _Block())
            case "content_block_stop":
                yield from self._closed(event.index)
            case "message_delta":
                for index in tuple(self._inputs):  # of a server that does not say where a block ends
                    yield from self._closed(index)
                self._end(event.usage, event.delta.stop_reason if event.delta else None)
            case "message":
                for index, block in enumerate(event.content or ()):
                    yield from self._begun(index, block)
                    yield from self._closed(index)
                self._end(event.usage, event.stop_reason or "end_turn")
            case "message_stop":
                self.over = True

    def _begun(self, at: int, block: _Block) -> Iterator[Delta]:
        match block.type:
            case "redacted_thinking" if block.data:
                yield ThinkingDelta(signature=f"{REDACTED}{block.data}")
            case "tool_use":
                self._calls[at] = len(self._calls)
                yield CallDelta(index=self._calls[at], id=block.id or "", name=block.name or "")
                if bytes(block.input) not in _NO_INPUT:
                    self._inputs[at] = bytes(block.input).decode("utf-8", "replace")
            case _:
                yield from _words(block)

    def _more(self, at: int, piece: _Block) -> Iterator[Delta]:
        if piece.type != "input_json_delta":
            yield from _words(piece)
        elif piece.partial_json and at in self._calls:
            self._inputs.pop(at, None)
            yield CallDelta(index=self._calls[at], arguments=piece.partial_json)

    def _closed(self, at: int) -> Iterator[Delta]:
        if arguments := self._inputs.pop(at, ""):
            yield CallDelta(index=self._calls[at], arguments=arguments)

    def _end(self, used: object, why: str | None) -> None:
        self._count(used)
        if why:
            self._stop = _STOPS.get(why, "ended")

    def _count(self, said: object) -> None:
        """Take the counts of a message; those that are told again later replace what was told before."""
        told = counted(said, _Usage)
        if told is None or self._usage is None:
            self._usage = told or self._usage
            return
        for field in _Usage.__struct_fields__:
            if (value := getattr(told, field)) is not None:
                setattr(self._usage, field, value)

    def _used(self) -> Usage | None:
        told = self._usage
        if told is None:
            return None
        cached, written = max(told.cache_read_input_tokens or 0, 0), max(told.cache_creation_input_tokens or 0, 0)
        usage = Usage(
            input_tokens=max(told.input_tokens or 0, 0) + cached + written,
            cached_tokens=cached,
            cache_write_tokens=written,
            output_tokens=max(told.output_tokens or 0, 0),
        )
        return priced(self._target.model, usage)


def _words(piece: _Block) -> Iterator[Delta]:
    """The words or the thinking in a piece of a block, whatever else the block is."""
    if piece.type in {"text", "text_delta"} and piece.text:
        yield TextDelta(text=piece.text)
    elif piece.type in {"thinking", "thinking_delta", "signature_delta"} and (piece.thinking or piece.signature):
        yield ThinkingDelta(text=piece.thinking or "", signature=piece.signature or "")
