"""Gemini over our own HTTP, at a stand-in that refuses what the API refuses."""

import json

import pytest

from holdfast.context.legal.calls import wire_name
from holdfast.errors import BadInput, ModelError, Refused, Unavailable
from holdfast.ids import CallId
from holdfast.model.protocol import (
    AssistantMessage,
    CallDelta,
    Delta,
    Finished,
    Target,
    TextDelta,
    ThinkingDelta,
    ToolMessage,
    ToolSpec,
)
from holdfast.providers.gemini import GeminiModel
from holdfast.records.parts import Text, Thinking, ToolCall, Usage
from tests.providers.claude import asks, reply
from tests.providers.elsewhere import HELLO, leaves, parts_of, replied
from tests.providers.gemini_server import GEMINI, KEY, SIGNATURE, answer, asking, content, gemini
from tests.providers.stand_in import Answer, Json, StandIn, data

READ_CALL: Json = {
    "functionCall": {"id": "fc1", "name": "read", "args": {"path": "a.txt"}},
    "thoughtSignature": SIGNATURE,
}
CALLED = answer(
    {"text": "Let me see.", "thought": True},
    {"text": "I read "},
    {"text": "it."},
    READ_CALL,
    {"functionCall": {"id": "fc2", "name": "read", "args": {}}},
    usage={
        "promptTokenCount": 40,
        "cachedContentTokenCount": 30,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 7,
        "totalTokenCount": 52,
    },
)


async def came(*answers: Answer) -> list[Delta]:
    """All that comes of some answers to one request."""
    async with gemini(*answers) as there:
        return await replied(asking(there))


async def test_thinking_text_and_calls_stream_as_they_come() -> None:
    """
    The signature that Gemini puts on a call comes in front of it, and thinking counts as output.
    """
    assert [
        ThinkingDelta(text="Let me see."),
        TextDelta(text="I read "),
        TextDelta(text="it."),
        ThinkingDelta(signature=SIGNATURE),
        CallDelta(index=0, id="fc1", name="read", arguments='{"path": "a.txt"}'),
        CallDelta(index=1, id="fc2", name="read"),
        Finished(stop="ended", usage=Usage(input_tokens=40, cached_tokens=30, output_tokens=12, reasoning_tokens=7)),
    ] == await came(CALLED)


async def test_a_signature_goes_back_on_the_call_it_came_with() -> None:
    """
    And the request keeps Gemini's rules, or the stand-in would refuse it.
    """
    async with gemini(CALLED, answer({"text": "Done."})) as there:
        model = asking(there)
        said_first = parts_of(model, await replied(model))
        results = [ToolMessage(call=CallId(f"fc{n}"), name="read", parts=(Text(text="x"),), ok=n == 1) for n in (1, 2)]
        await replied(model, HELLO, said_first, *results)

    signed = [part.get("thoughtSignature") for part in there.bodies[1]["contents"][1]["parts"]]
    assert [None, SIGNATURE, None] == signed


async def test_calls_of_other_models_are_taken() -> None:
    """
    A call that another model made goes to Gemini with the word that says so.
    """
    old = Thinking(text="Hm.", signature="EqQB", provider="anthropic", model="claude-opus-5-5")
    call = ToolCall(id=CallId("call_1_0"), name="read")
    result = ToolMessage(call=call.id, name="read", parts=(Text(text="x"),))
    async with gemini(answer({"text": "Done."})) as there:
        await replied(asking(there), HELLO, AssistantMessage(parts=(old, call)), result)

    assert 1 == len(there.bodies[0]["contents"][1]["parts"])


async def test_words_are_signed_too() -> None:
    """
    A signature on words comes in front of them; one that comes after them is for nobody, and is left out.
    """
    signed = answer(
        {"text": "Yes", "thoughtSignature": SIGNATURE}, {"text": "."}, {"text": "", "thoughtSignature": SIGNATURE}
    )

    assert [ThinkingDelta(signature=SIGNATURE), TextDelta(text="Yes"), TextDelta(text=".")] == (await came(signed))[:-1]


async def test_a_signature_that_comes_alone_is_for_what_follows() -> None:
    """
    It may come in a part without words, before the call that it signs.
    """
    call: Json = {"functionCall": {"name": "read"}}
    alone = answer({"text": "", "thoughtSignature": SIGNATURE}, call)

    assert [ThinkingDelta(signature=SIGNATURE), CallDelta(index=0, name="read")] == (await came(alone))[:-1]


