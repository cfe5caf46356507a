"""Chat completions over HTTP: whatever servers make of the format comes to the same reply."""

import pytest

from holdfast.errors import BadInput, Refused
from holdfast.ids import CallId
from holdfast.model.protocol import (
    Delta,
    Finished,
    Request,
    Target,
    TextDelta,
    ThinkingDelta,
    ToolSpec,
    UserMessage,
)
from holdfast.model.stream import Accumulator, Reply
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.parts import Part, Text, Thinking, ToolCall, Usage
from tests.providers.servers import SSE, Played, piece, serving, sse

TARGET = Target(family="openai-chat", model="gpt-4o", provider="acme")
REQUEST = Request(
    target=TARGET,
    messages=(UserMessage(parts=(Text(text="Where is the harbour?"),)),),
    system="Be brief.",
    tools=(ToolSpec(name="read", description="Reads a file."),),
)
STOP = piece(stop="stop")


async def deltas(*answers: Played, target: Target = TARGET) -> list[Delta]:
    """Every delta of one reply."""
    async with serving(*answers) as server:
        model = OpenAICompatible(target, base_url=server.url, key="sk-secret-0001", title="Acme")
        try:
            return [delta async for delta in model.stream(Request(target=target, messages=REQUEST.messages))]
        finally:
            await model.close()


async def replied(*chunks: bytes, kind: str = SSE) -> Reply:
    """What a stream of bytes comes to."""
    accumulator = Accumulator(TARGET)
    for delta in await deltas(Played(chunks=chunks, kind=kind)):
        accumulator.add(delta)
    return accumulator.reply()


async def test_a_reply_is_streamed_as_it_comes() -> None:
    """
    Each chunk is a delta; usage and the reason to stop come last, with the cost of a known model.
    """
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}}
    body = sse(piece("", role="assistant"), piece("By "), piece("the sea."), STOP, {"choices": [], "usage": usage})

    assert [
        TextDelta(text="By "),
        TextDelta(text="the sea."),
        Finished(
            usage=Usage(input_tokens=1000, cached_tokens=400, output_tokens=100, cost_micros=1500 + 500 + 1000),
        ),
    ] == await deltas(Played(chunks=(body,)))


async def test_a_request_says_what_the_family_wants_and_who_asks() -> None:
    """
    The body is the renderer's, with a stream and its usage asked for; the key goes into one header.
    """
    async with serving(Played(chunks=(sse(piece("Hm."), STOP),))) as server:
        model = OpenAICompatible(TARGET, base_url=f"{server.url}/", key=" sk-secret-0001\n")
        async for _ in model.stream(REQUEST):
            pass
        await model.close()

    (asked,) = server.asked
    assert "/v1/chat/completions" == asked.path
    assert "Bearer sk-secret-0001" == asked.headers["authorization"]
    assert "gpt-4o" == asked.json["model"]
    assert asked.json["stream"] is True
    assert {"include_usage": True} == asked.json["stream_options"]
    assert {"role": "system", "content": "Be brief."} == asked.json["messages"][0]  # type: ignore[index]
    assert 1 == len(asked.json["tools"])  # type: ignore[arg-type]


async def test_without_a_key_none_is_sent() -> None:
    """
    A model on this machine needs none.
    """
    async with serving(Played(chunks=(sse(piece("Hm."), STOP),))) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        async for _ in model.stream(REQUEST):
            pass
        await model.close()

    assert "authorization" not in server.asked[0].headers


async def test_the_connection_is_kept_between_requests() -> None:
    """
    A turn of many steps shakes hands once; after `close` a new request opens a new connection.
    """
    async with serving(Played(chunks=(sse(piece("Hm."), STOP),))) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        for _ in range(3):
            async for _delta in model.stream(REQUEST):
                pass
        assert 1 == server.connections
        await model.close()
        async for _delta in model.stream(REQUEST):
            pass
        await model.close()

    assert 2 == server.connections
    assert 4 == len(server.asked)


async def test_the_connection_is_kept_if_one_hangs_up_at_the_end_of_the_reply() -> None:
    """
    Nobody listens to what comes after the end.
    """
    async with serving(Played(chunks=(sse(piece("Hm."), STOP),))) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        for _ in range(3):
            stream = model.stream(REQUEST)
            while not isinstance(await anext(stream), Finished):
                pass
            await stream.aclose()
        await model.close()

    assert 1 == server.connections


