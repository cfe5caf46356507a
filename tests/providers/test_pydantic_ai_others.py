"""Gemini, Mistral and Bedrock through pydantic-ai, each against a small stand-in that speaks as it does."""

import asyncio
import json
import time
from base64 import b64encode
from binascii import crc32
from pathlib import Path
from struct import pack

import pytest

from holdfast.context.legal.families import check
from holdfast.errors import Overflow, Refused, Unavailable
from holdfast.ids import CallId
from holdfast.model.protocol import (
    AssistantMessage,
    CallDelta,
    Delta,
    Finished,
    Message,
    Request,
    TextDelta,
    ThinkingDelta,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from holdfast.model.stream import Accumulator
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Text, Thinking, ToolCall, Usage
from tests.providers.stand_in import Answer, Json, Piece, StandIn, data, said

GEMINI, MISTRAL, NOVA = "gemini-3-pro-preview", "mistral-large-latest", "amazon.nova-pro-v1:0"
CLAUDE = "us.anthropic.claude-opus-5-5-v1:0"
KEY = "a-key-nobody-may-see"
AWS = {"AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": KEY}
HELLO = UserMessage(parts=(Text(text="Hello"),))
READ = ToolSpec(name="read", description="Reads a file.", schema='{"type":"object","properties":{"path":{}}}')
SIGNATURE = b64encode(b"thought, and signed").decode()


@pytest.fixture(autouse=True)
def region(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bedrock is somewhere, and takes credentials of AWS; a key it takes over HTTPS alone."""
    for name, value in AWS.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)


async def replied(model: PydanticModel, *messages: Message) -> list[Delta]:
    """All that comes of a request."""
    asked = Request(target=model.target, messages=messages or (HELLO,), system="Be brief.", tools=(READ,))
    try:
        return [delta async for delta in model.stream(asked)]
    finally:
        await model.close()


def parts_of(model: PydanticModel, deltas: list[Delta]) -> AssistantMessage:
    """A reply as it stands in the next request."""
    accumulator = Accumulator(model.target)
    for delta in deltas:
        accumulator.add(delta)
    return AssistantMessage(parts=accumulator.reply().parts)


# Gemini


def content(*parts: Json, finish: str | None = None, usage: Json | None = None) -> Json:
    """A piece of Gemini's stream."""
    candidate: Json = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": GEMINI, "usageMetadata": usage or {}, "responseId": "r1"}


def gemini_body(body: Json) -> Json:
    """A body without the settings that the rules of the contents say nothing about."""
    functions = body["tools"][0]["functionDeclarations"]
    declared = [{"parametersJsonSchema": each.pop("parameters_json_schema"), **each} for each in functions]
    return {
        "model": f"models/{GEMINI}",
        "contents": body["contents"],
        "generationConfig": {"maxOutputTokens": body["generationConfig"]["maxOutputTokens"]},
        "systemInstruction": {"parts": body["systemInstruction"]["parts"]},
        "tools": [{"functionDeclarations": declared}],
    }


CALLED = Answer(
    [
        data(content({"text": "Let me see.", "thought": True})),
        data(content({"text": "I read "})),
        data(content({"text": "it."})),
        data(
            content(
                {
                    "functionCall": {"id": "fc1", "name": "read", "args": {"path": "ä.txt"}},
                    "thoughtSignature": SIGNATURE,
                },
                {"functionCall": {"id": "fc2", "name": "read", "args": {}}},
                finish="STOP",
                usage={
                    "promptTokenCount": 40,
                    "cachedContentTokenCount": 30,
                    "candidatesTokenCount": 5,
                    "thoughtsTokenCount": 7,
                    "totalTokenCount": 52,
                },
            )
        ),
    ]
)


async def test_gemini_streams_thinking_text_and_calls() -> None:
    """
    The signature that Gemini puts on a call comes in front of it, and thinking counts as output.
    """
    async with StandIn(CALLED) as there:
        came = await replied(PydanticModel("google", GEMINI, key=KEY, base_url=there.url))

    assert f"/v1/models/{GEMINI}:streamGenerateContent?alt=sse" == there.asked[0].path
    assert [
        ThinkingDelta(text="Let me see."),
        TextDelta(text="I read "),
        TextDelta(text="it."),
        ThinkingDelta(signature=SIGNATURE),
        CallDelta(index=0, id="fc1", name="read", arguments='{"path": "ä.txt"}'),
        CallDelta(index=1, id="fc2", name="read"),
        Finished(stop="ended", usage=Usage(input_tokens=40, cached_tokens=30, output_tokens=12)),
    ] == came


async def test_gemini_gets_its_signature_back_on_the_call() -> None:
    """
    The signature goes back on the very call it came with, and the request keeps Gemini's rules.
    """
    async with StandIn(CALLED, Answer([data(content({"text": "Done."}, finish="STOP"))])) as there:
        model = PydanticModel("google", GEMINI, key=KEY, base_url=there.url)
        said_first = parts_of(model, await replied(model))
        results = [ToolMessage(call=CallId(f"fc{n}"), name="read", parts=(Text(text="x"),), ok=n == 1) for n in (1, 2)]
        await replied(model, HELLO, said_first, *results)

    body = there.bodies[1]
    signed = [part.get("thoughtSignature") for part in body["contents"][1]["parts"]]
    assert [None, SIGNATURE, None] == signed
    assert () == check("gemini", gemini_body(body))


async def test_gemini_takes_calls_of_other_models() -> None:
    """
    A call that another model made goes to Gemini with the word that says so.
    """
    old = Thinking(text="Hm.", signature="EqQB", provider="anthropic", model="claude-opus-5-5")
    call = ToolCall(id=CallId("call_1_0"), name="read")
    result = ToolMessage(call=call.id, name="read", parts=(Text(text="x"),))
    async with StandIn(Answer([data(content({"text": "Done."}, finish="STOP"))])) as there:
        await replied(
            PydanticModel("google", GEMINI, key=KEY, base_url=there.url),
            HELLO,
            AssistantMessage(parts=(old, call)),
            result,
        )

    assert () == check("gemini", gemini_body(there.bodies[0]))
    assert 1 == len(there.bodies[0]["contents"][1]["parts"])


TOO_LONG = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (503, {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}, Unavailable),
        (429, {"error": {"code": 429, "message": "Slow", "status": "RESOURCE_EXHAUSTED"}}, Unavailable),
        (400, {"error": {"code": 400, "message": "Bad", "status": "INVALID_ARGUMENT"}}, Refused),
        (400, {"error": {"code": 400, "message": TOO_LONG, "status": "INVALID_ARGUMENT"}}, Overflow),
        (403, {"error": {"code": 403, "message": f"No {KEY}", "status": "PERMISSION_DENIED"}}, Refused),
    ],
)
async def test_gemini_fails(status: int, body: Json, kind: type[Exception]) -> None:
    """
    Google's failures are told apart as everybody's are, are tried once, and do not show the key.
    """
    async with StandIn(said(status, body)) as there:
        with pytest.raises(kind) as failure:
            await replied(PydanticModel("google", GEMINI, key=KEY, base_url=there.url))

    assert KEY not in str(failure.value)
    assert 1 == len(there.asked)
    if isinstance(failure.value, Overflow):
        assert (1_048_576, 1_200_000) == (failure.value.limit, failure.value.asked)


