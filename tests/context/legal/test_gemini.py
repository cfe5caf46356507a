"""generateContent: what its checker finds, and how requests for it are written."""

import pytest

from holdfast.context.legal.gemini import RULES, UNSIGNED, check, render
from holdfast.context.legal.rendered import Dropped, Json, Rendered
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import AssistantMessage, Request, Target, ToolMessage, UserMessage
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from tests.context.legal import conversations
from tests.context.legal.bodies import EVERYWHERE, PDF, PNG, Body, Wrong, at, broken, changed, names
from tests.context.legal.conversations import SENT

SIGNED = {"thoughtSignature": "c2ln"}


def call(call_id: str, name: str = "run") -> Json:
    """A call."""
    return {"functionCall": {"id": call_id, "name": name, "args": {}}}


def response(call_id: str, name: str = "run") -> Json:
    """A result."""
    return {"functionResponse": {"id": call_id, "name": name, "response": {"output": "done"}}}


def media(mime_type: str, data: str) -> Json:
    """An attachment."""
    return {"inlineData": {"mimeType": mime_type, "data": data}}


def content(role: str, *parts: Json) -> Json:
    """One side's turn."""
    return {"role": role, "parts": [*parts]}


def declared(name: str, **schema: object) -> Json:
    """A tool."""
    return {"name": name, "parametersJsonSchema": {"type": "object", **schema}}


TEXT: Json = {"text": "hello"}
IMAGE = media("image/png", PNG)

LAWFUL: Body = {
    "model": "models/gemini-3-pro",
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "tools": [{"functionDeclarations": [declared("run", properties={})]}],
    "generationConfig": {"maxOutputTokens": 1},
    "contents": [
        content("user", TEXT, IMAGE, media("application/pdf", PDF)),
        content("model", {**TEXT, **SIGNED}, call("o")),
        content("user", response("o")),
        content("user", TEXT),
        content("model", TEXT, {**call("a"), **SIGNED}, call("b")),
        content("user", response("b"), response("a")),
        content("user", IMAGE),
    ],
}
BIG = media("image/png", PNG[:12] + "A" * (7 * 1024 * 1024))

WRONG: list[Wrong] = [
    *EVERYWHERE,
    ("model", ("model",), "models/"),
    ("max_output_tokens", ("generationConfig", "maxOutputTokens"), 0),
    ("empty", ("systemInstruction", "parts", 0), {"text": ""}),
    ("empty", ("systemInstruction", "parts", 0), IMAGE),
    ("first", ("contents",), []),
    ("first", ("contents", 0, "role"), "model"),
    ("last", ("contents", 6), content("model", TEXT)),
    ("alternation", ("contents", 3, "role"), "model"),
    ("empty", ("contents", 3), content("user")),
    ("empty", ("contents", 3), content("user", {})),
    ("empty", ("contents", 3), content("user", {"text": " "})),
    ("empty", ("contents", 3), content("user", {**TEXT, **IMAGE})),
    ("sides", ("contents", 3), content("user", {**TEXT, **SIGNED})),
    ("sides", ("contents", 3), content("user", call("c"))),
    ("sides", ("contents", 4), content("model", IMAGE)),
    ("sides", ("contents", 4), content("model", response("a"))),
    ("call_ids", ("contents", 4, "parts", 2), call("a")),
    ("call_ids", ("contents", 4, "parts", 2), call("")),
    ("results", ("contents", 5), content("user", response("a"))),
    ("results", ("contents", 5), content("user", response("a"), response("b", "other"))),
    ("results", ("contents", 5), content("user", response("a"), response("b"), TEXT)),
    ("results", ("contents", 5), content("user", TEXT)),
    ("results", ("contents", 0), content("user", response("a"))),
    ("results", ("contents", 6), content("user", response("a"))),
    ("results", ("contents",), LAWFUL["contents"][:5]),
    ("signature_base64", ("contents", 4, "parts", 1, "thoughtSignature"), "signed!"),
    ("signature_base64", ("contents", 4, "parts", 1, "thoughtSignature"), ""),
    ("call_signed", ("contents", 4, "parts", 1), call("a")),
    ("call_signed", ("contents",), [content("user", IMAGE), content("model", call("a")), content("user", IMAGE)]),
    ("tool_names", ("contents", 4, "parts", 2), call("b", "a.b")),
    ("tool_names", ("contents", 4, "parts", 2), call("b", "7zip")),
    ("tool_names", ("tools",), LAWFUL["tools"] * 2),
    ("tool_schemas", ("tools", 0, "functionDeclarations", 0), declared("run", properties=[])),
    ("media_types", ("contents", 0, "parts", 1), media("image/gif", PNG)),
    ("media_types", ("contents", 0, "parts", 1), media("image/heic", PNG)),
    ("media_sizes", ("contents", 0, "parts", 1), BIG),
]


