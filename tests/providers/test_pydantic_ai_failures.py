"""What a service says when it does not answer, and what whoever asked is to do about it."""

import socket
from pathlib import Path

import pytest

from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.model.protocol import Delta, Request, TextDelta, UserMessage
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Text
from tests.providers.anthropic_server import KEY, anthropic, begun, error, event, start, text
from tests.providers.http.test_client import needs_openssl, secure
from tests.providers.stand_in import Answer, StandIn, said

MODEL = "claude-opus-5-5"


async def failed(there: StandIn, *, key: str = KEY) -> tuple[list[Delta], ModelError]:
    """What came, and how it failed; every request is sent once and no more."""
    model = PydanticModel("anthropic", MODEL, key=key, base_url=there.url)
    asked = Request(target=model.target, messages=(UserMessage(parts=(Text(text="Hello"),)),))
    came: list[Delta] = []

    async def read() -> None:
        async for delta in model.stream(asked):
            came[len(came) :] = [delta]

    with pytest.raises(ModelError) as failure:
        await read()
    await model.close()
    assert 1 == len(there.asked)
    assert key not in str(failure.value)
    return came, failure.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, "rate_limit_error"),
        (500, "api_error"),
        (502, "api_error"),
        (503, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
async def test_what_may_be_over_soon(status: int, kind: str) -> None:
    """
    Too many requests and a service in trouble are no fault of the request: try again later.
    """
    async with anthropic(said(status, error(kind, "Not now"))) as there:
        _, failure = await failed(there)

    assert isinstance(failure, Unavailable)
    assert f"Anthropic is not available ({status}): Not now." == failure.message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry_after": "7"}, 7.0), ({"retry_after_ms": "1500"}, 1.5), ({"retry_after": "soon"}, None), ({}, None)],
)
async def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    """
    What the service says about waiting is passed on; what it does not say is not made up.
    """
    async with anthropic(said(429, error("rate_limit_error", "Slow down"), **headers)) as there:
        _, failure = await failed(there)

    assert isinstance(failure, Unavailable)
    assert seconds == failure.retry_after


async def test_an_error_in_the_middle_keeps_what_was_said() -> None:
    """
    An overloaded service breaks off a stream with an event; what came before it has been said.
    """
    pieces = [*begun(text("Half a"))[:-1], event(error("overloaded_error", "Overloaded"))]
    async with anthropic(Answer(pieces)) as there:
        came, failure = await failed(there)

    assert [TextDelta(text="Half a")] == came
    assert isinstance(failure, Unavailable)
    assert "Overloaded" in failure.message


async def test_an_error_as_the_first_event() -> None:
    """
    A stream may begin with its end.
    """
    async with anthropic(Answer([event(error("overloaded_error", "Overloaded"))])) as there:
        came, failure = await failed(there)

    assert [] == came
    assert isinstance(failure, Unavailable)


async def test_an_error_nobody_has_heard_of_in_the_middle() -> None:
    """
    A stream that breaks off for an unknown reason may be tried again.
    """
    async with anthropic(Answer([*begun(text("Half"))[:-1], event(error("novel_error", "Whatever"))])) as there:
        _, failure = await failed(there)

    assert isinstance(failure, Unavailable)
    assert "Whatever" in failure.message


async def test_a_connection_that_breaks_in_the_middle() -> None:
    """
    A line that goes dead is no end of a reply.
    """
    async with anthropic(Answer([*begun(text("Half a"))[:-1], "break"])) as there:
        came, failure = await failed(there)

    assert [TextDelta(text="Half a")] == came
    assert isinstance(failure, Unavailable)
    assert failure.message.startswith("The connection to Anthropic broke: ")


async def test_a_connection_that_breaks_before_the_first_word() -> None:
    """
    Nothing was said, and it may be tried again.
    """
    async with anthropic(Answer([event(start()), "break"])) as there:
        came, failure = await failed(there)

    assert ([], True) == (came, isinstance(failure, Unavailable))