def thought(text: str, form: str) -> Thinking:
    """Thinking as the log keeps it."""
    return Thinking(text=text, form=form, provider=TARGET.provider, model=TARGET.model)


WORDS = (Text(text="By the sea."),)
WHOLE = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "By the sea."}, "finish_reason": "stop"}]}
SAID = piece("By the sea.")


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        pytest.param(b": OPENROUTER PROCESSING\n\n" + sse(SAID, STOP), WORDS, id="comments in front"),
        pytest.param(b"\n\n\n" + sse(SAID, STOP), WORDS, id="empty lines in front, as DeepSeek sends to keep a line"),
        pytest.param(sse(SAID, STOP).replace(b"\n", b"\r\n"), WORDS, id="line ends of two bytes"),
        pytest.param(sse(SAID, STOP).replace(b"data: ", b"data:"), WORDS, id="no space after the colon"),
        pytest.param(sse(SAID, STOP, done=False), WORDS, id="no [DONE]"),
        pytest.param(sse(SAID, STOP, done=False).rstrip(), WORDS, id="no last empty line"),
        pytest.param(sse(SAID), WORDS, id="no reason to stop, but [DONE]"),
        pytest.param(
            sse(SAID, STOP, piece(" Yes.")), (Text(text="By the sea. Yes."),), id="words after the reason to stop"
        ),
        pytest.param(sse(SAID, STOP) + sse(SAID), WORDS, id="more after [DONE]"),
        pytest.param(sse({"choices": None}, {"object": "ping"}, SAID, STOP), WORDS, id="chunks without choices"),
        pytest.param(sse(WHOLE), WORDS, id="a whole message in an event"),
        pytest.param(
            b'{"choices":[{"message":{"content":"By the sea."},"finish_reason":"stop"}]}', WORDS, id="no stream"
        ),
        pytest.param(
            sse(piece(reasoning_content="Hm, "), piece(reasoning_content="a harbour."), SAID, STOP),
            (thought("Hm, a harbour.", "reasoning_content"), *WORDS),
            id="thinking as DeepSeek sends it",
        ),
        pytest.param(
            sse(piece("", reasoning="A harbour."), SAID, STOP),
            (thought("A harbour.", "reasoning"), *WORDS),
            id="thinking as Groq and Ollama send it",
        ),
        pytest.param(
            sse(piece(reasoning="A harbour.", reasoning_content="A harbour."), SAID, STOP),
            (thought("A harbour.", "reasoning_content"), *WORDS),
            id="thinking under both names is one thought",
        ),
        pytest.param(
            sse(
                piece(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]),  # type: ignore[arg-type]
                piece(content=[{"type": "text", "text": "By the sea."}, {"type": "reference"}]),  # type: ignore[arg-type]
                STOP,
            ),
            (thought("Hm.", "content"), *WORDS),
            id="content in parts, as Mistral sends it",
        ),
        pytest.param(
            sse(piece("By \ud83d"), piece("\ude00 the sea.", reasoning="\ud83d"), STOP),
            (Text(text="By \U0001f600 the sea."), Thinking(text="\ufffd")),
            id="halves of a character",
        ),
        pytest.param(
            sse(piece("By the sea."), STOP).replace(b"sea", b"s\xe2\x82"),
            (Text(text="By the s\ufffd."),),
            id="bytes that are no text",
        ),
        pytest.param(
            b'{"choices":[{"message":{"content":"By \\ud83d the \xffsea."},"finish_reason":"stop"}]}',
            (Text(text="By \ufffd the \ufffdsea."),),
            id="both, in one object",
        ),
        pytest.param(
            sse({"choices": [{"delta": None, "finish_reason": None}]}, {**SAID, "usage": None, "error": None}, STOP),
            WORDS,
            id="null wherever it can be",
        ),
    ],
)
async def test_words_and_thinking_come_through(body: bytes, parts: tuple[Part, ...]) -> None:
    """
    However a server frames them.
    """
    assert parts == (await replied(body)).parts


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "application/octet-stream"])
async def test_a_stream_under_the_wrong_type_is_a_stream(kind: str) -> None:
    """
    The bytes decide, not what the header calls them.
    """
    assert WORDS == (await replied(sse(SAID, STOP), kind=kind)).parts


