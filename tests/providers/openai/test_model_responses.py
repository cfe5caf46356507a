"""OpenAI's Responses API over HTTP: its events come to the same kind of reply."""

import json

import pytest

from holdfast.context.legal import families
from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.ids import CallId
from holdfast.model.protocol import (
    AssistantMessage,
    Delta,
    Finished,
    Request,
    Target,
    TextDelta,
    ToolMessage,
    UserMessage,
)
from holdfast.model.stream import Accumulator, Reply
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.parts import Part, Text, Thinking, ToolCall, Usage
from tests.context.legal.bodies import at
from tests.providers.servers import Played, Server, serving

TARGET = Target(family="openai-responses", model="gpt-6-sol", provider="openai")
HELLO = UserMessage(parts=(Text(text="Hello"),))


def events(*said: dict[str, object]) -> bytes:
    """Events as OpenAI frames them: named, numbered, and without a [DONE]."""
    lines = [
        f"event: {event['type']}\ndata: {json.dumps({'sequence_number': number, **event})}\n\n"
        for number, event in enumerate(said)
    ]
    return "".join(lines).encode()


def event(name: str, **fields: object) -> dict[str, object]:
    """One event."""
    return {"type": f"response.{name}", **fields}


def completed(**fields: object) -> dict[str, object]:
    """The last event."""
    usage = {"input_tokens": 1000, "output_tokens": 100, "input_tokens_details": {"cached_tokens": 400}}
    return event("completed", response={"id": "resp_1", "status": "completed", "usage": usage, **fields})


def reasoning(signature: str) -> dict[str, object]:
    """The end of reasoning."""
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": signature}
    return event("output_item.done", output_index=0, item=item)


def calling(at: int, call_id: str) -> dict[str, object]:
    """The beginning of a call."""
    item = {"type": "function_call", "id": "fc_1", "call_id": call_id, "name": "read", "arguments": ""}
    return event("output_item.added", output_index=at, item=item)


async def ask(
    server: Server, *messages: UserMessage | AssistantMessage | ToolMessage, target: Target = TARGET
) -> Reply:
    """What a model of this server replies."""
    model = OpenAICompatible(target, base_url=server.url, key="sk-secret-0001", title="OpenAI")
    accumulator = Accumulator(target)
    try:
        async for delta in model.stream(Request(target=target, messages=messages or (HELLO,))):
            accumulator.add(delta)
    finally:
        await model.close()
    return accumulator.reply()


STREAM = events(
    event("created", response={"id": "resp_1", "status": "in_progress", "usage": None, "error": None}),
    event("reasoning_summary_text.delta", output_index=0, delta="Hm."),
    reasoning("c2VjcmV0"),
    event("output_item.added", output_index=1, item={"type": "message", "content": []}),
    event("output_text.delta", output_index=1, delta="I look "),
    event("output_text.delta", output_index=1, delta="into both."),
    event("output_text.done", output_index=1, text="I look into both."),
    calling(2, "call_a"),
    calling(3, "call_b"),
    event("function_call_arguments.delta", output_index=3, delta='{"path":'),
    event("function_call_arguments.delta", output_index=2, delta='{"path":"a"}'),
    event("function_call_arguments.delta", output_index=3, delta='"b"}'),
    event("output_item.done", output_index=2, item={"type": "function_call", "arguments": '{"path":"a"}'}),
    completed(),
)
PARTS: tuple[Part, ...] = (
    Thinking(text="Hm.", signature="rs_1:c2VjcmV0", provider="openai", model="gpt-6-sol"),
    Text(text="I look into both."),
    ToolCall(id=CallId("call_a"), name="read", arguments='{"path":"a"}'),
    ToolCall(id=CallId("call_b"), name="read", arguments='{"path":"b"}'),
)


async def test_events_come_to_a_reply() -> None:
    """
    Reasoning with what proves it, words, and calls in turns; usage with its cost.
    """
    async with serving(Played(chunks=(STREAM,))) as server:
        reply = await ask(server)

    usage = Usage(input_tokens=1000, cached_tokens=400, output_tokens=100, cost_micros=1200 + 80 + 1000)
    assert Reply(parts=PARTS, stop="called", usage=usage) == reply


@pytest.mark.parametrize("at", range(1, len(STREAM), 97))
async def test_a_stream_cut_anywhere_is_the_same_stream(at: int) -> None:
    """
    As with any stream.
    """
    async with serving(Played(chunks=(STREAM[:at], STREAM[at:]))) as server:
        assert PARTS == (await ask(server)).parts


