"""A session through the eyes of one model: what it is offered, what fits, who summarizes."""

import pytest

from holdfast import Budget, ManualClock, UserMessage, open_volatile
from holdfast.agent.model_window import SMALL, ModelWindow, ModelWindows, fitted
from holdfast.agent.models import ChatModel
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.errors import BadInput
from holdfast.records.entries import ModelReplied
from holdfast.records.parts import Text, Thinking, plain_text
from tests.agent.troupe import PlainTool, opened, scripted, setup, turn


def chat_model(name: str = "small", *, tokens: int = 100_000, takes_tools: bool = True) -> ChatModel:
    """A model that takes so much."""
    return ChatModel(
        name=name, model=scripted(name=name), budget=Budget(tokens=tokens, output=500), takes_tools=takes_tools
    )


async def test_tools_are_offered_to_those_who_take_them() -> None:
    """
    They take room from what may be said; to a model that takes none, nothing of them is told.
    """
    session = await open_volatile().open("talk")
    await session.say("hello")
    for takes in (True, False):
        model = chat_model(takes_tools=takes)
        window = ModelWindow(session, model, setup(), model)
        before = (await window.request()).tokens
        window.offer((PlainTool("look"),))
        made = await window.request()

        assert takes == bool(made.request.tools)
        assert takes == (made.tokens > before)
        assert made.tokens <= window.room


async def test_a_lens_is_kept_from_turn_to_turn() -> None:
    """
    One for each model; the one that summarizes is found by its name.
    """
    session = await open_volatile().open("talk")
    windows = ModelWindows(session, setup(scripted(), summary_model="small"))

    assert await windows.of(chat_model()) is await windows.of(chat_model())
    assert await windows.of(chat_model()) is not await windows.of(chat_model("large"))
    with pytest.raises(BadInput):
        await ModelWindows(session, setup(scripted(), summary_model="missing")).of(chat_model())


async def test_nothing_is_summed_up_where_the_settings_say_so() -> None:
    """
    What does not fit is left out instead.
    """
    session = await open_volatile().open("talk")
    for _ in range(30):
        await session.say("It was a long day at the harbour. " * 20)
    model = chat_model(tokens=2_000)

    assert await ModelWindow(session, model, setup(compaction=None), model).due() is None
    assert await ModelWindow(session, model, setup(), model).due() is not None


def test_settings_are_made_to_fit_a_small_model() -> None:
    """
    A large one has them as they are.
    """
    settings = CompactionSettings()
    small = fitted(settings, chat_model(tokens=4_000))

    assert (4_000, 4_000 // SMALL, 4_000 // SMALL) == (small.window, small.output, small.protected)
    assert settings == fitted(settings, chat_model(tokens=10_000_000))


@pytest.mark.parametrize(("refusing", "sent"), [((), True), (("other",), True), (("small",), False)])
async def test_a_service_that_refuses_thinking_is_sent_none(refusing: tuple[str, ...], sent: bool) -> None:
    """
    The setting names services as the names of their models begin; the log keeps the thinking.
    """
    session = await open_volatile().open("talk")
    await session.say("hello")
    thinking = Thinking(text="Hm.", form="reasoning", provider="acme", model="m")
    await session.append(ModelReplied(parts=(thinking, Text(text="Yes?")), stop="ended"))
    await session.say("go on")
    model = chat_model("small:m")
    window = ModelWindow(session, model, setup(no_thinking_back=refusing), model)

    request = (await window.request()).request

    assert ((thinking, Text(text="Yes?")) if sent else (Text(text="Yes?"),)) == request.messages[1].parts


async def test_words_of_another_day_are_shown_with_their_time() -> None:
    """
    What was sent before midnight is sent the same to the byte after it, so a provider's cache goes on hitting.
    """
    clock = ManualClock()
    model = scripted("Aye.", "Still.", "Again.")
    async with await opened(open_volatile(clock=clock), setup(model, clock=clock, dated=True)) as conversation:
        await turn(conversation, "Ready?")
        clock.advance(23 * 3600)
        await turn(conversation, "Still?")
        clock.advance(2 * 3600)
        await turn(conversation, "And now?")
    first, _, last = model.requests
    said = [plain_text(each.parts) for each in last.messages if isinstance(each, UserMessage)]

    assert ["Ready?", "Still?", "[2026-11-17 01:00 UTC] And now?"] == said
    assert "Date: Monday, 2026-11-16 (UTC)" in first.system
    assert (first.system, first.messages) == (last.system, last.messages[: len(first.messages)])