def call(index: int | None, call_id: str | None, name: str | None, arguments: object) -> dict[str, object]:
    """A fragment of a call, without what is not given."""
    function = {key: value for key, value in {"name": name}.items() if value is not None}
    fragment = {"index": index, "id": call_id, "type": "function", "function": {**function, "arguments": arguments}}
    return {key: value for key, value in fragment.items() if value is not None}


def calls(*fragments: dict[str, object]) -> list[dict[str, object]]:
    """Each fragment in a chunk of its own."""
    return [piece(tool_calls=[fragment]) for fragment in fragments]


A = ToolCall(id=CallId("a"), name="read", arguments='{"path":"a"}')
B = ToolCall(id=CallId("b"), name="read", arguments='{"path":"b"}')


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        pytest.param(
            calls(call(0, "a", "read", ""), call(0, None, None, '{"path":'), call(0, None, None, '"a"}')),
            (A,),
            id="in fragments",
        ),
        pytest.param(
            calls(
                call(0, "a", "read", ""),
                call(1, "b", "read", ""),
                call(1, None, None, '{"path":"b"}'),
                call(0, None, None, '{"path":"a"}'),
            ),
            (A, B),
            id="two in turns",
        ),
        pytest.param(
            [piece(tool_calls=[call(0, "a", "read", A.arguments), call(1, "b", "read", B.arguments)])],
            (A, B),
            id="whole, at once, as Groq and Ollama send them",
        ),
        pytest.param(
            calls(call(0, "a", "read", A.arguments), call(0, "b", "read", B.arguments)),
            (A, B),
            id="all under index 0",
        ),
        pytest.param(
            calls(
                call(None, "a", "read", '{"path":'),
                call(None, None, None, '"a"}'),
                call(None, "b", "read", B.arguments),
            ),
            (A, B),
            id="without an index",
        ),
        pytest.param(
            calls(
                call(None, "a", "read", ""),
                call(None, "b", "read", ""),
                call(None, "a", None, A.arguments),
                call(None, "b", None, B.arguments),
            ),
            (A, B),
            id="two in turns without an index",
        ),
        pytest.param(
            calls(call(0, "a", "read", '{"path":'), call(0, "a", "read", '"a"}')),
            (A,),
            id="id and name repeated with every fragment",
        ),
        pytest.param(
            calls(call(0, "a", "read", '{"path":'), call(0, "zz", None, '"a"}')),
            (A,),
            id="a new id with every fragment",
        ),
        pytest.param(
            calls(call(0, "", "read", A.arguments), call(0, "", "read", B.arguments)),
            (
                ToolCall(id=CallId("call_0"), name="read", arguments=A.arguments),
                ToolCall(id=CallId("call_1"), name="read", arguments=B.arguments),
            ),
            id="without ids, all under index 0",
        ),
        pytest.param(
            calls(call(0, "", "read", '{"path":'), call(0, "", "read", '"a"}')),
            (ToolCall(id=CallId("call_0"), name="read", arguments=A.arguments),),
            id="without ids, with its name repeated",
        ),
        pytest.param(
            calls(call(1, "a", "read", A.arguments), call(2, "b", "read", B.arguments)),
            (A, B),
            id="counted from 1",
        ),
        pytest.param(
            calls(call(0, "a", "read", {"path": "a"})),
            (ToolCall(id=CallId("a"), name="read", arguments='{"path": "a"}'),),
            id="arguments as an object",
        ),
        pytest.param(calls(call(0, "a", "read", None)), (ToolCall(id=CallId("a"), name="read"),), id="arguments null"),
        pytest.param(
            [piece(tool_calls=[{"id": "a", "function": {"name": "read"}}])],
            (ToolCall(id=CallId("a"), name="read"),),
            id="no arguments",
        ),
        pytest.param(
            calls(call(0, "a", "read", "not JSON")),
            (ToolCall(id=CallId("a"), name="read", arguments="not JSON"),),
            id="arguments that are not JSON stay what they are",
        ),
        pytest.param(
            calls(call(0, "a", "read", '{"path":"\ud83d"}')),
            (ToolCall(id=CallId("a"), name="read", arguments='{"path":"\ufffd"}'),),
            id="half a character in arguments",
        ),
        pytest.param([{**piece(tool_calls=None)}, SAID], WORDS, id="calls null"),
        pytest.param([piece(tool_calls=[]), SAID], WORDS, id="no calls"),
        pytest.param(
            [{"choices": [{"delta": {"tool_calls": [{"index": "0", "id": "a", "function": {"name": "read"}}]}}]}],
            (ToolCall(id=CallId("a"), name="read"),),
            id="an index that is text",
        ),
    ],
)
async def test_calls_come_through(chunks: list[dict[str, object]], expected: tuple[Part, ...]) -> None:
    """
    However a server numbers, names and cuts them.
    """
    assert expected == (await replied(sse(*chunks, piece(stop="tool_calls")))).parts


