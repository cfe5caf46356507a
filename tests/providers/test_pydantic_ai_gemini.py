"""Gemini through pydantic-ai, at a stand-in that speaks as it does."""

from base64 import b64encode

import pytest

from holdfast.context.legal.families import check
from holdfast.errors import ModelError, Overflow, Refused, Unavailable
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
from holdfast.records.parts import Text, Thinking, ToolCall, Usage
from tests.providers.elsewhere import HELLO, KEY, leaves, parts_of, replied
from tests.providers.stand_in import Answer, Json, StandIn, data, said

GEMINI = "gemini-3-pro-preview"
SIGNATURE = b64encode(b"thought, and signed").decode()


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


async def test_gemini_signs_words_too() -> None:
    """
    A signature on words comes in front of them; one that comes after them is for nobody, and is left out.
    """
    pieces = [
        data(content({"text": "Yes", "thoughtSignature": SIGNATURE})),
        data(content({"text": "."})),
        data(content({"text": "", "thoughtSignature": SIGNATURE}, finish="STOP")),
    ]
    async with StandIn(Answer(pieces)) as there:
        came = await replied(PydanticModel("google", GEMINI, key=KEY, base_url=there.url))

    assert [ThinkingDelta(signature=SIGNATURE), TextDelta(text="Yes"), TextDelta(text=".")] == came[:-1]


@pytest.mark.parametrize(("reason", "stop"), [("MAX_TOKENS", "length"), ("SAFETY", "refused")])
async def test_why_gemini_stopped(reason: str, stop: str) -> None:
    """
    Each reason that the service gives has its own here.
    """
    async with StandIn(Answer([data(content({"text": "Well."}, finish=reason))])) as there:
        came = await replied(PydanticModel("google", GEMINI, key=KEY, base_url=there.url))

    assert isinstance(came[-1], Finished)
    assert stop == came[-1].stop


async def test_gemini_refuses_a_prompt() -> None:
    """
    A prompt that is blocked has a reply, which is that it was refused.
    """
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}
    async with StandIn(Answer([data(blocked)])) as there:
        came = await replied(PydanticModel("google", GEMINI, key=KEY, base_url=there.url))

    assert ["refused"] == [delta.stop for delta in came if isinstance(delta, Finished)]


async def test_gemini_gives_up() -> None:
    """
    A model that breaks down over its own call says so, and nothing is made up in its place.
    """
    async with StandIn(Answer([data(content({"text": "So"}, finish="MALFORMED_FUNCTION_CALL"))])) as there:
        with pytest.raises(ModelError, match="MALFORMED_FUNCTION_CALL"):
            await replied(PydanticModel("google", GEMINI, key=KEY, base_url=there.url))


async def test_gemini_breaks_off() -> None:
    """
    An error in the middle of a stream is one that may be over soon.
    """
    error = {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}
    async with StandIn(Answer([data(content({"text": "Half"})), data(error)])) as there:
        with pytest.raises(Unavailable, match="Overloaded"):
            await replied(PydanticModel("google", GEMINI, key=KEY, base_url=there.url))


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


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_gemini_is_left_at_once(how: str) -> None:
    """
    Giving up closes the connection at once and raises nothing else.
    """
    async with StandIn(Answer([data(content({"text": "Half"})), "hang"])) as there:
        assert await leaves(PydanticModel("google", GEMINI, key=KEY, base_url=there.url), there, how) < 0.1
