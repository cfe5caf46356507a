"""Chat completions: what their checker finds, and how requests for them are written."""

import pytest
from msgspec.structs import replace

from holdfast.context.legal import families
from holdfast.context.legal.openai_chat import RULES, check, render
from holdfast.context.legal.rendered import Json
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import AssistantMessage, Family, Message, Request, Target, ToolMessage, UserMessage
from holdfast.records.parts import Blob, Text, Thinking, ToolCall
from tests.context.legal import conversations
from tests.context.legal.bodies import EVERYWHERE, PDF, PNG, Body, Wrong, at, broken, changed, names
from tests.context.legal.conversations import SENT

FORMS: list[tuple[str, str, Json]] = [
    ("reasoning_content", "", {"content": "well", "reasoning_content": "hm"}),
    ("reasoning", "", {"content": "well", "reasoning": "hm"}),
    ("reasoning_text", "", {"content": "well", "reasoning_text": "hm"}),
    ("thinking", "", {"content": "well", "thinking": "hm"}),
    (
        "reasoning_details",
        '{"type":"reasoning.text","signature":"c2ln","format":"anthropic-claude-v1","index":0}',
        {
            "content": "well",
            "reasoning_details": [
                {
                    "type": "reasoning.text",
                    "signature": "c2ln",
                    "format": "anthropic-claude-v1",
                    "index": 0,
                    "text": "hm",
                }
            ],
        },
    ),
    (
        "reasoning_details",
        '{"type":"reasoning.encrypted","data":"ZW5j"}',
        {"content": "well", "reasoning_details": [{"type": "reasoning.encrypted", "data": "ZW5j"}]},
    ),
    ("reasoning_details", "", {"content": "well"}),  # cut before its item was whole
    (
        "thinking_blocks",
        '{"type":"thinking","signature":"c2ln"}',
        {"content": "well", "thinking_blocks": [{"type": "thinking", "signature": "c2ln", "thinking": "hm"}]},
    ),
    (
        "content",
        "",
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "well"},
            ]
        },
    ),
    ("<think>", "", {"content": "<think>\nhm\n</think>\n\nwell"}),
    ("</think>", "", {"content": "hm\n</think>\n\nwell"}),
    ("[THINK]", "", {"content": "[THINK]hm[/THINK]well"}),
    ("from a later version", "", {"content": "well"}),
    ("", "", {"content": "well"}),
]


def call(call_id: str, name: str = "run", arguments: str = "{}") -> Json:
    """A call."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def result(call_id: str, content: object = "done") -> Json:
    """A result."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def image(url: str) -> Json:
    """A picture."""
    return {"type": "image_url", "image_url": {"url": url}}


def tool(name: str, **schema: object) -> Json:
    """A tool."""
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **schema}}}


IMAGE = image(f"data:image/png;base64,{PNG}")
FILE: Json = {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}}
TEXT: Json = {"type": "text", "text": "hello"}

LAWFUL: Body = {
    "model": "gpt-5",
    "max_completion_tokens": 1,
    "tools": [tool("run", properties={})],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [TEXT, IMAGE, FILE]},
        {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]},
        result("b"),
        result("a", [TEXT]),
        {"role": "assistant", "content": "well"},
        {"role": "user", "content": "and now?"},
    ],
}
ASKED = ("messages", 1, "content")
CALLS = ("messages", 2, "tool_calls")
THOUGHT = {"role": "assistant", "content": "well", "reasoning_content": "hm"}

