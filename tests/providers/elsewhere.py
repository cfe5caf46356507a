"""A conversation for services other than Anthropic's."""

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Protocol

import pytest

from holdfast.model.protocol import (
    AssistantMessage,
    Delta,
    Message,
    Request,
    Target,
    TextDelta,
    ToolSpec,
    UserMessage,
)
from holdfast.model.stream import Accumulator
from holdfast.records.parts import Text
from tests.providers.stand_in import StandIn

KEY = "a-key-nobody-may-see"
HELLO = UserMessage(parts=(Text(text="Hello"),))
READ = ToolSpec(name="read", description="Reads a file.", schema='{"type":"object","properties":{"path":{}}}')


class Asking(Protocol):
    """A model that can be left."""

    @property
    def target(self) -> Target: ...

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]: ...

    async def close(self) -> None: ...


async def replied(model: Asking, *messages: Message) -> list[Delta]:
    """All that comes of a request."""
    asked = Request(target=model.target, messages=messages or (HELLO,), system="Be brief.", tools=(READ,))
    try:
        return [delta async for delta in model.stream(asked)]
    finally:
        await model.close()


def parts_of(model: Asking, deltas: list[Delta]) -> AssistantMessage:
    """A reply as it stands in the next request."""
    accumulator = Accumulator(model.target)
    for delta in deltas:
        accumulator.add(delta)
    return AssistantMessage(parts=accumulator.reply().parts)


async def leaves(asking: Asking, there: StandIn, how: str) -> float:
    """Seconds from giving up in the middle of a reply until the service sees it."""
    stream = asking.stream(Request(target=asking.target, messages=(HELLO,)))
    assert TextDelta(text="Half") == await anext(stream)
    if how == "close":
        since = time.monotonic()
        await stream.aclose()
    else:
        task = asyncio.create_task(_next(stream))
        await asyncio.sleep(0.05)  # so that it waits for the next piece
        since = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await asyncio.wait_for(there.left.wait(), 60)
    await asking.close()
    return there.left_at - since


async def _next(stream: AsyncGenerator[Delta, None]) -> None:
    await anext(stream)
