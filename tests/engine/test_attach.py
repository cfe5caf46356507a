"""Attaching: from any moment on, every entry once, and every reply as it was said."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import (
    Answer,
    Answered,
    Appended,
    Asked,
    Attachment,
    BeyondEnd,
    ConversationClosed,
    Described,
    Drafted,
    Event,
    Fenced,
    Held,
    ModelReplied,
    NoSession,
    Noticed,
    Resync,
    Scripted,
    Source,
    StepBegan,
    Text,
    TextStreamed,
    Thinking,
    ThinkingStreamed,
    ToolBegan,
    ToolFinished,
    ToolTold,
    TurnBegan,
    TurnEnded,
    TurnOver,
    UserSaid,
    open_store,
    open_volatile,
)
from holdfast.agent.tool import ToolContext
from holdfast.engine.engine import Engine
from holdfast.ids import CallId, Position
from tests.agent.idle_time import in_idle_time
from tests.agent.troupe import PlainTool, calling, scripted, setup
from tests.engine.attaching import elsewhere, held
from tests.engine.viewer import Viewer

SAID = "Once upon a time there was a harbour"
SILENT = Scripted(parts=(Thinking(text="A story."), Text(text=SAID)), after=2, failure="silence")


def ended(entry: object) -> str:
    """Why a turn ended, if the entry says so."""
    return entry.why if isinstance(entry, TurnEnded) else ""


async def until(attachment: Attachment, wanted: Callable[[Event], bool]) -> list[Event]:
    """What a viewer is given, up to an event."""
    seen: list[Event] = []
    async with asyncio.timeout(60):
        async for event in attachment:
            seen.append(event)
            if wanted(event):
                return seen
    raise AssertionError(f"it ended: {seen}")


def is_a(*kinds: type[object]) -> Callable[[Event], bool]:
    """Whether an event is of a kind."""
    return lambda event: isinstance(event, kinds)


async def test_a_session_that_is_open_here_is_seen_whole_from_any_moment(tmp_path: Path) -> None:
    """
    Attached at random moments, in the middle of a reply too: no gap, no repeat. One who sleeps costs nobody anything.
    """
    viewers = await held(tmp_path, 150)

    assert 50 < sum(viewer.amid for viewer in viewers)


async def test_so_is_a_session_of_a_process_that_is_killed_and_started_again(tmp_path: Path) -> None:
    """
    Its log and its draft say the same as it does.
    """
    viewers = await elsewhere(tmp_path, 60, 3)

    assert 10 < sum(viewer.amid for viewer in viewers)


async def test_what_is_not_there_cannot_be_watched() -> None:
    """
    No session, or a position that it has not reached.
    """
    async with Engine(open_volatile(), setup(scripted())) as engine:
        with pytest.raises(NoSession):
            await engine.attach("talk")
        await engine.open("talk")
        with pytest.raises(BeyondEnd):
            await engine.attach("talk", after=9)


async def test_a_snapshot_in_a_reply_has_the_reply_so_far() -> None:
    """
    From where the viewer has it; what it has of another reply does not count.
    """
    async with Engine(open_volatile(), setup(scripted(SILENT))) as engine:
        conversation = await engine.open("talk")
        async with await engine.attach("talk") as first:
            await conversation.send("go")
            await until(first, is_a(TextStreamed))
            last = conversation.state.last
            whole, rest, other, more = [
                (await engine.attach("talk", after=after, drafted=drafted)).snapshot
                for after, drafted in ((-1, 0), (last, 10), (0, 10), (last, 99))
            ]

    assert whole.reply is not None
    assert (Thinking(text="A story."), Text(text=SAID[:24])) == whole.reply.parts
    assert (0, last + 1) == (whole.reply.offset, whole.reply.reply)
    assert rest.reply is not None
    assert (10, (Text(text=SAID[2:24]),)) == (rest.reply.offset, rest.reply.parts)
    assert whole.reply == other.reply
    assert more.reply is not None
    assert (32, ()) == (more.reply.offset, more.reply.parts)
    assert whole.running
    assert [TurnBegan, StepBegan] == [type(each) for each in whole.moments]


async def test_a_snapshot_has_what_runs_and_what_is_asked() -> None:
    """
    A viewer who comes late can answer, and sees what a tool told last.
    """
    begun = asyncio.Event()

    async def work(_: str, desk: ToolContext) -> None:
        desk.tell("one")
        desk.tell("two")
        begun.set()
        await asyncio.Event().wait()

    tools = [PlainTool("look", work), PlainTool("write", reads_only=False)]
    script = scripted(calling(("write", "{}")), calling(("look", "{}")))
    async with Engine(open_volatile(), setup(script, tools=tools)) as engine:
        conversation = await engine.open("talk")
        async with await engine.attach("talk") as viewer:
            await conversation.send("go")
            await until(viewer, is_a(Asked))
        asked = (await engine.attach("talk")).snapshot
        assert conversation.answer(asked.questions[0].id, Answer(allowed=True))
        await begun.wait()
        running = (await engine.attach("talk")).snapshot
        await conversation.cancel()
        over = (await engine.attach("talk")).snapshot

    tool = running.moments[-2:]
    assert [ToolBegan, ToolTold] == [type(each) for each in tool]
    assert isinstance(tool[1], ToolTold)
    assert "two" == tool[1].text
    assert () == running.questions
    assert ((), (), False, None) == (over.questions, over.moments, over.running, over.reply)


async def test_who_is_too_slow_is_told_once_and_misses_no_entry_and_no_word() -> None:
    """
    Moments are left out; the reply goes on where the viewer had it, and a question is asked again.
    """
    story = Scripted(parts=(Text(text="and then " * 400), *calling(("write", "{}")).parts))
    tools = [PlainTool("write", reads_only=False)]
    async with Engine(open_volatile(), setup(scripted(story, "Done."), tools=tools)) as engine:
        conversation = await engine.open("talk")
        async with await engine.attach("talk", limit=5_000) as slow, await engine.attach("talk") as quick:
            await conversation.send("go")
            first = await until(slow, is_a(TextStreamed))
            asked = (await until(quick, is_a(Asked)))[-1]
            assert slow.waiting < 5_000
            rest = await until(slow, is_a(Asked))
            assert isinstance(asked, Asked)
            conversation.answer(asked.question.id, Answer(allowed=True))
            over = await until(slow, is_a(TurnOver))

    events = [*first, *rest, *over]
    assert 1 == sum(isinstance(event, Resync) for event in events)
    assert list(range(conversation.state.last + 1)) == [e.record.pos for e in events if isinstance(e, Appended)]
    assert asked in rest


async def test_a_slow_viewer_is_given_the_rest_of_a_reply_that_runs() -> None:
    """
    In one piece, from where it stopped.
    """
    story = Scripted(parts=(Text(text="and then " * 100),), after=30, failure="silence")
    async with Engine(open_volatile(), setup(scripted(story))) as engine:
        conversation = await engine.open("talk")
        async with await engine.attach("talk", limit=3_000) as slow, await engine.attach("talk") as quick:
            await conversation.send("go")
            told = ""
            while len(told) < 30 * 24:
                event = (await until(quick, is_a(TextStreamed)))[-1]
                assert isinstance(event, TextStreamed)
                told += event.text
            seen = await until(slow, is_a(TextStreamed))

    assert [told] == [event.text for event in seen if isinstance(event, TextStreamed)]


async def test_it_ends_with_the_engine() -> None:
    """
    And with the block it was opened for.
    """
    engine = Engine(open_volatile(), setup(scripted()))
    await engine.open("talk")
    attachment = await engine.attach("talk")
    async with await engine.attach("talk") as left:
        pass
    await engine.close()

    assert [Appended, ConversationClosed] == [type(event) async for event in attachment]
    assert [] == [event async for event in left]


async def test_a_viewer_stays_when_the_session_changes_hands(tmp_path: Path) -> None:
    """
    From another process to this one and back: every entry once.
    """
    async with (
        Engine(open_store(tmp_path), setup(scripted("There.", "Again."))) as there,
        Engine(open_store(tmp_path), setup(scripted("Here."))) as here,
    ):
        await (await there.open("talk")).send("one")
        async with await here.attach("talk") as viewer:
            seen = await until(viewer, is_a(TurnOver))
            await there.leave("talk")
            await (await here.open("talk")).send("two")
            seen += await until(viewer, is_a(TurnOver))
            await here.leave("talk")
            await (await there.open("talk")).send("three")
            seen += await until(viewer, is_a(TurnOver))
        last = (await there.open("talk")).state.last

    assert list(range(last + 1)) == [event.record.pos for event in seen if isinstance(event, Appended)]
    assert ["left"] == [event.why for event in seen if isinstance(event, ConversationClosed)]
    assert 2 <= sum(isinstance(event, Resync) for event in seen)


async def test_a_session_that_is_taken_over_says_so_at_once(tmp_path: Path) -> None:
    """
    Not at its next write; and its viewers go on with what the other process does.
    """
    async with (
        Engine(open_store(tmp_path), setup(scripted(SILENT))) as here,
        Engine(open_store(tmp_path), setup(scripted("There."))) as there,
    ):
        await (await here.open("talk")).send("one")
        async with await here.attach("talk") as viewer:
            await until(viewer, is_a(TextStreamed))
            other = await there.open("talk", take_over=True)
            closed = (await until(viewer, is_a(ConversationClosed)))[-1]
            assert isinstance(closed, ConversationClosed)
            assert ("taken_over", str(other.session.holder)) == (closed.why, closed.holder)
            await other.send("two")
            # A turn that was over before the viewer had found the other process is in the log, and no moment any more.
            await until(viewer, lambda event: isinstance(event, Appended) and ended(event.record.entry) == "answered")
        assert (await here.attach("talk")).snapshot.state == other.state


async def test_entries_of_a_fenced_process_are_taken_back(tmp_path: Path) -> None:
    """
    A viewer that was shown them goes back to what was acknowledged, and then has what the log says.
    """
    viewer = Viewer("talk")
    async with (
        Engine(open_store(tmp_path), setup(scripted(SILENT))) as here,
        Engine(open_store(tmp_path), setup(scripted("There."))) as there,
    ):
        conversation = await here.open("talk")
        await conversation.send("one")
        async with await viewer.attach(here) as attachment:
            for event in await until(attachment, is_a(TextStreamed)):
                viewer.see(event)
            other = await there.open("talk", take_over=True)
            with pytest.raises(Fenced):
                await conversation.ran("/too", "late")
            for event in await until(attachment, is_a(ConversationClosed)):
                viewer.see(event)
            assert isinstance(event, ConversationClosed)
            assert conversation.state.last > (event.last or 0)
            assert viewer.after == event.last
            await other.send("two")
            await other.idle()
            while viewer.after < other.state.last:
                viewer.see(await anext(attachment))

        assert [bytes(record.raw) for record in await there.store.load("talk")] == viewer.raw


async def test_a_session_that_is_removed_ends_with_an_error(tmp_path: Path) -> None:
    """
    Who watches is told, and does not wait for ever.
    """
    async with Engine(open_store(tmp_path), setup(scripted())) as engine:
        await (await engine.store.open("talk")).close()
        async with await engine.attach("talk") as viewer:
            await until(viewer, is_a(Appended))
            await engine.store.delete("talk")
            with pytest.raises(NoSession):
                await until(viewer, is_a(Noticed))
            assert [] == [event async for event in viewer]


async def test_a_denied_call_is_told_of_a_session_elsewhere_too() -> None:
    """
    It comes with the end of the turn.
    """
    store, call = open_volatile(), calling(("write", "{}"))
    async with Engine(store, setup(scripted())) as engine, store.session("talk") as session:
        viewer = await engine.attach("talk")
        await session.append(UserSaid(parts=(Text(text="go"),)), ModelReplied(parts=call.parts))
        await session.append(ToolFinished(call=CallId("c0"), name="write", outcome="denied"), TurnEnded())
        over = (await until(viewer, is_a(TurnOver)))[-1]

    assert isinstance(over, TurnOver)
    assert over.denied


async def test_a_draft_whose_reply_is_written_is_no_running_reply() -> None:
    """
    It is kept for a moment longer; a reply that begins elsewhere after that is told from its beginning.
    """
    store = open_volatile()
    async with Engine(store, setup(scripted())) as engine, store.session("talk") as session:
        await session.append(UserSaid(parts=(Text(text="go"),)))
        await session.draft(Drafted(reply=Position(2), text="Well"))
        await session.append(UserSaid(parts=(Text(text="quick"),), enters="step"))
        amid = (await engine.attach("talk", after=1)).snapshot
        await session.append(ModelReplied(parts=(Text(text="Well."),)))
    async with Engine(store, setup(scripted())) as engine, store.session("talk") as session:
        await session.draft(Drafted(reply=Position(2), text="Well"))
        late = await engine.attach("talk", after=2)
        await session.draft(Drafted(reply=Position(5), thinking="Hm"))
        await session.append(UserSaid(parts=(Text(text="go on"),)))
        seen = await until(late, is_a(ThinkingStreamed))

    assert amid.reply is not None
    assert amid.running
    assert late.snapshot.reply is None
    assert ["Hm"] == [event.text for event in seen if isinstance(event, TextStreamed | ThinkingStreamed)]


async def test_a_viewer_that_has_more_than_the_draft_is_told_nothing_twice() -> None:
    """
    A draft is a moment behind: whoever comes from the process that hears the reply has more of it.
    """
    store = open_volatile()
    async with Engine(store, setup(scripted())) as engine, store.session("talk") as session:
        await session.append(UserSaid(parts=(Text(text="go"),)))
        await session.draft(Drafted(reply=Position(2), text="Well"))
        ahead = await engine.attach("talk", after=1, drafted=6)
        await session.draft(Drafted(reply=Position(2), text=", "))
        await session.draft(Drafted(reply=Position(2), text="so it is"))
        (told,) = await until(ahead, is_a(TextStreamed))

    assert TextStreamed(text="so it is", reply=Position(2), offset=6) == told


async def test_many_who_come_at_once_follow_a_session_once() -> None:
    """
    And when it is opened here meanwhile, they watch what happens here.
    """
    store = open_volatile()
    await (await store.open("talk")).close()
    async with Engine(store, setup(scripted("Here."))) as engine:
        one, two, conversation = await asyncio.gather(engine.attach("talk"), engine.attach("talk"), engine.open("talk"))
        await conversation.send("go")
        for viewer in (one, two):
            await until(viewer, is_a(StepBegan))


async def test_a_question_of_another_process_is_seen_and_its_decision_too(tmp_path: Path) -> None:
    """
    By whoever comes late as well; it is answered where it was asked.
    """
    tools, script = [PlainTool("write", reads_only=False)], scripted(calling(("write", "{}")), "Done.")
    async with (
        Engine(open_store(tmp_path), setup(script, tools=tools)) as there,
        Engine(open_store(tmp_path), setup(scripted())) as here,
    ):
        await there.open("talk")
        near, far = await there.attach("talk"), await here.attach("talk")
        await there.send("talk", "go")
        asked = (await until(near, is_a(Asked)))[-1]
        seen = (await until(far, is_a(Asked)))[-1]
        async with Engine(open_store(tmp_path), setup(scripted())) as another:
            late = (await another.attach("talk")).snapshot
        assert isinstance(asked, Asked)
        with pytest.raises(Held):
            await here.answer("talk", asked.question.id, Answer(allowed=True))
        assert await there.answer("talk", asked.question.id, Answer(allowed=True), Source(host="web"))
        assert not await there.answer("talk", asked.question.id, Answer(allowed=True))
        answered = [event for event in await until(far, is_a(TurnOver)) if isinstance(event, Answered)]

    assert asked == seen
    assert (asked.question,) == late.questions
    assert [Answered(id=asked.question.id)] == answered


async def test_what_a_tool_asks_in_another_process_is_seen_too(tmp_path: Path) -> None:
    """
    With its options, until it is answered; rows of the list count it.
    """

    async def work(_: str, context: ToolContext) -> str:
        return await context.question("Which one?", ["red", "blue"])

    tools, script = [PlainTool("ask", work)], scripted(calling(("ask", "{}")), "Done.")
    async with (
        Engine(open_store(tmp_path), setup(script, tools=tools)) as there,
        Engine(open_store(tmp_path), setup(scripted())) as here,
    ):
        await there.open("talk")
        far = await here.attach("talk")
        await there.send("talk", "go")
        asked = (await until(far, is_a(Asked)))[-1]
        (listed,) = (await here.store.list()).sessions
        assert 1 == (await here.row(listed)).questions
        late = (await here.attach("talk")).snapshot
        assert isinstance(asked, Asked)
        assert [asked.question] == list(late.questions)
        assert ("Which one?", ("red", "blue")) == (asked.question.text, asked.question.options)
        assert await there.answer("talk", asked.question.id, Answer(text="red"), Source(host="web"))
        over = await until(far, is_a(TurnOver))

    assert Answered(id=asked.question.id) in over


async def test_a_late_answer_allows_nothing_over_a_restart(tmp_path: Path) -> None:
    """
    The question is not open any more, and the next call asks again under another id.
    """
    tools = [PlainTool("write", reads_only=False)]
    async with Engine(open_store(tmp_path), setup(scripted(calling(("write", "{}"))), tools=tools)) as engine:
        await engine.open("talk")
        viewer = await engine.attach("talk")
        await engine.send("talk", "go")
        first = (await until(viewer, is_a(Asked)))[-1]
    assert isinstance(first, Asked)
    async with Engine(open_store(tmp_path), setup(scripted(calling(("write", "{}"))), tools=tools)) as engine:
        assert not await engine.answer("talk", first.question.id, Answer(allowed=True))
        await engine.open("talk")
        viewer = await engine.attach("talk")
        assert () == viewer.snapshot.questions
        await engine.send("talk", "go")
        second = (await until(viewer, is_a(Asked)))[-1]
        assert isinstance(second, Asked)
        assert not await engine.answer("talk", first.question.id, Answer(allowed=True))
        assert [] == tools[0].ran

    assert first.question.id != second.question.id


@in_idle_time()
async def test_a_conversation_that_was_closed_by_somebody_is_left_alone() -> None:
    """
    It is opened again by the next use, and what it says is seen by those who watched it before.
    """
    async with Engine(open_volatile(), setup(scripted("One."))) as engine:
        conversation = await engine.open("talk")
        viewer = await engine.attach("talk")
        await conversation.close()
        await asyncio.sleep(2)
        await engine.send("talk", "go")
        await until(viewer, is_a(TurnOver))


async def test_events_are_taken_in_batches() -> None:
    """
    At most so many at once, as many as are there; none when there will be no more.
    """
    async with Engine(open_volatile(), setup(scripted("One."))) as engine:
        await engine.send("talk", "go")
        await engine.finish(60)
        attachment = await engine.attach("talk")
        first = await attachment.take(1)
        rest = await attachment.take(100)
        attachment.close()

        assert (1, True) == (len(first), len(rest) > 1)
        assert [] == await attachment.take(1)


@in_idle_time()
async def test_what_nobody_uses_is_closed_and_opened_again() -> None:
    """
    Watching it and working in it is using it, and so is having been given it.
    """
    store = open_volatile()
    async with Engine(store, setup(scripted("One.", "Two.")), idle_seconds=3) as engine:
        await engine.send("talk", "go")
        async with await engine.attach("talk") as viewer:
            await until(viewer, is_a(TurnOver))
            await asyncio.sleep(9)
            assert await store.holder("talk") is not None
        await asyncio.sleep(5)
        assert await store.holder("talk") is None

        await engine.send("talk", "again")
        kept = await engine.open("talk")
        await kept.idle()
        await asyncio.sleep(9)
        assert not kept.closed

        begun = await engine.begin("new", Described(), keep=False)
        await asyncio.sleep(9)
        assert begun.closed


@in_idle_time()
async def test_a_conversation_stays_open_where_that_is_wanted() -> None:
    """
    With 0, for ever.
    """
    store = open_volatile()
    async with Engine(store, setup(scripted("One.")), idle_seconds=0) as engine:
        await engine.send("talk", "go")
        await asyncio.sleep(20)
        assert await store.holder("talk") is not None
