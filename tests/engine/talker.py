"""A process that talks to itself in a session until it is killed: `python -m tests.engine.talker ROOT KEY`."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

from msgspec.structs import replace

from holdfast import Budget, Delta, Finished, Request, Target, TextDelta, ThinkingDelta, Usage, open_store
from holdfast.agent.models import ChatModel
from holdfast.engine.engine import Engine
from tests.agent.troupe import setup

WORDS = 60
PACE = 0.004
"""Seconds between two pieces: a reply takes a quarter of a second, and so is drafted a few times."""


class Slow:
    """A model that takes its time."""

    target = Target(family="openai-chat", model="slow", provider="scripted")

    def __init__(self) -> None:
        self._said = 0

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        self._said += 1
        for number in range(WORDS):
            await asyncio.sleep(PACE)
            kind = ThinkingDelta if number % 20 < 5 else TextDelta
            yield kind(text=f"{self._said}.{number} \N{SNOWMAN} ")
        yield Finished(stop="ended", usage=Usage(input_tokens=1, output_tokens=1))


class OneModel:
    """It, and no other."""

    def __init__(self) -> None:
        self._model = Slow()

    async def named(self, name: str) -> ChatModel:
        return ChatModel(name=name, model=self._model, budget=Budget(tokens=100_000, output=1_000))

    async def usual(self) -> ChatModel:
        return await self.named("slow")

    async def close(self) -> None:
        pass


async def main(root: Path, key: str) -> None:
    """Say something, hear the reply, and again."""
    async with Engine(open_store(root), replace(setup(), models=OneModel())) as engine:
        conversation = await engine.open(key)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            await conversation.send("And then?")
            await conversation.idle()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
