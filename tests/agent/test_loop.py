"""The loop: what a turn does, and how it ends."""

import asyncio
from collections.abc import Sequence

import pytest

from holdfast import ModelReplied, Overflow, Refused, Scripted, Text, Thinking, ToolFinished, ToolStarted, Unavailable
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import (
    Appended,
    Asked,
    FellBack,
    Retrying,
    StepBegan,
    TextStreamed,
    ToolBegan,
    TurnBegan,
    TurnOver,
    WindowCompacted,
)
from holdfast.agent.limits import Limits, RetryPolicy
from holdfast.agent.permissions import Answer as Said
from holdfast.agent.permissions import Permissions, Rule
from holdfast.agent.tool import Output, ToolContext, said
from holdfast.providers.scripted.model import Cue
from holdfast.records.entries import UserSaid, kind_of
from holdfast.records.parts import plain_text
from tests.agent.troupe import PlainTool, calling, entries, scripted, setup, turn, until_over, volatile


async def kinds(conversation: Conversation) -> list[str]:
    """The kinds of what the log says, the frame of the session left out."""
    found = [kind_of(entry) for entry in await entries(conversation.session)]
    return [kind for kind in found if kind not in {"opened", "checkpointed"}]


async def results(conversation: Conversation) -> list[tuple[str, str]]:
    """Outcome and words of every result."""
    found = [entry for entry in await entries(conversation.session) if isinstance(entry, ToolFinished)]
    return [(each.outcome, plain_text(each.parts)) for each in found]


async def test_an_answer_is_streamed_written_and_ends_the_turn() -> None:
    """
    What is said stands in the log, and everyone who watches sees each entry once.
    """
    async with await volatile(setup(scripted("The launch is on Friday."))) as conversation:
        seen = await turn(conversation, "When is it?")

        assert ["user_said", "model_replied", "turn_ended"] == await kinds(conversation)
        assert "The launch is on Friday." == "".join(e.text for e in seen if isinstance(e, TextStreamed))
        assert ["user_said", "model_replied", "turn_ended"] == [
            kind_of(e.record.entry) for e in seen if isinstance(e, Appended)
        ]
        assert isinstance(seen[-1], TurnOver)
        assert "answered" == seen[-1].ended.why
        assert TurnBegan(model="small") in seen


async def test_calls_run_and_their_results_go_back() -> None:
    """
    Each start stands in the log before the tool runs, each result before the model is asked again.
    """
    logged: list[list[str]] = []

    async def look(text: str, _: ToolContext) -> Output:
        logged.append(await kinds(conversation))
        return said(f"{text}: 14:10")

    tool = PlainTool("tides", look)
    model = scripted(calling(("tides", '{"text":"today"}'), text="Let me look."), "At 14:10.")
    async with await volatile(setup(model, tools=[tool])) as conversation:
        seen = await turn(conversation, "When is high water?")

        assert [["user_said", "model_replied", "tool_started"]] == logged
        assert [("ok", "today: 14:10")] == await results(conversation)
        assert ["today"] == tool.ran
        assert [1, 2] == [e.step for e in seen if isinstance(e, StepBegan)]
        assert ["tides today"] == [e.title for e in seen if isinstance(e, ToolBegan)]


async def test_readers_run_together_and_writers_in_order() -> None:
    """
    Calls that only read need not wait for each other; all others keep the order the model gave.
    """
    meeting = asyncio.Barrier(3)
    order: list[str] = []

    async def read(*_: object) -> None:
        async with asyncio.timeout(60):
            await meeting.wait()
        order.append("read")

    async def write(text: str, _: ToolContext) -> None:
        order.append(text)

    tools = [PlainTool("read", read), PlainTool("write", write, reads_only=False)]
    calls = calling(
        ("read", "{}"), ("read", "{}"), ("read", "{}"), ("write", '{"text":"one"}'), ("write", '{"text":"two"}')
    )
    made = setup(scripted(calls, "Done."), tools=tools, permissions=lambda: Permissions([_allow("write")]))
    async with await volatile(made) as conversation:
        await turn(conversation, "go")

        assert ["read", "read", "read", "one", "two"] == order


