"""The Responses API: what its checker finds, and how requests for it are written."""

import pytest

from holdfast.context.legal.openai_responses import RULES, check, render, signature
from holdfast.context.legal.rendered import Json
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import AssistantMessage, Request, Target, ToolMessage, UserMessage
from holdfast.records.parts import Blob, Text, Thinking, ToolCall
from tests.context.legal import conversations
from tests.context.legal.bodies import EVERYWHERE, PDF, PNG, Body, Wrong, broken, changed, names
from tests.context.legal.conversations import SENT


def call(call_id: str, name: str = "run", arguments: str = "{}") -> Json:
    """A call."""
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


def output(call_id: str, content: object = "done") -> Json:
    """A result."""
    return {"type": "function_call_output", "call_id": call_id, "output": content}


def message(role: str, *content: Json) -> Json:
    """A message."""
    own = {"id": "msg_2", "status": "completed"} if role == "assistant" else {}
    return {"type": "message", "role": role, **own, "content": [*content]}


def image(url: str) -> Json:
    """A picture."""
    return {"type": "input_image", "image_url": url}


def tool(name: str, **schema: object) -> Json:
    """A tool."""
    return {"type": "function", "name": name, "parameters": {"type": "object", **schema}}


IMAGE = image(f"data:image/png;base64,{PNG}")
FILE: Json = {"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}
ASKED: Json = {"type": "input_text", "text": "hello"}
SAID: Json = {"type": "output_text", "text": "well", "annotations": []}
REASONING: Json = {
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "gAAA",
}
NAMED: Json = {**REASONING, "id": "rs_1"}

LAWFUL: Body = {
    "model": "gpt-5",
    "max_output_tokens": 16,
    "instructions": "Be brief.",
    "store": False,
    "tools": [tool("run", properties={})],
    "input": [
        message("user", ASKED, IMAGE, FILE),
        NAMED,
        message("assistant", SAID),
        REASONING,
        REASONING,
        call("a"),
        call("b"),
        output("b"),
        output("a", [ASKED, IMAGE]),
    ],
}

WRONG: list[Wrong] = [
    *EVERYWHERE,
    ("model", ("model",), ""),
    ("max_output_tokens", ("max_output_tokens",), 15),
    ("shape", ("store",), True),
    ("input", ("input",), []),
    ("input", ("input", 0), message("assistant", SAID)),
    ("empty", ("instructions",), ""),
    ("empty", ("input", 0), message("user")),
    ("empty", ("input", 0, "content", 0, "text"), ""),
    ("empty", ("input", 7), output("b", "")),
    ("empty", ("input", 7), output("b", [])),
    ("sides", ("input", 0), message("user", SAID)),
    ("sides", ("input", 2), message("assistant", ASKED)),
    ("item_ids", ("input", 2, "id"), "a_2"),
    ("item_ids", ("input", 2, "id"), None),
    ("item_ids", ("input", 2, "status"), None),
    ("item_ids", ("input", 0, "id"), "msg_0"),
    ("item_ids", ("input", 3), NAMED),
    ("shape", ("input", 2, "content", 0), {"type": "output_text", "text": "well"}),
    ("call_ids", ("input", 6), call("a")),
    ("call_ids", ("input", 6), call("x" * 65)),
    ("arguments", ("input", 6), call("b", arguments="nothing")),
    ("results", ("input", 7), output("a")),
    ("results", ("input", 7), output("c")),
    ("results", ("input",), LAWFUL["input"][:8]),
    ("results", ("input", 2), output("a")),
    ("reasoning_encrypted", ("input", 1, "encrypted_content"), ""),
    ("reasoning_followed", ("input", 2), message("user", ASKED)),
    ("reasoning_followed", ("input", 8), REASONING),
    ("tool_names", ("input", 6), call("b", "")),
    ("tool_names", ("tools",), LAWFUL["tools"] * 2),
    ("tool_schemas", ("tools", 0), tool("run", properties={}, oneOf=[])),
    ("tool_count", ("tools",), [tool(f"run{index}", properties={}) for index in range(129)]),
    ("media_types", ("input", 0, "content", 1), image("cat.png")),
    ("media_types", ("input", 0, "content", 2, "file_data"), "cat.pdf"),
    ("media_types", ("input", 8), output("a", [image(f"data:image/gif;base64,{PNG}")])),
    ("media_sizes", ("input", 0), message("user", *[IMAGE] * 501)),
]


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


def test_a_conversation_is_a_list_of_items() -> None:
    """
    Reasoning, words and calls of a reply are items in their order; a failed result says that it failed.
    """
    mine = {"provider": "openai", "model": "gpt-5"}
    picture = Blob(blob=BlobId("png"), media_type="image/png", size=9)
    paper = Blob(blob=BlobId("pdf"), media_type="application/pdf", size=9, name="a.pdf")
    request = Request(
        target=Target(family="openai-responses", model="gpt-5", provider="openai"),
        messages=(
            UserMessage(parts=(Text(text="hello"), paper)),
            AssistantMessage(
                parts=(
                    Thinking(text="hm", signature=signature("rs_1", "gAAA"), **mine),
                    Text(text="well"),
                    Thinking(text="", signature="gAAA", **mine),
                    ToolCall(id=CallId("a"), name="run"),
                    ToolCall(id=CallId("b"), name="run"),
                )
            ),
            ToolMessage(call=CallId("a"), name="run", parts=(Text(text="hello"), picture), ok=False),
            ToolMessage(call=CallId("b"), name="run", parts=(Text(text="no"),), ok=False),
        ),
        max_output_tokens=1,
    )
    url = f"data:image/png;base64,{SENT}"
    document = {**FILE, "file_data": "data:application/pdf;base64,JVBERi0xLjcgYSBkb2N1bWVudA=="}

    assert {
        "model": "gpt-5",
        "max_output_tokens": 16,
        "include": ["reasoning.encrypted_content"],
        "store": False,
        "input": [
            message("user", ASKED, document),
            NAMED,
            message("assistant", SAID),
            {**REASONING, "summary": []},
            call("a"),
            call("b"),
            output("a", [{"type": "input_text", "text": "[failed]"}, ASKED, {**image(url), "detail": "auto"}]),
            output("b", "[failed] no"),
        ],
    } == render(request, conversations.MEDIA).body


@pytest.mark.parametrize(
    ("item", "encrypted", "expected"), [("rs_1", "gAAA", "rs_1:gAAA"), ("", "gAAA", "gAAA"), ("r:1", "gAAA", "gAAA")]
)
def test_a_signature_keeps_the_id_that_reasoning_came_under(item: str, encrypted: str, expected: str) -> None:
    """
    The service refuses one without the other; a server that gives no id, or an odd one, gets what it encrypted alone.
    """
    assert expected == signature(item, encrypted)


def test_reasoning_is_asked_for_only_of_models_that_reason() -> None:
    """
    The others refuse to be asked for it.
    """
    talk = (UserMessage(parts=(Text(text="hello"),)),)
    target = Target(family="openai-responses", model="gpt-4o", provider="openai")

    assert "include" not in render(Request(target=target, messages=talk), {}).body