async def test_a_thought_may_be_signed_itself() -> None:
    """
    It is kept as it came.
    """
    thought = answer(
        {"text": "Hm.", "thought": True, "thoughtSignature": SIGNATURE}, {"thought": True}, {"text": "Yes."}
    )

    assert [ThinkingDelta(text="Hm.", signature=SIGNATURE), TextDelta(text="Yes.")] == (await came(thought))[:-1]


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("STOP", "ended"),
        ("OTHER", "ended"),
        ("A_REASON_OF_NEXT_YEAR", "ended"),
        ("MAX_TOKENS", "length"),
        ("CONTINUATION", "length"),
        ("SAFETY", "refused"),
        ("RECITATION", "refused"),
        ("PROHIBITED_CONTENT", "refused"),
    ],
)
async def test_why_it_stopped(reason: str, stop: str) -> None:
    """
    Each reason that the service gives has its own here.
    """
    (_, last) = await came(answer({"text": "Well."}, finish=reason))

    assert isinstance(last, Finished)
    assert stop == last.stop


async def test_a_prompt_that_is_blocked_is_refused() -> None:
    """
    It has a reply, which is that it was refused.
    """
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}}

    assert [Finished(stop="refused", usage=Usage(input_tokens=4))] == await came(Answer([data(blocked)]))


async def test_a_model_that_gives_up_says_so() -> None:
    """
    A model that breaks down over its own call says so, and nothing is made up in its place.
    """
    with pytest.raises(ModelError, match=r"MALFORMED_FUNCTION_CALL \(no such thing\)") as failure:
        await came(answer({"text": "So"}, finish="MALFORMED_FUNCTION_CALL", finishMessage="no such thing"))

    assert not isinstance(failure.value, Refused)
    with pytest.raises(Refused, match="has limited this account"):
        await came(answer({"text": "So"}, finish="PUP_LIMITED_DISABLED"))


@pytest.mark.parametrize("pieces", [1, 2])
async def test_a_reply_may_come_whole(pieces: int) -> None:
    """
    As one object, or as a list of them, where a server does not know how to stream events.
    """
    parts = [content({"text": "Yes"}), content({"text": "."}, finish="STOP")]
    body = json.dumps(parts if pieces > 1 else content({"text": "Yes."}, finish="STOP")).encode()
    *words, last = await came(Answer([body], 200, (("content-type", "application/json"),)))

    assert "Yes." == "".join(each.text for each in words if isinstance(each, TextDelta))
    assert isinstance(last, Finished)


async def test_a_long_reply_comes_in_several_streams() -> None:
    """
    The service stops a stream with a token, and goes on with the reply when it is asked again with it.
    """
    cut = {"finish": "CONTINUATION"}
    streams = (
        answer({"text": "One "}, READ_CALL, continuationToken="dG9rZW4x", usage={"promptTokenCount": 9}, **cut),
        answer({"text": "two "}, continuationToken="dG9rZW4y", usage={"candidatesTokenCount": 5}, **cut),
        answer({"text": "three."}, READ_CALL, usage={"promptTokenCount": 9, "candidatesTokenCount": 7}),
    )
    async with gemini(*streams) as there:
        deltas = await replied(asking(there))

    assert [None, "dG9rZW4x", "dG9rZW4y"] == [body.get("continuationToken") for body in there.bodies]
    assert "One two three." == "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    assert [0, 1] == [delta.index for delta in deltas if isinstance(delta, CallDelta)]
    assert [Finished(usage=Usage(input_tokens=9, output_tokens=12))] == [
        delta for delta in deltas if isinstance(delta, Finished)
    ]


async def test_a_token_that_leads_nowhere_ends_the_reply() -> None:
    """
    The same token again would bring the same words again, so the reply was cut at its length.
    """
    again = answer({"text": "One "}, finish="CONTINUATION", continuationToken="dG9rZW4x")
    async with gemini(again, again) as there:
        deltas = await replied(asking(there))

    assert (2, "length") == (len(there.asked), deltas[-1].stop if isinstance(deltas[-1], Finished) else "")


async def test_a_stream_that_does_not_end_broke_off() -> None:
    """
    Without a reason for its end a reply is not whole, even if the connection was closed in good order.
    """
    with pytest.raises(Unavailable, match="broke off"):
        await came(Answer([data(content({"text": "Half a"}))]))


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_it_is_left_at_once(how: str) -> None:
    """
    Giving up closes the connection at once and raises nothing else.
    """
    async with gemini(Answer([data(content({"text": "Half"})), "hang"])) as there:
        assert await leaves(asking(there), there, how) < 0.1