def _allow(tool: str) -> Rule:
    return Rule(tool=tool, decision="allow")


async def test_twenty_calls_in_one_reply_all_get_their_result() -> None:
    """
    However many there are.
    """
    tool = PlainTool("look")
    calls = calling(*(("look", f'{{"text":"{n}"}}', f"c{n}") for n in range(20)))
    async with await volatile(setup(scripted(calls, "Seen."), tools=[tool])) as conversation:
        await turn(conversation, "go")

        assert [("ok", f"did {n}") for n in range(20)] == sorted(
            await results(conversation), key=lambda each: int(each[1].split()[1])
        )


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (("missing", "{}"), "There is no tool 'missing'. There are: look."),
        (("look", "not json"), "The arguments cannot be used"),
        (("look", '{"other":1}'), "unknown field `other`"),
    ],
)
async def test_a_call_that_cannot_be_is_an_error_the_model_sees(call: tuple[str, str], expected: str) -> None:
    """
    It is told what is wrong, and the turn goes on.
    """
    tool = PlainTool("look")
    async with await volatile(setup(scripted(calling(call), "I see."), tools=[tool])) as conversation:
        seen = await turn(conversation, "go")
        ((outcome, text),) = await results(conversation)

        assert "error" == outcome
        assert expected in text
        assert [] == tool.ran
        assert "answered" == _ended(seen)


def _ended(seen: Sequence[object]) -> str:
    (over,) = [event for event in seen if isinstance(event, TurnOver)]
    return over.ended.why


async def test_a_tool_that_fails_is_a_result() -> None:
    """
    Whatever a tool raises, the turn is not broken.
    """

    async def fail(*_: object) -> None:
        raise ZeroDivisionError("no")

    tool = PlainTool("look", fail)
    async with await volatile(setup(scripted(calling(("look", "{}")), "I see."), tools=[tool])) as conversation:
        seen = await turn(conversation, "go")

        assert [("error", "The tool failed: ZeroDivisionError: no.")] == await results(conversation)
        assert "answered" == _ended(seen)


async def test_a_tool_that_hangs_is_stopped() -> None:
    """
    After its time, also one that does not stop when told to.
    """

    async def hang(text: str, _: ToolContext) -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if text == "politely" or over.is_set():
                    raise

    over = asyncio.Event()
    tools = [PlainTool("look", hang, seconds=0.01)]
    calls = calling(("look", '{"text":"politely"}'), ("look", '{"text":"deaf"}'))
    async with await volatile(setup(scripted(calls, "I see."), tools=tools)) as conversation:
        seen = await turn(conversation, "go")

        over.set()
        assert ["error", "error"] == [outcome for outcome, _ in await results(conversation)]
        assert all("ran for more than 0.01 s" in text for _, text in await results(conversation))
        assert "answered" == _ended(seen)


async def test_a_call_is_asked_about_and_the_answer_counts() -> None:
    """
    Yes runs it, no does not, and what the person says instead reaches the model.
    """
    tool = PlainTool("write", reads_only=False)
    model = scripted(calling(("write", '{"text":"a"}')), calling(("write", '{"text":"b"}')), "Done.")
    async with await volatile(setup(model, tools=[tool])) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            answers = iter([Said(allowed=True), Said(text="use pen and paper")])
            async for event in watch:
                if isinstance(event, Asked):
                    assert conversation.answer(event.question.id, next(answers))
                if isinstance(event, TurnOver):
                    assert event.denied
                    break

        assert ["a"] == tool.ran
        assert [("ok", "did a"), ("denied", "[not run] The person said: use pen and paper")] == await results(
            conversation
        )


