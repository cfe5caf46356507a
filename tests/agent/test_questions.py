"""Events out, questions out, answers in; and what a tool may use of its session."""

import asyncio
import itertools
from collections.abc import Callable, Sequence

import pytest

from holdfast import (
    CommandRan,
    ModelReplied,
    QuestionAnswered,
    QuestionAsked,
    Session,
    Source,
    Text,
    ToolCall,
    ToolFinished,
    open_volatile,
)
from holdfast.agent.events import Answered, Asked, Event, Noticed, ToolTold
from holdfast.agent.permissions import Answer, Rule
from holdfast.agent.questions import CallContext, Questions
from holdfast.errors import BadInput, ToolFailed
from holdfast.ids import BlobId, CallId, Position
from holdfast.records.parts import Blob
from holdfast.session.state import OpenQuestion

RULE = Rule(tool="write", pattern="a", decision="allow")


async def questions(seen: list[Event], **more: object) -> Questions:
    """An office on a session in memory."""
    return Questions(await (open_volatile()).open("talk"), seen.append, lambda: None, **more)  # type: ignore[arg-type]


async def first_asked(seen: list[Event]) -> Asked:
    """The first question, once it was asked."""
    await so(lambda: any(isinstance(event, Asked) for event in seen))
    return next(event for event in seen if isinstance(event, Asked))


async def so(true: Callable[[], bool]) -> None:
    """Let others run until something is so."""
    async with asyncio.timeout(10):
        for _ in itertools.takewhile(lambda _: not true(), itertools.count()):
            await asyncio.sleep(0)


async def test_a_question_waits_for_its_answer() -> None:
    """
    Whoever answers first counts; then it is closed, also for those who watch.
    """
    seen: list[Event] = []
    context = CallContext(await questions(seen), CallId("c"), "4.0")
    waiting = asyncio.create_task(context.question("Which?", ["red"]))
    asked = await first_asked(seen)
    assert ("Which?", ("red",)) == (asked.question.text, asked.question.options)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert Answered(id=asked.question.id) == seen[-1]


async def test_a_note_is_told_once() -> None:
    """
    However often it is noticed; a new one is told too.
    """
    seen: list[Event] = []
    context = await questions(seen)
    context.notice(("a cannot be used",))
    context.notice(("a cannot be used", "b is still starting"))

    assert [Noticed(text="a cannot be used"), Noticed(text="b is still starting")] == seen


async def test_nobody_there_is_told_to_the_tool() -> None:
    """
    With what to do instead.
    """
    context = CallContext(await questions([], attended=False), CallId("c"), "4.0")

    with pytest.raises(ToolFailed, match="Go on with what you know"):
        await context.question("Which?")


async def test_the_wait_for_a_person_is_counted() -> None:
    """
    While it lasts, and after it.
    """
    seen: list[Event] = []
    there = await questions(seen)
    context = CallContext(there, CallId("c"), "4.0")
    assert 0.0 == context.waited
    waiting = asyncio.create_task(context.question("Which?"))
    await first_asked(seen)
    await asyncio.sleep(0.02)
    during = context.waited
    assert there.answer("4.0.1", Answer(text="red"))
    assert not there.answer("4.0.1", Answer(text="blue"))
    assert not there.answer("4.0.2", Answer(text="blue"))
    assert "red" == await waiting

    assert 0.0 < during <= context.waited
    context.tell("found it")
    assert ToolTold(call=CallId("c"), text="found it") == seen[-1]


async def test_what_a_tool_asks_and_is_told_is_in_the_log() -> None:
    """
    Durable before it is asked, without secrets, one question after the other; with who answered, and where.
    """
    seen: list[Event] = []
    there, web = await questions(seen), Source(host="web", sender="bob")
    context = CallContext(there, CallId("c"), "4.0", lambda text: text.replace("secret", "***"))
    one = asyncio.create_task(context.question("Which secret?", ["secret red", "blue"]))
    asked = await first_asked(seen)
    other = asyncio.create_task(context.question("And why?"))
    await asyncio.sleep(0)
    assert ("4.0.1", "Which secret?", ("secret red", "blue")) == (
        asked.question.id,
        asked.question.text,
        asked.question.options,
    )
    assert [OpenQuestion(call=CallId("c"), pos=Position(1))] == list(context.state.questions)
    assert there.answer("4.0.1", Answer(text="the secret"), web)
    assert "the secret" == await one
    await so(lambda: there.answer("4.0.2", Answer(text="so")))
    await other

    assert [
        QuestionAsked(call=CallId("c"), question="4.0.1", text="Which ***?", options=("*** red", "blue")),
        QuestionAnswered(call=CallId("c"), question="4.0.1", text="the ***", by=web),
        QuestionAsked(call=CallId("c"), question="4.0.2", text="And why?"),
        QuestionAnswered(call=CallId("c"), question="4.0.2", text="so"),
    ] == [record.entry async for record in there.session.read(start=1)]
    assert () == context.state.questions


@pytest.mark.parametrize("error", [OSError("read-only"), BadInput("not yours")])
async def test_what_cannot_be_kept_is_noticed(error: Exception) -> None:
    """
    The turn goes on; only what is meant for the workspace is kept at all.
    """
    seen: list[Event] = []

    def keep(_: Sequence[Rule]) -> None:
        raise error

    there = await questions(seen, keep=keep)
    there.remember([RULE], "session")
    assert [] == seen
    there.remember([RULE], "workspace")

    assert [Noticed(text=f"It is allowed for this session only: {error}")] == seen


async def named(session: Session, blob: Blob) -> None:
    """Let an entry name some content."""
    await session.append(ModelReplied(parts=(ToolCall(id=CallId("x"), name="look"),), stop="called"))
    await session.append(ToolFinished(call=CallId("x"), name="look", parts=(Text(text="see"), blob)))


async def test_only_what_the_session_names_can_be_read() -> None:
    """
    By the beginning of its hash; content that was lost is told.
    """
    there = await questions([])
    context = CallContext(there, CallId("c"), "4.0")
    blob = await context.attach(b"words", media_type="text/plain")
    with pytest.raises(ToolFailed, match="Nothing is kept"):
        await context.kept(blob.blob)
    await named(there.session, blob)
    lost = Blob(blob=BlobId("b" * 64), media_type="text/plain", size=1)
    await named(there.session, lost)

    assert b"words" == await context.kept(blob.blob[:12])
    with pytest.raises(ToolFailed, match="too short"):
        await context.kept(blob.blob[:4])
    with pytest.raises(ToolFailed, match="Run the tool again"):
        await context.kept(lost.blob)


async def test_kept_content_is_not_looked_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What was named very long ago is not found, and the model is told so.
    """
    there = await questions([])
    context = CallContext(there, CallId("c"), "4.0")
    blob = await context.attach(b"words", media_type="text/plain")
    await named(there.session, blob)
    monkeypatch.setattr("holdfast.agent.questions.FAR", 3)
    await there.session.append(*[CommandRan(command="/x", output="")] * 3)

    with pytest.raises(ToolFailed, match="Nothing is kept"):
        await context.kept(blob.blob)
