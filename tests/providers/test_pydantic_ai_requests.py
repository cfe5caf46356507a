"""What Claude is asked through pydantic-ai: thinking as it was signed, results first, and a prefix that stays."""

from base64 import b64encode

import pytest

from holdfast.context.legal.calls import RAW
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import (
    AssistantMessage,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from tests.providers.anthropic_server import KEY, anthropic, message, redacted, text, thinking, tool_use
from tests.providers.claude import (
    CALL,
    HAIKU,
    HELLO,
    OPUS,
    PIXEL,
    READ,
    RESULT,
    SONNET,
    asks,
    blocks,
    reply,
)
from tests.providers.pydantic_claude import replied, sent


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
    body = await sent(model=HAIKU, max_output_tokens=output)

    assert {"type": "enabled", "budget_tokens": budget} == body["thinking"]


async def test_no_thinking_where_there_is_no_room_for_it() -> None:
    """
    A reply of a few words is not thought about.
    """
    assert "thinking" not in await sent(model=HAIKU, max_output_tokens=1000)


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
@pytest.mark.parametrize("model", ["claude-3-5-haiku-latest", "claude-3-haiku-20240307", "a-model-of-our-own"])
async def test_no_thinking_of_models_that_cannot(model: str) -> None:
    """
    A model that is not known to think is not asked to, because it would refuse.
    """
    assert "thinking" not in await sent(model=model)


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
        said = await replied(there, HELLO, tools=(odd,))

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
    assert 321 == (await sent(max_output_tokens=321))["max_tokens"]