async def test_what_is_always_allowed_is_asked_once() -> None:
    """
    For the same call; another one is asked about again.
    """
    tool = PlainTool("write", reads_only=False)
    kept: list[object] = []
    model = scripted(*(calling(("write", f'{{"text":"{text}"}}')) for text in "aab"), "Done.")
    async with await volatile(setup(model, tools=[tool], keep=kept.append)) as conversation:
        asked = 0
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, Asked):
                    asked += 1
                    conversation.answer(event.question.id, Said(allowed=True, always="workspace"))
                if isinstance(event, TurnOver):
                    break

        assert ["a", "a", "b"] == tool.ran
        assert 2 == asked
        assert [
            (Rule(tool="write", pattern="a", decision="allow"),),
            (Rule(tool="write", pattern="b", decision="allow"),),
        ] == kept


async def test_nobody_there_is_a_no() -> None:
    """
    Where no person can be asked, what would be asked about is not run.
    """
    tool = PlainTool("write", reads_only=False)
    made = setup(scripted(calling(("write", "{}")), "I could not."), tools=[tool], attended=False)
    async with await volatile(made) as conversation:
        await turn(conversation, "go")
        ((outcome, text),) = await results(conversation)

        assert ("denied", []) == (outcome, tool.ran)
        assert "Nobody is there to ask" in text


async def test_a_failure_is_waited_out_and_seen() -> None:
    """
    Each wait is an event with its reason; what the provider asks for counts more than our own.
    """
    model = scripted(Unavailable("503"), Unavailable("429", retry_after=7.0), "Here.")
    async with await volatile(setup(model, retry=RetryPolicy(base=2.0))) as conversation:
        seen = await turn(conversation, "go")

        assert [
            Retrying(attempt=1, attempts=5, seconds=2.0, why="503"),
            Retrying(attempt=2, attempts=5, seconds=7.0, why="429"),
        ] == [event for event in seen if isinstance(event, Retrying)]
        assert "answered" == _ended(seen)


async def test_what_was_shown_before_a_failure_is_kept() -> None:
    """
    A reply that broke off is in the log before the model is asked again.
    """
    broken = Scripted(parts=(Text(text="Once upon a time there was a harbour"),), after=1)
    async with await volatile(setup(scripted(broken, "The end."))) as conversation:
        await turn(conversation, "tell me")
        replies = [entry for entry in await entries(conversation.session) if isinstance(entry, ModelReplied)]

        assert [("interrupted", "Once upon a time there w"), ("ended", "The end.")] == [
            (each.stop, plain_text(each.parts)) for each in replies
        ]


async def test_a_silent_stream_is_a_failure() -> None:
    """
    Silence for longer than the policy allows counts as broken off.
    """
    silent = Scripted(parts=(Text(text="Once upon a time there was"),), after=1, failure="silence")
    made = setup(scripted(silent, "Here."), retry=RetryPolicy(idle=0.02))
    async with await volatile(made) as conversation:
        seen = await turn(conversation, "go")

        assert ["The model fell silent for 0.02 s."] == [event.why for event in seen if isinstance(event, Retrying)]
        assert "answered" == _ended(seen)


async def test_after_the_last_attempt_the_turn_fails_with_the_reason() -> None:
    """
    And everything said so far stays.
    """
    model = scripted(*[Unavailable("503")] * 2)
    async with await volatile(setup(model, retry=RetryPolicy(attempts=2))) as conversation:
        await turn(conversation, "go")

        ended = await conversation.idle()
        assert ended is not None
        assert ("failed", "503 Try again later.") == (ended.why, ended.note)
        assert ["user_said", "turn_ended"] == await kinds(conversation)


async def test_a_refusal_is_not_tried_again() -> None:
    """
    A wrong request stays wrong.
    """
    model = scripted(Refused("insufficient quota"), "never said")
    async with await volatile(setup(model)) as conversation:
        seen = await turn(conversation, "go")

        assert "failed" == _ended(seen)
        assert 1 == len(model.requests)