@pytest.mark.parametrize(
    ("said", "stop"),
    [
        ("stop", "ended"),
        ("eos", "ended"),
        ("end_turn", "ended"),
        ("something new", "ended"),
        ("tool_calls", "called"),
        ("function_call", "called"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("content_filter", "refused"),
    ],
)
async def test_why_a_reply_stopped(said: str, stop: str) -> None:
    """
    Four reasons, under many names.
    """
    last = (await deltas(Played(chunks=(sse(SAID, piece(stop=said)),))))[-1]

    assert Finished(stop=stop) == last  # type: ignore[arg-type]


async def test_a_refusal_is_said_and_known_as_one() -> None:
    """
    What OpenAI's models refuse comes under a name of its own.
    """
    said = await deltas(Played(chunks=(sse(piece(refusal="I won't."), STOP),)))

    assert [TextDelta(text="I won't."), Finished(stop="refused")] == said


USED = {"prompt_tokens": 10, "completion_tokens": 2}


@pytest.mark.parametrize(
    ("chunks", "usage"),
    [
        pytest.param([STOP, {"choices": [], "usage": USED}], (10, 0, 2), id="in a last chunk"),
        pytest.param([{**STOP, "usage": USED}], (10, 0, 2), id="with the reason to stop"),
        pytest.param([{**STOP, "x_groq": {"id": "req_1", "usage": USED}}], (10, 0, 2), id="as Groq sends it"),
        pytest.param(
            [{**SAID, "usage": {**USED, "completion_tokens": 1}}, {**STOP, "usage": USED}], (10, 0, 2), id="twice"
        ),
        pytest.param([{**STOP, "usage": {**USED, "prompt_cache_hit_tokens": 7}}], (10, 7, 2), id="DeepSeek's cache"),
        pytest.param(
            [{**STOP, "usage": {**USED, "prompt_tokens_details": {"cached_tokens": 7}}}], (10, 7, 2), id="a cache"
        ),
        pytest.param([{**STOP, "usage": {**USED, "prompt_tokens_details": None}}], (10, 0, 2), id="no details"),
        pytest.param([{**STOP, "usage": None}], None, id="null"),
        pytest.param([{**STOP, "usage": {}}], None, id="empty"),
        pytest.param([{**STOP, "usage": "free"}], None, id="words"),
        pytest.param([{**STOP, "usage": {**USED, "prompt_tokens": [10]}}], None, id="no number"),
        pytest.param([{**STOP, "usage": {**USED, "prompt_tokens": 10**30}}], None, id="too large a number"),
        pytest.param([{**STOP, "x_groq": {"usage": 7}}], None, id="no object"),
        pytest.param([{**SAID, "usage": USED}, {**STOP, "usage": [1]}], (10, 0, 2), id="words after a count"),
        pytest.param([STOP], None, id="none"),
    ],
)
async def test_usage_is_found_wherever_it_stands(
    chunks: list[dict[str, object]], usage: tuple[int, int, int] | None
) -> None:
    """
    And where there is none, none is made up.
    """
    target = Target(family="openai-chat", model="acme-1")
    last = (await deltas(Played(chunks=(sse(*chunks),)), target=target))[-1]
    counts = usage and Usage(input_tokens=usage[0], cached_tokens=usage[1], output_tokens=usage[2])

    assert isinstance(last, Finished)
    assert counts == last.usage


@pytest.mark.parametrize("charged", [-1.0, 1e300])
async def test_a_charge_that_cannot_be_is_none(charged: float) -> None:
    """
    The reply counts as what the price list says.
    """
    last = (await deltas(Played(chunks=(sse(SAID, {**STOP, "usage": {**USED, "cost": charged}}),))))[-1]

    assert isinstance(last, Finished)
    assert last.usage is not None
    assert last.usage.cost_micros < 1000


async def test_what_a_service_charged_counts_more_than_the_price_list() -> None:
    """
    OpenRouter tells the cost of each reply.
    """
    last = (await deltas(Played(chunks=(sse(SAID, {**STOP, "usage": {**USED, "cost": 0.0012345}}),))))[-1]

    assert isinstance(last, Finished)
    assert last.usage is not None
    assert 1235 == last.usage.cost_micros


REPLY = b": wait\n\n" + sse(
    piece(reasoning="Sëe."),
    piece("Grüße, 世界 🌊"),
    *calls(call(0, "a", "read", '{"path":'), call(0, None, None, '"a"}')),
    piece(stop="tool_calls"),
    {"choices": [], "usage": USED},
)


async def test_a_reply_cut_at_any_byte_is_the_same_reply() -> None:
    """
    No packet has to end where an event, a line or a character ends.
    """
    expected = (thought("Sëe.", "reasoning"), Text(text="Grüße, 世界 🌊"), A)
    cuts = [Played(chunks=(REPLY[:at], REPLY[at:])) for at in range(1, len(REPLY))]
    async with serving(*cuts) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        for _ in cuts:
            accumulator = Accumulator(TARGET)
            async for delta in model.stream(REQUEST):
                accumulator.add(delta)
            assert expected == accumulator.reply().parts
        await model.close()


async def test_a_reply_byte_by_byte_is_the_same_reply() -> None:
    """
    As slow as a server may be.
    """
    reply = await replied(*(REPLY[at : at + 1] for at in range(len(REPLY))))

    assert (thought("Sëe.", "reasoning"), Text(text="Grüße, 世界 🌊"), A) == reply.parts


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b'data: {"choices": [], "usa', id="half an event"),
        pytest.param(sse({"error": {"message": "oops", "code": 500}}), id="an error"),
        pytest.param(b"data: bye\n\n", id="words"),
    ],
)
async def test_a_reply_that_was_complete_is_complete_whatever_comes_after_it(more: bytes) -> None:
    """
    The reason to stop came; only the usage is lost.
    """
    played = Played(chunks=(sse(SAID, STOP, done=False) + more,), ends="dropped")

    assert [TextDelta(text="By the sea."), Finished()] == await deltas(played)


