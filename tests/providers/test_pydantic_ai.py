"""Anthropic through pydantic-ai: what is asked, what is answered, and thinking that goes back as it was signed."""

import json
from base64 import b64encode

import pytest

from holdfast.context.legal.calls import RAW
from holdfast.errors import BadInput, Refused, Unavailable
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import (
    AssistantMessage,
    CallDelta,
    Finished,
    Message,
    Model,
    Request,
    TextDelta,
    ThinkingDelta,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from holdfast.model.stream import Accumulator, Reply
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall, Usage
from tests.providers.anthropic_server import (
    KEY,
    anthropic,
    begun,
    message,
    redacted,
    text,
    thinking,
    tool_use,
)
from tests.providers.stand_in import Answer, Json, StandIn

OPUS, SONNET, HAIKU = "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-4-5"
HELLO = UserMessage(parts=(Text(text="Hello"),))
READ = ToolSpec(name="read", description="Reads a file.", schema='{"type":"object","properties":{"path":{}}}')
CALL = ToolCall(id=CallId("call_1_0"), name="read", arguments='{"path":"a.txt"}')
RESULT = ToolMessage(call=CallId("call_1_0"), name="read", parts=(Text(text="contents"),))
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001"
    "e221bc330000000049454e44ae426082"
)


def asks(model: Model, *messages: Message, output: int = 4096, **more: object) -> Request:
    """A request with some messages."""
    given = {"messages": messages or (HELLO,), "max_output_tokens": output, **more}
    return Request(target=model.target, **given)  # type: ignore[arg-type]


async def reply(model: Model, asked: Request) -> Reply:
    """What a model replies."""
    accumulator = Accumulator(model.target)
    async for delta in model.stream(asked):
        accumulator.add(delta)
    return accumulator.reply()


async def replies(there: StandIn, *asked: tuple[Message, ...], model: str = OPUS, **more: object) -> list[Reply]:
    """What comes of some requests, one after the other."""
    claude = PydanticModel("anthropic", model, key=KEY, base_url=there.url)
    try:
        return [await reply(claude, asks(claude, *messages, **more)) for messages in asked]  # type: ignore[arg-type]
    finally:
        await claude.close()


async def sent(*messages: Message, model: str = OPUS, **more: object) -> Json:
    """The body that a request becomes."""
    async with anthropic(message(text("Fine."))) as there:
        await replies(there, messages, model=model, **more)
        return there.bodies[0]


def blocks(body: Json, index: int) -> list[Json]:
    """The blocks of a message, without where the cache may cut."""
    return [
        {name: value for name, value in block.items() if name != "cache_control"}
        for block in body["messages"][index]["content"]
    ]


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
        (said,) = await replies(there, (HELLO,))

    hidden = Thinking(text="", signature="redacted:EmwKAhgB", provider="anthropic", model=OPUS)
    assert (hidden, Text(text="Yes.")) == said.parts


async def test_two_thoughts_in_a_row_stay_two() -> None:
    """
    Each signature proves its own words and no others.
    """
    async with anthropic(message(thinking("A", signature="s1"), thinking("B", signature="s2"), text("C"))) as there:
        (said,) = await replies(there, (HELLO,))

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
        (said,) = await replies(there, (HELLO,), tools=(READ,))

    found = [(part.id, part.arguments) for part in said.parts if isinstance(part, ToolCall)]
    assert [(f"toolu_{index}", json.dumps({"path": str(index)})) for index in range(20)] == found


async def test_a_call_without_arguments_is_an_empty_object() -> None:
    """
    A tool that takes nothing is called with nothing.
    """
    async with anthropic(message(tool_use("toolu_1", "read"), stop="tool_use")) as there:
        (said,) = await replies(there, (HELLO,), tools=(READ,))

    assert (ToolCall(id=CallId("toolu_1"), name="read", arguments="{}"),) == said.parts


async def test_a_call_cut_by_the_length_is_not_run() -> None:
    """
    A reply that ends for its length says so, and half a call is no call.
    """
    async with anthropic(message(text("So"), tool_use("t", "read", '{"pa'), stop="max_tokens")) as there:
        (said,) = await replies(there, (HELLO,), tools=(READ,))

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
        (said,) = await replies(there, (HELLO,))

    assert stop == said.stop


