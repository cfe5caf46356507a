"""Parser for streamed chat completions: chunks to deltas.

Servers agree on little beyond the happy path: calls come without an index, whole at
once, all under index 0, or as text; thinking comes under many names, or between marks in
the text; usage comes in a last chunk, in every chunk, or after the end; some never say
why they stopped. docs/reference/odd-servers.md says what comes of each.
"""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from holdfast.context.legal.thoughts import CONTENT, FIELDS, ITEMS
from holdfast.model.protocol import Delta, Finished, Stop, Target, TextDelta, ThinkingDelta
from holdfast.providers.http.failures import Endpoint, broken, from_stream, not_a_reply
from holdfast.providers.http.lenient_json import Halves, NotJson, read_halves
from holdfast.providers.http.token_counts import Tokens, counted, priced
from holdfast.providers.openai.calls_in_text import CallsInText, Forms
from holdfast.providers.openai.chat_calls import CallPiece, ChatCalls, written
from holdfast.providers.openai.chat_items import ChatItems
from holdfast.providers.openai.thinking_in_text import ThinkingInText
from holdfast.records.parts import Usage, Value

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


class Expected(Value, frozen=True, kw_only=True):
    """What is known of a reply before it comes."""

    tools: Mapping[str, str] = {}
    """The schemas of the tools that were offered, by the names that the service was told."""
    written: Forms = "none"
    """Which texts may be calls that the server did not read."""
    opens: bool = False
    """Whether the model is known to begin inside of its thinking."""


class Habits:
    """What the replies of a service told about how it works; kept from reply to reply."""

    def __init__(self) -> None:
        self.reads_calls = False
        """It told a call as one, so it reads the calls of its models by itself."""
        self.opens: bool | None = None
        """Whether its replies begin inside of their thinking; None if none has told."""


class _Wire(msgspec.Struct):
    """Part of a chunk. What is not named here is not looked at."""


class _Function(_Wire):
    name: object = None
    arguments: msgspec.Raw = msgspec.Raw(b"null")


class _Call(_Function):
    index: object = None
    id: object = None
    function: _Function | None = None


class _Said(_Wire):
    content: object = None
    reasoning_content: object = None
    reasoning: object = None
    reasoning_text: object = None
    thinking: object = None
    reasoning_details: object = None
    thinking_blocks: object = None
    refusal: object = None
    tool_calls: list[_Call] | _Call | None = None
    function_call: _Function | None = None

    @property
    def thinks(self) -> object:
        """Whether there may be thinking in it: asked of each chunk, and rarely so."""
        plain = self.reasoning_content or self.reasoning or self.reasoning_text or self.thinking
        return plain or self.reasoning_details or self.thinking_blocks


class _Choice(_Wire):
    index: object = None
    delta: _Said | None = None
    message: _Said | None = None
    text: object = None
    finish_reason: object = None
    error: object = None


class _Details(_Wire):
    cached_tokens: Tokens | None = None


class _OutputDetails(_Wire):
    reasoning_tokens: Tokens | None = None


