"""Whatever a provider does, nothing is lost, the turn ends as it should, and the log is legal for everyone."""

import asyncio
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from holdfast import ModelReplied, Overflow, Scripted, Target, Text, Thinking, ToolFinished, Unavailable, UserSaid
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Compacting, Event, Retrying, TurnOver
from holdfast.agent.limits import RetryPolicy
from holdfast.agent.models import ChatModel
from holdfast.model.protocol import Model
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.providers.scripted.model import Cue
from holdfast.records.parts import plain_text
from tests.agent.troupe import PlainTool, calling, scripted, setup, turn, volatile
from tests.journeys.afterwards import entries, is_in_order
from tests.providers.servers import Played, Server, piece, serving, sse

DROPPED = Scripted(parts=(Thinking(text="Where?"), Text(text="Once upon a time there was a harbour")), after=2)
SILENT = replace(DROPPED, failure="silence")
CUT = Scripted(parts=calling(("look", '{"text":"a"}'), text="I look.").parts, after=3)


async def replies(conversation: Conversation) -> list[tuple[str, str]]:
    """How replies stopped, and what they said."""
    return [(e.stop, plain_text(e.parts)) for e in await entries(conversation) if isinstance(e, ModelReplied)]


def why(seen: Sequence[Event]) -> str:
    """How the turn ended, as whoever watched was told."""
    (over,) = [event for event in seen if isinstance(event, TurnOver)]
    return over.ended.why


@pytest.mark.parametrize(
    ("script", "whys", "expected"),
    [
        ([Unavailable("503"), Unavailable("503"), "Here."], ["503", "503"], [("ended", "Here.")]),
        (
            [DROPPED, "The end."],
            ["The stream broke off."],
            [("interrupted", "Once upon a time there w"), ("ended", "The end.")],
        ),
        (
            [SILENT, DROPPED, "The end."],
            ["The model fell silent for 0.05 s.", "The stream broke off."],
            [*[("interrupted", "Once upon a time there w")] * 2, ("ended", "The end.")],
        ),
        ([CUT, "The end."], ["The stream broke off."], [("interrupted", "I look."), ("ended", "The end.")]),
        ([Scripted(), "Here."], ["The model said nothing."], [("ended", "Here.")]),
    ],
    ids=["503 twice", "dropped", "hanging, then dropped", "cut in a call", "silent to the end"],
)
async def test_a_failure_on_the_way_is_got_over(
    script: list[Cue], whys: list[str], expected: list[tuple[str, str]]
) -> None:
    """
    The person sees why it takes longer, what was shown is kept, and a call that was cut is not run.
    """
    tool = PlainTool("look")
    async with await volatile(setup(scripted(*script), tools=[tool], retry=RetryPolicy(idle=0.05))) as conversation:
        seen = await turn(conversation, "go")

        assert whys == [event.why for event in seen if isinstance(event, Retrying)]
        assert expected == await replies(conversation)
        assert [] == tool.ran
        assert "answered" == why(seen)
        await is_in_order(conversation)


@pytest.mark.parametrize(
    "script",
    [[Unavailable("503")] * 3, [DROPPED] * 3, [SILENT] * 3, [Overflow("too long")] * 2, [Scripted()] * 3],
    ids=["503", "dropped", "hanging", "overflow", "silent to the end"],
)
async def test_a_failure_that_stays_ends_the_turn_and_the_next_one_goes_on(script: list[Cue]) -> None:
    """
    What was said and shown until then is all there, and is what the next model sees.
    """
    model = scripted(*script, "Here again.")
    async with await volatile(setup(model, retry=RetryPolicy(attempts=3, idle=0.02))) as conversation:
        assert "failed" == why(await turn(conversation, "go"))
        assert "answered" == why(await turn(conversation, "still there?"))
        assert ["go", "still there?"] == [
            plain_text(e.parts) for e in await entries(conversation) if isinstance(e, UserSaid)
        ]
        await is_in_order(conversation)


async def test_an_overflow_is_compacted_and_asked_once_more() -> None:
    """
    A provider whose window is smaller than we think says so once, and then answers.
    """
    talk = [f"Number {number} is noted. " + "It was a long day at the harbour. " * 40 for number in range(12)]
    summary = "## Task\nCounting.\n## Done\nNumbers.\n## Facts\nnone\n## Next\nGo on."
    small = scripted(*talk, Overflow("too long", limit=2_000, asked=4_000), *[summary] * 3, "It fits.")
    async with await volatile(setup(small)) as conversation:
        for number in range(12):
            await turn(conversation, f"note {number}")
        seen = await turn(conversation, "and now?")

        assert 1 == sum(isinstance(event, Compacting) for event in seen)
        ended = await conversation.idle()
        assert ended is not None
        assert "answered" == ended.why
        sizes = [len(str(request.messages)) for request in small.requests if request.system != ""]
        assert sizes[-1] < sizes[12]
        await is_in_order(conversation)