def rendered(*parts: Part, model: str = "gemini-3-pro") -> Rendered:
    """What comes of a reply to one that said hello, with a result for its calls."""
    calls = [part for part in parts if isinstance(part, ToolCall)]
    picture = Blob(blob=BlobId("png"), media_type="image/png", size=9, name="shot.png")
    results = [ToolMessage(call=each.id, name=each.name, parts=(picture,), ok=each.id != "b") for each in calls]
    messages = (
        UserMessage(parts=(Text(text="hello"),)),
        AssistantMessage(parts=parts),
        *results,
        *(() if calls else (UserMessage(parts=(Text(text="hello"),)),)),
    )
    target = Target(family="gemini", model=model, provider="google")
    return render(Request(target=target, messages=messages), conversations.MEDIA)


def thinking(signature: str) -> Thinking:
    """A thought of the model that is asked."""
    return Thinking(text="hm", signature=signature, provider="google", model="gemini-3-pro")


def replied(*parts: Part, model: str = "gemini-3-pro") -> object:
    """The parts of the reply, as they go back."""
    return at(rendered(*parts, model=model).body, "contents", 1, "parts")


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


def test_older_models_do_not_mind_unsigned_calls() -> None:
    """
    The rule about signed calls holds from the models on that ask for it.
    """
    unsigned = changed(LAWFUL, ("contents", 4, "parts", 1), call("a"))

    assert () == check(changed(unsigned, ("model",), "models/gemini-2.5-pro"))


def test_a_signature_stands_on_what_the_thought_led_to() -> None:
    """
    A thought's signature goes on the call after it, or on the words where no call follows.
    """
    a, b = (ToolCall(id=CallId(each), name="run") for each in "ab")

    assert [{**TEXT, **SIGNED}] == replied(thinking("c2ln"), Text(text="hello"))
    assert [TEXT, {**call("a"), **SIGNED}, call("b")] == replied(thinking("c2ln"), Text(text="hello"), a, b)
    assert [{**call("a"), **SIGNED}, TEXT] == replied(thinking("c2ln"), a, Text(text="hello"))


def test_a_call_of_another_model_says_so() -> None:
    """
    A model that wants its calls signed takes one that it did not make, if it is told.
    """
    a, b = (ToolCall(id=CallId(each), name="run") for each in "ab")

    assert [{**call("a"), "thoughtSignature": UNSIGNED}, call("b")] == replied(a, b)
    assert [call("a"), call("b")] == replied(a, b, model="gemini-2.5-pro")


def test_one_part_carries_one_signature() -> None:
    """
    Of two thoughts about one part the later stays, and the other is told of.
    """
    out = rendered(thinking("b25l"), thinking("c2ln"), Text(text="hello"))

    assert (Dropped(kind="thinking", why="another thought follows it"),) == out.dropped


def test_responses_stand_alone() -> None:
    """
    Responses stand by themselves directly after the calls; what a tool shows comes after them.
    """
    a, b = (ToolCall(id=CallId(each), name="run") for each in "ab")
    contents = at(rendered(a, b).body, "contents")
    said = {"id": "a", "name": "run", "response": {"output": "[shot.png: shown below]"}}
    failed = {"id": "b", "name": "run", "response": {"error": "[shot.png: shown below]"}}
    picture = media("image/png", SENT)

    assert [
        content("user", {"functionResponse": said}, {"functionResponse": failed}),
        content("user", {"text": "[attachments of the tool results above]"}, picture, picture),
    ] == contents[2:]