class _Usage(_Wire):
    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _OutputDetails | None = None
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

    whole = frozenset({"choices"})
    """What an answer has that came in one piece."""

    def __init__(
        self, target: Target, endpoint: Endpoint, expected: Expected | None = None, habits: Habits | None = None
    ) -> None:
        """Know what to expect; what the reply tells about its service is put into `habits`."""
        expected, self._habits = expected or Expected(), habits or Habits()
        self._target, self._endpoint = target, endpoint
        self._calls = ChatCalls(expected.tools)
        self._items = ChatItems()
        self._in_text = ThinkingInText(opens=expected.opens)
        self._written = CallsInText(expected.tools, expected.written)
        self._words, self._thoughts = Halves(), Halves()
        self._stop: Stop | None = None
        self._usage: _Usage | None = None
        self._choice: object = None
        self._refused = self._began = self._said = False
        self.over = False
        """Whether the server said that nothing more comes."""

    @property
    def complete(self) -> bool:
        """Whether the model has said all it had to say."""
        return self._stop is not None or (self.over and self._began)

    def take(self, data: bytes, name: str = "") -> Iterator[Delta]:
        """The deltas of one chunk. Once the reply is over, only what it used is looked for."""
        if data.strip() == _DONE:
            self.over = True
            yield from self._last()
            return
        if name == "error":
            raise from_stream(data, self._endpoint)
        try:
            chunk = read_halves(_DECODER, data, _Chunk, "arguments")
        except NotJson as error:
            raise not_a_reply(data, self._endpoint) from error
        if chunk.error:
            raise from_stream(data, self._endpoint)
        self._usage = counted(chunk.usage or (chunk.x_groq and chunk.x_groq.usage), _Usage) or self._usage
        for choice in chunk.choices or () if not self.over else ():
            self._began = True
            self._choice = choice.index if self._choice is None else self._choice
            if choice.index in (None, self._choice):  # of several replies, the one that began
                yield from self._chosen(choice, data)

    def finish(self) -> Finished:
        """How the reply ended, once the stream has; raises if it broke off."""
        if not self.complete:
            raise broken(self._endpoint)
        return Finished(stop="refused" if self._refused else self._stop or "ended", usage=self._used())

    def _chosen(self, choice: _Choice, data: bytes) -> Iterator[Delta]:
        if choice.error:
            raise from_stream(data, self._endpoint)
        # Some servers send the whole message once more at the end.
        said = choice.delta or (None if self._said else choice.message)
        if said is None and choice.text:
            said = _Said(content=choice.text)
        if said is not None:
            yield from self._thinking(said)
            yield from self._text(self._words.joined(_words(said.content)))
            if text := _words(said.refusal):
                self._refused = True
                yield TextDelta(text=text)
            if isinstance(said.tool_calls, _Call) and not (said.tool_calls.function or said.tool_calls.name):
                raise not_a_reply(data, self._endpoint)
            if pieces := _pieces(said):
                yield from self._ended_text(cut=False)
                for call in self._calls.take(pieces):
                    self._said = self._habits.reads_calls = True
                    yield call
        reason = choice.finish_reason
        if isinstance(reason, str) and reason in _BROKEN:
            raise broken(self._endpoint)
        if reason:
            self._stop = _STOPS.get(str(reason).lower(), "ended")
            yield from self._last()

    def _thinking(self, said: _Said) -> Iterator[Delta]:
        if not (said.thinks or isinstance(said.content, list)):
            return
        worded = False
        for name in ITEMS:
            for delta in self._items.take(name, getattr(said, name)):
                worded = worded or bool(delta.text)
                yield from self._thought(delta)
        plain = ((_words(getattr(said, name)), name) for name in FIELDS)
        text, form = next((each for each in plain if each[0]), (_thoughts(said.content), CONTENT))
        if text and not worded:  # the same words under two names are said once
            yield from self._items.close()
            yield from self._thought(ThinkingDelta(text=text, form=form))

    def _thought(self, delta: ThinkingDelta) -> Iterator[ThinkingDelta]:
        self._said = True
        self._in_text.native()
        text = self._thoughts.joined(delta.text)
        if text or delta.signature:
            yield replace(delta, text=text)

    def _text(self, text: str) -> Iterator[Delta]:
        if not text:
            return
        self._said = True
        yield from self._items.close()
        for delta in self._in_text.feed(text):
            yield from self._passed(delta)

    def _passed(self, delta: TextDelta | ThinkingDelta) -> Iterator[Delta]:
        """Text that is not thinking may be a call."""
        if isinstance(delta, TextDelta):
            yield from self._written.feed(delta)
            return
        if delta.before:
            yield from self._written.release()
            self._written.restart()
        yield delta

    def _ended_text(self, *, cut: bool) -> Iterator[Delta]:
        """What was held back of the text."""
        yield from self._items.close()
        if rest := self._thoughts.rest():
            yield ThinkingDelta(text=rest)
        for delta in self._in_text.end(cut=cut):
            yield from self._passed(delta)
        yield from self._written.end(self._calls.count, cut=cut)

    def _last(self) -> Iterator[Delta]:
        """All that was held back."""
        yield from self._text(self._words.rest())
        yield from self._ended_text(cut=self._stop == "length")
        yield from self._calls.finish()
        if self._in_text.habit is not None:
            self._habits.opens = self._in_text.habit

    def _used(self) -> Usage | None:
        told = self._usage
        if told is None or (told.prompt_tokens is None and told.completion_tokens is None):
            return None
        details, given = told.prompt_tokens_details, told.completion_tokens_details
        usage = Usage(
            input_tokens=max(told.prompt_tokens or 0, 0),
            cached_tokens=max((details and details.cached_tokens) or told.prompt_cache_hit_tokens or 0, 0),
            output_tokens=max(told.completion_tokens or 0, 0),
            reasoning_tokens=max((given and given.reasoning_tokens) or 0, 0),
        )
        return priced(self._target.model, usage, told.cost)


def _pieces(said: _Said) -> list[CallPiece]:
    """The fragments of calls, in the form of today or in the one before it."""
    calls = [said.tool_calls] if isinstance(said.tool_calls, _Call) else said.tool_calls or []
    if said.function_call is not None and not calls:
        calls = [_Call(index=0, function=said.function_call)]
    return [_piece(call, call.function or call) for call in calls]


def _piece(call: _Call, function: _Function) -> CallPiece:
    index = str(call.index)
    return CallPiece(
        index=int(index) if index.isdecimal() else None,
        id="" if call.id is None else str(call.id),
        name=function.name if isinstance(function.name, str) else "",
        arguments=written(function.arguments),
    )


def _words(content: object) -> str:
    """Text, or the text of a part, or of a list of them."""
    if isinstance(content, dict):
        return _words(content.get("text"))
    if isinstance(content, list):
        return "".join(text for part in content if isinstance(part, dict) and isinstance(text := part.get("text"), str))
    return content if isinstance(content, str) else ""


def _thoughts(content: object) -> str:
    """The thinking in a list of parts."""
    if not isinstance(content, list):
        return ""
    return "".join(_words(part.get("thinking")) for part in content if isinstance(part, dict))