@pytest.mark.parametrize(
    ("calls", "ran"),
    [
        ([("look", f'{{"text":"{n}"}}', f"c{n}") for n in range(20)], 20),
        ([("look", f'{{"text":"{n}"}}', "same") for n in range(3)], 3),
        ([("look", "not json", "a"), ("look", '{"text":', "b"), ("look", '["x"]', "c"), ("look", "", "d")], 1),
        ([("missing", "{}", "a"), ("look", '{"text":"b"}', "b")], 1),
        ([("look", '{"text":"\\ud800"}', "a"), ("a tool/with: odd name", "{}", "b/\x00")], 0),
    ],
    ids=["20 at once", "one id for all", "arguments that are not JSON", "a tool that is not there", "odd characters"],
)
async def test_calls_of_every_kind_have_their_result(calls: list[tuple[str, str, str]], ran: int) -> None:
    """
    One each, in the log and in the next request, also when the same ids come again in the next reply.
    """
    tool = PlainTool("look")
    model = scripted(calling(*calls), calling(*calls), "Seen.")
    async with await volatile(setup(model, tools=[tool])) as conversation:
        await turn(conversation, "go")
        results = [entry for entry in await entries(conversation) if isinstance(entry, ToolFinished)]

        assert 2 * len(calls) == len(results)
        assert 2 * ran == len(tool.ran)
        ended = await conversation.idle()
        assert ended is not None
        assert "answered" == ended.why
        await is_in_order(conversation)


class Far:
    """A model behind HTTP, whoever is asked for."""

    def __init__(self, model: Model) -> None:
        self._chat_model = ChatModel(name="far", model=model)

    async def named(self, name: str) -> ChatModel:
        assert name == "far"
        return self._chat_model

    async def usual(self) -> ChatModel:
        return self._chat_model

    async def close(self) -> None:
        """Nothing is held."""


async def over_http(server: Server, *, idle: float = 5.0) -> Conversation:
    """A conversation with a service on loopback."""
    target = Target(family="openai-chat", model="any", provider="loopback")
    model = OpenAICompatible(target, base_url=server.url)
    made = replace(setup(tools=[PlainTool("look")], retry=RetryPolicy(idle=idle)), models=Far(model))
    conversation = await volatile(made)
    async with asyncio.timeout(30):
        await turn(conversation, "go")
    await model.close()
    return conversation


HERE = Played(chunks=(sse(piece("Here."), piece(stop="stop")),))
CALLED = {"index": 0, "id": "c1", "function": {"name": "look", "arguments": '{"text":"a"}'}}
GARBAGE = {
    "not a stream": Played(chunks=(b"<html>come back later</html>",), kind="text/html", status=502),
    "an answer without an end": Played(chunks=(sse(piece("Once upon"), done=False),)),
    "cut within a reply": Played(chunks=(sse(piece("Once upon"), done=False),), ends="dropped"),
    "cut within a character": Played(chunks=(sse(piece("Once upon"), done=False), b"data: \xe2\x82"), ends="dropped"),
    "503": Played(status=503, chunks=(b"{}",), kind="application/json"),
    "429 with a word": Played(status=429, headers={"Retry-After": "0"}, kind="application/json", chunks=(b"{}",)),
}


@pytest.mark.parametrize("played", GARBAGE.values(), ids=GARBAGE)
async def test_garbage_from_a_service_is_got_over(played: Played) -> None:
    """
    Over real HTTP: the second attempt answers, and what was shown of the first is kept.
    """
    async with serving(played, HERE) as server, await over_http(server) as conversation:
        ended = await conversation.idle()
        assert ended is not None
        assert ("answered", 2) == (ended.why, len(server.asked)), ended
        assert ("ended", "Here.") == (await replies(conversation))[-1]
        if b"Once upon" in b"".join(played.chunks):
            assert ("interrupted", "Once upon") == (await replies(conversation))[0]
        await is_in_order(conversation)


@pytest.mark.parametrize(
    "played", [Played(silent=True), Played(ends="hanging", chunks=(sse(piece("Hm"), done=False),))]
)
async def test_a_service_that_hangs_is_hung_up_on(played: Played) -> None:
    """
    Before its first byte, and within a reply.
    """
    async with serving(played, HERE) as server, await over_http(server, idle=0.1) as conversation:
        ended = await conversation.idle()
        assert ended is not None
        assert "answered" == ended.why
        await is_in_order(conversation)


async def test_calls_over_http_run_and_go_back() -> None:
    """
    With their ids, as this kind of service wants them.
    """
    calls = Played(chunks=(sse(piece(tool_calls=[CALLED]), piece(stop="tool_calls")),))
    async with serving(calls, HERE) as server, await over_http(server) as conversation:
        messages = server.asked[1].json["messages"]
        assert isinstance(messages, list)
        assert ["tool", "did a"] == [messages[-1]["role"], messages[-1]["content"]]
        await is_in_order(conversation)


@pytest.mark.parametrize("chunk", [b"\x00\xff\xfe garbage", b"data: {not json}\n\n", b"data: [1, 2]\n\n"])
async def test_what_is_no_chat_service_is_named_and_asked_once(chunk: bytes) -> None:
    """
    Nothing but garbage means a wrong address, which no waiting mends; nothing was shown, and nothing is lost.
    """
    async with serving(Played(chunks=(chunk,))) as server, await over_http(server) as conversation:
        ended = await conversation.idle()
        assert ended is not None
        assert ("failed", 1) == (ended.why, len(server.asked))
        assert "did not answer as chat services do" in ended.note
        assert [] == await replies(conversation)
        await is_in_order(conversation)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_a_request_that_is_wrong_is_sent_once(status: int) -> None:
    """
    Asking again would not help, and the turn says why.
    """
    wrong = Played(status=status, chunks=(b'{"error":{"message":"no"}}',), kind="application/json")
    async with serving(wrong) as server, await over_http(server) as conversation:
        ended = await conversation.idle()
        assert ended is not None
        assert ("failed", 1) == (ended.why, len(server.asked))
        assert ended.note
        await is_in_order(conversation)