# Mistral


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


# Bedrock


def frame(kind: str, body: Json, *, of: str = "event") -> bytes:
    """An event in the binary framing of AWS: lengths, headers, payload, each checked."""
    named = {f":{of}-type": kind, ":content-type": "application/json", ":message-type": of}
    headers = b"".join(
        pack("!B", len(name)) + name.encode() + pack("!BH", 7, len(value)) + value.encode()
        for name, value in named.items()
    )
    payload = json.dumps(body).encode()
    prelude = pack("!II", len(headers) + len(payload) + 16, len(headers))
    whole = prelude + pack("!I", crc32(prelude)) + headers + payload
    return whole + pack("!I", crc32(whole))


def piece(index: int, **delta: object) -> bytes:
    """A piece of a block."""
    return frame("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})


def converse(*pieces: Piece) -> Answer:
    """A stream of Bedrock's."""
    begin = frame("messageStart", {"role": "assistant"})
    return Answer([begin, *pieces], 200, (("content-type", "application/vnd.amazon.eventstream"),))


USED = frame(
    "metadata", {"usage": {"inputTokens": 12, "outputTokens": 8, "totalTokens": 20}, "metrics": {"latencyMs": 9}}
)


async def test_bedrock_streams_thinking_text_and_calls() -> None:
    """
    Claude on Bedrock thinks, signs, speaks and calls as it does at home.
    """
    tool = {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "tooluse_1", "name": "read"}}}
    answer = converse(
        piece(0, reasoningContent={"text": "Let me see."}),
        piece(0, reasoningContent={"signature": "EqQB"}),
        frame("contentBlockStop", {"contentBlockIndex": 0}),
        piece(1, text="I read."),
        frame("contentBlockStart", tool),
        piece(2, toolUse={"input": '{"path":'}),
        piece(2, toolUse={"input": ' "a"}'}),
        frame("messageStop", {"stopReason": "tool_use"}),
        USED,
    )
    async with StandIn(answer) as there:
        came = await replied(PydanticModel("bedrock", CLAUDE, base_url=there.url))

    assert {"type": "adaptive", "display": "summarized"} == there.bodies[0]["additionalModelRequestFields"]["thinking"]
    assert [
        ThinkingDelta(text="Let me see."),
        ThinkingDelta(signature="EqQB"),
        TextDelta(text="I read."),
        CallDelta(index=0, id="tooluse_1", name="read"),
        CallDelta(index=0, arguments='{"path":'),
        CallDelta(index=0, arguments=' "a"}'),
    ] == came[:-1]
    assert isinstance(came[-1], Finished)
    assert "called" == came[-1].stop