async def test_another_model_answers_when_the_first_stays_away() -> None:
    """
    In the order of the settings; the session's own model is asked first again in the next turn.
    """
    first, second = scripted(Unavailable("503"), "back again"), scripted("I am here.", name="other")
    made = setup(first, second, fallbacks=("small", "other"), retry=RetryPolicy(attempts=1))
    async with await volatile(made) as conversation:
        seen = await turn(conversation, "go")
        await turn(conversation, "and now?")

        assert [FellBack(model="other", why="503")] == [event for event in seen if isinstance(event, FellBack)]
        assert 2 == len(first.requests)


async def test_an_overflow_is_compacted_and_sent_once_more() -> None:
    """
    A second overflow ends the turn.
    """
    model = scripted(Overflow("too long", limit=100, asked=200), "It fits.", *[Overflow("too long")] * 2)
    async with await volatile(setup(model)) as conversation:
        seen = await turn(conversation, "go")
        again = await turn(conversation, "more")

        assert 1 == sum(isinstance(event, WindowCompacted) for event in seen)
        assert ("answered", "failed") == (_ended(seen), _ended(again))


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(steps=2), "2 steps, the most one turn may take (limits.steps)"),
        (Limits(tokens=10), "tokens, the most one turn may use (limits.tokens)"),
    ],
)
async def test_a_limit_ends_the_turn_cleanly(limits: Limits, expected: str) -> None:
    """
    Every call has its result, and the note says which limit it was.
    """
    tool = PlainTool("look")
    model = scripted(*[calling(("look", "{}"))] * 5)
    async with await volatile(setup(model, tools=[tool], limits=limits)) as conversation:
        await turn(conversation, "go")
        ended = await conversation.idle()

        assert ended is not None
        assert ("limit", "limit") == (ended.why, ended.cause)
        assert expected in ended.note
        assert () == conversation.state.open_calls


@pytest.mark.parametrize(
    ("cue", "expected"),
    [
        ("Fine.", ("answered", "")),
        (Scripted(parts=(Text(text="Once upon"),), stop="length"), ("answered", "cut")),
        (Scripted(parts=(Thinking(text="Once upon"),), stop="length"), ("limit", "cut")),
        (Scripted(parts=(Text(text="I will not."),), stop="refused"), ("failed", "refused")),
    ],
)
async def test_the_end_of_a_turn_says_its_cause(cue: Cue, expected: tuple[str, str]) -> None:
    """
    Beside `why`, which older versions read: whether the model would not answer, or a reply reached its greatest length.
    """
    async with await volatile(setup(scripted(cue))) as conversation:
        await turn(conversation, "go")
        ended = await conversation.idle()

        assert ended is not None
        assert expected == (ended.why, ended.cause)


async def test_a_stop_keeps_what_was_shown() -> None:
    """
    Within a reply: what was shown is a reply marked as cancelled.
    """
    silent = Scripted(parts=(Text(text="Once upon a time there was a harbour"),), after=1, failure="silence")
    async with await volatile(setup(scripted(silent))) as conversation:
        with conversation.watch() as watch:
            await conversation.send("tell me")
            async for event in watch:
                if isinstance(event, TextStreamed):
                    break
            assert await conversation.cancel()
        replies = [entry for entry in await entries(conversation.session) if isinstance(entry, ModelReplied)]

        assert [("cancelled", "Once upon a time there w")] == [(e.stop, plain_text(e.parts)) for e in replies]
        assert "cancelled" == (await conversation.idle()).why  # type: ignore[union-attr]
        assert not await conversation.cancel()


