"""Connections that are closed the moment nobody reads on.

The packages of some services leave that to the garbage collector, which comes when it likes,
and the service goes on writing until then. So the responses of a request are noted as they
open, and closed by whoever asked. What comes over them is a sign of life, also where the
packages keep it to themselves.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import TypeVar

from httpx2 import AsyncByteStream, AsyncClient, Response, Timeout

from holdfast.model.liveness import alive

T = TypeVar("T")

_TIMEOUT = Timeout(600, connect=10)
"""Seconds. How long a silence may last is decided by whoever asks; this only ends what everybody forgot."""

_OPENED: ContextVar[list[Response] | None] = ContextVar("holdfast_responses", default=None)
"""Where the responses of the request that is being opened are noted."""


def http_client(base_url: str | None) -> AsyncClient:
    """A client that notes the responses it opens."""
    # Without TLS nobody's certificate is looked at, so the list of those to trust, which takes long to read, stays
    # unread; and what is that near is asked directly, whatever proxy there is for the world outside.
    plain = (base_url or "").startswith("http://")
    trusted = SSLContext(PROTOCOL_TLS_CLIENT) if plain else True
    return AsyncClient(timeout=_TIMEOUT, trust_env=not plain, verify=trusted, event_hooks={"response": [_note]})


@asynccontextmanager
async def closing(opening: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """What a request opens; every response of it is closed at the end, however that comes."""
    opened: list[Response] = []
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_close, opened)
        token = _OPENED.set(opened)
        try:
            entered = await stack.enter_async_context(opening)
        finally:
            _OPENED.reset(token)  # at once, because the end may come in another context
        yield entered


async def _note(response: Response) -> None:
    opened = _OPENED.get()
    if opened is not None:
        opened.append(response)
    if isinstance(response.stream, AsyncByteStream):
        response.stream = _Telling(response.stream)


class _Telling(AsyncByteStream):
    """The bytes of a response; each that comes is a sign of life."""

    def __init__(self, stream: AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            alive()
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _close(opened: list[Response]) -> None:
    for response in opened:
        await response.aclose()
