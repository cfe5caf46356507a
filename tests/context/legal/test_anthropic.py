"""The Messages API: what its checker finds, and how requests for it are written."""

import pytest

from holdfast.context.legal.anthropic import RULES, check, render
from holdfast.context.legal.rendered import Json
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import AssistantMessage, Message, Request, Target, ToolMessage, UserMessage
from holdfast.records.parts import Blob, Text, Thinking, ToolCall
from tests.context.legal import conversations
from tests.context.legal.bodies import EVERYWHERE, PDF, PNG, Body, Wrong, at, broken, changed, names
from tests.context.legal.conversations import SENT


def text(words: str) -> Json:
    """Words."""
    return {"type": "text", "text": words}


def use(call: str, name: str = "run") -> Json:
    """A call."""
    return {"type": "tool_use", "id": call, "name": name, "input": {}}


def result(call: str, *content: Json) -> Json:
    """A result."""
    return {"type": "tool_result", "tool_use_id": call, "content": [*content]}


def media(kind: str, media_type: str, data: str) -> Json:
    """An attachment."""
    return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}}


IMAGE = media("image", "image/png", PNG)
SHOWN = media("image", "image/png", SENT)
DOCUMENT = media("document", "application/pdf", PDF)
THINKING: Json = {"type": "thinking", "thinking": "", "signature": "c2ln"}
REDACTED: Json = {"type": "redacted_thinking", "data": "ZGF0YQ=="}

LAWFUL: Body = {
    "model": "claude-opus",
    "max_tokens": 1,
    "system": "Be brief.",
    "tools": [{"name": "run", "input_schema": {"type": "object", "properties": {}}}],
    "messages": [
        {"role": "user", "content": [text("hello"), IMAGE, DOCUMENT]},
        {"role": "assistant", "content": [THINKING, REDACTED, text("hm"), use("a"), use("b")]},
        {"role": "user", "content": [result("b", IMAGE), result("a", text("done")), text("and now?")]},
    ],
}
REPLY = ("messages", 1, "content")
ANSWER = ("messages", 2, "content")
BIG = media("image", "image/png", PNG[:12] + "A" * (5 * 1024 * 1024))

WRONG: list[Wrong] = [
    *EVERYWHERE,
    ("model", ("model",), ""),
    ("max_tokens", ("max_tokens",), 0),
    ("shape", ("system",), 1),
    ("blank_text", ("system",), " "),
    ("blank_text", ("system",), [text("")]),
    ("first", ("messages", 0, "role"), "assistant"),
    ("first", ("messages",), []),
    ("last", ("messages",), LAWFUL["messages"][:2]),
    ("alternation", ("messages", 1, "role"), "user"),
    ("empty", (*ANSWER,), []),
    ("blank_text", (*REPLY, 2), text("\n")),
    ("blank_text", (*ANSWER, 0), result("b", text(""))),
    ("sides", (*REPLY, 2), IMAGE),
    ("sides", ("messages", 0, "content", 0), THINKING),
    ("sides", ("messages", 0, "content", 0), use("c")),
    ("call_ids", (*REPLY, 4), use("a")),
    ("call_ids", (*REPLY, 4), use("a.b")),
    ("call_ids", (*REPLY, 4), use("")),
    ("results", (*ANSWER, 0), text("no result")),
    ("results", (*ANSWER, 0), result("c")),
    ("results", (*ANSWER, 2), result("a")),
    ("results", (*ANSWER,), [text("first"), result("a"), result("b")]),
    ("results", ("messages", 0, "content", 0), result("a")),
    ("results", ("messages",), LAWFUL["messages"][:2]),
    ("failed_results", (*ANSWER, 0, "is_error"), True),
    ("thinking_signed", (*REPLY, 0, "signature"), ""),
    ("thinking_signed", (*REPLY, 1, "data"), ""),
    ("thinking_first", (*REPLY, 0), text("before")),
    ("thinking_last", (*REPLY, 4), THINKING),
    ("tool_names", (*REPLY, 4), use("b", "a.b")),
    ("tool_names", ("tools", 0, "name"), "x" * 65),
    ("tool_names", ("tools",), LAWFUL["tools"] * 2),
    ("tool_schemas", ("tools", 0, "input_schema"), {"type": "string", "properties": {}}),
    ("tool_schemas", ("tools", 0, "input_schema"), {"type": "object", "properties": {}, "anyOf": []}),
    ("tools_named", ("tools",), []),
    ("media_types", ("messages", 0, "content", 1, "source", "media_type"), "image/jpeg"),
    ("media_types", ("messages", 0, "content", 1, "source", "media_type"), "image/bmp"),
    ("media_types", ("messages", 0, "content", 1, "source", "data"), "no base64"),
    ("media_sizes", ("messages", 0, "content", 1), BIG),
    ("media_sizes", ("messages", 0, "content"), [IMAGE] * 101),
]


def asked(*messages: Message) -> Request:
    """A request of these messages."""
    return Request(target=Target(family="anthropic", model="claude-opus", provider="anthropic"), messages=messages)


def messages_of(request: Request) -> object:
    """The messages of what is written."""
    return render(request, conversations.MEDIA).body["messages"]


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


def test_results_come_before_what_a_person_says_next() -> None:
    """
    Results and the user's next words are one message, results first, in which a failure holds only text.
    """
    blob = Blob(blob=BlobId("png"), media_type="image/png", size=9)
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(ToolCall(id=CallId("a"), name="run"), ToolCall(id=CallId("b"), name="run"))),
        ToolMessage(call=CallId("a"), name="run", parts=(blob,), ok=False),
        ToolMessage(call=CallId("b"), name="run", parts=(Text(text="fine"),)),
        UserMessage(parts=(Text(text="stop"),)),
    )

    assert [
        {"type": "tool_result", "tool_use_id": "a", "is_error": True},
        {"type": "tool_result", "tool_use_id": "b", "content": [text("fine")]},
        SHOWN,
        text("stop"),
    ] == at(messages_of(request), 2, "content")


def test_thinking_stands_before_an_unasked_message() -> None:
    """
    A delivery before a reply is one turn with it, and a turn with thinking begins with thinking.
    """
    mine = {"provider": "anthropic", "model": "claude-opus"}
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(Text(text="by the way"),)),
        AssistantMessage(
            parts=(
                Thinking(text="hm", signature="c2ln", **mine),
                Thinking(text="", signature="redacted:ZGF0YQ==", **mine),
                Text(text="well"),
            )
        ),
        UserMessage(parts=(Text(text="yes?"),)),
    )

    assert [
        {"role": "user", "content": [text("go")]},
        {"role": "assistant", "content": [{**THINKING, "thinking": "hm"}, REDACTED, text("by the way"), text("well")]},
        {"role": "user", "content": [text("yes?")]},
    ] == messages_of(request)


def test_calls_of_tools_that_are_gone_name_them() -> None:
    """
    A conversation with calls goes on without tools: they are named, and cannot be called.
    """
    request = asked(
        UserMessage(parts=(Text(text="go"),)),
        AssistantMessage(parts=(ToolCall(id=CallId("a"), name="run"),)),
        ToolMessage(call=CallId("a"), name="run", parts=()),
    )
    body = render(request, {}).body

    assert {"type": "none"} == body["tool_choice"]
    assert ["run"] == [tool["name"] for tool in at(body, "tools")]
