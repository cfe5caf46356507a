"""Requests that an account bounds before they are made."""

import pytest

from holdfast import Request, Session, TextDelta, TurnShare, UserMessage, open_volatile
from holdfast.agent.reserved import ReservedModel
from holdfast.errors import OverBudget
from holdfast.records.parts import Text
from tests.agent.troupe import TARGET, scripted


class Purse:
    """An account with so many tokens."""

    def __init__(self, left: int) -> None:
        self.left = left

    def share(self, session: Session) -> TurnShare | None:
        return None

    def reserve(self, session: Session, *, model: str, asked: int, longest: int) -> int:
        if asked > self.left:
            raise OverBudget("Nothing is left.")
        return min(longest, self.left - asked)


async def test_a_request_beside_the_turns_is_reserved_before_it_is_made() -> None:
    """
    Its reply is as long as what is left allows; what does not fit is not asked.
    """
    request = Request(target=TARGET, messages=(UserMessage(parts=(Text(text="Sum it up."),)),), max_output_tokens=4_000)
    model = scripted("Done.")
    async with open_volatile().session("talk") as session:
        rich, poor = ReservedModel(model, session, Purse(1_000)), ReservedModel(model, session, Purse(1))
        said = [each.text async for each in rich.stream(request) if isinstance(each, TextDelta)]
        with pytest.raises(OverBudget):
            poor.stream(request)

    assert ["Done."] == said
    assert TARGET == rich.target
    (made,) = model.requests
    assert 0 < made.max_output_tokens < 1_000
