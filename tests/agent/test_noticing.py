"""What is wrong with the tools is told to whoever talks to the agent."""

import pytest
from msgspec.structs import replace

from holdfast.agent.events import Noticed
from holdfast.agent.models import ChatModel
from holdfast.agent.tool import FixedTools
from tests.agent.troupe import Troupe, scripted, setup, turn, volatile

NOTE = "The tools of papers cannot be used."


class Handy(Troupe):
    """A model that takes tools, or does not."""

    def __init__(self, *, takes_tools: bool) -> None:
        super().__init__(scripted("One.", "Two."))
        self._takes_tools = takes_tools

    async def named(self, name: str) -> ChatModel:
        return replace(await super().named(name), takes_tools=self._takes_tools)


@pytest.mark.parametrize(("takes_tools", "expected"), [(True, [NOTE]), (False, [])])
async def test_what_is_wrong_with_the_tools_is_told_once(takes_tools: bool, expected: list[str]) -> None:
    """
    In the first turn, where the model could have used them, and not again in the next.
    """
    box = FixedTools()
    box.notes = (NOTE,)
    made = replace(setup(), toolbox=box, models=Handy(takes_tools=takes_tools))
    async with await volatile(made) as conversation:
        seen = [*await turn(conversation, "one"), *await turn(conversation, "two")]

        assert expected == [event.text for event in seen if isinstance(event, Noticed)]
