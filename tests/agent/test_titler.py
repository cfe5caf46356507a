"""Which model is asked for a title."""

import asyncio

import pytest
from msgspec.structs import replace

from holdfast.agent.models import ChatModel
from tests.agent.troupe import Troupe, scripted, setup, turn, volatile


class Small(Troupe):
    """Models too small for tools, but for the one called able."""

    async def named(self, name: str) -> ChatModel:
        return replace(await super().named(name), takes_tools=name == "able")


@pytest.mark.parametrize(("title_model", "expected"), [("", ""), ("able", "Ebb and flow")])
async def test_a_small_model_draws_no_title(title_model: str, expected: str) -> None:
    """
    What it finds says less than the first words of the conversation; one that is named for titles is asked.
    """
    talker, titler = scripted("At noon.", "Said again and again"), scripted("Ebb and flow", name="able")
    made = replace(setup(), models=Small(talker, titler), titles=True, title_model=title_model)
    async with await volatile(made) as conversation:
        await turn(conversation, "When is high water?")
        for _ in range(50):
            await asyncio.sleep(0)

        assert expected == conversation.state.title
        assert 1 == len(talker.requests)