WRONG: list[Wrong] = [
    *EVERYWHERE,
    ("model", ("model",), ""),
    ("max_tokens", ("max_completion_tokens",), 0),
    ("max_tokens", ("max_tokens",), 5),
    ("messages", ("messages",), LAWFUL["messages"][:1]),
    ("messages", ("messages", 1), {"role": "assistant", "content": "first"}),
    ("empty", ("messages", 0, "content"), ""),
    ("empty", ASKED, []),
    ("empty", (*ASKED, 0, "text"), ""),
    ("empty", ("messages", 5, "content"), None),
    ("empty", ("messages", 2, "content"), ""),
    ("call_ids", (*CALLS, 1), call("a")),
    ("call_ids", (*CALLS, 1), call("x" * 41)),
    ("call_ids", (*CALLS, 1), call("")),
    ("calls", ("messages", 5, "tool_calls"), []),
    ("arguments", (*CALLS, 1), call("b", arguments="[]")),
    ("arguments", (*CALLS, 1), call("b", arguments="{")),
    ("arguments", (*CALLS, 1), call("b", arguments='{"a":' * 100_000)),
    ("results", (*CALLS,), [call("a")]),
    ("results", ("messages", 3), result("a")),
    ("results", ("messages", 3), {"role": "user", "content": "wait"}),
    ("results", ("messages", 6), result("a")),
    ("results", ("messages",), LAWFUL["messages"][:4]),
    ("thinking", ("messages", 5), THOUGHT),
    ("tool_names", (*CALLS, 1), call("b", "a.b")),
    ("tool_names", ("tools",), LAWFUL["tools"] * 2),
    ("tool_schemas", ("tools", 0), tool("run")),
    ("tool_count", ("tools",), [tool(f"run{index}", properties={}) for index in range(129)]),
    ("media_types", (*ASKED, 1), image("cat.png")),
    ("media_types", (*ASKED, 1), image(f"data:image/gif;base64,{PNG}")),
    ("media_types", (*ASKED, 2, "file", "file_data"), "cat.pdf"),
    ("media_sizes", ASKED, [IMAGE] * 501),
]


def asked(*messages: Message, provider: str = "openai") -> Request:
    """A request of these messages."""
    return Request(target=Target(family="openai-chat", model="some", provider=provider), messages=messages)


def test_a_lawful_body_breaks_no_rule() -> None:
    """
    The checker takes what the service takes.
    """
    assert () == check(LAWFUL)


@pytest.mark.parametrize(("rule", "path", "to"), WRONG, ids=names(WRONG))
def test_a_wrong_body_breaks_its_rule(rule: str, path: tuple[str | int, ...], to: object) -> None:
    """
    The checker refuses what the service refuses.
    """
    assert rule in broken(check(changed(LAWFUL, path, to)))


def test_every_rule_can_fail() -> None:
    """
    A rule that nothing breaks protects nothing.
    """
    assert set(RULES) == {rule for rule, _, _ in WRONG}


def test_thinking_is_on_every_reply_or_on_none() -> None:
    """
    A provider that wants thinking back refuses a single reply without it; it is empty where there was none.
    """
    other = changed(LAWFUL, ("model",), "deepseek-v4")
    some = changed(other, ("messages", 5), {**THOUGHT, "reasoning_content": ""})

    assert {"thinking"} == broken(check(some))
    assert () == check(changed(some, ("messages", 2, "reasoning_content"), ""))


def test_what_a_tool_shows_comes_after_all_results() -> None:
    """
    A tool message holds only text, and nothing may stand between the results of one reply.
    """
    blob = Blob(blob=BlobId("png"), media_type="image/png", size=9, name="shot.png")
    paper = Blob(blob=BlobId("pdf"), media_type="application/pdf", size=9)
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(ToolCall(id=CallId("a"), name="run"), ToolCall(id=CallId("b"), name="run"))),
        ToolMessage(call=CallId("a"), name="run", parts=(blob,), ok=False),
        ToolMessage(call=CallId("b"), name="run", parts=(Text(text="fine"), paper)),
        UserMessage(parts=(Text(text="stop"), Text(text="here"))),
    )
    picture = {"url": f"data:image/png;base64,{SENT}"}
    document = {"filename": "document.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjcgYSBkb2N1bWVudA=="}

    assert [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]},
        result("a", "[failed] [shot.png: shown below]"),
        result("b", "fine\n[attachment: shown below]"),
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "[attachments of the tool results above]"},
                {"type": "image_url", "image_url": picture},
                {"type": "file", "file": document},
            ],
        },
        {"role": "user", "content": "stop\nhere"},
    ] == render(request, conversations.MEDIA).body["messages"]


def test_what_a_tool_shows_last_is_shown_too() -> None:
    """
    Attachments of the last results are shown, though nothing follows them.
    """
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(ToolCall(id=CallId("a"), name="run"),)),
        ToolMessage(call=CallId("a"), name="run", parts=(Blob(blob=BlobId("png"), media_type="image/png", size=9),)),
    )
    body = render(request, conversations.MEDIA).body

    assert ["user", "assistant", "tool", "user"] == [each["role"] for each in at(body, "messages")]