async def test_a_pause_of_the_service_is_an_end() -> None:
    """
    A reason that has no counterpart still ends a reply that is whole.
    """
    async with anthropic(message(text("Well."), stop="pause_turn")) as there:
        (said,) = await replies(there, (HELLO,))

    assert ("ended", (Text(text="Well."),)) == (said.stop, said.parts)


async def test_usage_counts_what_came_from_the_cache() -> None:
    """
    Input is all of the input, and the share from the cache is told apart and priced as such.
    """
    used = {"input_tokens": 10, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 90, "output_tokens": 1}
    async with anthropic(message(text("Fine."), usage=used, output=100)) as there:
        (said,) = await replies(there, (HELLO,))

    # 100 × $4 and 1,000 × $0.20 and 100 × $20 per million
    assert Usage(input_tokens=1100, cached_tokens=1000, output_tokens=100, cost_micros=2600) == said.usage


async def test_a_stream_that_does_not_end_broke_off() -> None:
    """
    Without its last event a reply is not whole, even if the connection was closed in good order.
    """
    async with anthropic(Answer(begun(text("Half a")))) as there:
        with pytest.raises(Unavailable, match="broke off"):
            await replies(there, (HELLO,))


async def test_a_signature_goes_back_unchanged_in_a_tool_loop() -> None:
    """
    What the model thought before its call comes back with the result, word for word, as it was signed.
    """
    thought = (thinking("Read it.", signature="EqQB/+=="), redacted("Emw"))
    first = message(*thought, tool_use("toolu_1", "read", "{}"), stop="tool_use")
    async with anthropic(first, message(text("Done."))) as there:
        model = PydanticModel("anthropic", OPUS, key=KEY, base_url=there.url)
        said = await reply(model, asks(model, tools=(READ,)))
        result = ToolMessage(call=CallId("toolu_1"), name="read", parts=(Text(text="contents"),))
        then = await reply(model, asks(model, HELLO, AssistantMessage(parts=said.parts), result, tools=(READ,)))
        await model.close()

    assert (Text(text="Done."),) == then.parts
    assert [
        {"type": "thinking", "thinking": "Read it.", "signature": "EqQB/+=="},
        {"type": "redacted_thinking", "data": "Emw"},
        {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}},
    ] == blocks(there.bodies[1], 1)


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
async def test_a_signature_of_another_model_stays_behind(provider: str) -> None:
    """
    After a change of model, what another one thought is not sent, because its signature proves nothing here.
    """
    old = Thinking(text="Hm.", signature="EqQB", provider=provider, model=OPUS if provider == "bedrock" else SONNET)
    body = await sent(HELLO, AssistantMessage(parts=(old, CALL)), RESULT, tools=(READ,))

    assert ["tool_use"] == [block["type"] for block in blocks(body, 1)]


async def test_unsigned_thinking_stays_behind() -> None:
    """
    Thinking that was cut before its signature is not sent, and not turned into words.
    """
    body = await sent(HELLO, AssistantMessage(parts=(Thinking(text="Hm."), Text(text="Yes."))), HELLO)

    assert [{"type": "text", "text": "Yes."}] == blocks(body, 1)


async def test_thinking_stands_first_and_calls_last() -> None:
    """
    A reply goes back in the order that the service takes.
    """
    thought = Thinking(text="Hm.", signature="s", provider="anthropic", model=OPUS)
    said = AssistantMessage(parts=(Text(text="One."), thought, CALL, Text(text="Two.")))
    body = await sent(HELLO, said, RESULT, tools=(READ,))

    assert ["thinking", "text", "text", "tool_use"] == [block["type"] for block in blocks(body, 1)]


async def test_new_models_think_as_much_as_they_like() -> None:
    """
    Models that adapt think, show it, and may drop a thought that is bound to words no longer sent.
    """
    body = await sent()

    binding = {"prefix_mismatch_behavior": "drop_block"}
    assert {"type": "adaptive", "display": "summarized", "block_binding": binding} == body["thinking"]


@pytest.mark.parametrize(("output", "budget"), [(4096, 2048), (2048, 1024), (64_000, 16_384)])
async def test_older_models_think_within_a_budget(output: int, budget: int) -> None:
    """
    The budget leaves room for the reply.
    """
    body = await sent(model=HAIKU, output=output)

    assert {"type": "enabled", "budget_tokens": budget} == body["thinking"]


async def test_no_thinking_where_there_is_no_room_for_it() -> None:
    """
    A reply of a few words is not thought about.
    """
    assert "thinking" not in await sent(model=HAIKU, output=1000)


