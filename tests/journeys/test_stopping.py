"""A stop takes effect at once wherever a turn is, and never waits for what it stops.

The time is the loop's own, which moves only when everybody waits: whoever waited a second for what is stopped would
fail here, and a busy machine fails nobody. What a stop takes on a real clock is a row of the bench, `cancel`.
"""

import asyncio
import json
import math
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec.structs import replace

from holdfast import Budget, ModelReplied, Scripted, SystemClock, Text, Unavailable
from holdfast.agent.conversation import Conversation
from holdfast.agent.events import Asked, Compacting, Event, Retrying, StepBegan, TextStreamed, ToolBegan, TurnOver
from holdfast.agent.limits import RetryPolicy
from holdfast.agent.models import ChatModel
from holdfast.agent.permissions import Answer as Said
from holdfast.agent.permissions import Permissions, Rule
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tool import Action, FixedTools, ToolContext
from holdfast.errors import ContextError
from holdfast.model.protocol import Delta, Model, Request
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.entries import Described
from holdfast.tools.shell.sandbox import Sandbox, find_sandbox
from holdfast.tools.shell.shell import Shell
from tests.agent.idle_time import in_idle_time
from tests.agent.troupe import TARGET, PlainTool, Troupe, calling, entries, scripted, setup, turn, volatile
from tests.journeys.afterwards import is_in_order
from tests.providers.servers import Played, piece, serving, sse
from tests.tools.waiting import wait_until

FOUND = find_sandbox(os.environ)
OPEN = Sandbox(said="No sandbox: for a test.")
confined = pytest.mark.skipif(not FOUND.confines, reason=FOUND.said)
SILENT = Scripted(parts=(Text(text="Once upon a time there was a harbour"),), after=1, failure="silence")
MUTE = Scripted(after=0, failure="silence")
AT_ONCE = 0.2
"""Seconds that a stop may take, as the loop counts them; nothing here ever ends by itself."""

E = TypeVar("E", bound=Event)


async def deaf(release: asyncio.Event) -> None:
    """Waits on, whoever says stop."""
    while not release.is_set():
        try:
            await release.wait()
        except asyncio.CancelledError:
            continue


def mute(heard: asyncio.Event) -> Callable[[Request], Scripted]:
    """What hears a request, and says nothing to it."""

    def cue(_: Request) -> Scripted:
        heard.set()
        return MUTE

    return cue


async def until(conversation: Conversation, kind: type[E], text: str = "go") -> E:
    """Say something, and wait for an event."""
    with conversation.watch() as watch:
        await conversation.send(text)
        async for event in watch:
            if isinstance(event, kind):
                return event
    raise AssertionError("the conversation was closed")


async def at_once(stop: Awaitable[object]) -> None:
    """Do it, and let no time pass with waiting."""
    loop = asyncio.get_running_loop()
    before = loop.time()
    await stop
    assert AT_ONCE >= loop.time() - before


async def stopped(conversation: Conversation) -> None:
    """Stop, at once, with a clean end."""
    await at_once(conversation.cancel())
    ended = await conversation.idle()
    assert ended is not None
    assert "cancelled" == ended.why
    await is_in_order(conversation)


@in_idle_time()
async def test_in_a_tool_that_does_not_listen() -> None:
    """
    One that swallows the stop, and one that sits in a thread.
    """
    release, held = asyncio.Event(), threading.Event()

    async def work(text: str, _: ToolContext) -> None:
        await (deaf(release) if text == "deaf" else asyncio.to_thread(held.wait))

    for text in ("deaf", "thread"):
        made = setup(scripted(calling(("look", f'{{"text":"{text}"}}'))), tools=[PlainTool("look", work)])
        async with await volatile(made) as conversation:
            await until(conversation, ToolBegan)
            await stopped(conversation)
    release.set()
    held.set()


@pytest.mark.parametrize("sandbox", [pytest.param(FOUND, id="inside", marks=confined), pytest.param(OPEN, id="open")])
@in_idle_time()
async def test_in_a_command(sandbox: Sandbox, tmp_path: Path) -> None:
    """
    Also one that does not want to end: it has ended when the tools are closed.
    """
    shell = Shell(tmp_path, sandbox, seconds=math.inf, environment=os.environ)
    command = "trap '' TERM; touch begun; sleep 63; sleep 63"
    made = setup(
        scripted(calling(("shell", json.dumps({"command": command})))),
        permissions=lambda: Permissions([Rule(tool="shell", decision="allow")]),
    )
    async with await volatile(replace(made, toolbox=FixedTools([shell]))) as conversation:
        await conversation.send("go")
        assert await asyncio.to_thread(wait_until, (tmp_path / "begun").exists)
        await stopped(conversation)
    await shell.jobs.close()


