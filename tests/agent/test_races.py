"""Saying, stopping and closing at the worst moment: nothing is lost, doubled or left without its end."""

import asyncio
import gc
from collections.abc import Sequence
from contextlib import suppress

import pytest
from msgspec.structs import replace

from holdfast import (
    CommandRan,
    ManualClock,
    ModelReplied,
    Scripted,
    Text,
    TurnEnded,
    Unavailable,
    UserSaid,
    open_volatile,
)
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import Appended, Event, FellBack, TextStreamed, TurnOver
from holdfast.agent.limits import RetryPolicy
from holdfast.agent.models import ChatModel
from holdfast.context.compact.summary import Sections
from holdfast.errors import Closed, ContextError
from holdfast.model.protocol import Request
from holdfast.records.entries import ToolFinished
from holdfast.records.parts import plain_text
from holdfast.stores.volatile import VolatileStore
from tests.agent.slow import SlowWriter, slow_session
from tests.agent.troupe import PlainTool, Troupe, calling, entries, opened, scripted, setup, turn, until_over, volatile

SILENT = Scripted(parts=(Text(text="Once upon a time there was a harbour"),), after=1, failure="silence")


async def slow(*models: object, **more: object) -> tuple[Conversation, SlowWriter]:
    """A conversation on a log that takes its time."""
    session, writer = await slow_session(VolatileStore(clock=ManualClock()))
    return await open_conversation(session, setup(*models, **more)), writer  # type: ignore[arg-type]


async def said(conversation: Conversation) -> list[tuple[str, str]]:
    """What was said, and when it was to be heard."""
    return [(e.enters, plain_text(e.parts)) for e in await entries(conversation.session) if isinstance(e, UserSaid)]


async def ends(conversation: Conversation) -> list[str]:
    """How turns ended, in order."""
    return [entry.why for entry in await entries(conversation.session) if isinstance(entry, TurnEnded)]


def overs(seen: Sequence[Event]) -> list[str]:
    """How the watchers were told that turns ended."""
    return [event.ended.why for event in seen if isinstance(event, TurnOver)]


async def test_two_who_speak_at_once_are_both_heard_in_one_turn() -> None:
    """
    The second does not find a turn that nobody works on while the first is still being written down.
    """
    model = scripted(*["Yes, both."] * 2)
    conversation, writer = await slow(model)
    async with conversation:
        second: list[asyncio.Task[object]] = []

        async def meanwhile() -> None:
            second.append(asyncio.create_task(conversation.send("and you")))
            await asyncio.sleep(0)

        writer.committing.append(meanwhile)
        await conversation.send("hello")
        await asyncio.gather(*second)
        await conversation.idle()

        assert [("now", "hello"), ("step", "and you")] == await said(conversation)
        assert ["answered"] == await ends(conversation)


async def test_words_that_come_while_a_request_is_made_are_heard_by_the_next_step() -> None:
    """
    The request was put together without them, so its reply has not heard them.
    """
    model = scripted("To the beach.", "To the harbour, then.")
    conversation, writer = await slow(model)
    async with conversation:

        async def steer() -> None:
            # The request stands; what remains is the wait for the disk.
            await conversation.session.append(UserSaid(parts=(Text(text="not the beach"),), enters="step"))

        async def saying() -> None:
            writer.committing.append(steer)

        writer.committing.append(saying)
        await conversation.send("where to?")
        await conversation.idle()

        assert ["To the beach.", "not the beach"] == [plain_text(m.parts) for m in model.requests[1].messages[-2:]]
        assert ["answered"] == await ends(conversation)


async def test_a_stop_right_after_the_words_stops_them() -> None:
    """
    Also before the turn could begin; it has its end in the log, and whoever watches is told.
    """
    async with await volatile(setup(scripted("never said"))) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            assert await conversation.cancel()
            seen = await asyncio.wait_for(until_over(watch), 60)

        assert ["cancelled"] == overs(seen) == await ends(conversation)
        assert not conversation.busy