async def test_no_budget_for_a_step_that_was_begun_without_thinking() -> None:
    """
    In the middle of a tool step that another model began, an older model does not think, or it would be refused.
    """
    begun_by_another = (HELLO, AssistantMessage(parts=(CALL,)), RESULT)

    assert "thinking" not in await sent(*begun_by_another, model=HAIKU, tools=(READ,))
    assert "thinking" in await sent(*begun_by_another, AssistantMessage(parts=(Text(text="A."),)), HELLO, model=HAIKU)


async def test_the_cache_may_cut_after_tools_system_and_all_that_was_said() -> None:
    """
    The prefix that stays the same from request to request is marked for the cache.
    """
    body = await sent(HELLO, AssistantMessage(parts=(Text(text="A."),)), HELLO, system="Be brief.", tools=(READ,))

    assert all(
        "cache_control" in last for last in (body["tools"][-1], body["system"][-1], body["messages"][-1]["content"][-1])
    )
    assert "cache_control" not in body["messages"][0]["content"][0]


async def test_the_same_conversation_is_the_same_bytes() -> None:
    """
    What was said stands in the next request as it stood in the last, or the cache would not know it.
    """
    talk = (HELLO, AssistantMessage(parts=(Text(text="A."), CALL)), RESULT)
    shorter = await sent(*talk, tools=(READ,), system="Be brief.")
    longer = await sent(*talk, AssistantMessage(parts=(Text(text="B."),)), HELLO, tools=(READ,), system="Be brief.")

    assert [blocks(shorter, index) for index in range(3)] == [blocks(longer, index) for index in range(3)]
    assert (shorter["system"], shorter["tools"]) == (longer["system"], longer["tools"])


async def test_results_come_first_and_say_if_they_failed() -> None:
    """
    The results of all calls come first in the next message, and what a person adds comes after them.
    """
    second = ToolCall(id=CallId("call_1_1"), name="read", arguments='{"path":"b.txt"}')
    failed = ToolMessage(call=second.id, name="read", parts=(Text(text="no such file"),), ok=False)
    body = await sent(HELLO, AssistantMessage(parts=(CALL, second)), RESULT, HELLO, failed, tools=(READ,))

    assert [("call_1_0", False), ("call_1_1", True), ("text", None)] == [
        (block.get("tool_use_id", block["type"]), block.get("is_error")) for block in blocks(body, 2)
    ]


async def test_arguments_that_are_no_object_are_sent_as_one_that_holds_them() -> None:
    """
    The model is shown what it sent, even where the service takes only objects.
    """
    broken = ToolCall(id=CALL.id, name="read", arguments='{"path": oops')
    body = await sent(HELLO, AssistantMessage(parts=(broken,)), RESULT, tools=(READ,))

    assert {RAW: '{"path": oops'} == blocks(body, 1)[0]["input"]


async def test_an_odd_tool_is_called_by_its_own_name() -> None:
    """
    A name that no service takes is sent as one it takes, and turned back in the reply.
    """
    odd = ToolSpec(name="mail.find/all", description="Finds.")
    sent_as = (await sent(tools=(odd,)))["tools"][0]["name"]
    async with anthropic(message(tool_use("t", sent_as, "{}"), stop="tool_use")) as there:
        (said,) = await replies(there, (HELLO,), tools=(odd,))

    assert odd.name != sent_as
    assert (ToolCall(id=CallId("t"), name=odd.name),) == said.parts


async def test_calls_of_tools_that_are_gone_stay() -> None:
    """
    Calls in the past name their tools even when none is offered now, and none can be called.
    """
    body = await sent(HELLO, AssistantMessage(parts=(CALL,)), RESULT)

    assert (["read"], {"type": "none"}) == ([tool["name"] for tool in body["tools"]], body["tool_choice"])


@pytest.mark.parametrize(
    ("media", "data", "kind"), [("image/png", PIXEL, "image"), ("application/pdf", b"%PDF-1.7 etc.", "document")]
)
async def test_attachments_are_shown(media: str, data: bytes, kind: str) -> None:
    """
    A picture and a PDF are sent with their bytes.
    """
    blob = Blob(blob=BlobId("b" * 64), media_type=media, size=len(data), name="it")
    body = await sent(UserMessage(parts=(Text(text="See:"), blob)), media={blob.blob: data})

    shown = blocks(body, 0)[1]
    assert (kind, media, b64encode(data).decode()) == (
        shown["type"],
        shown["source"]["media_type"],
        shown["source"]["data"],
    )