@pytest.mark.parametrize(
    ("provider", "limit", "thought"),
    [("openai", "max_completion_tokens", None), ("deepseek", "max_tokens", "hm"), ("mistral", "max_tokens", None)],
)
def test_providers_differ_in_what_they_call_and_take(provider: str, limit: str, thought: str | None) -> None:
    """
    The bound has its provider's name; thinking without a form, as in old logs, goes back where there is one way only.
    """
    thinking = Thinking(text="hm", provider=provider, model="some")
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(thinking, Text(text="well"))),
        UserMessage(parts=(Text(text="yes?"),)),
        provider=provider,
    )
    body = render(replace(request, max_output_tokens=4096), {}).body

    assert 4096 == body[limit]
    assert thought == at(body, "messages", 1).get("reasoning_content")


@pytest.mark.parametrize(("form", "signature", "expected"), FORMS, ids=[f"{form} {sign}" for form, sign, _ in FORMS])
def test_thinking_goes_back_in_the_form_in_which_it_came(form: str, signature: str, expected: Json) -> None:
    """
    Wherever the model is served; a form that is not known is not sent.
    """
    thinking = Thinking(text="hm", signature=signature, form=form, provider="vllm", model="some")
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(thinking, Text(text="well"))),
        UserMessage(parts=(Text(text="yes?"),)),
        provider="vllm",
    )
    body = render(request, {}).body

    assert {"role": "assistant", **expected} == at(body, "messages", 1)
    assert () == check(body)


def test_thinking_goes_back_between_a_call_and_its_result() -> None:
    """
    There it is needed most; also where it came after the call, and where there are no words.
    """
    thinking = Thinking(text="hm", form="content", provider="vllm", model="some")
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(ToolCall(id=CallId("a"), name="run"), thinking)),
        ToolMessage(call=CallId("a"), name="run", parts=(Text(text="fine"),)),
        provider="vllm",
    )
    content = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]

    assert {"role": "assistant", "content": content, "tool_calls": [call("a")]} == at(
        render(request, {}).body, "messages", 1
    )


@pytest.mark.parametrize(
    ("thinking", "model"),
    [
        (Thinking(text="hm", form="reasoning", provider="openrouter", model="some"), "some"),
        (Thinking(text="hm", form="reasoning", provider="openai", model="other"), "some"),
        (Thinking(text="hm", form="reasoning", provider="openai", model="gpt-5"), "gpt-5"),
        (Thinking(text=" ", form="reasoning", provider="openai", model="some"), "some"),
    ],
    ids=["another service", "another model", "OpenAI's own", "blank"],
)
def test_thinking_goes_to_nobody_else(thinking: Thinking, model: str) -> None:
    """
    A service refuses what another one thought, and OpenAI's models any; what is dropped is told.
    """
    request = Request(
        target=Target(family="openai-chat", model=model, provider="openai"),
        messages=(
            UserMessage(parts=(Text(text="go"),)),
            AssistantMessage(parts=(thinking, Text(text="well"))),
            UserMessage(parts=(Text(text="yes?"),)),
        ),
    )
    rendered = render(request, {})

    assert {"role": "assistant", "content": "well"} == at(rendered.body, "messages", 1)
    assert ["thinking"] == [each.kind for each in rendered.dropped]


def test_a_reply_of_nothing_but_thinking_is_not_sent() -> None:
    """
    A message has content.
    """
    thinking = Thinking(text="hm", form="reasoning", provider="openai", model="some")
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(thinking, thinking)),
        UserMessage(parts=(Text(text="yes?"),)),
    )

    assert ["user", "user"] == [each["role"] for each in at(render(request, {}).body, "messages")]


@pytest.mark.parametrize("family", ["anthropic", "gemini", "openai-responses"])
def test_thinking_of_chat_completions_is_no_signature_elsewhere(family: Family) -> None:
    """
    The same name may be asked over another protocol later, where its items would be taken for a signature.
    """
    thinking = Thinking(text="hm", signature="e30=", form="reasoning_details", provider="openai", model="some")
    request = Request(
        target=Target(family=family, model="some", provider="openai"),
        messages=(
            UserMessage(parts=(Text(text="go"),)),
            AssistantMessage(parts=(thinking, Text(text="well"))),
            UserMessage(parts=(Text(text="yes?"),)),
        ),
    )

    assert ["it came in a form of chat completions"] == [each.why for each in families.render(request, {}).dropped]