class Slow(Troupe):
    """Models that take for ever to be found."""

    def __init__(self) -> None:
        super().__init__(scripted())
        self.asked = asyncio.Event()

    async def usual(self) -> ChatModel:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_stop_while_the_model_is_looked_for_ends_the_turn() -> None:
    """
    Looking for one nearby, or fetching it, may take long.
    """
    troupe = Slow()
    async with await volatile(replace(setup(), models=troupe)) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            await troupe.asked.wait()
            assert await conversation.cancel()
            seen = await asyncio.wait_for(until_over(watch), 60)

        assert ["cancelled"] == overs(seen) == await ends(conversation)


async def test_a_model_that_is_not_to_be_had_fails_the_turn() -> None:
    """
    The reason is in the log, and the next words begin another turn.
    """
    store = open_volatile()
    async with await opened(store, setup(scripted("Here."), model="missing")) as conversation:
        seen = await turn(conversation, "go")

        assert ["failed"] == overs(seen) == await ends(conversation)
        ended = await conversation.idle()
        assert ended is not None
        assert "There is no model 'missing'" in ended.note
        await conversation.use_model("small")
        assert ["answered"] == overs(await turn(conversation, "again"))


async def test_a_stop_while_a_stop_is_written_down_is_one_stop() -> None:
    """
    The turn has one end, whoever watches hears of it, and what waited is begun with.
    """
    model = scripted(SILENT, "And then.")
    conversation, writer = await slow(model)
    async with conversation:
        stops: list[asyncio.Task[bool]] = []

        async def stop() -> None:
            stops.append(asyncio.create_task(conversation.cancel()))
            for _ in range(3):
                await asyncio.sleep(0)

        with conversation.watch() as watch:
            await conversation.send("tell me")
            async for event in watch:
                if isinstance(event, TextStreamed):
                    break
            await conversation.send("and then?", enters="after")
            writer.appending["TurnEnded"] = stop
            await conversation.cancel()
            seen = [*await until_over(watch), *await until_over(watch)]
        await asyncio.gather(*stops)

        assert ["cancelled", "answered"] == overs(seen) == await ends(conversation)


async def test_a_stop_while_an_answer_ends_leaves_it_answered() -> None:
    """
    What is being written down is written down, and told as it was.
    """
    conversation, writer = await slow(scripted("Here."))
    async with conversation:
        stops: list[asyncio.Task[bool]] = []

        async def stop() -> None:
            stops.append(asyncio.create_task(conversation.cancel()))
            for _ in range(3):
                await asyncio.sleep(0)

        writer.appending["TurnEnded"] = stop
        seen = await asyncio.wait_for(turn(conversation, "go"), 60)
        await asyncio.gather(*stops)

        assert ["answered"] == overs(seen) == await ends(conversation)


async def test_words_whose_sender_went_away_are_answered() -> None:
    """
    Once they are in the log the agent is at work on them, whether or not somebody waits for the acknowledgement.
    """
    conversation, writer = await slow(scripted("Heard."))
    async with conversation:
        reached = asyncio.Event()

        async def hold() -> None:
            reached.set()
            for _ in range(5):
                await asyncio.sleep(0)

        writer.committing.append(hold)
        sending = asyncio.create_task(conversation.send("hello?", client_id="m1"))
        await reached.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        await conversation.idle()

        assert ["answered"] == await ends(conversation)


async def test_a_conversation_is_idle_when_a_stop_returns() -> None:
    """
    So that whoever stopped it can go back in it at once.
    """
    async with await volatile(setup(scripted("one", SILENT))) as conversation:
        await turn(conversation, "first")
        here = conversation.state.head
        await conversation.send("second")
        await conversation.cancel()

        assert not conversation.busy
        await conversation.rewind(here)