async def test_nobody_listens() -> None:
    """
    A service that cannot be reached may be reached later.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        model = PydanticModel("anthropic", MODEL, key=KEY, base_url=f"http://127.0.0.1:{taken.getsockname()[1]}")
        asked = Request(target=model.target, messages=(UserMessage(parts=(Text(text="Hello"),)),))
        with pytest.raises(Unavailable, match=r"^Anthropic cannot be reached: .*Connect call failed"):
            await anext(model.stream(asked))


@needs_openssl
async def test_who_cannot_be_trusted_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The way out is told, and is one.
    """
    async with secure(tmp_path, "localhost") as port:
        for trusted in (False, True):
            if trusted:
                monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
            model = PydanticModel("anthropic", MODEL, key=KEY, base_url=f"https://localhost:{port}")
            asked = Request(target=model.target, messages=(UserMessage(parts=(Text(text="Hello"),)),))
            with pytest.raises(ModelError) as failure:
                await anext(model.stream(asked))
            await model.close()
            assert trusted != ("does not prove who it is" in failure.value.message)
            assert trusted != ("SSL_CERT_FILE" in str(failure.value))


@pytest.mark.parametrize(
    ("said_there", "asked", "limit"),
    [
        ("prompt is too long: 210000 tokens > 200000 maximum", 210_000, 200_000),
        ("prompt is too long: 1,200,000 tokens > 1,000,000 maximum", 1_200_000, 1_000_000),
        ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 210_000, 200_000),
        ("prompt is too long", None, None),
    ],
)
async def test_a_request_that_is_too_long(said_there: str, asked: int | None, limit: int | None) -> None:
    """
    What is longer than the window is told apart, with both counts where they are told.
    """
    async with anthropic(said(400, error("invalid_request_error", said_there))) as there:
        _, failure = await failed(there)

    assert isinstance(failure, Overflow)
    assert (asked, limit) == (failure.asked, failure.limit)


async def test_a_request_of_too_many_bytes() -> None:
    """
    A body that is too large is helped by what helps a conversation that is too long.
    """
    async with anthropic(said(413, error("request_too_large", "Request exceeds the maximum size"))) as there:
        _, failure = await failed(there)

    assert isinstance(failure, Overflow)


@pytest.mark.parametrize(
    ("status", "kind", "words", "hint"),
    [
        (400, "invalid_request_error", "temperature: too hot", "check its settings"),
        (400, "invalid_request_error", "Your credit balance is too low", "Check the credit"),
        (402, "billing_error", "Pay first", "Check the credit"),
        (403, "permission_error", "Not for you", "ANTHROPIC_API_KEY"),
        (404, "not_found_error", f"model: {MODEL}-x", "Check the name of the model"),
        (422, "invalid_request_error", "Strange", "check its settings"),
    ],
)
async def test_what_will_not_be_over_soon(status: int, kind: str, words: str, hint: str) -> None:
    """
    A request that is wrong or not allowed is not tried again, and the hint says what to do instead.
    """
    async with anthropic(said(status, error(kind, words))) as there:
        _, failure = await failed(there)

    assert isinstance(failure, Refused)
    assert not isinstance(failure, Overflow)
    assert words in failure.message
    assert hint in failure.hint


async def test_a_wrong_key() -> None:
    """
    The message says which key is wrong, and does not say the key, even if the service does.
    """
    key = "sk-ant-wrong-key"
    answer = said(401, error("authentication_error", f"invalid key {key}"))
    async with StandIn(answer) as there:
        _, failure = await failed(there, key=key)

    assert isinstance(failure, Refused)
    assert "Anthropic does not accept the key: invalid key [key]." == failure.message


@pytest.mark.parametrize(
    "answer",
    [
        Answer([b"<html>It works!</html>"], 200, (("content-type", "text/html"),)),
        Answer([b"event: message_start\ndata: {not json\n\n"]),
        Answer([event({"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": 3}})]),
        Answer([]),
    ],
    ids=["a page", "no json", "nonsense", "nothing"],
)
async def test_garbage(answer: Answer) -> None:
    """
    Whatever comes, what goes wrong is an error of the model, and says whose.
    """
    async with StandIn(answer) as there:
        came, failure = await failed(there)

    assert [] == [delta for delta in came if not isinstance(delta, TextDelta)]
    assert not isinstance(failure, Refused)


async def test_an_error_that_is_no_json() -> None:
    """
    A proxy that answers with a page is quoted, and cut.
    """
    async with StandIn(Answer([b"<p>bad gateway</p>" * 200], 502, (("content-type", "text/html"),))) as there:
        _, failure = await failed(there)

    assert isinstance(failure, Unavailable)
    assert failure.message.startswith("Anthropic is not available (502): <p>bad gateway</p>")
    assert len(failure.message) < 400