async def test_an_attachment_without_bytes_is_described() -> None:
    """
    What is not at hand is named, so that its absence is seen.
    """
    blob = Blob(blob=BlobId("b" * 64), media_type="image/png", size=2048, name="cat.png")
    body = await sent(UserMessage(parts=(Text(text="See:"), blob)))

    assert {"type": "text", "text": "[image: cat.png, 2 KB, not shown]"} == blocks(body, 0)[1]


@pytest.mark.parametrize("ok", [True, False])
async def test_a_tool_may_give_a_picture(ok: bool) -> None:
    """
    A picture stands in its result, or after it where a failure may hold only text.
    """
    blob = Blob(blob=BlobId("b" * 64), media_type="image/png", size=len(PIXEL), name="it.png")
    parts: tuple[Part, ...] = (Text(text="here"), blob)
    shown = ToolMessage(call=CALL.id, name="read", parts=parts, ok=ok)
    body = await sent(HELLO, AssistantMessage(parts=(CALL,)), shown, tools=(READ,), media={blob.blob: PIXEL})

    inside = [each["type"] for each in blocks(body, 2)[0]["content"]]
    after = [each["type"] for each in blocks(body, 2)[1:]]
    assert (["text", "image"], []) == (inside, after) if ok else (["text"], ["text", "image"]) == (inside, after)


async def test_half_a_surrogate_can_be_sent() -> None:
    """
    Text that is no valid Unicode is sent with a sign in the place of what cannot be.
    """
    body = await sent(UserMessage(parts=(Text(text="a\ud800b"),)), system="\x00")

    assert ("a\ufffdb", "\u2400") == (blocks(body, 0)[0]["text"], body["system"][0]["text"])


async def test_the_request_says_how_long_the_reply_may_be() -> None:
    """
    The limit is the one asked for.
    """
    assert 321 == (await sent(output=321))["max_tokens"]


async def test_a_request_for_another_model_is_refused() -> None:
    """
    Rules differ between models, so a request made for one is not sent to another.
    """
    model = PydanticModel("anthropic", OPUS, key=KEY)
    other = PydanticModel("anthropic", SONNET, key=KEY)
    with pytest.raises(Refused, match=SONNET):
        await reply(model, asks(other))


@pytest.mark.parametrize(
    ("service", "model", "family"),
    [
        ("anthropic", OPUS, "anthropic"),
        ("google", "gemini-3-pro", "gemini"),
        ("mistral", "mistral-large-latest", "openai-chat"),
        ("bedrock", "us.anthropic.claude-opus-5-5-v1:0", "anthropic"),
        ("bedrock", "amazon.nova-pro-v1:0", "openai-chat"),
    ],
)
def test_the_target_names_family_and_signer(
    service: str, model: str, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Claude keeps its rules wherever it runs, and a signature is that of the service that runs it.
    """
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    target = PydanticModel(service, model, key=KEY).target

    assert (family, model, service) == (target.family, target.model, target.provider)


def test_a_missing_key_says_where_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Without a key nothing can be asked, and the message says what to set.
    """
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(Refused, match="Set ANTHROPIC_API_KEY to your key"):
        PydanticModel("anthropic", OPUS)


@pytest.mark.parametrize("key", ["sk-ant-ü", "sk-ant\x00key"])
def test_a_key_that_cannot_be_one_is_refused(key: str) -> None:
    """
    A key that was copied with something else in it is found out before it is sent, and not shown.
    """
    with pytest.raises(BadInput, match="characters that no key has") as failure:
        PydanticModel("anthropic", OPUS, key=key)

    assert key not in str(failure.value)


async def test_a_key_in_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Whoever has set the key needs to give none.
    """
    monkeypatch.setenv("ANTHROPIC_API_KEY", f"{KEY}\n")
    async with anthropic(message(text("Fine."))) as there:
        model = PydanticModel("anthropic", OPUS, base_url=there.url)
        said = await reply(model, asks(model))
        await model.close()

    assert (Text(text="Fine."),) == said.parts


def test_an_unknown_service_is_named() -> None:
    """
    A service that nobody knows is a mistake in the name.
    """
    with pytest.raises(BadInput, match="no service called 'anthropics'"):
        PydanticModel("anthropics", OPUS, key=KEY)
