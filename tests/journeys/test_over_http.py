"""The built-in demo model, served on loopback, asked as any service is: over HTTP, through the real loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast import ModelReplied, Target, TurnEnded
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import TextStreamed
from holdfast.providers.local.model import TARGET, LocalModel
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.parts import plain_text
from tests.agent.troupe import turn
from tests.journeys.afterwards import entries, is_in_order
from tests.journeys.spoken import LONG, talking

SOON = 120
"""Seconds for a short reply on a busy machine."""


@asynccontextmanager
async def served(local: LocalModel, folder: Path, *, output: int = 12) -> AsyncIterator[Conversation]:
    """A conversation over HTTP."""
    url, key = await local.endpoint()
    target = Target(family="openai-chat", model=TARGET.model, provider="loopback")
    model = OpenAICompatible(target, base_url=url, key=key)
    try:
        async with asyncio.timeout(SOON), await talking(model, folder, output=output) as conversation:
            yield conversation
    finally:
        await model.close()


async def test_it_answers_turn_after_turn(local: LocalModel, tmp_path: Path) -> None:
    """
    What streams is what is written, and what it used is counted.
    """
    async with served(local, tmp_path) as conversation:
        seen = await turn(conversation, LONG)
        await turn(conversation, "Go on.")
        first, second = [entry for entry in await entries(conversation) if isinstance(entry, ModelReplied)]

        assert "".join(e.text for e in seen if isinstance(e, TextStreamed)) == plain_text(first.parts)
        assert first.usage is not None
        assert second.usage is not None
        assert second.usage.input_tokens > first.usage.input_tokens
        await is_in_order(conversation)


async def test_a_stop_hangs_up_and_the_next_turn_is_answered(local: LocalModel, tmp_path: Path) -> None:
    """
    Without waiting for what nobody wants any more.
    """
    async with served(local, tmp_path, output=3_000) as conversation:
        with conversation.watch() as watch:
            await conversation.send(LONG)
            async for event in watch:
                if isinstance(event, TextStreamed):
                    break
            async with asyncio.timeout(SOON):
                assert await conversation.cancel()
    async with served(local, tmp_path) as conversation:
        await turn(conversation, "Say hello.")

        assert ["cancelled", "answered"] == [e.why for e in await entries(conversation) if isinstance(e, TurnEnded)]
        await is_in_order(conversation)
