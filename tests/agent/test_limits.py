"""How far a turn may go by itself, and that it goes no further."""

import asyncio

import pytest

from holdfast import BadInput, Scripted, Text, Usage
from holdfast.agent.limits import Limits
from tests.agent.troupe import PlainTool, calling, scripted, setup, turn, volatile
from tests.journeys.afterwards import is_in_order

SILENT = Scripted(parts=(Text(text="Once upon a time there was a harbour"),), after=1, failure="silence")
USED = Usage(input_tokens=900, output_tokens=100, cost_micros=2_500_000)


@pytest.mark.parametrize("name", ["steps", "tokens", "cost", "seconds", "tool_seconds"])
@pytest.mark.parametrize("value", [-1, float("nan")])
def test_a_bound_is_a_number_from_nought(name: str, value: float) -> None:
    """
    Anything else is refused, by name.
    """
    with pytest.raises(BadInput, match=name):
        Limits(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(steps=3), "3 steps"),
        (Limits(tokens=900), "900 tokens, the most one turn may use (limits.tokens); it used 1,000"),
        (Limits(cost=2), "$2, the most one turn may cost (limits.cost); it cost $2.5"),
        (Limits(seconds=60), "60 s, the longest"),
        (Limits(steps=4, tokens=1001, cost=2.51, seconds=62), ""),
        (Limits(steps=0), ""),
    ],
)
def test_what_is_reached_is_said(limits: Limits, words: str) -> None:
    """
    With its setting, so that whoever wants more knows what to change; nought is no bound.
    """
    reached = limits.reached(steps=3, used=USED, seconds=61.0)

    assert bool(words) == bool(reached)
    assert words in reached
    assert not words or "limits." in reached


def test_one_step_is_one() -> None:
    """
    Numbers and their words agree.
    """
    assert Limits(steps=1).reached(steps=1, used=USED, seconds=0.0).startswith("1 step,")


async def test_the_time_of_a_turn_ends_it_wherever_it_is() -> None:
    """
    In a stream and in a tool: what was shown is kept, every call has its result, and the note names the limit.
    """

    async def hang(*_: object) -> None:
        await asyncio.Event().wait()

    limits = Limits(seconds=0.05)
    for model in (scripted(SILENT), scripted(calling(("look", "{}")))):
        made = setup(model, tools=[PlainTool("look", hang)], limits=limits)
        async with await volatile(made) as conversation:
            async with asyncio.timeout(60):
                await turn(conversation, "go")

            ended = await conversation.idle()
            assert ended is not None
            assert "limit" == ended.why
            assert "limits.seconds" in ended.note
            await is_in_order(conversation)
