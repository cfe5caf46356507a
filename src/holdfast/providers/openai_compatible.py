"""Models behind OpenAI's chat completions, or behind its Responses API, over HTTP.

OpenAI, OpenRouter, DeepSeek, Groq, Ollama, vLLM, llama.cpp and their like: which of
the two is spoken is the family of the target. The connection is kept between
requests and closed at once when a reply is given up. Nothing is tried again here and
no silence is too long: both are for the agent to decide, where the user can see it.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress
from ipaddress import ip_address

import httpx2
import msgspec

from holdfast.context.legal import families
from holdfast.errors import BadInput, Refused, Unavailable
from holdfast.model.protocol import Delta, Request, Target
from holdfast.providers.chat_chunks import ChatChunks
from holdfast.providers.failures import Endpoint, from_status
from holdfast.providers.reply_bytes import ReplyBytes
from holdfast.providers.response_events import REASONS, ResponseEvents

_TIMEOUT = httpx2.Timeout(None, connect=10)
_OK = 200
_EXAMPLE = "Give one like https://example.com/v1."
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
        self._target, self._url = target, _checked(base_url)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client: httpx2.AsyncClient | None = None
        shown = str(self._url.copy_with(userinfo=b"", query=None))
        self._endpoint = Endpoint(
            title=title or self._url.host, url=shown, model=target.model, variable=variable, key=key
        )

    @property
    def target(self) -> Target:
        """Which model this is, and how it is talked to."""
        return self._target

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        client, self._client = self._client, None
        if client:
            await client.aclose()

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request, piece by piece."""
        if request.target != self._target:
            raise Refused(f"This is {self._target.model!r}, and the request is for {request.target.model!r}.")
        path, body = self._body(request)
        asked = self._opened().build_request(
            "POST",
            f"{str(self._url).rstrip('/')}/{path}",
            content=msgspec.json.encode(body),
            headers={"Content-Type": "application/json", "Accept": "text/event-stream", **self._headers},
        )
        try:
            response = await self._opened().send(asked, stream=True)
            try:
                if response.status_code != _OK:
                    raise from_status(response.status_code, response.headers, await _start_of(response), self._endpoint)
                async with aclosing(self._deltas(response)) as deltas:
                    async for delta in deltas:
                        yield delta
            finally:
                await response.aclose()
        except httpx2.HTTPError as error:
            raise self._lost(error) from error

    def _opened(self) -> httpx2.AsyncClient:
        if self._client is None:
            # A proxy is for the world outside; what runs on this machine is asked directly. Without TLS nobody's
            # certificate is looked at, so the list of those to trust, which takes long to read, stays unread.
            here = _is_here(self._url.host)
            plain = here and self._url.scheme == "http"
            trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True
            self._client = httpx2.AsyncClient(timeout=_TIMEOUT, trust_env=not here, verify=trusted)
        return self._client

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

    async def _deltas(self, response: httpx2.Response) -> AsyncGenerator[Delta, None]:
        body = self._reading()
        async with aclosing(response.aiter_bytes()) as chunks:
            try:
                async for chunk in chunks:
                    for delta in body.feed(chunk):
                        yield delta
                    if body.over:
                        break
            except httpx2.HTTPError:
                if not body.complete:
                    raise
            last = list(body.end())
            # Before the end is told, because whoever hears it hangs up.
            await _rest(chunks)
            for delta in last:
                yield delta

    def _lost(self, error: httpx2.HTTPError) -> Unavailable:
        """What a failure of the connection means."""
        title, why = self._endpoint.title, self._endpoint.shown(str(error)) or type(error).__name__
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            running = " Is it running?" if _is_here(self._url.host) else ""
            return Unavailable(f"{title} cannot be reached at {self._endpoint.url}: {why}.{running}")
        if isinstance(error, httpx2.ProxyError):
            return Unavailable(f"The proxy on the way to {title} failed: {why}.")
        return Unavailable(f"The connection to {title} broke off: {why}.")


def _checked(base_url: str) -> httpx2.URL:
    try:
        url = httpx2.URL(base_url)
    except httpx2.InvalidURL as error:
        raise BadInput(f"{base_url!r} is not an address: {error}.", hint=_EXAMPLE) from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise BadInput(f"{base_url!r} is not the address of a service.", hint=_EXAMPLE)
    return url


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


async def _start_of(response: httpx2.Response) -> bytes:
    """How the body of an error begins; all that came of it, if it breaks off."""
    body = b""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_ERROR_TIME), aclosing(response.aiter_bytes()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > _ERROR_SIZE:
                    break
    return body


async def _rest(chunks: AsyncIterator[bytes]) -> None:
    """Read the end of a stream whose last event has come, so that the connection can be used again."""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_LAST_WORDS):
            async for _ in chunks:
                pass