class Puzzling(PlainTool):
    """A tool that takes for ever to understand what it is asked."""

    def __init__(self, release: asyncio.Event, seconds: float = 60.0) -> None:
        super().__init__("look", seconds=seconds)
        self._release, self.begun = release, asyncio.Event()

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        self.begun.set()
        await deaf(self._release)
        return await super().understand(arguments, context)


@in_idle_time()
async def test_in_a_tool_that_still_reads_its_arguments() -> None:
    """
    Also there a tool may hang, and is stopped, by a person or by its time.
    """
    release = asyncio.Event()
    tool = Puzzling(release)
    async with await volatile(setup(scripted(calling(("look", "{}"))), tools=[tool])) as conversation:
        await conversation.send("go")
        await tool.begun.wait()
        await stopped(conversation)
    slow = Puzzling(release, seconds=0.01)
    async with await volatile(setup(scripted(calling(("look", "{}")), "I see."), tools=[slow])) as conversation:
        await turn(conversation, "go")
        assert [] == slow.ran
        await is_in_order(conversation)
    release.set()


@in_idle_time()
async def test_in_a_silent_stream() -> None:
    """
    Within a reply, and before its first word.
    """
    async with await volatile(setup(scripted(SILENT))) as conversation:
        await until(conversation, TextStreamed)
        await stopped(conversation)
        assert ["cancelled"] == [e.stop for e in await entries(conversation.session) if isinstance(e, ModelReplied)]
    heard = asyncio.Event()
    async with await volatile(setup(scripted(mute(heard)))) as conversation:
        await conversation.send("go")
        await heard.wait()
        await stopped(conversation)


@pytest.mark.parametrize(
    "played",
    [
        pytest.param(Played(chunks=(sse(piece("By "), done=False),), ends="hanging"), id="within a reply"),
        pytest.param(Played(ends="hanging"), id="before its first word"),
        pytest.param(Played(silent=True), id="before the status"),
    ],
)
@in_idle_time()
async def test_in_a_silent_stream_over_http(played: Played) -> None:
    """
    The service sees that nobody listens any more.
    """
    async with serving(played) as server:
        model = OpenAICompatible(TARGET, base_url=server.url)
        made = setup(model="deaf", retry=RetryPolicy(idle=0))
        async with await volatile(replace(made, models=DeafTroupe(model, name="deaf"))) as conversation:
            await until(conversation, TextStreamed if played.chunks else StepBegan)
            await server.heard.wait()
            await stopped(conversation)
            await server.left.wait()
        await model.close()


class Deaf:
    """A model that neither speaks nor hangs up."""

    target = TARGET

    def __init__(self) -> None:
        self.release, self.asked = asyncio.Event(), asyncio.Event()

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        assert request.target == self.target
        self.asked.set()
        await deaf(self.release)
        raise Unavailable("It woke up.")
        yield  # type: ignore[unreachable]  # a generator


class DeafTroupe(Troupe):
    """Where one of the models is deaf."""

    def __init__(self, model: Model, *others: object, name: str) -> None:
        super().__init__(*others)  # type: ignore[arg-type]
        self._deaf, self._name = model, name

    async def named(self, name: str) -> ChatModel:
        if name == self._name:
            return ChatModel(name=name, model=self._deaf, budget=Budget(tokens=100_000, output=1_000))
        return await super().named(name)


@in_idle_time()
async def test_in_a_provider_that_does_not_hang_up() -> None:
    """
    It is left to itself.
    """
    model = Deaf()
    async with await volatile(replace(setup(model="deaf"), models=DeafTroupe(model, name="deaf"))) as conversation:
        await conversation.send("go")
        await model.asked.wait()
        await stopped(conversation)
    model.release.set()


@in_idle_time()
async def test_in_a_wait_before_the_next_attempt() -> None:
    """
    However long the provider asked for.
    """
    made = setup(scripted(Unavailable("503", retry_after=3600.0)), retry=RetryPolicy(cap=7200.0), clock=SystemClock())
    async with await volatile(made) as conversation:
        await until(conversation, Retrying)
        await stopped(conversation)


