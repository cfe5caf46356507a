"""What Google says when it does not answer, and what whoever asked is to do about it."""

import socket

import pytest

from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.model.protocol import TextDelta
from holdfast.providers.gemini import GeminiModel
from tests.providers.claude import asks
from tests.providers.elsewhere import HELLO, replied
from tests.providers.gemini_server import GEMINI, KEY, asking, content, error, gemini
from tests.providers.stand_in import Answer, Json, StandIn, data, said


async def test_an_error_in_the_middle_may_be_over_soon() -> None:
    """
    What came before it has been said.
    """
    failed = error(503, "Overloaded", "UNAVAILABLE")
    async with gemini(Answer([data(content({"text": "Half"})), data(failed)])) as there:
        stream = asking(there).stream(asks(asking(there), HELLO))
        assert TextDelta(text="Half") == await anext(stream)
        with pytest.raises(Unavailable, match="Overloaded"):
            await anext(stream)


TOO_LONG = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (503, error(503, "Overloaded", "UNAVAILABLE"), Unavailable),
        (429, error(429, "Slow", "RESOURCE_EXHAUSTED"), Unavailable),
        (400, error(400, "Bad", "INVALID_ARGUMENT"), Refused),
        (400, error(400, TOO_LONG, "INVALID_ARGUMENT"), Overflow),
        (403, error(403, f"No {KEY}", "PERMISSION_DENIED"), Refused),
    ],
)
async def test_failures_are_told_apart(status: int, body: Json, kind: type[Exception]) -> None:
    """
    As everybody's are; they are tried once, and do not show the key.
    """
    async with StandIn(said(status, body)) as there:
        with pytest.raises(kind) as failure:
            await replied(asking(there))

    assert KEY not in str(failure.value)
    assert 1 == len(there.asked)
    if isinstance(failure.value, Overflow):
        assert (1_048_576, 1_200_000) == (failure.value.limit, failure.value.asked)


@pytest.mark.parametrize(
    "quota", ["Slow down.", "You exceeded your current quota, please check your plan and billing."]
)
async def test_how_long_to_wait_stands_among_the_details(quota: str) -> None:
    """
    A quota that fills up again by itself is waited for, whatever the words say of billing.
    """
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}
    help_ = {"@type": "type.googleapis.com/google.rpc.Help", "links": []}
    async with StandIn(said(429, error(429, quota, "RESOURCE_EXHAUSTED", help_, retry))) as there:
        with pytest.raises(Unavailable) as failure:
            await replied(asking(there))

    assert 34.0 == failure.value.retry_after


async def test_a_wrong_key_is_named_by_its_variable() -> None:
    """
    Google answers 400 to it, as to any wrong request.
    """
    async with gemini() as there:
        with pytest.raises(Refused, match="valid key into the environment variable GOOGLE_API_KEY"):
            await replied(GeminiModel(GEMINI, key="another-key", base_url=there.url, variable="GOOGLE_API_KEY"))


async def test_what_is_no_reply_is_an_error() -> None:
    """
    Whatever comes, it is one of the model's, and says whose.
    """
    for garbage in (b"<html>It works!</html>", b"data: {not json\n\n", b'data: {"candidates": 3}\n\n'):
        with pytest.raises(ModelError, match="Google"):
            await replied_with(Answer([garbage]))


async def test_nobody_listens() -> None:
    """
    A service that cannot be reached may be reached later.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        model = GeminiModel(GEMINI, key=KEY, base_url=f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(Unavailable, match=r"^Google cannot be reached"):
            await replied(model)


async def replied_with(answer: Answer) -> None:
    """Hear one answer."""
    async with gemini(answer) as there:
        await replied(asking(there))
