"""Claude, asked through pydantic-ai at a stand-in."""

from typing import Unpack

from holdfast.model.protocol import Message
from holdfast.model.stream import Reply
from holdfast.providers.pydantic_ai import PydanticModel
from tests.providers.anthropic_server import KEY, anthropic, message, text
from tests.providers.claude import OPUS, More, asks, reply
from tests.providers.stand_in import Json, StandIn


async def replied(there: StandIn, *messages: Message, model: str = OPUS, **more: Unpack[More]) -> Reply:
    """What Claude replies."""
    claude = PydanticModel("anthropic", model, key=KEY, base_url=there.url)
    try:
        return await reply(claude, asks(claude, *messages, **more))
    finally:
        await claude.close()


async def sent(*messages: Message, model: str = OPUS, **more: Unpack[More]) -> Json:
    """The body that a request becomes."""
    async with anthropic(message(text("Fine."))) as there:
        await replied(there, *messages, model=model, **more)
        return there.bodies[0]
