"""An open conversation: what is settled when it opens, what waits, how it closes."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import pytest

from holdfast import (
    CommandRan,
    Described,
    ManualClock,
    ModelReplied,
    Opened,
    Refused,
    Scripted,
    Store,
    Text,
    ToolCall,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Usage,
    UserSaid,
    open_store,
    open_volatile,
)
from holdfast.agent.broadcast import Subscription
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import Appended, Asked, Event, Noticed, TextStreamed, TurnOver
from holdfast.agent.permissions import Answer as Said
from holdfast.agent.permissions import Question
from holdfast.agent.tool import ToolContext
from holdfast.agent.unfinished import UnfinishedTurn
from holdfast.engine.engine import Engine
from holdfast.errors import BadInput, Closed, Fenced, NoSession
from holdfast.ids import CallId, Position
from holdfast.records.entries import Drafted, Entry
from holdfast.records.parts import plain_text
from tests.agent.troupe import PlainTool, calling, entries, opened, scripted, setup, turn, until_over, volatile

E = TypeVar("E", bound=Event)
GO = UserSaid(parts=(Text(text="go"),))
CALL = ToolCall(id=CallId("a"), name="look")
OTHER = ToolCall(id=CallId("b"), name="write")


async def first(watch: Subscription, kind: type[E]) -> AsyncIterator[E]:
    """The first event of a kind."""
    async for event in watch:
        if isinstance(event, kind):
            yield event
            return


async def broken_off(*facts: Entry, draft: str = "") -> tuple[Store, None]:
    """A store whose session `talk` ends in the middle of something."""
    store = open_volatile()
    session = await store.open("talk")
    await session.append(*facts)
    if draft:
        await session.draft(Drafted(reply=session.state.last + 1, text=draft))  # type: ignore[arg-type]
    await session.close()
    return store, None


@pytest.mark.parametrize(
    ("facts", "draft", "expected", "words"),
    [
        ([GO], "", UnfinishedTurn(said="go"), "before the model answered"),
        (
            [GO, ModelReplied(parts=(CALL, OTHER)), ToolStarted(call=CALL.id, name="look")],
            "",
            UnfinishedTurn(said="go", steps=1, begun=("look",), waiting=("write",)),
            "in step 1, while look ran (it may have done something)",
        ),
        (
            [GO],
            "Once upon",
            UnfinishedTurn(said="go", steps=1, partial="Once upon"),
            "within a reply; what was shown of it is kept",
        ),
        (
            [GO, UserSaid(parts=(Text(text="and then"),), enters="after")],
            "",
            UnfinishedTurn(said="go", queued=1),
            "1 more message wait",
        ),
    ],
)
async def test_a_turn_that_was_broken_off_is_told(
    facts: list[Entry], draft: str, expected: UnfinishedTurn, words: str
) -> None:
    """
    Where it stopped, what may have run, and what waits.
    """
    store, _ = await broken_off(*facts, draft=draft)
    async with await opened(store, setup(scripted())) as conversation:
        assert expected == conversation.unfinished
        assert words in expected.text


async def test_a_session_in_good_order_is_not_broken() -> None:
    """
    After an answer there is nothing to go on with.
    """
    store, _ = await broken_off(GO, ModelReplied(parts=(Text(text="gone"),)), TurnEnded())
    async with await opened(store, setup(scripted())) as conversation:
        assert conversation.unfinished is None
        assert not await conversation.resume()


async def test_open_calls_are_settled_once() -> None:
    """
    One that had begun may have run, the other did not; opening again adds nothing.
    """
    store, _ = await broken_off(GO, ModelReplied(parts=(CALL, OTHER)), ToolStarted(call=CALL.id, name="look"))
    for _again in range(2):
        async with await opened(store, setup(scripted())) as conversation:
            found = [entry for entry in await entries(conversation.session) if isinstance(entry, ToolFinished)]
            assert [("look", "interrupted"), ("write", "interrupted")] == [(each.name, each.outcome) for each in found]
            assert "may have run" in plain_text(found[0].parts)
            assert "was not begun" in plain_text(found[1].parts)


async def test_a_broken_turn_goes_on() -> None:
    """
    The model sees what happened, and the turn has one end.
    """
    model = scripted("I look again.")
    store, _ = await broken_off(GO, ModelReplied(parts=(CALL,)), ToolStarted(call=CALL.id, name="look"))
    async with await opened(store, setup(model)) as conversation:
        assert await conversation.resume()
        await conversation.idle()

        assert "may have run" in plain_text(model.requests[0].messages[-1].parts)
        assert 1 == conversation.state.turns
        assert conversation.unfinished is None


async def test_what_was_said_while_a_reply_streamed_is_heard_after_it() -> None:
    """
    Also where the process died: the reply that broke off had not heard it, so it is new at the next step.
    """
    model, store = scripted("I go faster."), open_volatile()
    session = await store.open("talk")
    await session.append(GO)
    await session.draft(Drafted(reply=Position(2), text="I go", heard=Position(1)))
    await session.append(UserSaid(parts=(Text(text="faster"),), enters="step"))
    await session.close()

    async with await opened(store, setup(model)) as conversation:
        assert UnfinishedTurn(said="go", steps=1, partial="I go", queued=1) == conversation.unfinished
        assert await conversation.resume()
        await conversation.idle()

    assert ["go", "I go", "faster"] == [plain_text(each.parts) for each in model.requests[0].messages]


async def test_something_else_may_be_said_instead() -> None:
    """
    The broken turn then ends as interrupted, before the new one begins.
    """
    store, _ = await broken_off(GO)
    async with await opened(store, setup(scripted("Staying."))) as conversation:
        await turn(conversation, "stay")

        assert ["interrupted", "answered"] == [
            entry.why for entry in await entries(conversation.session) if isinstance(entry, TurnEnded)
        ]


async def test_a_resend_after_a_crash_is_said_once() -> None:
    """
    A client that never heard the acknowledgement sends again: nothing is written, and the turn can go on.
    """
    said = UserSaid(parts=GO.parts, client_id="m1")  # type: ignore[arg-type]
    store, _ = await broken_off(said)
    async with await opened(store, setup(scripted("Going."))) as conversation:
        before = conversation.state.last

        assert 1 == await conversation.send("go", client_id="m1")
        assert before == conversation.state.last
        assert await conversation.resume()


async def test_nothing_is_said_to_a_closed_conversation() -> None:
    """
    Closing twice is once.
    """
    conversation = await volatile(setup(scripted()))
    await conversation.close()
    await conversation.close()

    with pytest.raises(Closed):
        await conversation.send("hello?")


async def test_closing_stops_what_runs_and_begins_nothing_else() -> None:
    """
    What waits for the end of the turn waits for the next process, which is told.
    """
    silent = Scripted(parts=(Text(text="Once upon a time there was"),), after=1, failure="silence")
    store = open_volatile()
    conversation = await opened(store, setup(scripted(silent, "never said")))
    with conversation.watch() as watch:
        await conversation.send("tell me")
        async for event in watch:
            if isinstance(event, TextStreamed):
                break
        await conversation.send("and then?", enters="after")
        await conversation.close()
        rest = [event async for event in watch]

    assert [TurnOver] == [type(event) for event in rest if isinstance(event, TurnOver)]
    async with await opened(store, setup(scripted())) as again:
        assert again.unfinished == UnfinishedTurn(said="and then?")


async def test_finishing_waits_for_what_runs_and_then_stops_it() -> None:
    """
    A turn that ends by itself is left alone; one that does not is stopped, and the log says why.
    """
    silent = Scripted(parts=(Text(text="Once upon a time there was"),), after=1, failure="silence")
    async with await volatile(setup(scripted("Yes.", silent))) as conversation:
        await conversation.send("is it there?")
        await conversation.finish(60)
        await conversation.finish(0)
        first = conversation.state.turns
        await conversation.send("tell me")
        await conversation.finish(0.05)
        ended = (await entries(conversation.session))[-1]

        assert 1 == first
        assert isinstance(ended, TurnEnded)
        assert ("cancelled", "not done within 0.05 s of being told to stop") == (ended.why, ended.note)


async def test_nothing_goes_back_or_on_under_a_turn_that_runs() -> None:
    """
    A message that continues an earlier position is refused meanwhile; what comes next is asked when the turn is over.
    """
    silent = Scripted(parts=(Text(text="Once upon a time there was"),), after=1, failure="silence")
    async with await volatile(setup(scripted(silent))) as conversation:
        await conversation.send("tell me")
        await conversation.go_on()
        with pytest.raises(BadInput, match="A turn runs"):
            await conversation.send("something else", continues=0)

        assert conversation.busy


async def test_the_model_can_be_changed() -> None:
    """
    From the next step on, and the session remembers it; one that nobody knows is refused.
    """
    first, second = scripted("I am small."), scripted("I am large.", name="large")
    store = open_volatile()
    async with await opened(store, setup(first, second)) as conversation:
        await turn(conversation, "who are you?")
        with pytest.raises(BadInput):
            await conversation.use_model("huge")
        await conversation.use_model("large")
        await turn(conversation, "and now?")

        assert (1, 1) == (len(first.requests), len(second.requests))
    async with await opened(store, setup(first, second)) as conversation:
        assert "large" == (await conversation.chat_model()).name
    async with await opened(store, setup(first, second, model="small")) as conversation:
        assert "small" == (await conversation.chat_model()).name
        await conversation.use_model("large")
        assert "large" == (await conversation.chat_model()).name


async def test_a_conversation_can_go_back() -> None:
    """
    And come back again; not while a turn runs.
    """
    async with await volatile(setup(scripted("one", "two", "three"))) as conversation:
        await turn(conversation, "first")
        here = conversation.state.head
        await turn(conversation, "second")
        await conversation.rewind(here)
        assert here == conversation.state.head
        await conversation.undo_rewind()
        assert here < conversation.state.head
        await conversation.send("third")
        with pytest.raises(BadInput, match="A turn runs"):
            await conversation.rewind(0)


async def test_compaction_can_be_asked_for_and_undone() -> None:
    """
    Where there is nothing to compact it says so, and there is nothing to undo.
    """
    async with await volatile(setup(scripted("hello"))) as conversation:
        await turn(conversation, "hello")

        assert (await conversation.compact("the harbour")).stage is None
        assert await conversation.undo_compaction() is None


async def test_commands_and_descriptions_are_entries() -> None:
    """
    Everyone who watches sees them.
    """
    async with await volatile(setup(scripted())) as conversation:
        with conversation.watch() as watch:
            await conversation.ran("/session", "it is here")
            await conversation.describe(Described(title="Harbour"))
            seen = [await anext(watch), await anext(watch)]

        assert [CommandRan(command="/session", output="it is here"), Described(title="Harbour")] == [
            event.record.entry for event in seen if isinstance(event, Appended)
        ]


async def test_a_title_is_drawn_after_the_first_turn() -> None:
    """
    In the background, once, and what it cost is counted.
    """
    titler = scripted('"Ebb and flow"\nand more', name="titler")
    made = setup(scripted("At noon.", "At six."), titler, titles=True, title_model="titler")
    async with await volatile(made) as conversation:
        with conversation.watch() as watch:
            await conversation.send("When is high water?")
            async for event in watch:
                if isinstance(event, Appended) and isinstance(event.record.entry, Described):
                    break
        await turn(conversation, "And low water?")

        assert "Ebb and flow" == conversation.state.title
        assert 1 == len(titler.requests)


@pytest.mark.parametrize("words", ["…", "", "  \n "])
async def test_a_title_that_says_nothing_is_none(words: str) -> None:
    """
    Lists then show what was said first.
    """
    titler = scripted(Scripted(parts=(Text(text=words),), usage=Usage(input_tokens=1)), name="titler")
    made = setup(scripted("At noon."), titler, titles=True, title_model="titler")
    async with await volatile(made) as conversation:
        await turn(conversation, "When?")
        for _ in range(50):
            await asyncio.sleep(0)

        assert 1 == len(titler.requests)
        assert "" == conversation.state.title


async def test_a_titler_that_fails_is_noticed() -> None:
    """
    The turn is not touched by it.
    """
    made = setup(scripted("At noon."), scripted(Refused("no"), name="titler"), titles=True, title_model="titler")
    async with await volatile(made) as conversation:
        with conversation.watch() as watch:
            await conversation.send("When?")
            noticed = [event async for event in first(watch, Noticed)]

        assert [Noticed(text="The session has no title: no")] == noticed


async def test_a_log_that_takes_no_more_ends_the_turn_and_is_told() -> None:
    """
    Nothing can be written about it, so whoever watches is told.
    """

    async def steal(*_: object) -> None:
        await (await store.open("talk", take_over=True)).close()

    store = open_volatile()
    conversation = await opened(store, setup(scripted(calling(("look", "{}")), "x"), tools=[PlainTool("look", steal)]))
    seen = await turn(conversation, "go")

    assert isinstance(seen[-1], TurnOver)
    assert "failed" == seen[-1].ended.why
    await conversation.close()


async def test_what_a_tool_asks_reaches_the_person_and_comes_back() -> None:
    """
    And a question that has its answer takes no other.
    """

    async def ask(_: str, context: ToolContext) -> str:
        context.tell("asking")
        return await context.question("Which one?", ["red", "blue"])

    model = scripted(calling(("ask", "{}")), "Blue, then.")
    async with await volatile(setup(model, tools=[PlainTool("ask", ask)])) as conversation:
        with conversation.watch() as watch:
            await conversation.send("paint it")
            async for event in watch:
                if isinstance(event, Asked):
                    question = event.question
                    assert ("Which one?", ("red", "blue")) == (question.text, question.options)
                    assert conversation.answer(question.id, Said(text="blue"))
                    assert not conversation.answer(question.id, Said(text="red"))
                if isinstance(event, TurnOver):
                    break

        assert "blue" == plain_text(model.requests[1].messages[-1].parts)


async def test_an_answer_to_a_question_from_before_a_restart_allows_nothing() -> None:
    """
    The id of a question says where its call stands in the log, and no other call ever has that place.
    """

    async def first_question(conversation: Conversation) -> Question:
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, Asked):
                    return event.question
        raise AssertionError("nothing was asked")

    store, tool = open_volatile(), PlainTool("write", reads_only=False)
    made = setup(scripted(calling(("write", "{}")), calling(("write", "{}")), "Well."), tools=[tool])
    before = await opened(store, made)
    late = (await first_question(before)).id
    await before.close()
    after = await opened(store, made)
    question = await first_question(after)

    assert not after.answer(late, Said(allowed=True))
    assert late != question.id
    replies = [record.pos async for record in after.session.read() if isinstance(record.entry, ModelReplied)]
    assert [late, question.id] == [f"{position}.0" for position in replies]
    await after.close()


async def test_kept_content_can_be_paged_through() -> None:
    """
    By the beginning of its hash, as the model was shown it; what is not there, or too short to tell, is said.
    """
    found: list[str] = []

    async def long(*_: object) -> str:
        return "word " * 10_000

    async def page(text: str, context: ToolContext) -> str:
        data = await context.kept(text)
        found.append(data.decode())
        return "read"

    def shown(request: object) -> Scripted:
        text = plain_text(request.messages[-1].parts)  # type: ignore[attr-defined]
        return calling(("page", f'{{"text":"{text.split("kept as ")[1][:12]}"}}'))

    model = scripted(
        calling(("long", "{}")),
        shown,
        calling(("page", '{"text":"abc"}')),
        calling(("page", '{"text":"0123456789ab"}')),
        "Read.",
    )
    async with await volatile(setup(model, tools=[PlainTool("long", long), PlainTool("page", page)])) as conversation:
        await turn(conversation, "go")
        results = [plain_text(e.parts) for e in await entries(conversation.session) if isinstance(e, ToolFinished)]

        assert ["word " * 10_000] == found
        assert "too short" in results[2]
        assert "Nothing is kept as '0123456789ab'" in results[3]


async def test_an_engine_shares_an_open_conversation(tmp_path: Path) -> None:
    """
    Opened twice is opened once; left, it is free for others.
    """
    model = scripted("one", "two")
    async with Engine(open_store(tmp_path, clock=ManualClock()), setup(model)) as engine:
        first = await engine.open("a")
        assert first is await engine.open("a")
        await engine.send("a", "hello")
        await first.idle()
        assert not await engine.cancel("a")
        assert not await engine.cancel("b")
        follower = engine.follow("a")
        assert isinstance((await anext(follower)).entry, Opened)
        with pytest.raises(NoSession):
            await engine.open("missing", create=False)
        await engine.leave("a")
        await engine.leave("a")
        async with engine.store.session("a") as session:
            assert 1 == session.state.turns


async def test_a_session_that_cannot_be_settled_is_given_back() -> None:
    """
    Whoever comes next can have it.
    """
    store, _ = await broken_off(GO, ModelReplied(parts=(CALL,)))
    session = await store.open("talk")
    await (await store.open("talk", take_over=True)).close()
    with pytest.raises(Fenced):
        await open_conversation(session, setup(scripted()))
    async with await opened(store, setup(scripted())) as conversation:
        assert isinstance(conversation, Conversation)


async def test_a_watch_that_is_closed_ends() -> None:
    """
    And gets nothing more.
    """
    async with await volatile(setup(scripted("hello"))) as conversation:
        watch = conversation.watch()
        watch.close()
        watch.close()
        with conversation.watch() as other:
            await conversation.send("hi")
            await until_over(other)

        assert [] == [event async for event in watch]
