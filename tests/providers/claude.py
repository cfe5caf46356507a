"""Claude, asked at a stand-in."""

from collections.abc import Mapping
from typing import TypedDict, Unpack

from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import (
    Effort,
    Message,
    Model,
    Request,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from holdfast.model.stream import Accumulator, Reply
from holdfast.providers.anthropic import AnthropicModel
from holdfast.records.parts import Text, ToolCall
from tests.providers.anthropic_server import KEY, anthropic, message, text
from tests.providers.stand_in import Json, StandIn

OPUS, SONNET, HAIKU = "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-4-5"
HELLO = UserMessage(parts=(Text(text="Hello"),))
READ = ToolSpec(name="read", description="Reads a file.", schema='{"type":"object","properties":{"path":{}}}')
CALL = ToolCall(id=CallId("call_1_0"), name="read", arguments='{"path":"a.txt"}')
RESULT = ToolMessage(call=CallId("call_1_0"), name="read", parts=(Text(text="contents"),))
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001"
    "e221bc330000000049454e44ae426082"
)


class More(TypedDict, total=False):
    """What a request may have beside messages."""

    system: str
    tools: tuple[ToolSpec, ...]
    max_output_tokens: int
    media: Mapping[BlobId, bytes]
    effort: Effort


def asks(model: Model, *messages: Message, **more: Unpack[More]) -> Request:
    """A request with some messages."""
    return Request(target=model.target, messages=messages or (HELLO,), **more)


async def reply(model: Model, asked: Request) -> Reply:
    """What a model replies."""
    accumulator = Accumulator(model.target)
    async for delta in model.stream(asked):
        accumulator.add(delta)
    return accumulator.reply()


async def replied(there: StandIn, *messages: Message, model: str = OPUS, **more: Unpack[More]) -> Reply:
    """What Claude replies."""
    claude = AnthropicModel(model, key=KEY, base_url=there.url)
    try:
        return await reply(claude, asks(claude, *messages, **more))
    finally:
        await claude.close()


async def sent(*messages: Message, model: str = OPUS, **more: Unpack[More]) -> Json:
    """The body that a request becomes."""
    async with anthropic(message(text("Fine."))) as there:
        await replied(there, *messages, model=model, **more)
        return there.bodies[0]


def blocks(body: Json, index: int) -> list[Json]:
    """The blocks of a message, without where the cache may cut."""
    return [
        {name: value for name, value in block.items() if name != "cache_control"}
        for block in body["messages"][index]["content"]
    ]