@in_idle_time()
async def test_in_a_question() -> None:
    """
    Whether a call may run, or what a tool wants to know; the call was not run, or may have been.
    """

    async def ask(_: str, context: ToolContext) -> str:
        return await context.question("Which one?")

    for tool in (PlainTool("look", reads_only=False), PlainTool("look", ask)):
        async with await volatile(setup(scripted(calling(("look", "{}"))), tools=[tool])) as conversation:
            asked = await until(conversation, Asked)
            await stopped(conversation)
            assert not conversation.answer(asked.question.id, Said(allowed=True))


def talked(*summaries: object) -> AgentSetup:
    """Somebody with a window that is full after a few turns, and another who summarizes."""
    long = ["It was a long day at the harbour. " * 60] * 12
    made = setup(scripted(*long), summary_model="titler", retry=RetryPolicy(idle=0))
    troupe = Troupe(scripted(*long), scripted(*summaries, name="titler"), budget=Budget(tokens=6_000, output=500))  # type: ignore[arg-type]
    return replace(made, models=troupe)


@in_idle_time()
async def test_in_a_compaction_within_a_turn() -> None:
    """
    The window is as it was.
    """
    async with await volatile(talked(MUTE, MUTE)) as conversation:
        with conversation.watch() as watch:
            for number in range(12):
                await conversation.send(f"note {number}")
                async for event in watch:
                    if isinstance(event, Compacting):
                        await asyncio.sleep(0.01)
                        await stopped(conversation)
                        return
                    if isinstance(event, TurnOver):
                        break
    pytest.fail("nothing was compacted")


@pytest.mark.parametrize("stop", [Conversation.cancel, Conversation.close])
@in_idle_time()
async def test_in_a_compaction_that_somebody_asked_for(stop: Callable[[Conversation], Awaitable[object]]) -> None:
    """
    Who asked for it is told that it was stopped, also when the conversation is closed.
    """
    made = setup(scripted(*["It was a long day at the harbour. " * 60] * 8), summary_model="titler")
    heard = asyncio.Event()
    troupe = Troupe(scripted(*["It was a long day. " * 60] * 8), scripted(mute(heard), name="titler"))
    async with await volatile(replace(made, models=troupe)) as conversation:
        for number in range(8):
            await turn(conversation, f"note {number}")
        asked = asyncio.create_task(conversation.compact())
        await heard.wait()
        await at_once(stop(conversation))
        with pytest.raises(ContextError, match="stopped"):
            await asked


@in_idle_time()
async def test_while_a_title_is_drawn() -> None:
    """
    The next turn is stopped, the title is still being drawn, and closing waits for neither.
    """
    titler = Deaf()
    model = scripted("At noon.", SILENT)
    made = setup(model, titles=True, title_model="titler")
    conversation = await volatile(replace(made, models=DeafTroupe(titler, model, name="titler")))
    await turn(conversation, "When?")
    await titler.asked.wait()
    assert not await conversation.cancel()
    await until(conversation, TextStreamed)
    await stopped(conversation)
    await at_once(conversation.close())
    assert [] == [e for e in await entries(conversation.session) if isinstance(e, Described)]
    titler.release.set()


@in_idle_time()
async def test_a_titler_that_falls_silent_is_given_up() -> None:
    """
    The session simply has no title; who watches is told.
    """
    model, titler = scripted("At noon."), scripted(MUTE, name="titler")
    made = setup(model, titler, titles=True, title_model="titler", retry=RetryPolicy(idle=0.01))
    async with await volatile(made) as conversation:
        with conversation.watch() as watch:
            await conversation.send("When?")
            async for event in watch:
                if "no title" in str(event):
                    break


@in_idle_time()
async def test_the_person_may_take_longer_than_the_tool() -> None:
    """
    The wait for an answer is not counted in the time of a call.
    """

    async def ask(_: str, context: ToolContext) -> str:
        return await context.question("Which one?")

    tool = PlainTool("look", ask, seconds=0.05)
    model = scripted(calling(("look", "{}")), "Blue, then.")
    async with await volatile(setup(model, tools=[tool])) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, Asked):
                    await asyncio.sleep(0.15)
                    assert conversation.answer(event.question.id, Said(text="blue"))
                if isinstance(event, TurnOver):
                    break

        assert "blue" == model.requests[1].messages[-1].parts[0].text  # type: ignore[union-attr]
