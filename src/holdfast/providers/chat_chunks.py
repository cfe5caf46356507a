"""The chunks of a streamed chat completion to deltas.

Servers agree on little beyond the happy path: calls come without an index, whole at
once, all under index 0, with arguments as an object or as null; usage comes in a last
chunk, in every chunk, or under a name of its own; some never say why they stopped.
What a chunk has beside that is not looked at.
"""

from collections.abc import Iterator, Mapping

import msgspec

from holdfast.model.protocol import CallDelta, Delta, Finished, Stop, Target, TextDelta, ThinkingDelta
from holdfast.providers.failures import Endpoint, broken, from_stream, not_a_reply
from holdfast.providers.readable import Unreadable, read
from holdfast.providers.usage import Tokens, counted, priced
from holdfast.records.parts import Usage

_DONE = b"[DONE]"
_STOPS: Mapping[str, Stop] = {
    "tool_calls": "called",
    "function_call": "called",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refused",
    "safety": "refused",
    "refusal": "refused",
}
"""Why a server stops; whatever else it says is the end of what the model had to say."""
_BROKEN = frozenset({"error", "insufficient_system_resource", "abort"})
"""What servers say when it was not the model that stopped."""


class _Wire(msgspec.Struct):
    """Part of a chunk. What is not named here is not looked at."""


class _Function(_Wire):
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"null")


class _Call(_Wire):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Said(_Wire):
    content: object = None
    reasoning_content: object = None
    reasoning: object = None
    refusal: object = None
    tool_calls: list[_Call] | None = None


class _Choice(_Wire):
    delta: _Said | None = None
    message: _Said | None = None
    finish_reason: str | None = None
    error: object = None


class _Details(_Wire):
    cached_tokens: Tokens | None = None


class _Usage(_Wire):
    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    prompt_tokens_details: _Details | None = None
    prompt_cache_hit_tokens: Tokens | None = None
    cost: float | None = None


class _Groq(_Wire):
    usage: object = None


class _Chunk(_Wire):
    choices: list[_Choice] | None = None
    usage: object = None
    x_groq: _Groq | None = None
    error: object = None


_DECODER = msgspec.json.Decoder(_Chunk, strict=False)


class ChatChunks:
    """Reads the stream of one reply, or a reply that came whole."""

    def __init__(self, target: Target, endpoint: Endpoint) -> None:
        self._target, self._endpoint = target, endpoint
        self._calls = _Calls()
        self._stop: Stop | None = None
        self._usage: _Usage | None = None
        self._refused = self._began = False
        self.over = False
        """Whether the server said that nothing more comes."""

    @property
    def complete(self) -> bool:
        """Whether the model has said all it had to say."""
        return self._stop is not None or (self.over and self._began)

    def take(self, data: bytes, name: str = "") -> Iterator[Delta]:
        """The deltas of one chunk."""
        if data.strip() == _DONE:
            self.over = True
            return
        if name == "error":
            raise from_stream(data, self._endpoint)
        try:
            chunk = read(_DECODER, data)
        except Unreadable as error:
            raise not_a_reply(data, self._endpoint) from error
        if chunk.error:
            raise from_stream(data, self._endpoint)
        self._usage = counted(chunk.usage or (chunk.x_groq and chunk.x_groq.usage), _Usage) or self._usage
        for choice in (chunk.choices or ())[:1]:
            self._began = True
            yield from self._choice(choice, data)

    def finish(self) -> Finished:
        """How the reply ended, once the stream has; raises if it broke off."""
        if not self.complete:
            raise broken(self._endpoint)
        return Finished(stop="refused" if self._refused else self._stop or "ended", usage=self._used())

    def _choice(self, choice: _Choice, data: bytes) -> Iterator[Delta]:
        if choice.error:
            raise from_stream(data, self._endpoint)
        if said := choice.delta or choice.message:
            if thinking := _words(said.reasoning_content) or _words(said.reasoning) or _thoughts(said.content):
                yield ThinkingDelta(text=thinking)
            if text := _words(said.content):
                yield TextDelta(text=text)
            if text := _words(said.refusal):
                self._refused = True
                yield TextDelta(text=text)
            for call in said.tool_calls or ():
                yield self._calls.delta(call)
        if choice.finish_reason in _BROKEN:
            raise broken(self._endpoint)
        if choice.finish_reason:
            self._stop = _STOPS.get(choice.finish_reason.lower(), "ended")

    def _used(self) -> Usage | None:
        told = self._usage
        if told is None or (told.prompt_tokens is None and told.completion_tokens is None):
            return None
        details = told.prompt_tokens_details
        usage = Usage(
            input_tokens=max(told.prompt_tokens or 0, 0),
            cached_tokens=max((details and details.cached_tokens) or told.prompt_cache_hit_tokens or 0, 0),
            output_tokens=max(told.completion_tokens or 0, 0),
        )
        return priced(self._target.model, usage, told.cost)


class _Calls:
    """Which call a fragment belongs to, where servers say it, half say it or leave it out."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._arguments: list[str] = []
        self._by_index: dict[int, int] = {}

    def delta(self, call: _Call) -> CallDelta:
        function = call.function or _Function()
        arguments, call_id, name = _text(function.arguments), call.id or "", function.name or ""
        number = self._number(call.index, call_id, name)
        self._ids[number] = self._ids[number] or call_id
        self._arguments[number] += arguments
        return CallDelta(index=number, id=call_id, name=name, arguments=arguments)

    def _number(self, index: int | None, call_id: str, name: str) -> int:
        known = self._without_index(call_id) if index is None else self._by_index.get(index)
        if known is None or (name and self._is_another(known, call_id)):
            known = len(self._ids)
            self._ids.append(call_id)
            self._arguments.append("")
            self._by_index[known if index is None else index] = known
        return known

    def _without_index(self, call_id: str) -> int | None:
        """The call that has this id, else the last one."""
        if call_id and call_id in self._ids:
            return self._ids.index(call_id)
        return len(self._ids) - 1 if self._ids else None

    def _is_another(self, known: int, call_id: str) -> bool:
        """Whether a fragment with a name begins another call than the one under its index."""
        if call_id and self._ids[known]:
            return call_id != self._ids[known]
        return _whole(self._arguments[known])


def _whole(arguments: str) -> bool:
    try:
        msgspec.json.decode(arguments, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
    return True


def _text(arguments: msgspec.Raw) -> str:
    """Arguments as text, however they came; a value that is not text stays as it was written."""
    written = bytes(arguments)
    if written.startswith(b'"'):
        return msgspec.json.decode(written, type=str)
    return "" if written == b"null" else written.decode()


def _words(content: object) -> str:
    """Text, or the text of a list of parts."""
    if isinstance(content, list):
        return "".join(text for part in content if isinstance(part, dict) and isinstance(text := part.get("text"), str))
    return content if isinstance(content, str) else ""


def _thoughts(content: object) -> str:
    """The thinking in a list of parts."""
    if not isinstance(content, list):
        return ""
    return "".join(_words(part.get("thinking")) for part in content if isinstance(part, dict))