async def test_a_request_asks_for_reasoning_to_send_back() -> None:
    """
    Nothing is stored there, so reasoning comes encrypted, and goes back as it came.
    """
    replied = AssistantMessage(parts=PARTS)
    results = [ToolMessage(call=CallId(f"call_{name}"), name="read", parts=(Text(text=name),)) for name in "ab"]
    async with serving(Played(chunks=(events(completed()),))) as server:
        await ask(server, HELLO, replied, *results)

    (asked,) = server.asked
    assert "/v1/responses" == asked.path
    assert ["reasoning.encrypted_content"] == asked.json["include"]
    assert asked.json["store"] is False
    assert asked.json["stream"] is True
    summary = [{"type": "summary_text", "text": "Hm."}]
    item = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "c2VjcmV0"}
    assert item == at(asked.json, "input", 1)
    assert () == families.check("openai-responses", asked.json)


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4.1-mini", "gpt-5-chat-latest"])
async def test_reasoning_is_not_asked_of_models_without_it(model: str) -> None:
    """
    They refuse a request that does.
    """
    target = Target(family="openai-responses", model=model, provider="openai")
    async with serving(Played(chunks=(events(completed()),))) as server:
        await ask(server, target=target)

    assert "include" not in server.asked[0].json


async def test_arguments_that_come_whole_are_taken() -> None:
    """
    Servers that copy the API send a call in one piece.
    """
    item = {"type": "function_call", "call_id": "call_a", "name": "read", "arguments": '{"path":"a"}'}
    async with serving(
        Played(chunks=(events(event("output_item.done", output_index=0, item=item), completed()),))
    ) as server:
        assert (PARTS[2],) == (await ask(server)).parts


@pytest.mark.parametrize(
    ("last", "stop"),
    [
        (completed(), "ended"),
        (event("incomplete", response={"incomplete_details": {"reason": "max_output_tokens"}}), "length"),
        (event("incomplete", response={"incomplete_details": {"reason": "content_filter"}}), "refused"),
        (event("incomplete", response={"incomplete_details": None}), "length"),
    ],
)
async def test_why_a_reply_stopped(last: dict[str, object], stop: str) -> None:
    """
    The last event tells.
    """
    async with serving(Played(chunks=(events(event("output_text.delta", delta="Hm."), last),))) as server:
        assert stop == (await ask(server)).stop


async def test_a_refusal_is_said_and_known_as_one() -> None:
    """
    It comes under a name of its own.
    """
    async with serving(Played(chunks=(events(event("refusal.delta", delta="I won't."), completed()),))) as server:
        reply = await ask(server)

    assert ("refused", (Text(text="I won't."),)) == (reply.stop, reply.parts)


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        (event("failed", response={"error": {"code": "server_error", "message": "Sorry"}}), Unavailable),
        (event("failed", response={"error": {"code": "rate_limit_exceeded", "message": "Slow"}}), Unavailable),
        (event("failed", response={"error": {"code": "invalid_prompt", "message": "No"}}), Refused),
        ({"type": "error", "code": "context_length_exceeded", "message": "Too long"}, Overflow),
        ({"type": "error", "error": {"type": "insufficient_quota", "message": "Quota"}}, Refused),
        (event("output_text.delta", delta="and then"), Unavailable),
        (event("output_text.delta", delta=["not", "text"]), Refused),
    ],
)
async def test_a_stream_that_fails_says_how(last: dict[str, object], kind: type[ModelError]) -> None:
    """
    As errors before the stream do; a stream without its last event broke off.
    """
    came: list[Delta] = []
    async with serving(Played(chunks=(events(event("output_text.delta", delta="Hm."), last),))) as server:
        model = OpenAICompatible(TARGET, base_url=server.url, title="OpenAI")
        with pytest.raises(ModelError) as raised:
            came.extend([delta async for delta in model.stream(Request(target=TARGET, messages=(HELLO,)))])
        await model.close()

    assert kind is type(raised.value)


async def test_a_reply_ends_with_its_last_event() -> None:
    """
    The line may stay open after it.
    """
    body = events(event("output_text.delta", delta="Hm."), event("completed", response={"usage": None}))
    async with serving(Played(chunks=(body,), ends="hanging")) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        came = [delta async for delta in model.stream(Request(target=TARGET, messages=(HELLO,)))]
        await model.close()

    assert [TextDelta(text="Hm."), Finished()] == came
