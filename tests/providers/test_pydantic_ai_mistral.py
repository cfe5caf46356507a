"""Mistral through pydantic-ai, at a stand-in that speaks as it does."""

import pytest

from holdfast.errors import Refused, Unavailable
from holdfast.ids import CallId
from holdfast.model.protocol import (
    AssistantMessage,
    CallDelta,
    Finished,
    TextDelta,
    ToolMessage,
)
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Text, ToolCall, Usage
from tests.providers.elsewhere import HELLO, KEY, leaves, replied
from tests.providers.stand_in import Answer, Json, StandIn, data, said

MISTRAL = "mistral-large-latest"


def chunk(delta: Json, finish: str | None = None, usage: Json | None = None) -> Json:
    """A piece of Mistral's stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    said_of_it = {"id": "m1", "object": "chat.completion.chunk", "created": 1, "model": MISTRAL, "choices": [choice]}
    return {**said_of_it, "usage": usage} if usage else said_of_it


def mistral_call(call: str, arguments: str) -> Json:
    """A call, which Mistral sends in one piece."""
    return {"tool_calls": [{"id": call, "function": {"name": "read", "arguments": arguments}, "index": 0}]}


DONE = b"data: [DONE]\n\n"


async def test_mistral_streams_text_and_calls() -> None:
    """
    Two calls that come in pieces of their own are two calls.
    """
    usage = {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29}
    pieces = [
        data(chunk({"role": "assistant", "content": ""})),
        data(chunk({"content": "I read."})),
        data(chunk(mistral_call("abcdefgh1", '{"path": "a"}'))),
        data(chunk(mistral_call("abcdefgh2", '{"path": "b"}'), "tool_calls", usage)),
        DONE,
    ]
    async with StandIn(Answer(pieces)) as there:
        came = await replied(PydanticModel("mistral", MISTRAL, key=KEY, base_url=there.url))

    assert [
        TextDelta(text="I read."),
        CallDelta(index=0, id="abcdefgh1", name="read", arguments='{"path": "a"}'),
        CallDelta(index=1, id="abcdefgh2", name="read", arguments='{"path": "b"}'),
        Finished(stop="called", usage=Usage(input_tokens=20, output_tokens=9)),
    ] == came


async def test_mistral_gets_ids_of_its_length() -> None:
    """
    Mistral takes ids of nine letters and digits; a call and its result keep the same one.
    """
    call = ToolCall(id=CallId("call_17_0"), name="read", arguments='{"path": "a"}')
    result = ToolMessage(call=call.id, name="read", parts=(Text(text="x"),), ok=False)
    async with StandIn(Answer([data(chunk({"content": "Done."}, "stop")), DONE])) as there:
        model = PydanticModel("mistral", MISTRAL, key=KEY, base_url=there.url)
        await replied(model, HELLO, AssistantMessage(parts=(call,)), result)

    asked, answered = there.bodies[0]["messages"][-2:]
    name = asked["tool_calls"][0]["id"]
    assert (True, 9, name) == (name.isalnum(), len(name), answered["tool_call_id"])


async def test_mistral_breaks_off() -> None:
    """
    A stream that ends without a reason is not whole.
    """
    async with StandIn(Answer([data(chunk({"content": "Half"}))])) as there:
        with pytest.raises(Unavailable, match="broke off"):
            await replied(PydanticModel("mistral", MISTRAL, key=KEY, base_url=there.url))


@pytest.mark.parametrize(("status", "kind"), [(401, Refused), (422, Refused), (429, Unavailable), (500, Unavailable)])
async def test_mistral_fails(status: int, kind: type[Exception]) -> None:
    """
    Mistral's failures are told apart as everybody's are, and are tried once.
    """
    async with StandIn(said(status, {"object": "error", "message": "No", "type": "x", "code": "1"})) as there:
        with pytest.raises(kind):
            await replied(PydanticModel("mistral", MISTRAL, key=KEY, base_url=there.url))

    assert 1 == len(there.asked)


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_mistral_is_left_at_once(how: str) -> None:
    """
    Giving up closes the connection at once and raises nothing else.
    """
    async with StandIn(Answer([data(chunk({"content": "Half"})), "hang"])) as there:
        assert await leaves(PydanticModel("mistral", MISTRAL, key=KEY, base_url=there.url), there, how) < 0.1
