"""What holds for every family, over conversations of every odd kind."""

import json

import msgspec
import pytest
from hypothesis import given

from holdfast.context.legal.families import FAMILIES, check, legal, render
from holdfast.ids import BlobId
from holdfast.model.protocol import AssistantMessage, Family, Request, Target, ToolMessage, ToolSpec, UserMessage
from holdfast.records.parts import Blob, Text, ToolCall
from tests.context.legal import conversations
from tests.context.legal.bodies import at, broken
from tests.context.legal.conversations import MEDIA, PNG, requests


@given(requests())
def test_every_request_is_legal(request: Request) -> None:
    """
    No provider refuses a request because of what was said before.
    """
    body = render(request, MEDIA).body

    assert () == check(request.target.family, body)


@given(requests())
def test_the_same_request_is_the_same_bytes(request: Request) -> None:
    """
    A provider's cache knows the beginning of a request by its bytes.
    """
    assert json.dumps(render(request, MEDIA).body) == json.dumps(render(request, dict(MEDIA)).body)


@given(requests())
def test_every_body_can_be_sent(request: Request) -> None:
    """
    What is written is JSON in UTF-8, for whichever encoder sends it, and reads back the same.
    """
    body = render(request, MEDIA).body

    assert body == json.loads(json.dumps(body, ensure_ascii=False, allow_nan=False).encode())
    assert body == msgspec.json.decode(msgspec.json.encode(body))


@given(requests())
def test_every_call_and_result_is_there(request: Request) -> None:
    """
    Whatever was changed or left out, no call and no result is lost.
    """
    sent = json.dumps(render(request, MEDIA).body)
    calls = [part.id for each in request.messages for part in each.parts if isinstance(part, ToolCall)]

    assert [2] * len(calls) == [sent.count(f'"{call}"') for call in calls]


@given(requests())
def test_words_are_kept(request: Request) -> None:
    """
    Nothing that a person or a tool said in words is lost.
    """
    sent = json.dumps(render(request, MEDIA).body, ensure_ascii=False)
    said = [
        part.text
        for each in request.messages
        if isinstance(each, UserMessage | ToolMessage)
        for part in each.parts
        if isinstance(part, Text) and part.text.isalnum() and part.text.isascii()
    ]

    assert [] == [text for text in said if text not in sent]


@pytest.mark.parametrize("family", conversations.FAMILIES)
@pytest.mark.parametrize(("count", "size"), [(3100, 10), (12, 4_000_000), (2, 30_000_000)])
def test_more_pictures_than_a_family_takes_are_named(family: Family, count: int, size: int) -> None:
    """
    Too many pictures, or too large ones, never make a request illegal; each that is not shown leaves a line.
    """
    picture = Blob(blob=BlobId("big"), media_type="image/png", size=size, name="cat.png")
    request = Request(target=Target(family=family, model="some"), messages=(UserMessage(parts=(picture,) * count),))
    out = render(request, {picture.blob: PNG + b"." * size})

    assert () == check(family, out.body)
    assert len(out.dropped) == json.dumps(out.body).count("[image: cat.png, ") > 0


@pytest.mark.parametrize(
    ("family", "place"),
    [
        ("anthropic", ("system", 0, "text")),
        ("gemini", ("systemInstruction", "parts", 0, "text")),
        ("openai-chat", ("messages", 0, "content")),
        ("openai-responses", ("instructions",)),
    ],
)
def test_system_text_and_tools_have_their_place(family: Family, place: tuple[str | int, ...]) -> None:
    """
    Every family is told how to behave and what it may call.
    """
    request = Request(
        target=Target(family=family, model="some"),
        messages=(UserMessage(parts=(Text(text="go"),)),),
        system="Be brief.",
        tools=(ToolSpec(name="run", description="Runs."),),
    )
    body = render(request, {}).body

    assert () == check(family, body)
    assert "Be brief." == at(body, *place)
    assert 1 == len(at(body, "tools"))


@pytest.mark.parametrize("family", ["anthropic", "gemini"])
def test_what_a_window_may_not_do_is_found(family: Family) -> None:
    """
    Writing a request mends no window: one that begins or ends with a reply is written so, and refused.
    """
    reply = AssistantMessage(parts=(Text(text="well"),))
    target = Target(family=family, model="some")
    for messages in ((reply,), (UserMessage(parts=(Text(text="go"),)), reply)):
        assert "last" in broken(check(family, render(Request(target=target, messages=messages), {}).body))


def test_there_is_a_module_for_every_family() -> None:
    """
    Every family that a target can name can be written and checked.
    """
    assert set(conversations.FAMILIES) == set(FAMILIES)
    assert all(legal(family).RULES for family in FAMILIES)
