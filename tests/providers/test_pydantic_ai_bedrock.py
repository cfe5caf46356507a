"""Bedrock through pydantic-ai, at a stand-in that speaks as it does."""

import json
from binascii import crc32
from pathlib import Path
from struct import pack

import pytest

from holdfast.errors import Refused, Unavailable
from holdfast.ids import CallId
from holdfast.model.protocol import (
    AssistantMessage,
    CallDelta,
    Finished,
    TextDelta,
    ThinkingDelta,
    ToolMessage,
)
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Text, Thinking, ToolCall
from tests.providers.elsewhere import HELLO, KEY, leaves, replied
from tests.providers.stand_in import Answer, Json, Piece, StandIn, said

NOVA, CLAUDE = "amazon.nova-pro-v1:0", "us.anthropic.claude-opus-5-5-v1:0"
AWS = {"AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": KEY}


@pytest.fixture(autouse=True)
def region(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bedrock is somewhere, and takes credentials of AWS; a key it takes over HTTPS alone."""
    for name, value in AWS.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"):
        monkeypatch.delenv(name, raising=False)


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

    assert {"type": "adaptive"} == there.bodies[0]["additionalModelRequestFields"]["thinking"]
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


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_bedrock_is_left_at_once(how: str) -> None:
    """
    Giving up closes the connection at once and raises nothing else.
    """
    async with StandIn(converse(piece(0, text="Half"), "hang")) as there:
        assert await leaves(PydanticModel("bedrock", NOVA, base_url=there.url), there, how) < 0.1
