"""Thinking goes back: a server that needs it gets it, in the same bytes before and after the session is opened anew."""

import json
from pathlib import Path

import pytest

from holdfast import Budget, Engine, open_store
from holdfast.agent.models import ChatModel
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tool import FixedTools
from holdfast.model.protocol import Target
from holdfast.providers.openai.model import OpenAICompatible
from tests.agent.troupe import PlainTool, turn
from tests.providers.servers import Asked, Played, piece, serving, sse

DETAILS = [{"type": "reasoning.text", "text": "Hm.", "signature": "c2ln", "index": 0}]
FORMS: list[dict[str, object]] = [
    {"reasoning_content": "Hm."},
    {"reasoning": "Hm."},
    {"reasoning_details": DETAILS},
    {"content": "<think>\nHm.\n</think>\n\n"},
]


class OneModel:
    """A model behind an address, whoever asks for which."""

    def __init__(self, url: str) -> None:
        self._model = OpenAICompatible(
            Target(family="openai-chat", model="qwen3", provider="vllm"), base_url=url, title="vLLM"
        )

    async def named(self, name: str) -> ChatModel:
        return ChatModel(name=name, model=self._model, budget=Budget(tokens=100_000, output=1_000))

    async def usual(self) -> ChatModel:
        return await self.named("vllm:qwen3")

    async def close(self) -> None:
        await self._model.close()


def replies(thinking: dict[str, object]) -> list[Played]:
    """A call after thinking, an answer after thinking, and an answer in the next process."""
    thought = {"choices": [{"index": 0, "delta": thinking}]}
    call = {"index": 0, "id": "a", "function": {"name": "look", "arguments": "{}"}}
    return [
        Played(chunks=(sse(thought, piece(tool_calls=[call]), piece(stop="tool_calls")),)),
        Played(chunks=(sse(thought, piece("Seen."), piece(stop="stop")),)),
        Played(chunks=(sse(piece("Yes."), piece(stop="stop")),)),
    ]


async def said(store: Path, url: str, text: str) -> None:
    """One turn, in a process of its own as far as the store knows."""
    made = AgentSetup(models=OneModel(url), toolbox=FixedTools([PlainTool("look")]), titles=False)
    async with Engine(open_store(store), made) as engine:
        conversation = await engine.open("talk")
        await turn(conversation, text)


def messages(asked: Asked) -> list[bytes]:
    """The messages of a request, each as its bytes."""
    found = asked.json["messages"]
    assert isinstance(found, list)
    return [json.dumps(each).encode() for each in found]


@pytest.mark.parametrize("thinking", FORMS, ids=[next(iter(each)) for each in FORMS])
async def test_a_server_that_needs_its_thinking_gets_it(thinking: dict[str, object], tmp_path: Path) -> None:
    """
    With the result, in the next turn, and from the next process: what was sent once is sent again as it was.
    """
    async with serving(*replies(thinking)) as server:
        await said(tmp_path, server.url, "Look.")
        await said(tmp_path, server.url, "And?")
        first, second, third = map(messages, server.asked)

    assert first == second[: len(first)]
    assert second == third[: len(second)]
    assert [True, True] == [b"Hm." in each for each in third if b'"assistant"' in each]
    if "reasoning_details" in thinking:
        assert DETAILS == json.loads(third[2])["reasoning_details"]
