"""What goes wrong: every way a service fails is one of three errors, with what to do and without the key."""

import asyncio
import json
import socket
from collections.abc import Mapping

import pytest

from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.model.protocol import Delta, Request, Target, TextDelta, UserMessage
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.parts import Text
from tests.providers.servers import Played, piece, serving, sse

TARGET = Target(family="openai-chat", model="acme-1", provider="acme")
REQUEST = Request(target=TARGET, messages=(UserMessage(parts=(Text(text="Hello"),)),))
KEY = "sk-secret-0001"
SAID = sse(piece("By "), done=False)


async def failed(*answers: Played) -> tuple[list[Delta], ModelError]:
    """What came, and what ended it."""
    async with serving(*answers) as server:
        return await failed_at(server.url)


async def failed_at(url: str, title: str = "Acme") -> tuple[list[Delta], ModelError]:
    """The same, of any address."""
    model = OpenAICompatible(TARGET, base_url=url, key=KEY, title=title, variable="ACME_API_KEY")
    came: list[Delta] = []
    try:
        async for delta in model.stream(REQUEST):
            came.append(delta)  # noqa: PERF401 - what came before the error counts
    except ModelError as error:
        return came, error
    finally:
        await model.close()
    raise AssertionError("It did not fail.")


def answer(status: int, body: object, headers: Mapping[str, str] | None = None) -> Played:
    """An answer in JSON, or in whatever bytes are given."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Played(status=status, chunks=(data,), kind="application/json", headers=headers or {})


def error(message: str, **more: object) -> dict[str, object]:
    """An error as OpenAI sends it."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}}


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (429, error("Rate limit reached for acme-1", type="requests", code="rate_limit_exceeded"), "Rate limit"),
        (500, error("The server had an error", type="server_error"), "The server had an error"),
        (502, b"<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway"),
        (503, {"error": "model is loading"}, "model is loading"),
        (503, b"upstream connect error", "upstream connect error"),
        (504, b"", "answered 504"),
        (529, error("Overloaded", type="overloaded_error"), "Overloaded"),
        (408, {"message": "Request timed out"}, "Request timed out"),
        (520, b"\x00\xff\xfe garbage", "garbage"),
    ],
)
async def test_what_may_be_over_soon_is_unavailable(status: int, body: object, words: str) -> None:
    """
    Too many requests, an overloaded service, a gateway without its server: worth trying again.
    """
    _, failure = await failed(answer(status, body))

    assert isinstance(failure, Unavailable)
    assert words in failure.message
    assert "Acme" in failure.message


@pytest.mark.parametrize(
    ("status", "body", "words", "hint"),
    [
        (401, error("Incorrect API key provided: sk-secr**0001."), "Incorrect API key", "ACME_API_KEY"),
        (401, error(f"Bad key {KEY}"), "Bad key [key]", "ACME_API_KEY"),
        (401, error("Bad key Basic dXNlcjpwYXNz+w=="), "Bad key [key].", "ACME_API_KEY"),
        (401, error("Basic authentication failed"), "Basic authentication failed.", "ACME_API_KEY"),
        (403, error("Not for you"), "Not for you", "may use acme-1"),
        (403, error("Country not supported"), "Country", "another key does not change that"),
        (
            403,
            error(
                "Country, region, or territory not supported",
                type="request_forbidden",
                code="unsupported_country_region_territory",
            ),
            "Country, region",
            "another key does not change that",
        ),
        (403, error("This API is not available in your country"), "country", "another key does not change that"),
        (400, error("User location is not supported for the API use."), "location", "another key does not change that"),
        (403, error("The key may not use this region's models"), "region", "may use acme-1"),
        (404, error("The model `acme-1` does not exist", code="model_not_found"), "does not exist", "Check the name"),
        (404, b"404 page not found", "404 page not found", "/v1"),
        (400, error("Unsupported parameter: 'max_tokens'"), "Unsupported parameter", "will not help"),
        (
            400,
            error("max_tokens is too large: 99999. This model supports at most 16384 completion tokens"),
            "16384",
            "",
        ),
        (422, {"detail": [{"loc": ["body", "tools"], "msg": "field required"}]}, "field required", ""),
        (400, {"object": "error", "message": "bad tool schema", "code": 400}, "bad tool schema", ""),
        (
            400,
            [{"error": {"code": 400, "message": "Invalid value", "status": "INVALID_ARGUMENT"}}],
            "Invalid value",
            "",
        ),
        (400, error("Provider returned error", metadata={"raw": "no such field"}), "no such field", ""),
        (413, error("The attachment is too large"), "attachment", ""),
        (418, b"<html><body>teapot</body></html>", "web page", ""),
        (501, error("Not implemented"), "Not implemented", ""),
        (307, b"", "has moved to https://elsewhere.example/v1", "endpoint"),
    ],
)
async def test_what_will_not_get_better_is_refused(status: int, body: object, words: str, hint: str) -> None:
    """
    With what the service said and what to do about it.
    """
    _, failure = await failed(answer(status, body, {"Location": "https://elsewhere.example/v1"}))

    assert isinstance(failure, Refused)
    assert not isinstance(failure, Overflow)
    assert words in failure.message
    assert hint in failure.hint


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, error("You exceeded your current quota", type="insufficient_quota", code="insufficient_quota")),
        (429, error("Your account is not active, please check your billing details", code="billing_not_active")),
        (402, error("Insufficient Balance", type="unknown_error")),
        (402, {"error": {"message": "This request requires more credits", "code": 402}}),
        (403, error("Your team has used all available credits or reached its monthly spending limit")),
        (400, error("Your credit balance is too low")),
    ],
)
async def test_money_that_is_gone_is_not_waited_for(status: int, body: object) -> None:
    """
    A quota that is used up looks like too many requests, and trying again would never end.
    """
    _, failure = await failed(answer(status, body))

    assert isinstance(failure, Refused)
    assert "balance at Acme" in failure.hint


