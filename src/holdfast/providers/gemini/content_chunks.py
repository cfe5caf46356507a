"""The chunks of Google's streamGenerateContent to deltas.

Gemini signs what a thought led to instead of the thought, so the signature goes in front of it, as thinking without
words. A call comes whole. The last chunk says why the model stopped, and no event says that nothing more comes.
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from holdfast.errors import ModelError, Refused
from holdfast.model.protocol import CallDelta, Delta, Finished, Stop, Target, TextDelta, ThinkingDelta
from holdfast.providers.http.failures import Endpoint, broken, from_stream, not_a_reply
from holdfast.providers.http.lenient_json import NotJson, read
from holdfast.providers.http.token_counts import Tokens, counted, priced
from holdfast.records.parts import Usage

_LENGTH = frozenset({"MAX_TOKENS", "CONTINUATION"})
_REFUSED = frozenset(
    "BLOCKLIST ESCALATION IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION IMAGE_SAFETY MODEL_ARMOR PROHIBITED_CONTENT"
    " RECITATION SAFETY SPII".split()
)
_BROKEN = frozenset(
    "LANGUAGE MALFORMED_FUNCTION_CALL MALFORMED_RESPONSE MISSING_THOUGHT_SIGNATURE NO_IMAGE TOO_MANY_TOOL_CALLS"
    " UNEXPECTED_TOOL_CALL".split()
)
"""Why the service stops; whatever else it says is the end of what the model had to say."""
_NO_ARGUMENTS = frozenset({b"", b"{}", b"null"})


class _Wire(msgspec.Struct, rename="camel"):
    """Part of a chunk. What is not named here is not looked at."""


class _Call(_Wire):
    id: str | None = None
    name: str | None = None
    args: msgspec.Raw = msgspec.Raw(b"")


class _Part(_Wire):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: _Call | None = None


class _Content(_Wire):
    parts: list[_Part] | None = None


class _Candidate(_Wire):
    content: _Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None
    continuation_token: str | None = None


class _Feedback(_Wire):
    block_reason: str | None = None


class _Usage(_Wire):
    prompt_token_count: Tokens | None = None
    tool_use_prompt_token_count: Tokens | None = None
    cached_content_token_count: Tokens | None = None
    candidates_token_count: Tokens | None = None
    thoughts_token_count: Tokens | None = None


class _Chunk(_Wire):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    usage_metadata: object = None
    error: object = None


_DECODER = msgspec.json.Decoder(_Chunk, strict=False)


class ContentChunks:
    """Reads the streams of one reply."""

    whole = frozenset({"candidates", "promptFeedback"})
    """What an answer has that came in one piece."""
    over = False
    """Whether the server said that nothing more comes; this one never does."""

    def __init__(self, target: Target, endpoint: Endpoint) -> None:
        self._target, self._endpoint = target, endpoint
        self._calls = 0
        self._signature = ""
        """One that came without words, and is for what comes next."""
        self._stop: Stop | None = None
        self._token = self._sent_token = ""
        self._before, self._usage = Usage(), _Usage()

    @property
    def complete(self) -> bool:
        """Whether the model has said all it had to say, in this stream."""
        return self._stop is not None

    @property
    def continues(self) -> bool:
        """Whether the reply goes on in another stream, for which the service gave a token."""
        return self._stop == "length" and bool(self._token) and self._token != self._sent_token

    def resumed(self) -> str:
        """Make ready for another stream of the same reply; gives the token to ask for it, '' for the first."""
        self._before, self._usage = self._used(), _Usage()
        self._sent_token, self._token, self._stop = self._token, "", None
        return self._sent_token

    def take(self, data: bytes, name: str = "") -> Iterator[Delta]:
        """The deltas of one chunk."""
        try:
            chunk = read(_DECODER, data)
        except NotJson as error:
            raise not_a_reply(data, self._endpoint) from error
        if chunk.error or name == "error":
            raise from_stream(data, self._endpoint)
        if chunk.usage_metadata:
            self._usage = counted(chunk.usage_metadata, _Usage) or self._usage
        if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
            self._stop = "refused"
        for candidate in (chunk.candidates or ())[:1]:
            for part in (candidate.content and candidate.content.parts) or ():
                yield from self._part(part)
            self._end(candidate)

    def finish(self) -> Finished:
        """How the reply ended, once the stream has; raises if it broke off."""
        if self._stop is None:
            raise broken(self._endpoint)
        return Finished(stop=self._stop, usage=self._used())

    def _part(self, part: _Part) -> Iterator[Delta]:
        signature = part.thought_signature or ""
        if part.thought:
            if part.text or signature:
                yield ThinkingDelta(text=part.text or "", signature=signature)
            return
        self._signature = signature or self._signature
        if not (part.function_call or part.text):
            return
        if self._signature:
            yield ThinkingDelta(signature=self._signature)
            self._signature = ""
        if part.function_call:
            yield self._call(part.function_call)
        else:
            yield TextDelta(text=part.text or "")

    def _call(self, call: _Call) -> CallDelta:
        index, self._calls = self._calls, self._calls + 1
        given = bytes(call.args)
        arguments = "" if given in _NO_ARGUMENTS else given.decode("utf-8", "replace")
        return CallDelta(index=index, id=call.id or "", name=call.name or "", arguments=arguments)

    def _end(self, candidate: _Candidate) -> None:
        self._token = candidate.continuation_token or self._token
        why = candidate.finish_reason
        if not why:
            return
        if why in _BROKEN:
            about = self._endpoint.shown(candidate.finish_message or "")
            said = f"The model gave up: {why}{f' ({about})' if about else ''}."
            raise ModelError(said, hint="Ask again in other words.")
        if why == "PUP_LIMITED_DISABLED":
            raise Refused(
                f"{self._endpoint.title} has limited this account.", hint="See what it wrote to you about it."
            )
        self._stop = "length" if why in _LENGTH else "refused" if why in _REFUSED else "ended"

    def _used(self) -> Usage:
        """What all streams of the reply have used; each counts its own, and the last chunk of it all of that."""
        told = self._usage
        used = Usage(
            input_tokens=_sum(told.prompt_token_count, told.tool_use_prompt_token_count),
            cached_tokens=_sum(told.cached_content_token_count),
            output_tokens=_sum(told.candidates_token_count, told.thoughts_token_count),
            reasoning_tokens=_sum(told.thoughts_token_count),
        )
        used = priced(self._target.model, used)
        if self._sent_token:  # it was read again and costs again, but the request is not longer for it
            used = replace(used, input_tokens=0, cached_tokens=0)
        return self._before.plus(used)


def _sum(*counts: int | None) -> int:
    return sum(max(count or 0, 0) for count in counts)
