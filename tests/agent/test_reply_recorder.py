"""One reply, from the first delta to its entry: what is shown is kept, however it ends."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from holdfast import Budget, ModelReplied, Overflow, Refused, Scripted, Text, Thinking, Usage, open_volatile
from holdfast.agent.events import CallStreamed, Retrying, TextStreamed, ThinkingStreamed, WindowCompacted
from holdfast.agent.models import ChatModel
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.model.protocol import CallDelta, Delta, Finished, Request, Stop, TextDelta, ThinkingDelta
from holdfast.providers.scripted.model import Cue
from holdfast.records.parts import Part, plain_text
from holdfast.session.recovery import interrupted_reply
from tests.agent.troupe import TARGET, PlainTool, Troupe, calling, entries, opened, scripted, setup, turn, volatile


class Spoken:
    """A model that gives these deltas, one list for each request; a number is a wait."""

    target = TARGET

    def __init__(self, *replies: list[Delta | float]) -> None:
        self._replies = iter(replies)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        assert request.target == self.target
        for delta in next(self._replies):
            if isinstance(delta, float):
                await asyncio.sleep(delta)
            else:
                yield delta


class Voices(Troupe):
    """One such model."""

    def __init__(self, model: Spoken) -> None:
        super().__init__()
        self._chat_model = ChatModel(name="small", model=model, budget=Budget(tokens=100_000, output=1_000))

    async def usual(self) -> ChatModel:
        return self._chat_model


async def test_a_stream_without_its_end_has_broken_off() -> None:
    """
    The model is asked again, and what was said is kept as broken off.
    """
    model = Spoken([TextDelta(text="Once")], [], [TextDelta(text="Whole."), Finished()])
    async with await volatile(replace(setup(), models=Voices(model))) as conversation:
        seen = await turn(conversation, "go")

        assert ["The reply broke off."] * 2 == [event.why for event in seen if isinstance(event, Retrying)]
        assert [("interrupted", "Once"), ("ended", "Whole.")] == [
            (e.stop, plain_text(e.parts)) for e in await entries(conversation.session) if isinstance(e, ModelReplied)
        ]


async def test_pieces_are_shown_as_they_come_and_counted() -> None:
    """
    Words, thinking without its signature, and how far a call is.
    """
    model = Spoken(
        [
            ThinkingDelta(text="Hm."),
            ThinkingDelta(signature="sig"),
            TextDelta(text="Let me"),
            0.06,
            TextDelta(text=" look."),
            CallDelta(index=0, id="a", name="look"),
            CallDelta(index=0, arguments='{"text":'),
            CallDelta(index=0, arguments='"x"}'),
            Finished(usage=Usage(input_tokens=3)),
        ],
        [TextDelta(text="Seen."), Finished()],
    )
    async with await volatile(replace(setup(), models=Voices(model))) as conversation:
        seen = await turn(conversation, "go")
        first = next(e for e in await entries(conversation.session) if isinstance(e, ModelReplied))

        assert ["Hm."] == [event.text for event in seen if isinstance(event, ThinkingStreamed)]
        assert ["Let me", " look.", "Seen."] == [event.text for event in seen if isinstance(event, TextStreamed)]
        assert [("look", 0), ("look", 8), ("look", 12)] == [
            (event.name, event.characters) for event in seen if isinstance(event, CallStreamed)
        ]
        assert Thinking(text="Hm.", signature="sig", provider="scripted", model="small") == first.parts[0]


@pytest.mark.parametrize(
    ("part", "stop", "why", "note"),
    [
        (Text(text="I"), "refused", "failed", "The model refused"),
        (Text(text="I"), "length", "answered", "(context.output)"),
        (Thinking(text="Hm."), "length", "limit", "(context.output)"),
        (Thinking(text="Hm."), "ended", "answered", "The model thought, and said nothing."),
    ],
)
async def test_a_turn_ends_as_its_last_reply_does(part: Part, stop: Stop, why: str, note: str) -> None:
    """
    A refusal is a failure; a reply that was cut is an answer that says so; thoughts alone are none, and said to be.
    """
    async with await volatile(setup(scripted(Scripted(parts=(part,), stop=stop)))) as conversation:
        await turn(conversation, "go")

        ended = await conversation.idle()
        assert ended is not None
        assert why == ended.why
        assert note in ended.note
        assert "talk" == conversation.key


async def test_a_call_that_was_cut_is_not_run_and_asked_for_again() -> None:
    """
    The model gets another step to say it shorter.
    """
    cut = replace(calling(("look", '{"text":"a'), text="I look."), stop="length")
    model = scripted(cut, "Shorter.")
    async with await volatile(setup(model)) as conversation:
        await turn(conversation, "go")

        assert 2 == len(model.requests)
        ended = await conversation.idle()
        assert ended is not None
        assert "answered" == ended.why


async def test_a_window_that_cannot_be_made_smaller_is_told_and_the_turn_goes_on() -> None:
    """
    As long as the provider then takes it; the person knows why the model sees less.
    """
    script: list[Cue] = [Overflow("too long", limit=50, asked=60), "Fits."] * 2
    async with await volatile(setup(scripted(*script))) as conversation:
        seen = [*await turn(conversation, "one"), *await turn(conversation, "two")]

        assert 2 == sum(isinstance(event, WindowCompacted) for event in seen)


async def test_a_window_that_stays_too_large_is_told_and_the_turn_goes_on() -> None:
    """
    Compacting again would free too little; the window still moves to fit what the provider takes.
    """
    tool = PlainTool("look")
    over = Overflow("too long", limit=985, asked=1_000)
    talk: list[Cue] = ["It was a long day at the harbour. " * 8] * 12
    steps: list[Cue] = [each for _ in range(3) for each in (over, calling(("look", "{}")))]
    summary = scripted(*[Refused("no")] * 9, name="titler")
    settings = CompactionSettings(gain=0.9)
    made = setup(scripted(*talk, *steps, "Done."), summary, tools=[tool], summary_model="titler", compaction=settings)
    async with await volatile(made) as conversation:
        for number in range(12):
            await turn(conversation, f"note {number}")
        seen = await turn(conversation, "and now?")
        told = [event.failure for event in seen if isinstance(event, WindowCompacted) if not event.stage]

        assert told
        assert all(told)
        assert 3 == len(tool.ran)


@pytest.mark.parametrize("parts", [(), (Text(text="\n \n"),)], ids=["nothing", "white space"])
async def test_a_reply_that_says_nothing_is_no_reply(parts: tuple[Part, ...]) -> None:
    """
    It is asked for again, and leaves nothing in the log.
    """
    async with await volatile(setup(scripted(Scripted(parts=parts), "Here."))) as conversation:
        seen = await turn(conversation, "go")

        assert ["The model said nothing."] == [event.why for event in seen if isinstance(event, Retrying)]
        assert 1 == sum(isinstance(entry, ModelReplied) for entry in await entries(conversation.session))


@pytest.mark.parametrize(
    ("stop", "words"),
    [("refused", "The model refused to answer."), ("length", "Give replies more room (context.output)")],
)
async def test_a_model_that_means_to_say_nothing_is_not_asked_again(stop: Stop, words: str) -> None:
    """
    A filter would say the same again, and thoughts that fill a whole reply would be paid for again.
    """
    model, other = scripted(Scripted(stop=stop)), scripted("Here.", name="other")
    async with await volatile(setup(model)) as conversation:
        await turn(conversation, "go")

        ended = await conversation.idle()
        assert ended is not None
        assert ("failed", 1) == (ended.why, len(model.requests))
        assert words in ended.note

    async with await volatile(setup(scripted(Scripted(stop=stop)), other, fallbacks=("other",))) as conversation:
        await turn(conversation, "go")

        ended = await conversation.idle()
        assert ended is not None
        assert "answered" == ended.why


async def test_white_space_before_the_first_word_is_shown_with_it() -> None:
    """
    Alone it says nothing and is not written down, so nobody is shown what a request that is sent again would repeat.
    """
    nothing: list[Delta | float] = [TextDelta(text=" \n"), ThinkingDelta(text=" ")]
    model = Spoken(nothing, [TextDelta(text="\n"), TextDelta(text=" Well"), TextDelta(text=" "), Finished()])
    async with await volatile(replace(setup(), models=Voices(model))) as conversation:
        seen = await turn(conversation, "go")

        said = [event for event in seen if isinstance(event, TextStreamed | ThinkingStreamed)]
        assert [("\n Well", 0), (" ", 6)] == [(event.text, event.offset) for event in said]


async def test_half_a_character_is_shown_with_its_other_half() -> None:
    """
    So that what was shown of a reply has the same length for all who watch it, here and elsewhere.
    """
    deltas: list[Delta | float] = [TextDelta(text="a\ud83d"), TextDelta(text="\ude00"), TextDelta(text="b"), Finished()]
    model = Spoken([*deltas[:1], TextDelta(text=""), *deltas[1:]])
    async with await volatile(replace(setup(), models=Voices(model))) as conversation:
        seen = await turn(conversation, "go")

        said = [event for event in seen if isinstance(event, TextStreamed)]
        assert [("a", 0), ("\N{GRINNING FACE}", 1), ("b", 2)] == [(event.text, event.offset) for event in said]


async def test_a_draft_says_thinking_and_words_in_their_order() -> None:
    """
    Also where both came within one look; and what a killed process leaves of them is in that order.
    """
    deltas: list[Delta | float] = [
        ThinkingDelta(text="a"),
        TextDelta(text="b"),
        TextDelta(text="c"),
        ThinkingDelta(text="d"),
    ]
    model = Spoken([*deltas, 0.06, TextDelta(text="e"), 30.0])
    store = open_volatile()
    conversation = await opened(store, replace(setup(), models=Voices(model)))
    with conversation.watch() as watch:
        await conversation.send("go")
        async for event in watch:
            if isinstance(event, TextStreamed) and event.text == "e":
                break
    pieces = await store.drafts("talk")
    await conversation.close()

    assert [("a", "bc"), ("d", "")] == [(piece.thinking, piece.text) for piece in pieces]
    assert interrupted_reply(pieces, []) == ModelReplied(
        parts=(Thinking(text="a"), Text(text="bc"), Thinking(text="d")), stop="interrupted", heard=pieces[0].heard
    )