OPENAI = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion."  # noqa: E501
VLLM = "This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your prompt contains at least 62466 input tokens, for a total of at least 128001 tokens."  # noqa: E501
VLLM_REPLY = "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 5104 input tokens (4096 > 8192 - 5104)."  # noqa: E501
SGLANG = "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 8000 tokens from the input messages and 1000 tokens for the completion."  # noqa: E501


@pytest.mark.parametrize(
    ("status", "body", "limit", "asked"),
    [
        pytest.param(400, error(OPENAI, code="context_length_exceeded"), 7192, 8000, id="OpenAI"),
        pytest.param(
            400,
            error(
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
                code="context_length_exceeded",
            ),
            None,
            None,
            id="OpenAI, Responses",
        ),
        pytest.param(
            400,
            error("The maximum context length is 4097 tokens. However, your messages resulted in 5000 tokens."),
            4097,
            5000,
            id="OpenAI, without a code",
        ),
        pytest.param(400, {"object": "error", "message": VLLM, "code": 400}, 62465, 62466, id="vLLM"),
        pytest.param(400, error(VLLM_REPLY), 4096, 5104, id="vLLM, of the reply"),
        pytest.param(400, error(SGLANG), 7192, 8000, id="SGLang"),
        pytest.param(
            400,
            {"message": "The decoder prompt (length 5000) is longer than the maximum model length of 4096."},
            4096,
            5000,
            id="vLLM, another",
        ),
        pytest.param(
            400,
            error(
                "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it",
                type="exceed_context_size_error",
                n_prompt_tokens=14429,
                n_ctx=8192,
            ),
            8192,
            14429,
            id="llama.cpp",
        ),
        pytest.param(
            500,
            error("the request exceeds the available context size", type="exceed_context_size_error", n_ctx=256),
            256,
            None,
            id="llama.cpp, as a failure of its own",
        ),
        pytest.param(
            500, {"detail": "Requested tokens (516) exceed context window of 512"}, 512, 516, id="llama-cpp-python"
        ),
        pytest.param(400, {"error": "the input length exceeds the context length"}, None, None, id="Ollama"),
        pytest.param(
            400, error("prompt too long; exceeded max context length by 120 tokens"), None, None, id="Ollama, another"
        ),
        pytest.param(
            400,
            error("Please reduce the length of the messages or completion.", code="context_length_exceeded"),
            None,
            None,
            id="Groq",
        ),
        pytest.param(
            413,
            error(
                "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000",
                type="tokens",
                code="rate_limit_exceeded",
            ),
            6000,
            9000,
            id="Groq, more than a minute's worth",
        ),
        pytest.param(
            400,
            {
                "error": {
                    "message": "This endpoint's maximum context length is 131,072 tokens. However, you requested about "
                    "140,000 tokens (130,000 of text input, 10,000 in the output).",
                    "code": 400,
                }
            },
            121072,
            130000,
            id="OpenRouter",
        ),
        pytest.param(
            400,
            error("This model's maximum prompt length is 131072 but the request contains 540000 tokens."),
            131072,
            540000,
            id="xAI",
        ),
        pytest.param(
            400,
            {
                "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum "
                "context length"
            },
            32768,
            40000,
            id="Mistral",
        ),
        pytest.param(
            400,
            error("The prompt is too long: 140000, model maximum context length: 131071"),
            131071,
            140000,
            id="Fireworks",
        ),
        pytest.param(
            422,
            error("`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens"),
            4097,
            5000,
            id="Together",
        ),
        pytest.param(
            422,
            error(
                "`inputs` tokens + `max_new_tokens` must be <= 4097. "
                "Given: 5000 `inputs` tokens and 1024 `max_new_tokens`"
            ),
            3073,
            5000,
            id="Together, with a longer reply",
        ),
        pytest.param(
            422,
            error("Input validation error: `inputs` must have less than 4095 tokens. Given: 5000"),
            4095,
            5000,
            id="TGI",
        ),
        pytest.param(
            400,
            error("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"),
            262144,
            291351,
            id="Moonshot",
        ),
        pytest.param(
            400, error("prompt token count of 140000 exceeds the limit of 128000"), 128000, 140000, id="Copilot"
        ),
        pytest.param(400, error("Prompt exceeds max length", code="1261"), None, None, id="Z.AI"),
        pytest.param(
            400,
            error("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
            1048576,
            1200000,
            id="Gemini",
        ),
        pytest.param(
            400, error("prompt is too long: 210000 tokens > 200000 maximum"), 200000, 210000, id="Claude, passed on"
        ),
        pytest.param(
            400,
            {"error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded "
                      "with context length of only 4096 tokens, which is not enough"},
            4096,
            None,
            id="LM Studio",
        ),
    ],
)  # fmt: skip
async def test_a_request_that_is_too_long_overflows(
    status: int, body: object, limit: int | None, asked: int | None
) -> None:
    """
    In everybody's words, with both counts where they are told: the agent compacts and asks once more.

    What was to be kept free for the reply is not among them, because no compaction makes it shorter.
    """
    _, failure = await failed(answer(status, body))

    assert isinstance(failure, Overflow)
    assert (limit, asked) == (failure.limit, failure.asked)


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ({"Retry-After": "7"}, "", 7.0),
        ({"Retry-After": "1.5"}, "", 1.5),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, "", 0.0),
        ({"retry-after-ms": "250", "Retry-After": "1"}, "", 0.25),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, "", 360.0),
        (
            {
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-requests": "1h",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "20ms",
            },
            "",
            0.02,
        ),
        ({"X-RateLimit-Reset": "12"}, "", 12.0),
        ({"X-RateLimit-Reset": "1000000000001"}, "", 0.0),
        ({"X-RateLimit-Reset": "1000000001"}, "", 0.0),
        ({}, "Please try again in 2m59.5s.", 179.5),
        ({}, "Please try again in 20ms.", 0.02),
        ({}, "Please wait 30 seconds and try again later", 30.0),
        ({}, "Try again in 2 minutes", 120.0),
        ({"Retry-After": "soon"}, "", None),
        ({"Retry-After": "nan"}, "", None),
        ({"Retry-After": ""}, "Slow down", None),
    ],
)
async def test_how_long_to_wait_is_taken_from_the_service(
    headers: dict[str, str], message: str, seconds: float | None
) -> None:
    """
    From whichever header it uses, as seconds, a span, a date or a moment, or from its words.
    """
    _, failure = await failed(answer(429, error(message, type="rate_limit_exceeded"), headers))

    assert isinstance(failure, Unavailable)
    assert seconds == failure.retry_after


