"""Connections that are closed the moment nobody reads on.

The packages of some services leave that to the garbage collector, which comes when it likes,
and the service goes on writing until then. So the responses of a request are noted as they
open, and closed by whoever asked.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from typing import TypeVar

from httpx2 import AsyncClient, Response
from pydantic_ai.models import create_async_httpx2_client

T = TypeVar("T")

_OPENED: ContextVar[list[Response] | None] = ContextVar("holdfast_responses", default=None)
"""Where the responses of the request that is being opened are noted."""


def http_client() -> AsyncClient:
    """A client that notes the responses it opens."""
    client = create_async_httpx2_client()
    client.event_hooks = {"response": [_note]}
    return client


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


async def _close(opened: list[Response]) -> None:
    for response in opened:
        await response.aclose()