async def test_a_stop_within_a_tool_says_that_it_may_have_run() -> None:
    """
    Also in a tool that does not listen, and calls that had not begun say that.
    """

    async def deaf(*_: object) -> None:
        begun.set()
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if stop.is_set():
                    raise

    begun, stop = asyncio.Event(), asyncio.Event()
    tools = [PlainTool("write", deaf, reads_only=False)]
    model = scripted(calling(("write", '{"text":"a"}'), ("write", '{"text":"b"}')))
    made = setup(model, tools=tools, permissions=lambda: Permissions([_allow("*")]))
    async with await volatile(made) as conversation:
        await conversation.send("go")
        await begun.wait()
        await conversation.cancel()
        stop.set()

        assert ["interrupted", "interrupted"] == [outcome for outcome, _ in await results(conversation)]
        assert ["may have run", "was not begun"] == [
            next(words for words in ("may have run", "was not begun") if words in text)
            for _, text in await results(conversation)
        ]
        assert not conversation.state.in_turn


async def test_steering_words_are_heard_at_the_next_step() -> None:
    """
    What is said while a tool runs is in the next request, behind the result.
    """

    async def look(*_: object) -> None:
        await conversation.send("rather the harbour")

    model = scripted(calling(("look", "{}")), "The harbour, then.")
    async with await volatile(setup(model, tools=[PlainTool("look", look)])) as conversation:
        await turn(conversation, "the beach")

        assert "rather the harbour" == plain_text(model.requests[1].messages[-1].parts)
        assert 1 == conversation.state.turns


async def test_steering_words_said_while_the_model_speaks_are_answered_in_the_turn() -> None:
    """
    The reply did not hear them, so another step does.
    """

    def speak(_: object) -> str:
        said_.set()
        return "To the beach."

    said_ = asyncio.Event()
    model = scripted(speak, "To the harbour, then.")
    async with await volatile(setup(model)) as conversation:
        with conversation.watch() as watch:
            await conversation.send("where to?")
            await said_.wait()
            await conversation.send("not the beach")
            await until_over(watch)

        assert ["To the beach.", "not the beach"] == [plain_text(m.parts) for m in model.requests[1].messages[-2:]]
        assert 1 == conversation.state.turns


async def test_queued_words_begin_the_next_turn() -> None:
    """
    The running turn does not hear them, and they are answered by themselves.
    """

    async def look(*_: object) -> None:
        await conversation.send("and then the boat", enters="after")

    model = scripted(calling(("look", "{}")), "Seen.", "The boat too.")
    async with await volatile(setup(model, tools=[PlainTool("look", look)])) as conversation:
        await conversation.send("the harbour")
        await conversation.idle()

        assert "and then the boat" not in [plain_text(m.parts) for m in model.requests[1].messages]
        assert "and then the boat" == plain_text(model.requests[2].messages[-1].parts)
        assert 2 == conversation.state.turns
        assert not conversation.state.in_turn


async def test_a_resend_is_one_message_and_one_turn() -> None:
    """
    A client that did not hear the acknowledgement may say it again.
    """
    model = scripted("Heard.")
    async with await volatile(setup(model)) as conversation:
        first = await conversation.send("hello", client_id="m1")
        await conversation.idle()

        assert first == await conversation.send("hello", client_id="m1")
        await conversation.idle()
        assert 1 == len([entry for entry in await entries(conversation.session) if isinstance(entry, UserSaid)])
        assert 1 == len(model.requests)


async def test_an_id_used_twice_is_no_trouble() -> None:
    """
    In one reply and in two.
    """
    tool = PlainTool("look")
    model = scripted(
        calling(("look", '{"text":"a"}', "x"), ("look", '{"text":"b"}', "x")),
        calling(("look", '{"text":"c"}', "x")),
        "Seen.",
    )
    async with await volatile(setup(model, tools=[tool])) as conversation:
        seen = await turn(conversation, "go")

        assert ["a", "b", "c"] == tool.ran
        assert "answered" == _ended(seen)
        assert 3 == sum(isinstance(entry, ToolStarted) for entry in await entries(conversation.session))
