"""A process that talks to the built-in demo model and says how far it is, until somebody kills it."""

import asyncio
import sys
from pathlib import Path

from msgspec.structs import replace

from holdfast import Budget, SystemClock, open_store
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import TextStreamed
from holdfast.agent.models import ChatModel
from holdfast.model.protocol import Model
from holdfast.providers.local.model import LocalModel
from tests.agent.troupe import setup

KEY = "told"
LONG = "Tell me a very long story about a sailor, and do not end it."


class One:
    """The same model, whoever is asked for."""

    def __init__(self, model: Model, output: int) -> None:
        self._chat_model = ChatModel(
            name="local:smollm2",
            model=model,
            budget=Budget(tokens=4_000, output=output, reply=output),
            takes_tools=False,
        )

    async def named(self, name: str) -> ChatModel:
        assert name
        return self._chat_model

    async def usual(self) -> ChatModel:
        return self._chat_model

    async def close(self) -> None:
        """The model is closed by whoever made it."""


async def talking(model: Model, folder: Path, *, output: int = 12) -> Conversation:
    """A conversation with a model in files; who closes it closes the store with it."""
    made = replace(setup(clock=SystemClock()), models=One(model, output))
    return await open_conversation(await open_store(folder).open(KEY), made)


async def _speak(folder: Path, weights: Path) -> None:
    conversation = await talking(LocalModel(cache=weights.parent, weights=weights), folder, output=3_000)
    with conversation.watch() as watch:
        await conversation.send(LONG, client_id="once")
        async for event in watch:
            if isinstance(event, TextStreamed):
                sys.stdout.write(event.text)
                sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_speak(Path(sys.argv[1]), Path(sys.argv[2])))