async def test_a_date_to_come_is_waited_for() -> None:
    """
    A date is turned into seconds from now.
    """
    _, failure = await failed(answer(503, b"", {"Retry-After": "Wed, 01 Jan 2200 00:00:00 GMT"}))

    assert isinstance(failure, Unavailable)
    assert 1e9 < (failure.retry_after or 0)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param(sse(error("Overloaded", type="overloaded_error"), done=False), Unavailable, id="overloaded"),
        pytest.param(sse({"error": {"message": "Bad gateway", "code": 502}}, done=False), Unavailable, id="502"),
        pytest.param(sse({"error": {"message": "oops"}}), Unavailable, id="unknown"),
        pytest.param(sse({"error": "model runner has stopped"}), Unavailable, id="words"),
        pytest.param(b'event: error\ndata: {"message": "Internal server error"}\n\n', Unavailable, id="named"),
        pytest.param(b'error: {"code": 500, "message": "no slot"}\n\n', Unavailable, id="a field"),
        pytest.param(
            sse({"choices": [{"delta": {}, "finish_reason": "error", "error": {"code": 503, "message": "gone"}}]}),
            Unavailable,
            id="in a choice, as OpenRouter sends it",
        ),
        pytest.param(sse(piece(stop="error")), Unavailable, id="as a reason to stop"),
        pytest.param(sse(piece(stop="insufficient_system_resource")), Unavailable, id="as DeepSeek's reason to stop"),
        pytest.param(sse(error("Tool schema is invalid")), Refused, id="a wrong request"),
        pytest.param(sse({"error": {"message": "No auth credentials", "code": 401}}), Refused, id="401"),
        pytest.param(sse(error("Quota", type="insufficient_quota")), Refused, id="no money"),
        pytest.param(sse(error(OPENAI, code="context_length_exceeded")), Overflow, id="too long"),
        pytest.param(b"data: {not json}\n\n", Refused, id="not JSON"),
        pytest.param(b"data: \xff\xfe\n\n", Refused, id="not text"),
        pytest.param(b"data: 42\n\n", Refused, id="a number"),
        pytest.param(sse({"choices": "none"}), Refused, id="choices that are none"),
        pytest.param(sse({"choices": [{"delta": {"tool_calls": {"a": 1}}}]}), Refused, id="calls that are none"),
        pytest.param(b"", Unavailable, id="nothing more"),
    ],
)
async def test_an_error_inside_a_stream_is_an_error(body: bytes, kind: type[ModelError]) -> None:
    """
    The status was 200 and words have been shown; what was said stays said.
    """
    came, failure = await failed(Played(chunks=(SAID, body)))

    assert [TextDelta(text="By ")] == came
    assert isinstance(failure, kind)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        pytest.param(b'{"error": {"message": "Full", "type": "server_error"}}', Unavailable, "Full", id="error"),
        pytest.param(b'{"error": {"message": "no such model", "code": 404}}', Refused, "no such model", id="404"),
        pytest.param(b'{"detail": "Not authenticated", "code": "auth"}', Refused, "Not authenticated", id="detail"),
        pytest.param(b'[{"error": {"message": "Slow down", "code": 429}}]', Unavailable, "Slow down", id="a list"),
        pytest.param(b"<!doctype html><title>Log in</title>", Refused, "a web page", id="a page"),
        pytest.param(b"Hello, I am a proxy.", Refused, "I am a proxy", id="words"),
        pytest.param(b'{"models": []}', Refused, "models", id="another object"),
        pytest.param(b'{"choices": [{"mess', Refused, "choices", id="half an object"),
        pytest.param(b"", Unavailable, "broke off", id="nothing"),
        pytest.param(b": keep-alive\n\n", Unavailable, "broke off", id="only comments"),
        pytest.param(b"data: [DONE]\n\n", Unavailable, "broke off", id="only the end"),
        pytest.param(sse({"choices": [], "usage": {"prompt_tokens": 1}}), Unavailable, "broke off", id="only usage"),
        pytest.param(b"\x1b[31mred\x1b[0m", Refused, "␛[31mred", id="control characters"),
    ],
)  # fmt: skip
async def test_an_answer_that_is_no_stream_is_an_error(body: bytes, kind: type[ModelError], words: str) -> None:
    """
    Status 200 promises nothing.
    """
    came, failure = await failed(Played(chunks=(body,)))

    assert [] == came
    assert isinstance(failure, kind)
    assert words in failure.message
    assert "\x1b" not in str(failure)


