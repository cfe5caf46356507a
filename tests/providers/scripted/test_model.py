"""The scripted model: says its lines, fails on command, and refuses what a provider would refuse."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import (
    AssistantMessage,
    CallDelta,
    Delta,
    Family,
    Finished,
    Message,
    Model,
    Request,
    Target,
    TextDelta,
    ToolMessage,
    UserMessage,
)
from holdfast.model.stream import Accumulator, CutCall, Reply
from holdfast.model.tokens import count_request, counter_for
from holdfast.providers.scripted.model import Scripted, ScriptedModel
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall, Usage

TARGETS = {
    "openai-chat": Target(family="openai-chat", model="gpt-4o", provider="openai"),
    "openai-responses": Target(family="openai-responses", model="gpt-5", provider="openai"),
    "anthropic": Target(family="anthropic", model="claude-opus-5-5", provider="anthropic"),
    "gemini": Target(family="gemini", model="gemini-2.5-pro", provider="google"),
}
TARGET = TARGETS["openai-chat"]
HELLO = UserMessage(parts=(Text(text="Hello"),))
CALL = ToolCall(id=CallId("call_1_0"), name="read", arguments='{"path":"a.txt"}')
RESULT = ToolMessage(call=CallId("call_1_0"), name="read", parts=(Text(text="contents"),))


def request(*messages: Message, target: Target = TARGET, output: int = 100) -> Request:
    """A request with some messages."""
    return Request(target=target, messages=messages or (HELLO,), max_output_tokens=output)


async def deltas(stream: AsyncIterator[Delta]) -> tuple[list[Delta], ModelError | None]:
    """Everything that comes, and what ended it."""
    came: list[Delta] = []
    try:
        async for delta in stream:
            came += [delta]
    except ModelError as error:
        return came, error
    return came, None


async def replied(model: Model, asked: Request) -> Reply:
    """What a model replies."""
    accumulator = Accumulator(model.target)
    async for delta in model.stream(asked):
        accumulator.add(delta)
    return accumulator.reply()


async def test_lines_are_said_in_order() -> None:
    """
    Each request gets the next line of the script, and the model remembers what it was asked.
    """
    model = ScriptedModel(TARGET, "One.", Scripted(parts=(CALL,)), "Three.")
    asked = [request(), request(HELLO, HELLO), request(HELLO, AssistantMessage(parts=(CALL,)), RESULT)]

    replies = [await replied(model, each) for each in asked]

    assert [(Text(text="One."),), (CALL,), (Text(text="Three."),)] == [reply.parts for reply in replies]
    assert ["ended", "called", "ended"] == [reply.stop for reply in replies]
    assert asked == model.requests
    assert 0 == model.given_up


WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(str.strip)
"""White space alone says nothing, so no part of it arrives."""
PARTS: st.SearchStrategy[tuple[Part, ...]] = st.tuples(
    WORDS,
    WORDS,
    st.text("ab/=", max_size=20),
    st.lists(st.text("{}:\"'1 ", min_size=1, max_size=30), max_size=3),
).map(
    lambda made: (
        Thinking(text=made[0], signature=made[2], provider="openai", model="gpt-4o")
        if made[2]
        else Thinking(text=made[0]),
        Text(text=made[1]),
        *(ToolCall(id=CallId(f"c{at}"), name="read", arguments=each) for at, each in enumerate(made[3])),
    )
)


@given(PARTS, st.integers(1, 50))
def test_what_is_scripted_is_what_arrives(parts: tuple[Part, ...], piece: int) -> None:
    """
    However the stream is cut, its pieces come to the parts of the answer.
    """
    model = ScriptedModel(TARGET, Scripted(parts=parts), piece=piece)

    assert parts == asyncio.run(replied(model, request())).parts


async def test_an_answer_is_streamed_in_pieces() -> None:
    """
    Words come a few at a time; a call is named before its arguments come.
    """
    answer = Scripted(parts=(Text(text="abcde"), ToolCall(id=CallId("a"), name="read", arguments="{}")), stop="length")
    usage = Usage(input_tokens=7, output_tokens=3)

    came, error = await deltas(
        ScriptedModel(TARGET, Scripted(parts=answer.parts, stop="length", usage=usage), piece=3).stream(request())
    )

    assert [
        TextDelta(text="abc"),
        TextDelta(text="de"),
        CallDelta(index=0, id="a", name="read"),
        CallDelta(index=0, arguments="{}"),
        Finished(stop="length", usage=usage),
    ] == came
    assert None is error


async def test_usage_is_counted_where_it_is_not_scripted() -> None:
    """
    The model reports what it counts, so that usage adds up in a demo too.
    """
    usage = (await replied(ScriptedModel(TARGET, "A few words."), request())).usage

    assert usage is not None
    assert count_request(request(), counter_for("gpt-4o")) == usage.input_tokens
    assert 0 < usage.output_tokens


async def test_a_line_may_depend_on_the_request() -> None:
    """
    A summariser is a function of what it is asked to summarise.
    """
    model = ScriptedModel(TARGET, "First.", then=lambda asked: f"{len(asked.messages)} messages")

    replies = [await replied(model, each) for each in (request(), request(HELLO, HELLO), request())]

    assert ["First.", "2 messages", "1 messages"] == [
        part.text for reply in replies for part in reply.parts if isinstance(part, Text)
    ]


async def test_a_script_that_runs_out_is_loud() -> None:
    """
    A request that nobody wrote a line for is a mistake in the script, not a failure of a model.
    """
    model = ScriptedModel(TARGET, "Only line.")
    await replied(model, request())

    with pytest.raises(AssertionError, match="nothing is left to say to request 2"):
        await replied(model, request())


async def test_an_attachment_in_the_script_is_loud() -> None:
    """
    Models answer with words and calls.
    """
    picture = Blob(blob=BlobId("0" * 64), media_type="image/png", size=3)

    with pytest.raises(AssertionError, match="no attachments"):
        await replied(ScriptedModel(TARGET, Scripted(parts=(picture,))), request())


@pytest.mark.parametrize(
    "error", [Unavailable("Too many requests.", retry_after=2.5), Refused("Not allowed."), Overflow("Too long.")]
)
async def test_an_error_on_command_comes_instead_of_an_answer(error: ModelError) -> None:
    """
    The script says how a request fails; the next one goes on with the next line.
    """
    model = ScriptedModel(TARGET, error, lambda _: error, "Better.")

    for _ in range(2):
        came, raised = await deltas(model.stream(request()))
        assert ([], error) == (came, raised)
    assert (Text(text="Better."),) == (await replied(model, request())).parts


@pytest.mark.parametrize("after", [0, 1, 3])
async def test_a_stream_breaks_after_so_many_deltas(after: int) -> None:
    """
    What came before the break has been said.
    """
    model = ScriptedModel(TARGET, Scripted(parts=(Text(text="abcdef"),), after=after), piece=1)

    came, error = await deltas(model.stream(request()))

    assert [TextDelta(text=letter) for letter in "abcdef"[:after]] == came
    assert isinstance(error, Unavailable)
    assert 0 == model.given_up


async def test_a_stream_breaks_in_its_own_way() -> None:
    """
    An error in the middle is the one that the script names.
    """
    error = Unavailable("Overloaded.", retry_after=1.0)

    came, raised = await deltas(
        ScriptedModel(TARGET, Scripted(parts=(CALL,), after=2, failure=error), piece=5).stream(request())
    )
    accumulator = Accumulator(TARGET)
    for delta in came:
        accumulator.add(delta)

    assert error is raised
    assert Reply(cut=(CutCall(index=0, id=CallId("call_1_0"), name="read", arguments='{"pat'),)) == accumulator.reply()


@pytest.mark.parametrize("after", [0, 2])
async def test_silence_lasts_until_whoever_waits_gives_up(after: int) -> None:
    """
    A provider that hangs says nothing more, and a cancelled wait ends it.
    """
    model = ScriptedModel(TARGET, Scripted(parts=(Text(text="abc"),), after=after, failure="silence"), piece=1)
    came: list[Delta] = []
    enough = asyncio.Event()

    async def listen() -> None:
        if not after:
            enough.set()
        async for delta in model.stream(request()):
            came.append(delta)
            if len(came) == after:
                enough.set()

    listening = asyncio.create_task(listen())
    await enough.wait()
    await asyncio.sleep(0)
    assert not listening.done()
    listening.cancel()
    await asyncio.wait([listening])

    assert listening.cancelled()
    assert [TextDelta(text=letter) for letter in "abc"[:after]] == came
    assert 1 == model.given_up


@pytest.mark.parametrize(("taken", "given_up"), [(1, 1), (3, 1), (4, 0)])
async def test_closing_the_stream_gives_up_the_reply(taken: int, given_up: int) -> None:
    """
    A reply that is closed before its end is cancelled at the provider; one that has ended is not.
    """
    model = ScriptedModel(TARGET, "abc", piece=1)
    stream = model.stream(request())
    for _ in range(taken):
        await anext(stream)

    await stream.aclose()

    assert given_up == model.given_up


@pytest.mark.parametrize("family", TARGETS)
async def test_every_family_is_played(family: Family) -> None:
    """
    A legal conversation with calls is answered, whatever the family.
    """
    asked = request(HELLO, AssistantMessage(parts=(CALL,)), RESULT, HELLO, target=TARGETS[family])

    assert (Text(text="Hi."),) == (await replied(ScriptedModel(TARGETS[family], "Hi."), asked)).parts


@pytest.mark.parametrize("family", TARGETS)
@pytest.mark.parametrize(
    "messages",
    [
        (HELLO, AssistantMessage(parts=(CALL,))),
        (HELLO, AssistantMessage(parts=(CALL,)), HELLO),
        (HELLO, RESULT),
    ],
    ids=["call without result", "user before result", "result without call"],
)
async def test_an_illegal_request_is_refused(family: Family, messages: tuple[Message, ...]) -> None:
    """
    What a provider answers with 400 is refused, with the rules that are broken, and costs no line of the script.
    """
    target = TARGETS[family]
    model = ScriptedModel(target, "Hi.")

    with pytest.raises(Refused, match=rf"not legal for {family}: \w+ at \S+: "):
        await replied(model, request(*messages, target=target))
    assert (Text(text="Hi."),) == (await replied(model, request(target=target))).parts


async def test_another_models_request_is_refused() -> None:
    """
    A provider does not know models that it does not have.
    """
    with pytest.raises(Refused, match="the request is for 'gpt-5'"):
        await replied(ScriptedModel(TARGET, "Hi."), request(target=TARGETS["openai-responses"]))


async def test_a_request_that_is_too_long_overflows() -> None:
    """
    Request and reply share the window, to the token; the error says how much was asked and what the limit is.
    """
    asked = count_request(request(), counter_for("gpt-4o"))

    fits = ScriptedModel(TARGET, "Hi.", window=asked + 100)
    assert (Text(text="Hi."),) == (await replied(fits, request())).parts

    with pytest.raises(Overflow) as caught:
        await replied(ScriptedModel(TARGET, "Hi.", window=asked + 99), request())
    assert (asked - 1, asked) == (caught.value.limit, caught.value.asked)