async def test_requests_share_a_connection() -> None:
    """
    A second request needs no second handshake.
    """
    async with gemini(answer({"text": "One."}), answer({"text": "Two."})) as there:
        model = asking(there)
        for _ in range(2):
            assert [delta async for delta in model.stream(asks(model, HELLO))]
        connections = there.connections
        await model.close()

    assert 1 == connections


async def test_an_odd_tool_is_called_by_its_own_name() -> None:
    """
    A name that no service takes is sent as one it takes, and turned back in the reply.
    """
    odd = ToolSpec(name="mail.find/all", description="Finds.")
    sent_as = wire_name(odd.name)
    async with gemini(answer({"functionCall": {"id": "t", "name": sent_as}})) as there:
        model = asking(there)
        heard = await reply(model, asks(model, HELLO, tools=(odd,)))
        await model.close()

    assert odd.name != sent_as == there.bodies[0]["tools"][0]["functionDeclarations"][0]["name"]
    assert (ToolCall(id=CallId("t"), name=odd.name),) == heard.parts


@pytest.mark.parametrize(
    ("model", "thinks"),
    [
        ("gemini-4-argon", True),
        ("gemini-3-pro-preview", True),
        ("gemini-2.5-flash", True),
        ("gemini-flash-latest", True),
        ("gemini-2.5-flash-image", False),
        ("gemini-2.0-flash", False),
        ("gemini-1.5-pro", False),
        ("gemini-pro", False),
        ("gemma-3-27b-it", False),
    ],
)
async def test_a_model_is_asked_to_show_its_thinking_if_it_thinks(model: str, thinks: bool) -> None:
    """
    A model that does not think refuses to be asked for it.
    """
    async with gemini(answer({"text": "Fine."})) as there:
        await replied(asking(there, model))

    expected: Json = {"maxOutputTokens": 4096} | ({"thinkingConfig": {"includeThoughts": True}} if thinks else {})
    assert expected == there.bodies[0]["generationConfig"]
    assert f"/v1beta/models/{model}:streamGenerateContent?alt=sse" == there.asked[0].path


@pytest.mark.parametrize(
    ("below", "path"),
    [
        ("", "/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("/v1", "/v1/models/m:streamGenerateContent?alt=sse"),
        ("/a/v1beta/?b=c", "/a/v1beta/models/m:streamGenerateContent?alt=sse&b=c"),
    ],
)
async def test_a_service_of_ones_own_may_need_no_key(below: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    At an address of one's own, what is there decides whether a key is needed. The version may stand in the address.
    """
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    async with StandIn(answer({"text": "Fine."})) as there:
        await replied(GeminiModel("m", base_url=there.url + below))

    assert path == there.asked[0].path
    assert "x-goog-api-key" not in there.asked[0].headers


async def test_a_key_in_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Whoever has set the key needs to give none.
    """
    monkeypatch.setenv("GEMINI_API_KEY", f"{KEY}\n")
    async with gemini(answer({"text": "Fine."})) as there:
        deltas = await replied(GeminiModel(GEMINI, base_url=there.url))

    assert TextDelta(text="Fine.") == deltas[0]


def test_a_key_that_is_missing_or_cannot_be_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Before anything is sent; a wrong one is not shown.
    """
    for variable in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(Refused, match="Set GEMINI_API_KEY to your key"):
        GeminiModel(GEMINI)
    with pytest.raises(BadInput, match="characters that no key has") as failure:
        GeminiModel(GEMINI, key="AIza-ü")

    assert "ü" not in str(failure.value)


async def test_the_target_names_family_and_signer() -> None:
    """
    As it did through pydantic-ai, so signatures in old sessions go on to be sent back; other targets are refused.
    """
    model = GeminiModel(GEMINI, key=KEY)
    assert Target(family="gemini", model=GEMINI, provider="google") == model.target
    with pytest.raises(Refused, match=r"gemini-2\.5-pro"):
        await replied_to_another(model)


async def replied_to_another(model: GeminiModel) -> None:
    """Ask with a request for another model."""
    await anext(model.stream(asks(GeminiModel("gemini-2.5-pro", key=KEY), HELLO)))


async def test_arguments_are_the_text_that_came() -> None:
    """
    Numbers and letters as the service wrote them, so that nothing is lost in between.
    """
    args: Json = {"n": 12345678901234567890123, "path": "ä"}
    (call, _) = await came(answer({"functionCall": {"name": "read", "args": args}}))

    assert isinstance(call, CallDelta)
    assert args == json.loads(call.arguments)
