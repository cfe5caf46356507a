"""What Claude answers through pydantic-ai: words, thinking and calls as they come, and how they end."""

import json

import pytest

from holdfast.errors import Unavailable
from holdfast.ids import CallId
from holdfast.model.protocol import (
    CallDelta,
    Finished,
    TextDelta,
    ThinkingDelta,
)
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Text, Thinking, ToolCall, Usage
from tests.providers.anthropic_server import KEY, anthropic, begun, message, redacted, text, thinking, tool_use
from tests.providers.claude import (
    HELLO,
    OPUS,
    READ,
    asks,
)
from tests.providers.pydantic_claude import replied
from tests.providers.stand_in import Answer


async def test_text_streams_as_it_comes() -> None:
    """
    Each piece of text is a delta, and the end says why and what it used.
    """
    async with anthropic(message(text("Hel", "lo."))) as there:
        model = PydanticModel("anthropic", OPUS, key=KEY, base_url=there.url)
        came = [delta async for delta in model.stream(asks(model))]
        await model.close()

    usage = Usage(input_tokens=25, output_tokens=15, cost_micros=400)
    assert [TextDelta(text="Hel"), TextDelta(text="lo."), Finished(usage=usage)] == came


async def test_thinking_streams_and_its_signature_ends_it() -> None:
    """
    Thinking comes in pieces, and the signature with the last of them.
    """
    async with anthropic(message(thinking("Let me ", "see.", signature="EqQB"), text("Yes."))) as there:
        model = PydanticModel("anthropic", OPUS, key=KEY, base_url=there.url)
        came = [delta async for delta in model.stream(asks(model))]
        await model.close()

    signed = [ThinkingDelta(text="Let me "), ThinkingDelta(text="see."), ThinkingDelta(signature="EqQB")]
    assert [*signed, TextDelta(text="Yes.")] == came[:-1]


async def test_redacted_thinking_is_kept_as_its_data() -> None:
    """
    Thinking that the provider keeps to itself has no words, and a signature that says so.
    """
    async with anthropic(message(redacted("EmwKAhgB"), text("Yes."))) as there:
        said = await replied(there, HELLO)

    hidden = Thinking(text="", signature="redacted:EmwKAhgB", provider="anthropic", model=OPUS)
    assert (hidden, Text(text="Yes.")) == said.parts


async def test_two_thoughts_in_a_row_stay_two() -> None:
    """
    Each signature proves its own words and no others.
    """
    async with anthropic(message(thinking("A", signature="s1"), thinking("B", signature="s2"), text("C"))) as there:
        said = await replied(there, HELLO)

    signed = [(part.text, part.signature) for part in said.parts if isinstance(part, Thinking)]
    assert [("A", "s1"), ("B", "s2")] == signed


async def test_a_call_streams_by_its_index() -> None:
    """
    The first piece of a call names it, the others carry its arguments as the model wrote them.
    """
    pieces = ("", '{"path":', ' "a.txt"}')
    async with anthropic(message(tool_use("toolu_1", "read", *pieces), stop="tool_use")) as there:
        model = PydanticModel("anthropic", OPUS, key=KEY, base_url=there.url)
        came = [delta async for delta in model.stream(asks(model, tools=(READ,)))]
        await model.close()

    begin = CallDelta(index=0, id="toolu_1", name="read")
    rest = [CallDelta(index=0, arguments=piece) for piece in pieces[1:]]
    assert [begin, *rest] == came[:-1]
    assert isinstance(came[-1], Finished)
    assert "called" == came[-1].stop


async def test_parallel_calls_are_counted() -> None:
    """
    Twenty calls in one reply are twenty calls.
    """
    calls = [tool_use(f"toolu_{index}", "read", json.dumps({"path": str(index)})) for index in range(20)]
    async with anthropic(message(text("All."), *calls, stop="tool_use")) as there:
        said = await replied(there, HELLO, tools=(READ,))

    found = [(part.id, part.arguments) for part in said.parts if isinstance(part, ToolCall)]
    assert [(f"toolu_{index}", json.dumps({"path": str(index)})) for index in range(20)] == found


async def test_a_call_without_arguments_is_an_empty_object() -> None:
    """
    A tool that takes nothing is called with nothing.
    """
    async with anthropic(message(tool_use("toolu_1", "read"), stop="tool_use")) as there:
        said = await replied(there, HELLO, tools=(READ,))

    assert (ToolCall(id=CallId("toolu_1"), name="read", arguments="{}"),) == said.parts


async def test_a_call_cut_by_the_length_is_not_run() -> None:
    """
    A reply that ends for its length says so, and half a call is no call.
    """
    async with anthropic(message(text("So"), tool_use("t", "read", '{"pa'), stop="max_tokens")) as there:
        said = await replied(there, HELLO, tools=(READ,))

    assert ("length", (Text(text="So"),), 1) == (said.stop, said.parts, len(said.cut))


@pytest.mark.parametrize(
    ("reason", "stop"),
    [("end_turn", "ended"), ("stop_sequence", "ended"), ("max_tokens", "length"), ("refusal", "refused")],
)
async def test_why_it_stopped(reason: str, stop: str) -> None:
    """
    Each reason that the service gives has its own here.
    """
    async with anthropic(message(text("Well."), stop=reason)) as there:
        said = await replied(there, HELLO)

    assert stop == said.stop


async def test_a_pause_of_the_service_is_an_end() -> None:
    """
    A reason that has no counterpart still ends a reply that is whole.
    """
    async with anthropic(message(text("Well."), stop="pause_turn")) as there:
        said = await replied(there, HELLO)

    assert ("ended", (Text(text="Well."),)) == (said.stop, said.parts)


async def test_usage_counts_what_came_from_the_cache() -> None:
    """
    Input is all of the input, and the share from the cache is told apart and priced as such.
    """
    used = {"input_tokens": 10, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 90, "output_tokens": 1}
    async with anthropic(message(text("Fine."), usage=used, output=100)) as there:
        said = await replied(there, HELLO)

    # 100 × $4 and 1,000 × $0.20 and 100 × $20 per million
    expected = Usage(input_tokens=1100, cached_tokens=1000, output_tokens=100, cost_micros=2600, cache_write_tokens=90)
    assert expected == said.usage


async def test_a_stream_that_does_not_end_broke_off() -> None:
    """
    Without its last event a reply is not whole, even if the connection was closed in good order.
    """
    async with anthropic(Answer(begun(text("Half a")))) as there:
        with pytest.raises(Unavailable, match="broke off"):
            await replied(there, HELLO)
