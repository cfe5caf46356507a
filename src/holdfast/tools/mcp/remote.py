"""A server that is reached by HTTP.

Each message is a POST of its own, answered with JSON or with a stream of events that ends with the
answer. A session that the server opened is named in every request after the first. Redirects are
not followed, because they could carry the user's keys somewhere else.
"""

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Any

import httpx2
import msgspec

from holdfast.records.printable import printable_line
from holdfast.tools.mcp.json_rpc import Incoming, McpFailed, incoming, notification, reply, request
from holdfast.tools.mcp.peer import UNGREETED, Heard, complete
from holdfast.tools.mcp.server import McpServer

MOST_BYTES = 16_000_000
_FAREWELL = 1.0
"""Seconds for a last word: that a call is no longer wanted, or that the session is over."""
_MOST_ASIDES = 64
"""Answers to the server that are on their way at the same time; one that asks for more is not answered."""
_SESSION = "mcp-session-id"
_EVENTS = "text/event-stream"
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e]*")
_HIGHEST_PORT = 65535
_BAD = 400


class Remote:
    """A server that is reached by HTTP, as a peer."""

    def __init__(self, server: McpServer, heard: Heard) -> None:
        """Begin without a connection; the first request makes one."""
        self.revision = ""
        self.lost = ""
        self._heard = heard
        self._url = server.url
        self._session = ""
        self._numbers = 0
        self._asides: set[asyncio.Task[None]] = set()
        _check(server)
        own = {"accept": f"application/json, {_EVENTS}", "content-type": "application/json"}
        timeout = httpx2.Timeout(server.seconds, connect=10.0)
        self._client = httpx2.AsyncClient(headers={**server.headers, **own}, timeout=timeout, trust_env=False)

    async def ask(self, method: str, params: Mapping[str, Any]) -> msgspec.Raw:
        """Send a request and wait for its result."""
        self._numbers += 1
        number = self._numbers
        body = request(number, method, complete(params, self.revision))
        try:
            async with aclosing(self._messages(body, method, params)) as messages:
                async for message in messages:
                    if not message.method and message.id == number:
                        return _result(message)
                    self._take(message)
        except asyncio.CancelledError:
            if self.revision:
                self._aside(notification("notifications/cancelled", {"requestId": number}))
            raise
        except Exception as error:  # boundary: what lies below httpx2 has errors of its own
            raise _unreached(error) from error
        raise McpFailed("The server ended its answer without a result.")

    async def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        try:
            response = await self._client.post(self._url, content=notification(method, params), headers=self._headers())
        except Exception as error:  # boundary: as above
            raise _unreached(error) from error
        if response.status_code >= _BAD:
            raise McpFailed(f"The server answered with status {response.status_code}.")

    async def close(self) -> None:
        """Say that the session is over, and let go."""
        self.lost = self.lost or "It was closed."
        for task in self._asides:
            task.cancel()
        await asyncio.gather(*self._asides, return_exceptions=True)
        if self._session:
            with suppress(httpx2.HTTPError, TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await self._client.delete(self._url, headers=self._headers())
        await self._client.aclose()

    async def _messages(self, body: bytes, method: str, params: Mapping[str, Any]) -> AsyncGenerator[Incoming, None]:
        """Everything the server says to a message."""
        headers = self._headers(method, str(params.get("name", "")))
        async with self._client.stream("POST", self._url, content=body, headers=headers) as response:
            self._session = response.headers.get(_SESSION, self._session)
            if response.headers.get("content-type", "").startswith(_EVENTS):
                async for event in httpx2.EventSource(response, max_event_size=MOST_BYTES):
                    for message in incoming(event.data):
                        yield message
                return
            found = incoming(await _whole(response))
            if response.status_code >= _BAD and not any(message.error for message in found):
                raise self._refused(response.status_code)
            for message in found:
                yield message

    def _refused(self, status: int) -> McpFailed:
        if status == 404 and self._session:  # noqa: PLR2004
            self.lost = "The server has ended the session."
            return McpFailed(self.lost)
        hint = "Check `headers` in the settings." if status in {401, 403} else ""
        return McpFailed(f"The server answered with status {status}.", hint=hint)

    def _headers(self, method: str = "", name: str = "") -> dict[str, str]:
        headers = {_SESSION: self._session} if self._session else {}
        if self.revision:
            headers["mcp-protocol-version"] = self.revision
        if self.revision == UNGREETED and method:
            headers["mcp-method"] = method
            if name:
                headers["mcp-name"] = _header_value(name)
        return headers

    def _take(self, message: Incoming) -> None:
        if message.method and message.id is None:
            self._heard(message.method)
        elif message.method and len(self._asides) < _MOST_ASIDES:
            self._aside(reply(message))

    def _aside(self, body: bytes) -> None:
        """Send something that nobody waits for."""

        async def post() -> None:
            with suppress(httpx2.HTTPError, TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await self._client.post(self._url, content=body, headers=self._headers())

        task = asyncio.create_task(post())
        self._asides.add(task)
        task.add_done_callback(self._asides.discard)


def _check(server: McpServer) -> None:
    """Raise `McpFailed` for what cannot be sent, in words of our own: what it holds may be a key."""
    for name, value in server.headers.items():
        if not (_NAME.fullmatch(name) and _VALUE.fullmatch(value)):
            raise McpFailed(
                f"The header {printable_line(name, 40)!r} has a line end, or another character"
                " that no header can have.",
                hint="Check `headers` in the settings, and the secrets that they name.",
            )
    try:
        url = httpx2.URL(server.url)
    except (httpx2.InvalidURL, ValueError) as error:
        raise McpFailed(f"The address cannot be read: {error}.", hint="Check `url` in the settings.") from error
    if not url.host or (url.port is not None and not 0 < url.port <= _HIGHEST_PORT):
        raise McpFailed("The address has no host, or a port that there is not.", hint="Check `url` in the settings.")


def _unreached(error: Exception) -> McpFailed:
    """What went wrong, for the model; it is said already if we noticed it ourselves."""
    if isinstance(error, McpFailed):
        return error
    why = str(error) if isinstance(error, httpx2.HTTPError) else ""
    return McpFailed(f"The server cannot be reached: {why or type(error).__name__}.")


def _result(message: Incoming) -> msgspec.Raw:
    if message.error is not None:
        raise message.error.failure()
    return msgspec.Raw(bytes(message.result))


async def _whole(response: httpx2.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > MOST_BYTES:
            raise McpFailed(f"The server's answer is longer than {MOST_BYTES // 1_000_000} MB.")
    return bytes(body)


def _header_value(name: str) -> str:
    """A name as a header can carry it."""
    if name.isascii() and name.isprintable() and name == name.strip():
        return name
    return f"=?base64?{b64encode(name.encode()).decode()}?="