async def test_bedrock_gets_its_signature_back() -> None:
    """
    What Claude signed on Bedrock goes back to Bedrock, and not what it signed elsewhere.
    """
    mine = Thinking(text="Mine.", signature="EqQB", provider="bedrock", model=CLAUDE)
    other = Thinking(text="Other.", signature="EqQC", provider="anthropic", model=CLAUDE)
    call = ToolCall(id=CallId("call_1_0"), name="read")
    result = ToolMessage(call=call.id, name="read", parts=(Text(text="x"),))
    answer = converse(piece(0, text="Done."), frame("messageStop", {"stopReason": "end_turn"}), USED)
    async with StandIn(answer) as there:
        model = PydanticModel("bedrock", CLAUDE, base_url=there.url)
        await replied(model, HELLO, AssistantMessage(parts=(mine, other, call)), result)

    thought, called = there.bodies[0]["messages"][1]["content"][:2]
    assert {"text": "Mine.", "signature": "EqQB"} == thought["reasoningContent"]["reasoningText"]
    assert "toolUse" in called


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (429, "ThrottlingException", Unavailable),
        (503, "ServiceUnavailableException", Unavailable),
        (403, "AccessDeniedException", Refused),
        (400, "ValidationException", Refused),
    ],
)
async def test_bedrock_fails(status: int, code: str, kind: type[Exception]) -> None:
    """
    Bedrock's failures are told apart as everybody's are, and are tried once.
    """
    async with StandIn(said(status, {"message": "No"}, x_amzn_errortype=code)) as there:
        with pytest.raises(kind):
            await replied(PydanticModel("bedrock", NOVA, base_url=there.url))

    assert 1 == len(there.asked)


def test_bedrock_needs_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Without a region there is no address, and the message says what to set.
    """
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    with pytest.raises(Refused, match="Set AWS_DEFAULT_REGION"):
        PydanticModel("bedrock", NOVA, key=KEY)


async def test_bedrock_needs_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """
    Without a key and without credentials nothing can be asked, and the message says what to set.
    """
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(Refused, match="Set AWS_BEARER_TOKEN_BEDROCK"):
        await replied(PydanticModel("bedrock", NOVA))


async def test_a_key_for_bedrock_is_not_sent_in_the_open() -> None:
    """
    A key goes over HTTPS alone.
    """
    async with StandIn() as there:
        with pytest.raises(Refused, match="HTTPS"):
            await replied(PydanticModel("bedrock", NOVA, key=KEY, base_url=there.url))

    assert [] == there.asked


@pytest.mark.parametrize(
    ("service", "model", "pieces"),
    [
        ("google", GEMINI, [data(content({"text": "Half"})), "hang"]),
        ("mistral", MISTRAL, [data(chunk({"content": "Half"})), "hang"]),
        ("bedrock", NOVA, converse(piece(0, text="Half"), "hang").pieces),
    ],
)
@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_all_leave_at_once(service: str, model: str, pieces: list[Piece], how: str) -> None:
    """
    Whichever service it is, giving up closes the connection at once and raises nothing else.
    """
    answer = converse(*pieces[1:]) if service == "bedrock" else Answer(pieces)
    async with StandIn(answer) as there:
        asking = PydanticModel(service, model, key=None if service == "bedrock" else KEY, base_url=there.url)
        stream = asking.stream(Request(target=asking.target, messages=(HELLO,)))
        assert TextDelta(text="Half") == await anext(stream)
        if how == "close":
            since = time.monotonic()
            await stream.aclose()
        else:
            task = asyncio.create_task(_next(stream))
            await asyncio.sleep(0.05)  # so that it waits for the next piece
            since = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await asyncio.wait_for(there.left.wait(), 5)
        await asking.close()

    assert there.left_at - since < 0.1


async def _next(stream: object) -> None:
    await anext(stream)  # type: ignore[call-overload]
