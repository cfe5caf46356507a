"""A service over HTTP: sends requests, and streams the replies.

The same for every family: what is said and how its events are read is given. The connection is kept between
requests and closed at once when a reply is given up. Nothing is tried again here and no silence is too long:
both are for the agent to decide, where the user can see it.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress

import msgspec

from holdfast.context.legal.calls import wire_name
from holdfast.errors import BadInput, ModelError, Refused, Unavailable
from holdfast.model.liveness import alive
from holdfast.model.protocol import CallDelta, Delta, Request, Target
from holdfast.providers.http.address import Address
from holdfast.providers.http.body import ReplyBody, ReplyReader
from holdfast.providers.http.client import HttpClient, HttpResponse, NotConnected, NotTrusted, ProxyFailed, WireError
from holdfast.providers.http.failures import Endpoint, from_status, not_trusted
from holdfast.records.parts import Value

_OK = 200
_ERROR_SIZE = 64 * 1024
"""How much of an error is read."""
_ERROR_TIME = 10
"""Seconds that the body of an error may take."""
_LAST_WORDS = 0.05
"""Seconds that the end of a stream may take after its last event, for the connection to be kept."""
_LAST_COUNT = 2
"""Seconds of silence after the last word: what the reply used should have come by then, and so should the end."""


class ServiceRequest(Value, frozen=True, kw_only=True):
    """A request as one family of services takes it."""

    path: str
    """Where it goes, below the address of the service."""
    body: Mapping[str, object]
    reader: ReplyReader
    """What reads the events of the reply."""
    headers: Mapping[str, str] = {}


class StreamingClient:
    """Asks one service, and reads its replies."""

    def __init__(self, target: Target, address: Address, endpoint: Endpoint) -> None:
        """Prepare to ask; nothing is sent yet."""
        self._target, self._address, self._endpoint = target, address, endpoint
        self._wire = HttpClient(address)

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._wire.close()

    async def stream(self, request: Request, ask: Callable[[Request], ServiceRequest]) -> AsyncGenerator[Delta, None]:
        """Answer a request, piece by piece; `ask` writes it as the service takes it."""
        if request.target != self._target:
            raise Refused(f"This is {self._target.model!r}, and the request is for {request.target.model!r}.")
        asked = ask(request)
        # Encoded before anything is opened: what cannot be encoded costs no connection.
        said = msgspec.json.encode(asked.body)
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **asked.headers}
        names = {wire_name(tool.name): tool.name for tool in reversed(request.tools)}
        try:
            answer = await self._wire.post(asked.path, said, headers)
            try:
                if answer.status != _OK:
                    raise from_status(answer.status, answer.headers, await _start_of(answer), self._endpoint)
                async with aclosing(self._deltas(answer, asked.reader)) as deltas:
                    async for delta in deltas:
                        yield _renamed(delta, names) if isinstance(delta, CallDelta) else delta
            finally:
                answer.close()
        except WireError as error:
            raise self._lost(error) from error

    async def _deltas(self, answer: HttpResponse, reader: ReplyReader) -> AsyncGenerator[Delta, None]:
        body = ReplyBody(reader, self._endpoint)
        async with aclosing(answer.chunks()) as chunks:
            try:
                while not body.over and (chunk := await _next(chunks, body)) is not None:
                    alive()
                    for delta in body.feed(chunk):
                        yield delta
            except WireError:
                # A line that breaks after the last word has lost nothing of the reply.
                if not body.complete:
                    raise
            # Before the end is told, because whoever hears it hangs up.
            await _rest(chunks, body)
            for delta in body.end():
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


def checked_key(key: str, variable: str) -> str:
    """The key without white space around it. Raises `BadInput` for what was copied with something else in it."""
    key = key.strip()
    if not (key.isascii() and key.isprintable()):
        raise BadInput("The key has characters that no key has.", hint=f"Set {variable or 'the key'} again.")
    return key


def _renamed(delta: CallDelta, names: Mapping[str, str]) -> CallDelta:
    """A call by our name of the tool, where the service was told another that it takes."""
    name = names.get(delta.name, delta.name)
    return delta if name == delta.name else msgspec.structs.replace(delta, name=name)


async def _start_of(answer: HttpResponse) -> bytes:
    """How the body of an error begins; all that came of it, if it breaks off."""
    body = b""
    with suppress(TimeoutError, WireError):
        async with asyncio.timeout(_ERROR_TIME), aclosing(answer.chunks()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > _ERROR_SIZE:
                    break
    return body


async def _next(chunks: AsyncIterator[bytes], body: ReplyBody) -> bytes | None:
    """More of a reply; None at the end, or where a server leaves the line open after the last word."""
    try:
        # While the model may still say something, only the loop decides how long silence may last.
        async with asyncio.timeout(_LAST_COUNT if body.complete else None):
            return await anext(chunks, None)
    except TimeoutError:
        return None


async def _rest(chunks: AsyncIterator[bytes], body: ReplyBody) -> None:
    """Read the end of a stream whose last event has come, so that the connection can be used again.

    Some servers tell what a reply used only there.
    """
    with suppress(TimeoutError, WireError, ModelError):
        async with asyncio.timeout(_LAST_WORDS):
            async for chunk in chunks:
                for _ in body.feed(chunk):
                    pass
