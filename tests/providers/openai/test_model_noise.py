"""Noise: whatever a server sends, what comes of it is deltas and then an end, or an error of ours."""

import json
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import ModelError
from holdfast.model.protocol import Delta, Finished, Target
from holdfast.model.stream import Accumulator
from holdfast.providers.http.body import ReplyBody
from holdfast.providers.http.failures import Endpoint, from_status
from holdfast.providers.openai.chat import ChatChunks
from holdfast.providers.openai.responses import ResponseEvents

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None

KEY = "sk-secret-0001"
CHAT = Target(family="openai-chat", model="gpt-4o", provider="openai")
RESPONSES = Target(family="openai-responses", model="gpt-6-sol", provider="openai")
ENDPOINT = Endpoint(title="Acme", url="https://example.com/v1", model="gpt-4o", variable="ACME_API_KEY", key=KEY)

NAMES = (
    "choices delta message finish_reason error usage content reasoning reasoning_content refusal tool_calls index id "
    "function name arguments prompt_tokens completion_tokens prompt_tokens_details cached_tokens cost x_groq code type "
    "detail metadata raw status n_ctx item response output_index call_id encrypted_content text thinking"
).split()
KINDS = ["output_text.delta", "output_item.added", "output_item.done", "completed", "incomplete", "failed", "error"]
WORDS = st.one_of(
    st.sampled_from(["stop", "tool_calls", "error", "function_call", "reasoning", "429", "Limit 500", KEY, "\ud800"]),
    st.sampled_from([f"response.{kind}" for kind in KINDS]),
    st.text(max_size=10),
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | WORDS
VALUES: st.SearchStrategy[Json] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=25,
)
EVENTS = st.lists(
    st.dictionaries(st.sampled_from([*NAMES, "type"]), VALUES, max_size=6)
    | VALUES.map(lambda value: {"choices": [value]})
    | VALUES.map(lambda value: {"choices": [{"delta": value}]})
    | VALUES.map(lambda value: {"choices": [{"delta": {"tool_calls": [value]}}]})
    | VALUES.map(lambda value: {"type": "response.output_item.done", "item": value})
    | VALUES.map(lambda value: {"usage": value}),
    max_size=5,
)


def heard(target: Target, *chunks: bytes) -> tuple[list[Delta], ModelError | None]:
    """Everything that comes of some bytes."""
    body = ReplyBody((ResponseEvents if target is RESPONSES else ChatChunks)(target, ENDPOINT), ENDPOINT)
    came: list[Delta] = []
    try:
        for chunk in chunks:
            came.extend(body.feed(chunk))
        came.extend(body.end())
    except ModelError as error:
        return came, error
    return came, None


def agreed(target: Target, came: list[Delta], error: ModelError | None) -> None:
    """Check what every stream owes its listener."""
    accumulator = Accumulator(target)
    for delta in came:
        accumulator.add(delta)  # refuses what comes after the end
    accumulator.reply()
    assert (error is None) == (bool(came) and isinstance(came[-1], Finished))
    assert KEY not in str(error)


@given(EVENTS, st.sampled_from([CHAT, RESPONSES]), st.booleans())
def test_any_json_is_a_reply_or_an_error(events: list[Json], target: Target, done: bool) -> None:
    """
    Of the right shape, nearly right, or wrong everywhere.
    """
    lines = [f"data: {json.dumps(event)}\n\n".encode() for event in events]

    agreed(target, *heard(target, *lines, b"data: [DONE]\n\n" if done else b""))


@given(
    st.lists(st.binary(max_size=50) | st.sampled_from([b"data: ", b"\n\n", b"{", b"[DONE]", b"error: "]), max_size=8)
)
def test_any_bytes_are_a_reply_or_an_error(chunks: list[bytes]) -> None:
    """
    Even those that are nothing at all.
    """
    agreed(CHAT, *heard(CHAT, *chunks))


@given(
    st.integers(300, 599),
    VALUES.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=80),
    st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset", "location"]), st.text()),
)
def test_any_answer_with_a_status_is_an_error(status: int, body: bytes, headers: dict[str, str]) -> None:
    """
    Which can be shown on one line, and holds no key.
    """
    error = from_status(status, headers, body, ENDPOINT)

    assert isinstance(error, ModelError)
    assert "\n" not in str(error)
    assert KEY not in str(error)
