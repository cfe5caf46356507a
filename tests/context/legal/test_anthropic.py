"""The Messages API: what its checker finds, and how requests for it are written."""

import pytest
from msgspec.structs import replace

from holdfast.context.legal.anthropic import RULES, check, render
from holdfast.context.legal.rendered import Json
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import AssistantMessage, Message, Request, Target, ToolMessage, ToolSpec, UserMessage
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

MARK: Json = {"cache_control": {"type": "ephemeral"}}

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
    ("cache_marks", ("messages", 0, "content"), [{**text("hello"), **MARK}] * 5),
    ("cache_marks", (*ANSWER, 0), result("b", *[{**text("hello"), **MARK}] * 5)),
    ("cache_marks", ("tools", 0, "cache_control"), {"type": "for ever"}),
    ("cache_marks", ("tools", 0, "cache_control"), {"type": "ephemeral", "ttl": "2h"}),
    ("shape", (*REPLY, 0), {**THINKING, **MARK}),
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
    """The messages of what is written, without the marks for the cache."""
    messages = at(render(request, conversations.MEDIA).body, "messages")
    return [{**each, "content": [unmarked(block) for block in each["content"]]} for each in messages]


def unmarked(block: Json) -> Json:
    """A block without a mark for the cache."""
    return {name: value for name, value in block.items() if name != "cache_control"}


def marked(body: Body) -> list[tuple[str | int, ...]]:
    """The places that are marked for the cache."""
    places: list[tuple[tuple[str | int, ...], Json]] = [
        *((("tools", index), tool) for index, tool in enumerate(body.get("tools", ()))),
        *((("system", index), text) for index, text in enumerate(body.get("system", ()))),
        *(
            (("messages", at, index), block)
            for at, message in enumerate(body["messages"])
            for index, block in enumerate(message["content"])
        ),
    ]
    return [place for place, block in places if block.get("cache_control") == {"type": "ephemeral"}]


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


def test_the_cache_is_marked_after_tools_system_and_the_last_two_turns() -> None:
    """
    What stays the same from request to request is read from the cache, up to where the request before this one ended.
    """
    talk: list[Message] = []
    for _ in range(3):
        talk += [UserMessage(parts=(Text(text="go"), Text(text="on"))), AssistantMessage(parts=(Text(text="yes"),))]
    tools = (ToolSpec(name="run", description="Runs."), ToolSpec(name="read", description="Reads."))
    request = replace(asked(*talk[:-1]), system="Be brief.", tools=tools)

    body = render(request, {}).body
    assert [("tools", 1), ("system", 0), ("messages", 2, 1), ("messages", 4, 1)] == marked(body)
    assert () == check(body)


def test_the_end_of_a_request_is_marked_in_the_next() -> None:
    """
    A reply with more calls than the service looks back over does not cost the cache.
    """
    calls = [ToolCall(id=CallId(f"c{index}"), name="run") for index in range(30)]
    results = [ToolMessage(call=call.id, name="run", parts=(Text(text="done"),)) for call in calls]
    begin = UserMessage(parts=(Text(text="go"),))

    first = marked(render(asked(begin), {}).body)
    then = marked(render(asked(begin, AssistantMessage(parts=tuple(calls)), *results), {}).body)
    assert [("tools", 0), *first, ("messages", 2, 29)] == then
