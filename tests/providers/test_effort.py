"""How long a model may think, as each service is told it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast.commands.answers import Prose
from holdfast.errors import BadInput
from holdfast.model.effort import effort_for, takes_effort
from holdfast.model.protocol import Effort, Family, Request, Target
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.entries import Described
from tests.agent.troupe import entries, scripted, setup, turn, volatile
from tests.commands.conversations import room
from tests.providers import pydantic_claude
from tests.providers.claude import HAIKU, HELLO, OPUS, sent
from tests.providers.gemini_server import answer, asking, gemini
from tests.providers.servers import Played, piece, serving, sse
from tests.providers.stand_in import Json


@pytest.mark.parametrize(
    ("provider", "family", "model", "can"),
    [
        ("scripted", "openai-chat", "small", False),
        ("local", "openai-chat", "smollm2", False),
        ("openai", "openai-responses", "gpt-6-sol", True),
        ("openai", "openai-chat", "o3-mini", True),
        ("openai", "openai-chat", "gpt-4o", False),
        ("anthropic", "anthropic", "claude-opus-5-5", True),
        ("anthropic", "anthropic", "claude-3-5-haiku", False),
        ("google", "gemini", "gemini-2.5-flash", True),
        ("google", "gemini", "gemini-2.0-flash", False),
        ("acme", "openai-chat", "anything", True),
    ],
)
def test_which_models_can_be_told(provider: str, family: Family, model: str, *, can: bool) -> None:
    """
    As far as the name says; one that cannot is told nothing, so it may stand in for one that can.
    """
    target = Target(family=family, model=model, provider=provider)

    assert can == takes_effort(target)
    assert ("high" if can else "") == effort_for(target, "high")
    assert "" == effort_for(target, "")


@pytest.mark.parametrize(
    ("family", "effort", "field"),
    [
        ("openai-chat", "low", {"reasoning_effort": "low"}),
        ("openai-responses", "high", {"reasoning": {"effort": "high"}}),
        ("openai-chat", "", {}),
        ("openai-responses", "", {}),
    ],
)
async def test_how_openai_is_told(family: Family, effort: Effort, field: dict[str, object]) -> None:
    """
    Only if it was said.
    """
    target = Target(family=family, model="gpt-6-sol", provider="openai")
    stop = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    chat, whole = sse(piece("Hm."), stop), sse({"type": "response.completed", "response": {"status": "completed"}})
    async with serving(Played(chunks=(chat if family == "openai-chat" else whole,))) as server:
        model = OpenAICompatible(target, base_url=server.url)
        async for _ in model.stream(Request(target=target, messages=(HELLO,), effort=effort)):
            pass
        await model.close()

    asked = server.asked[0].json
    assert field == {name: asked[name] for name in ("reasoning", "reasoning_effort") if name in asked}


@pytest.mark.parametrize("through", ["http", "pydantic"])
async def test_how_claude_is_told(through: str) -> None:
    """
    Models that think as much as they like are told in a word, older ones get another budget.
    """
    send = sent if through == "http" else pydantic_claude.sent
    new, old = await send(model=OPUS, effort="low"), await send(model=HAIKU, effort="low", max_output_tokens=64_000)

    assert {"effort": "low"} == new["output_config"]
    assert {"type": "enabled", "budget_tokens": 2_048} == old["thinking"]
    assert "output_config" not in old
    assert "output_config" not in await send(model=OPUS)


@pytest.mark.parametrize(
    ("model", "effort", "config"),
    [
        ("gemini-2.5-flash", "medium", {"includeThoughts": True, "thinkingBudget": 8_192}),
        ("gemini-3-pro-preview", "high", {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-3-pro-preview", "", {"includeThoughts": True}),
    ],
)
async def test_how_gemini_is_told(model: str, effort: Effort, config: Json) -> None:
    """
    In tokens up to 2.5, in a word from 3 on.
    """
    async with gemini(answer({"text": "Fine."})) as there:
        client = asking(there, model)
        async for _ in client.stream(Request(target=client.target, messages=(HELLO,), effort=effort)):
            pass
        await client.close()

    assert config == there.bodies[0]["generationConfig"]["thinkingConfig"]


async def test_a_conversation_says_it_with_every_request() -> None:
    """
    From the next step on, and as long as nothing else is said; a model that cannot be told is not.
    """
    seen: list[Effort] = []

    def note(request: Request) -> str:
        seen.append(request.effort)
        return "Hm."

    model = scripted(note, note, note)
    model = type(model)(replace(model.target, provider="acme"), note, note, note, window=200_000)
    async with await volatile(setup(model)) as conversation:
        await turn(conversation, "one")
        await conversation.describe(Described(effort="high"))
        await turn(conversation, "two")
        await conversation.describe(Described(effort=""))
        await turn(conversation, "three")
        assert 2 == sum(isinstance(each, Described) for each in await entries(conversation.session))

    assert ["", "high", ""] == seen


async def test_the_command_says_what_counts(tmp_path: Path) -> None:
    """
    What a model cannot be told is refused, and what was said before stays.
    """
    async with room(tmp_path, environment={"OPENAI_API_KEY": "sk-example-0123456789"}) as here:
        said = (await here.one("/effort", Prose)).markdown
        assert "Thinking: auto. scripted:" in said
        assert "cannot be told" in said
        with pytest.raises(BadInput, match="cannot be told how long to think"):
            await here.typed("/effort low")
        with pytest.raises(BadInput, match="cannot take 'much'"):
            await here.typed("/effort much")
        await here.context.conversation.use_model("openai:gpt-6-sol")
        assert "thinks with high effort" in (await here.one("/effort high", Prose)).markdown
        assert "high" == str(here.context.conversation.state.effort)
        assert "Thinking: high. `/effort low" in (await here.one("/effort", Prose)).markdown
        assert "decides by itself" in (await here.one("/effort auto", Prose)).markdown
        assert "" == str(here.context.conversation.state.effort)
