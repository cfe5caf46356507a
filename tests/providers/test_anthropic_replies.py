"""What Claude answers: words, thinking and calls as they come, and how they end."""

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
from holdfast.providers.anthropic import AnthropicModel
from holdfast.records.parts import Text, Thinking, ToolCall, Usage
from tests.providers.anthropic_server import (
    KEY,
    anthropic,
    begun,
    block,
    end,
    event,
    message,
    redacted,
    text,
    thinking,
    tool_use,
)
from tests.providers.claude import (
    HELLO,
    OPUS,
    READ,
    asks,
    replied,
)
from tests.providers.stand_in import Answer
from tests.providers.stand_in import said as given


async def test_text_streams_as_it_comes() -> None:
    """
    Each piece of text is a delta, and the end says why and what it used.
    """
    async with anthropic(message(text("Hel", "lo."))) as there:
        model = AnthropicModel(OPUS, key=KEY, base_url=there.url)
        came = [delta async for delta in model.stream(asks(model))]
        await model.close()

    usage = Usage(input_tokens=25, output_tokens=15, cost_micros=400)
    assert [TextDelta(text="Hel"), TextDelta(text="lo."), Finished(usage=usage)] == came


async def test_thinking_streams_and_its_signature_ends_it() -> None:
    """
    Thinking comes in pieces, and the signature with the last of them.
    """
    async with anthropic(message(thinking("Let me ", "see.", signature="EqQB"), text("Yes."))) as there:
        model = AnthropicModel(OPUS, key=KEY, base_url=there.url)
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
        model = AnthropicModel(OPUS, key=KEY, base_url=there.url)
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
    [
        ("end_turn", "ended"),
        ("stop_sequence", "ended"),
        ("max_tokens", "length"),
        ("refusal", "refused"),
        ("model_context_window_exceeded", "length"),
        ("a_reason_of_next_year", "ended"),
    ],
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


async def test_the_arguments_of_a_call_may_come_at_once() -> None:
    """
    Some servers that speak as Anthropic does send them with the beginning of the call, and no piece of them.
    """
    whole = block({"type": "tool_use", "id": "t", "name": "read", "input": {"path": "ä.txt"}})
    both = block(
        {"type": "tool_use", "id": "u", "name": "read", "input": {"path": "b"}},
        {"type": "input_json_delta", "partial_json": '{"path": "b"}'},
    )
    unended = block({"type": "tool_use", "id": "v", "name": "read", "input": {"path": "c"}})[:1]
    async with anthropic(message(whole, both, unended, stop="tool_use")) as there:
        said = await replied(there, HELLO, tools=(READ,))

    found = [json.loads(part.arguments) for part in said.parts if isinstance(part, ToolCall)]
    assert [{"path": "ä.txt"}, {"path": "b"}, {"path": "c"}] == found


async def test_a_reply_may_come_whole() -> None:
    """
    Some proxies make one object of a stream.
    """
    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"},
        {"type": "text", "text": "Yes."},
        {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "a"}},
        {"type": "tool_use", "id": "u", "name": "read", "input": {}},
    ]
    whole = {"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 7}}
    async with anthropic(given(200, whole)) as there:
        said = await replied(there, HELLO, tools=(READ,))

    assert (
        Thinking(text="Hm.", signature="EqQB", provider="anthropic", model=OPUS),
        Text(text="Yes."),
        ToolCall(id=CallId("t"), name="read", arguments='{"path": "a"}'),
        ToolCall(id=CallId("u"), name="read"),
    ) == said.parts
    assert ("called", 7) == (said.stop, said.usage and said.usage.input_tokens)


async def test_what_nobody_asked_for_is_passed_over() -> None:
    """
    Events, blocks and pieces that are not known say nothing, and the reply goes on.
    """
    odd = block({"type": "server_tool_use", "id": "s", "name": "web", "input": {}}, {"type": "input_json_delta"})
    newer = block(
        {"type": "text", "text": "Y"}, {"type": "novel_delta", "more": 1}, {"type": "text_delta", "text": "es"}
    )
    pieces = [*begun(odd, newer), event({"type": "novel"}), *(event(each) for each in end("end_turn"))]
    async with anthropic(Answer(pieces)) as there:
        said = await replied(there, HELLO)

    assert (Text(text="Yes"),) == said.parts


async def test_a_broken_connection_after_the_end_undoes_nothing() -> None:
    """
    The model had said all it had to say.
    """
    async with anthropic(Answer([*begun(text("Yes.")), event(end("end_turn")[0]), "break"])) as there:
        said = await replied(there, HELLO)

    assert ("ended", (Text(text="Yes."),)) == (said.stop, said.parts)


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


async def test_counts_that_are_told_again_replace_the_first() -> None:
    """
    The last event of a message counts all of it, also what was read; a count that is none is passed over.
    """
    used = {"input_tokens": 10, "cache_read_input_tokens": 500, "output_tokens": 1}
    last = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"input_tokens": 20}}
    odd = {**last, "usage": {"input_tokens": "many"}}
    async with anthropic(Answer([*begun(text("Fine."), usage=used), event(last, odd)])) as there:
        said = await replied(there, HELLO, model="a-model-of-our-own")

    assert Usage(input_tokens=520, cached_tokens=500, output_tokens=1) == said.usage


async def test_a_stream_that_does_not_end_broke_off() -> None:
    """
    Without its last event a reply is not whole, even if the connection was closed in good order.
    """
    async with anthropic(Answer(begun(text("Half a")))) as there:
        with pytest.raises(Unavailable, match="broke off"):
            await replied(there, HELLO)
