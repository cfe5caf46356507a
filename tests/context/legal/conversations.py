"""Lawful conversations of every odd kind: what a window may hand to a family."""

from base64 import b64encode

from hypothesis import strategies as st

from holdfast.ids import BlobId, CallId, Position
from holdfast.model.protocol import (
    AssistantMessage,
    Family,
    Message,
    Request,
    Target,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from tests.records.pictures import GIF, JPEG, png

PNG = png()
SENT = b64encode(PNG).decode()
"""The picture as every family is sent it."""
HEIC = b"\x00\x00\x00\x18ftypheic a picture of a telephone"
PDF = b"%PDF-1.7 a document"
WORDS = "words beside the log \ud83d\ude00".encode("utf-8", "surrogatepass")

MEDIA = {
    BlobId("png"): PNG,
    BlobId("gif"): GIF,
    BlobId("half"): JPEG[:-2],
    BlobId("heic"): HEIC,
    BlobId("pdf"): PDF,
    BlobId("words"): WORDS,
    BlobId("nothing"): b"",
    BlobId("noise"): b"\x00\x01\x02",
}
FAMILIES: tuple[Family, ...] = ("anthropic", "gemini", "openai-chat", "openai-responses")

ODD = ("", " ", "\n\t", "\x00", "\ud800", "a\udfffb", "\u200b", "  both ends  ", "{}", "\u2028", "é\u0301")
texts = st.one_of(st.sampled_from(ODD), st.text(alphabet=st.characters(), max_size=12))
names = st.one_of(st.sampled_from(("run", "a.b", "7zip", "", "ü" * 80, "x" * 65, "read file")), texts)
arguments = st.one_of(
    st.sampled_from(
        (
            "",
            " ",
            "{}",
            "{",
            "not JSON",
            "[1]",
            "null",
            '{"a": 1, "a": 2}',
            '{"a": NaN}',
            '{"a": 1e999}',
            f'{{"a": {10**30}}}',
            '{"a": "\\ud800"}',
            '{"a": "\\u0000"}',
            '{"\\u0000": 1}',
            '{"a": ' * 40 + "1" + "}" * 40,
            "[" * 100_000,
            '{"path": "a/b", "deep": {"list": [1, 2.5, true, null, "\\u00e9"]}}',
        )
    ),
    texts,
)
MODELS = (
    ("anthropic", "claude-opus"),
    ("google", "gemini-3-pro"),
    ("google", "gemini-2.5-pro"),
    ("deepseek", "deepseek-v4"),
    ("deepseek", "gpt-5"),
    ("", "some"),
)
"""Few, so that thinking often goes back to the model that it came from."""
models = st.sampled_from(MODELS)
signatures = st.sampled_from(("", "c2lnbmF0dXJl", "not base64!", "redacted:", "redacted:ZGF0YQ==", "\ud800"))

text_parts: st.SearchStrategy[Part] = st.builds(Text, text=texts)
thoughts: st.SearchStrategy[Part] = st.builds(
    lambda text, signature, made_by: Thinking(text=text, signature=signature, provider=made_by[0], model=made_by[1]),
    texts,
    signatures,
    models,
)
blobs: st.SearchStrategy[Part] = st.builds(
    Blob,
    blob=st.sampled_from((*MEDIA, BlobId("missing"))),
    media_type=st.sampled_from(
        ("image/png", "image/gif", "image/heic", "application/pdf", "text/plain", "application/zip", "")
    ),
    size=st.integers(0, 2**24),
    name=texts,
    preview=texts,
)
user_parts = st.lists(st.one_of(text_parts, blobs, thoughts), max_size=4).map(tuple)


@st.composite
def replies(draw: st.DrawFn, pos: int) -> list[Message]:
    """A reply, with the results of its calls directly after it."""
    calls = [
        ToolCall(id=CallId(f"call_{pos}_{index}"), name=draw(names), arguments=draw(arguments))
        for index in range(draw(st.integers(0, 3)))
    ]
    parts = draw(st.permutations([*draw(st.lists(st.one_of(text_parts, thoughts, blobs), max_size=4)), *calls]))
    asked = [part for part in parts if isinstance(part, ToolCall)]
    results = [
        ToolMessage(call=call.id, name=call.name, parts=draw(user_parts), ok=draw(st.booleans()))
        for call in draw(st.permutations(asked))
    ]
    return [AssistantMessage(parts=tuple(parts), pos=Position(pos)), *results]


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """A user first, a user or a tool last, anyone any number of times in between."""
    messages: list[Message] = [UserMessage(parts=draw(user_parts), pos=Position(0))]
    for pos in range(1, draw(st.integers(1, 6))):
        if draw(st.booleans()):
            messages.extend(draw(replies(pos)))
        else:
            messages.append(UserMessage(parts=draw(user_parts), pos=Position(pos)))
    if isinstance(messages[-1], AssistantMessage):
        messages.append(UserMessage(parts=draw(user_parts), pos=Position(99)))
    return tuple(messages)


schemas = st.sampled_from(
    (
        '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}',
        "{}",
        '{"anyOf":[{"type":"object"}]}',
        '{"type":["object","null"]}',
    )
)
tools = st.lists(st.builds(ToolSpec, name=names, description=texts, schema=schemas), max_size=3).map(tuple)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """A request to any family."""
    provider, model = draw(models)
    return Request(
        target=Target(family=draw(st.sampled_from(FAMILIES)), model=model, provider=provider),
        messages=draw(conversations()),
        system=draw(texts),
        tools=draw(tools),
        max_output_tokens=draw(st.integers(0, 9)),
    )
