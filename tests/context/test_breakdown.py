"""What fills a model's window, in numbers that add up."""

import pytest

from holdfast import Budget, Scripted, Text, Usage
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Event, StepBegan
from holdfast.context.breakdown import Share, shares
from holdfast.context.compact.summary import Sections
from tests.agent.troupe import PlainTool, calling, scripted, setup, turn, volatile

WINDOW = 100_000


async def filled(conversation: Conversation) -> dict[str, int]:
    """The parts of the window by their names."""
    return {each.filling: each.tokens for each in await conversation.shares()}


def _used(parts: dict[str, int]) -> int:
    """All that is no room."""
    return sum(tokens for name, tokens in parts.items() if name not in {"reply", "free"})


def _begun(events: list[Event]) -> StepBegan:
    """The only step of a turn."""
    (step,) = [event for event in events if isinstance(event, StepBegan)]
    return step


async def test_the_parts_add_up_to_the_window() -> None:
    """
    Whatever was said, the parts are the whole window, and what is set aside for the reply is its own part.
    """
    look = PlainTool("look", lambda *_: "the tide is out " * 50)
    async with await volatile(setup(scripted(calling(("look", "{}")), "It is out."), tools=[look])) as conversation:
        before = await filled(conversation)
        await turn(conversation, "Where is the water?")
        after = await filled(conversation)

    assert [WINDOW, WINDOW] == [sum(before.values()), sum(after.values())]
    assert (0, 0, 1_000) == (before["turns"], before["results"], before["reply"])
    assert before["system"] == after["system"] > 0
    assert before["tools"] == after["tools"] > 0
    assert after["results"] > 200
    assert after["turns"] > 0


async def test_a_summary_has_a_part_of_its_own() -> None:
    """
    What is summarized leaves the turns, and what stands for it is counted apart.
    """
    summary = Sections(goal="To know the tides.").text()
    words = "The tide comes and goes, and comes again. " * 60
    script = [*[f"{number}: {words}" for number in range(8)], *[summary] * 4]
    async with await volatile(setup(scripted(*script))) as conversation:
        for number in range(8):
            await turn(conversation, f"Tell me of tide {number}.")
        before = await filled(conversation)
        done = await conversation.compact()
        after = await filled(conversation)

    assert "summary" == done.stage
    assert 0 == before["summary"] < after["summary"]
    assert after["turns"] < before["turns"]
    assert WINDOW == sum(after.values())


async def test_tokens_are_those_of_the_provider() -> None:
    """
    Once a reply told how the provider counts, all parts are counted so.
    """
    large = Scripted(parts=(Text(text="Yes."),), usage=Usage(input_tokens=100_000, output_tokens=1))
    async with await volatile(setup(scripted(large))) as conversation:
        before = await filled(conversation)
        await turn(conversation, "Well?")

        assert 3 * before["system"] == (await filled(conversation))["system"]


async def test_a_request_is_measured_as_what_fills_the_window_is() -> None:
    """
    However the provider counts, a step has the room that the model takes, and is as long as all `shares` together.
    """
    small = Scripted(parts=(Text(text="Yes."),), usage=Usage(input_tokens=1, output_tokens=1))
    async with await volatile(setup(scripted(small, small, window=WINDOW))) as conversation:
        first = _begun(await turn(conversation, "Well? " * 100))
        second = _begun(await turn(conversation, "And now?"))
        parts = await filled(conversation)

    seen = parts["system"] + parts["tools"] + parts["turns"]
    assert [WINDOW - 1_000] * 2 == [first.room, second.room]
    assert second.tokens == pytest.approx(seen, rel=0.1)


async def test_a_compaction_is_told_in_tokens_of_the_provider() -> None:
    """
    What it says it made of the window is what `shares` says that the window holds.
    """
    summary = Sections(goal="To know the tides.").text()
    words = "The tide comes and goes, and comes again. " * 60
    small = Usage(input_tokens=1, output_tokens=1)
    said = [Scripted(parts=(Text(text=f"{number}: {words}"),), usage=small) for number in range(8)]
    async with await volatile(setup(scripted(*said, *[summary] * 4))) as conversation:
        for number in range(8):
            await turn(conversation, f"Tell me of tide {number}.")
        before = _used(await filled(conversation))
        done = await conversation.compact()
        after = _used(await filled(conversation))

    assert done.before == pytest.approx(before, rel=0.1)
    assert done.after == pytest.approx(after, rel=0.1)


def test_a_window_that_is_too_full_has_nothing_free() -> None:
    """
    No part is ever less than nothing.
    """
    parts = shares(({"turns": 5_000},), Budget(tokens=1_000, output=100), 1000)

    assert (
        Share(filling="turns", tokens=5_000),
        Share(filling="reply", tokens=100),
        Share(filling="free", tokens=0),
    ) == parts