async def test_the_end_of_the_reply_does_not_wait_for_the_end_of_the_connection() -> None:
    """
    A server that leaves the line open after [DONE] holds nobody up.
    """
    assert [TextDelta(text="By the sea."), Finished()] == await deltas(
        Played(chunks=(sse(SAID, STOP),), ends="hanging")
    )


async def test_a_delta_comes_before_the_next_one_is_sent() -> None:
    """
    Words are shown while the model goes on thinking.
    """
    async with serving(Played(chunks=(sse(piece(reasoning="Hm."), done=False),), ends="hanging")) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        stream = model.stream(REQUEST)
        assert ThinkingDelta(text="Hm.", form="reasoning") == await anext(stream)
        await stream.aclose()
        await model.close()


async def test_a_request_for_another_model_is_refused() -> None:
    """
    It would be rendered for one and sent to the other.
    """
    model = OpenAICompatible(Target(family="openai-chat", model="other"), base_url="http://127.0.0.1:9/v1")
    with pytest.raises(Refused, match="the request is for 'gpt-4o'"):
        await anext(model.stream(REQUEST))


@pytest.mark.parametrize("url", ["", "example.com/v1", "ftp://example.com", "http://", "http://x:y/"])
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    """
    A setting is wrong before the first question is asked.
    """
    with pytest.raises(BadInput, match=r"https://example\.com/v1"):
        OpenAICompatible(TARGET, base_url=url)


@pytest.mark.parametrize("key", ["sk-sécret-0001", "sk-secret\n0001"])
def test_a_key_that_is_none_is_refused_and_not_shown(key: str) -> None:
    """
    It could not be sent, and what it is stays a secret.
    """
    with pytest.raises(BadInput, match="ACME_API_KEY") as raised:
        OpenAICompatible(TARGET, base_url="https://example.com/v1", key=key, variable="ACME_API_KEY")

    assert "cret" not in str(raised.value)
