"""Models behind OpenAI's chat completions, or behind its Responses API, over HTTP.

OpenAI, OpenRouter, DeepSeek, Groq, Ollama, vLLM, llama.cpp and their like: which of
the two is spoken is the family of the target. The connection is kept between
requests and closed at once when a reply is given up. Nothing is tried again here and
no silence is too long: both are for the agent to decide, where the user can see it.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress

import msgspec

from holdfast.context.legal import families
from holdfast.errors import BadInput, ModelError, Refused, Unavailable
from holdfast.model.protocol import Delta, Request, Target
from holdfast.model.signs import alive
from holdfast.providers.chat_chunks import ChatChunks
from holdfast.providers.failures import Endpoint, from_status, not_trusted
from holdfast.providers.reply_bytes import ReplyBytes
from holdfast.providers.response_events import REASONS, ResponseEvents
from holdfast.providers.route import parsed
from holdfast.providers.wire import Answer, NotConnected, NotTrusted, ProxyFailed, Wire, WireError

_OK = 200
_ERROR_SIZE = 64 * 1024
"""How much of an error is read."""
_ERROR_TIME = 10
"""Seconds that the body of an error may take."""
_LAST_WORDS = 0.05
"""Seconds that the end of a stream may take after its last event, for the connection to be kept."""


class OpenAICompatible:
    """A model of a service that speaks as OpenAI does."""

    def __init__(self, target: Target, *, base_url: str, key: str = "", title: str = "", variable: str = "") -> None:
        """Prepare to ask; nothing is sent yet.

        `base_url` is the address up to and without `/chat/completions`. `title` is what errors
        call the service, `variable` the environment variable that they say the key belongs in.
        """
        key = key.strip()
        if not (key.isascii() and key.isprintable()):
            raise BadInput("The key has characters that no key has.", hint=f"Set {variable or 'the key'} again.")
        self._target, self._address = target, parsed(base_url)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._wire = Wire(self._address)
        self._endpoint = Endpoint(
            title=title or self._address.host,
            url=self._address.shown,
            model=target.model,
            variable=variable,
            key=key,
        )

    @property
    def target(self) -> Target:
        """Which model this is, and how it is talked to."""
        return self._target

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._wire.close()

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request, piece by piece."""
        if request.target != self._target:
            raise Refused(f"This is {self._target.model!r}, and the request is for {request.target.model!r}.")
        path, body = self._body(request)
        said = msgspec.json.encode(body)
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **self._headers}
        try:
            answer = await self._wire.post(path, said, headers)
            try:
                if answer.status != _OK:
                    raise from_status(answer.status, answer.headers, await _start_of(answer), self._endpoint)
                async with aclosing(self._deltas(answer)) as deltas:
                    async for delta in deltas:
                        yield delta
            finally:
                answer.close()
        except WireError as error:
            raise self._lost(error) from error

    def _body(self, request: Request) -> tuple[str, Mapping[str, object]]:
        """Where a request goes, and what it says."""
        body = {**families.render(request, request.media).body, "stream": True}
        if self._target.family == "openai-responses":
            if REASONS.match(self._target.model):
                body["include"] = ["reasoning.encrypted_content"]
            return "responses", body
        return "chat/completions", {**body, "stream_options": {"include_usage": True}}

    def _reading(self) -> ReplyBytes:
        kind = ResponseEvents if self._target.family == "openai-responses" else ChatChunks
        return ReplyBytes(kind(self._target, self._endpoint), self._endpoint)

    async def _deltas(self, answer: Answer) -> AsyncGenerator[Delta, None]:
        body = self._reading()
        async with aclosing(answer.chunks()) as chunks:
            try:
                async for chunk in chunks:
                    alive()
                    for delta in body.feed(chunk):
                        yield delta
                    if body.over:
                        break
            except WireError:
                if not body.complete:
                    raise
            last = list(body.end())
            # Before the end is told, because whoever hears it hangs up.
            await _rest(chunks)
            for delta in last:
                yield delta

    def _lost(self, error: WireError) -> ModelError:
        """What a failure of the connection means."""
        title, why = self._endpoint.title, self._endpoint.shown(str(error)).rstrip(".") or type(error).__name__
        if isinstance(error, NotTrusted):
            return not_trusted(str(error), self._endpoint)
        if isinstance(error, NotConnected):
            running = " Is it running?" if self._address.is_here else ""
            return Unavailable(f"{title} cannot be reached at {self._endpoint.url}: {why}.{running}")
        if isinstance(error, ProxyFailed):
            return Unavailable(f"The proxy on the way to {title} failed: {why}.")
        return Unavailable(f"The connection to {title} broke off: {why}.")


async def _start_of(answer: Answer) -> bytes:
    """How the body of an error begins; all that came of it, if it breaks off."""
    body = b""
    with suppress(TimeoutError, WireError):
        async with asyncio.timeout(_ERROR_TIME), aclosing(answer.chunks()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > _ERROR_SIZE:
                    break
    return body


async def _rest(chunks: AsyncIterator[bytes]) -> None:
    """Read the end of a stream whose last event has come, so that the connection can be used again."""
    with suppress(TimeoutError, WireError):
        async with asyncio.timeout(_LAST_WORDS):
            async for _ in chunks:
                pass