@pytest.mark.parametrize(
    "played",
    [
        pytest.param(Played(chunks=(SAID,)), id="ended early"),
        pytest.param(Played(chunks=(SAID,), ends="dropped"), id="cut between events"),
        pytest.param(Played(chunks=(SAID, b'data: {"choi'), ends="dropped"), id="cut within an event"),
        pytest.param(Played(chunks=(SAID, b'data: {"choi')), id="ended within an event"),
        pytest.param(Played(chunks=(SAID, b"event: error\ndata: no slot")), id="ended within an error"),
        pytest.param(Played(chunks=(SAID,), headers={"Content-Encoding": "gzip"}), id="not what was packed"),
    ],
)
async def test_a_stream_that_breaks_off_is_unavailable(played: Played) -> None:
    """
    What was said before stays said, and asking again may help.
    """
    came, failure = await failed(played)

    assert isinstance(failure, Unavailable)
    assert came in ([TextDelta(text="By ")], [])


async def test_a_server_that_hangs_up_is_unavailable() -> None:
    """
    Even before a status came.
    """
    listening = await asyncio.start_server(lambda _, writer: writer.transport.abort(), "127.0.0.1", 0)
    async with listening:
        _, failure = await failed_at(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1")

    assert isinstance(failure, Unavailable)
    assert not failure.message.endswith("..")


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    """
    The message says where it was looked for.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        _, failure = await failed_at(url)

    assert isinstance(failure, Unavailable)
    assert url in failure.message
    assert "Is it running?" in failure.message


async def test_what_is_no_http_is_unavailable() -> None:
    """
    Some other service may listen there.
    """

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as listening:
        _, failure = await failed_at(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1")

    assert isinstance(failure, Unavailable)


async def test_a_model_that_ollama_lacks_can_be_fetched() -> None:
    """
    The hint is the command.
    """
    async with serving(answer(404, error("model 'acme-1' not found"))) as server:
        _, failure = await failed_at(server.url, "Ollama")

    assert "`ollama pull acme-1`" in failure.hint


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "which usually ends in /v1."),
        ("/", "which usually ends in /v1."),
        ("/v1/chat/completions", "which is to be without /chat/completions."),
        ("/api", "/api."),
    ],
)
async def test_an_address_that_leads_nowhere_is_told_with_what_is_often_wrong(path: str, words: str) -> None:
    """
    Where nothing is known to be wrong, the address alone.
    """
    async with serving(answer(404, error("no such page"))) as server:
        _, failure = await failed_at(server.url.removesuffix("/v1") + path)

    assert failure.hint.endswith(words)


async def test_a_server_that_wants_a_key_nobody_has_says_so() -> None:
    """
    Where no variable is known, none is made up.
    """
    async with serving(answer(401, error("Unauthorized"))) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        with pytest.raises(Refused, match="wants a key"):
            await anext(model.stream(REQUEST))
        await model.close()


@pytest.mark.parametrize(
    "text", [KEY, f"Bearer {KEY}", "sk-proj-abcdefgh****wxyz", "gsk_abcdefghijkl", "xai-abcdefghijkl"]
)
async def test_no_key_is_ever_shown(text: str) -> None:
    """
    Neither ours nor one that looks like a key, in whatever a service sends back.
    """
    for played in (answer(401, error(f"Wrong: {text}")), answer(500, text.encode()), Played(chunks=(text.encode(),))):
        _, failure = await failed(played)
        assert text not in f"{failure} {failure!r} {failure.__dict__}"
        assert "secret" not in str(failure)


async def test_an_endless_error_is_not_read_to_its_end() -> None:
    """
    A message is short, whatever was sent.
    """
    _, failure = await failed(answer(500, b"x" * 1_000_000))

    assert isinstance(failure, Unavailable)
    assert 400 > len(str(failure))


async def test_a_proxy_is_not_asked_for_what_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A proxy of the environment is for the world outside; loopback is asked directly.
    """
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    _, failure = await failed(answer(400, error("reached")))

    assert "reached" in failure.message


async def test_a_proxy_is_asked_for_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    As the environment says.
    """
    async with serving(answer(400, error("the proxy was here"))) as server:
        monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
        _, failure = await failed_at("http://service.invalid/v1")

    assert "the proxy was here" in failure.message


async def test_a_proxy_that_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    It is not the service that fails.
    """
    async with serving(Played(status=407)) as server:
        monkeypatch.setenv("HTTPS_PROXY", server.url.removesuffix("/v1"))
        _, failure = await failed_at("https://service.invalid/v1")

    assert isinstance(failure, Unavailable)
    assert "The proxy on the way to Acme failed" in failure.message


async def test_an_error_that_says_nothing_has_its_status() -> None:
    """
    And one that does is a sentence before the hint.
    """
    _, silent = await failed(answer(404, b""))
    _, spoken = await failed(answer(404, error("No such model")))

    assert "Acme answered 404." == silent.message
    assert "Acme (404): No such model." == spoken.message


async def test_too_much_in_one_piece_is_given_up() -> None:
    """
    An object without an end does not fill the memory.
    """
    _, failure = await failed(Played(chunks=(b"[", *((b" " * (1024 * 1024),) * 20))))

    assert isinstance(failure, Unavailable)
    assert "in one piece" in failure.message