async def test_nothing_is_said_while_a_conversation_closes() -> None:
    """
    Who comes too late is told so; what was being written down stays.
    """
    conversation, writer = await slow(scripted(SILENT))
    waiting: list[asyncio.Task[object]] = []

    async def close() -> None:
        waiting.append(asyncio.create_task(conversation.close()))
        await asyncio.sleep(0)
        waiting.append(asyncio.create_task(conversation.send("too late")))
        await asyncio.sleep(0)

    writer.committing.append(close)
    await conversation.send("hello")
    closed, late = await asyncio.gather(*waiting, return_exceptions=True)

    assert closed is None
    assert isinstance(late, Closed)
    assert [("now", "hello")] == [
        (e.enters, plain_text(e.parts)) for e in await entries(conversation.session) if isinstance(e, UserSaid)
    ]


async def test_two_who_close_at_once_close_once() -> None:
    """
    Neither waits for the other for ever.
    """
    conversation = await volatile(setup(scripted(SILENT)))
    await conversation.send("go")
    async with asyncio.timeout(60):
        await asyncio.gather(conversation.close(), conversation.close(), conversation.cancel())

    assert conversation.closed


async def test_a_tool_that_gives_itself_up_is_a_failed_tool() -> None:
    """
    A cancellation that nobody asked for stops neither the turn nor the tools beside it.
    """

    async def give_up(*_: object) -> None:
        raise asyncio.CancelledError

    tools = [PlainTool("look", give_up), PlainTool("other")]
    model = scripted(calling(("look", "{}"), ("other", '{"text":"b"}')), "I see.")
    async with await volatile(setup(model, tools=tools)) as conversation:
        seen = await turn(conversation, "go")
        results = [e for e in await entries(conversation.session) if isinstance(e, ToolFinished)]

        assert ["answered"] == overs(seen)
        assert {("look", "error"), ("other", "ok")} == {(e.name, e.outcome) for e in results}


async def test_a_provider_that_gives_itself_up_has_broken_off() -> None:
    """
    The model is asked again, and what was shown is kept.
    """

    def give_up(_: Request) -> str:
        raise asyncio.CancelledError

    async with await volatile(setup(scripted(give_up, "Here."))) as conversation:
        seen = await turn(conversation, "go")

        assert ["answered"] == overs(seen)


async def test_a_fallback_that_is_not_to_be_had_is_passed_over() -> None:
    """
    The next one answers; where none is left, the reason is why the first did not.
    """
    first, last = scripted(Unavailable("503"), Unavailable("502")), scripted("I am here.", name="other")
    retry = RetryPolicy(attempts=1)
    async with await volatile(setup(first, last, fallbacks=("missing", "other"), retry=retry)) as conversation:
        seen = await turn(conversation, "go")
        assert ["other"] == [event.model for event in seen if isinstance(event, FellBack)]
        assert ["answered"] == overs(seen)
    first = scripted(Unavailable("502"))
    async with await volatile(setup(first, fallbacks=("missing",), retry=retry)) as conversation:
        await turn(conversation, "go")
        ended = await conversation.idle()
        assert ended is not None
        assert "502" in ended.note


async def test_what_nobody_foresaw_is_told_and_not_swallowed() -> None:
    """
    A fault of our own ends the turn for whoever watches, and reaches whoever runs the loop.
    """
    faults: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    conversation = await volatile(setup(scripted(Unavailable("503")), draw=lambda: 1 / 0))
    with conversation.watch() as watch:
        await conversation.send("go")
        seen = await asyncio.wait_for(until_over(watch), 60)
    await conversation.close()
    del conversation
    gc.collect()

    assert ["failed"] == overs(seen)
    assert [ZeroDivisionError] == [type(each["exception"]) for each in faults]


async def test_every_entry_is_seen_once_and_in_order() -> None:
    """
    By whoever watches from the beginning, whatever is said and stopped meanwhile.
    """
    tool = PlainTool("look")
    model = scripted(calling(("look", "{}"), ("look", "{}", "b")), "One.", SILENT, "Two.")
    async with await volatile(setup(model, tools=[tool])) as conversation:
        with conversation.watch() as watch:
            await conversation.send("first")
            seen = await until_over(watch)
            await conversation.send("second")
            await conversation.send("third", enters="after")
            await conversation.cancel()
            await conversation.idle()
            conversation.watch()
        seen += [event async for event in watch]
        positions = [event.record.pos for event in seen if isinstance(event, Appended)]

        assert list(range(positions[0], conversation.state.last + 1)) == positions


