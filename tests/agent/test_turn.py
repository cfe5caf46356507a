"""What one turn needs done, where somebody or something comes between its steps."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from msgspec.structs import replace

from holdfast import (
    Delta,
    Finished,
    Limits,
    ManualClock,
    Overflow,
    Request,
    ScriptedModel,
    Target,
    Unavailable,
)
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Event, FellBack, StepBegan, ToolBegan, TurnOver
from tests.agent.troupe import PlainTool, calling, scripted, setup, turn, until_over, volatile


def asked(events: Sequence[Event]) -> list[str]:
    """The models that were asked, step by step."""
    return [event.model for event in events if isinstance(event, StepBegan)]


async def test_another_model_is_asked_from_the_next_step_on() -> None:
    """
    Who changes the model while a turn runs means that turn too; its end, its fallback and the next turn are as ever.
    """
    opened: list[Conversation] = []

    async def change(_text: str, _desk: object) -> None:
        await opened[0].use_model("large")

    first, second = scripted(calling(("look", "{}"))), scripted("Large.", "Still.", name="large")
    async with await volatile(setup(first, second, tools=[PlainTool("look", change)])) as conversation:
        opened.append(conversation)

        assert ["small", "large"] == asked(await turn(conversation, "go"))
        assert ["large"] == asked(await turn(conversation, "again"))


async def test_it_is_asked_instead_of_one_that_is_waited_for() -> None:
    """
    A model that is away is not asked again once somebody chose another one, whatever the next attempt was to be.
    """
    opened: list[Conversation] = []

    class Chosen(ManualClock):
        async def sleep(self, seconds: float) -> None:
            await opened[0].use_model("large")
            await super().sleep(seconds)

    first, second = scripted(Unavailable("busy"), "Here."), scripted("Large.", name="large")
    async with await volatile(setup(first, second, clock=Chosen())) as conversation:
        opened.append(conversation)

        assert ["small", "large"] == asked(await turn(conversation, "go"))


async def test_a_model_that_takes_the_place_of_another_keeps_it() -> None:
    """
    For the turn: the one that stayed away is not asked before each step anew.
    """
    first = scripted(*[Unavailable("busy")] * 5, "I am back.")
    second = scripted(calling(("look", "{}")), "Done.", name="large")
    made = setup(first, second, tools=[PlainTool("look")], fallbacks=("large",))
    async with await volatile(made) as conversation:
        assert ["small"] * 5 + ["large"] * 2 == asked(await turn(conversation, "go"))
        assert ["small"] == asked(await turn(conversation, "and now?"))


async def test_a_request_that_stays_too_long_goes_to_the_next_model() -> None:
    """
    It may take more; and there too the window is made smaller once.
    """
    first = scripted(*[Overflow("too long")] * 2)
    second = scripted(Overflow("too long", limit=900, asked=1_000), "It fits.", name="large")
    async with await volatile(setup(first, second, fallbacks=("large",))) as conversation:
        seen = await turn(conversation, "go")

    assert ["small", "small", "large", "large"] == asked(seen)
    assert FellBack(model="large", why="too long") in seen
    assert isinstance(seen[-1], TurnOver)
    assert "answered" == seen[-1].ended.why


async def test_the_end_of_a_turn_says_who_stopped_it() -> None:
    """
    Where that was said; the next turn has nothing of it.
    """
    wait = PlainTool("wait", lambda _text, _desk: asyncio.Event().wait())
    async with await volatile(setup(scripted(calling(("wait", "{}")), "Yes."), tools=[wait])) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, ToolBegan):
                    break
            assert await conversation.cancel("told to leave")
            over = (await until_over(watch))[-1]
        again = (await turn(conversation, "and now?"))[-1]

    assert isinstance(over, TurnOver)
    assert ("cancelled", "told to leave") == (over.ended.why, over.ended.note)
    assert isinstance(again, TurnOver)
    assert ("answered", "") == (again.ended.why, again.ended.note)


class Tacit(ScriptedModel):
    """A model that does not say what it used."""

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """What the script says."""
        async for delta in super().stream(request):
            yield replace(delta, usage=None) if isinstance(delta, Finished) else delta


async def test_a_bound_of_tokens_holds_where_none_are_reported() -> None:
    """
    Some services never say what they used; a turn there would otherwise go on as if it used nothing.
    """
    tacit = Tacit(Target(family="openai-chat", model="small", provider="scripted"), *[calling(("look", "{}"))] * 5)
    async with await volatile(setup(tacit, tools=[PlainTool("look")], limits=Limits(tokens=10))) as conversation:
        await turn(conversation, "go")
        ended = await conversation.idle()

        assert ended is not None
        assert "limit" == ended.why
        assert "(limits.tokens)" in ended.note