async def test_so_is_what_a_program_adds_to_the_session_itself() -> None:
    """
    Hundreds of entries, at once and one by one, with nothing else happening between them.
    """
    async with await volatile(setup(scripted("One."))) as conversation:
        with conversation.watch() as watch:
            await conversation.session.append(*[CommandRan(command=f"/note {number}") for number in range(300)])
            for number in range(300):
                await conversation.session.append(CommandRan(command=f"/note {number}"))
            await conversation.send("go")
            seen = await until_over(watch)
        positions = [event.record.pos for event in seen if isinstance(event, Appended)]

        assert list(range(1, conversation.state.last + 1)) == positions


async def test_so_are_the_results_of_hundreds_of_calls_that_were_stopped() -> None:
    """
    A model that calls a tool three hundred times in one reply is stopped in the first of them.
    """
    begun = asyncio.Event()

    async def wait(*_: object) -> None:
        begun.set()
        await asyncio.Event().wait()

    model = scripted(calling(*[("look", "{}", f"c{number}") for number in range(300)]))
    async with await volatile(setup(model, tools=[PlainTool("look", wait)])) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            await begun.wait()
            await conversation.cancel()
            seen = await until_over(watch)
        positions = [event.record.pos for event in seen if isinstance(event, Appended)]

        assert list(range(positions[0], conversation.state.last + 1)) == positions
        assert 300 == sum(isinstance(entry, ToolFinished) for entry in await entries(conversation.session))


async def test_going_back_waits_for_nobody_who_speaks() -> None:
    """
    What is said while a window is made smaller is written down after it, and begins a turn.
    """
    conversation, writer = await slow(scripted("one", "two"))
    async with conversation:
        await turn(conversation, "first")
        second: list[asyncio.Task[object]] = []

        async def speak() -> None:
            second.append(asyncio.create_task(conversation.send("second")))
            for _ in range(3):
                await asyncio.sleep(0)

        writer.appending["Rewound"] = speak
        await conversation.rewind(conversation.state.head - 1)
        await asyncio.gather(*second)
        await conversation.idle()

        assert [("now", "first"), ("now", "second")] == await said(conversation)
        assert 2 == len([e for e in await entries(conversation.session) if isinstance(e, ModelReplied)])


async def test_whoever_gives_a_compaction_up_leaves_when_it_has_ended() -> None:
    """
    Until then the session is nobody else's, or two would write at once.
    """
    summary = Sections(goal="To know the tides.").text()
    conversation, writer = await slow(scripted(*["It was a long day at the harbour. " * 60] * 8, summary))
    done: list[bool] = []
    async with conversation:
        for number in range(8):
            await turn(conversation, f"note {number}")

        async def give_up() -> None:
            asked.cancel()
            for _ in range(5):
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(0)
            done.append(asked.done())

        writer.appending["Compacted"] = give_up
        asked = asyncio.create_task(conversation.compact())
        with pytest.raises(asyncio.CancelledError):
            await asked

        assert [False] == done
        assert not await conversation.cancel()


async def test_a_compaction_of_a_session_that_was_just_opened_can_be_stopped() -> None:
    """
    There was no turn yet in this process, and nothing is written.
    """
    store = open_volatile()
    async with await opened(store, setup(scripted(*["It was a long day at the harbour. " * 60] * 8))) as before:
        for number in range(8):
            await turn(before, f"note {number}")
    async with await opened(store, setup(scripted(SILENT))) as conversation:
        last = conversation.state.last
        asked = asyncio.create_task(conversation.compact())
        for _ in range(20):
            await asyncio.sleep(0)

        assert await conversation.cancel()
        with pytest.raises(ContextError, match="stopped"):
            await asked
        assert last == conversation.state.last
