"""What tools may use of the engine: one port, scoped to the owner of the session whose call uses it."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from holdfast import (
    AlreadyThere,
    AnotherStep,
    Closed,
    Described,
    Engine,
    EnginePort,
    NoSession,
    Session,
    Source,
    Text,
    ToolContext,
    ToolFinished,
    TurnEnded,
    UserSaid,
    WakeSet,
    open_volatile,
)
from holdfast.records.parts import plain_text
from holdfast.session.hooks import Next
from tests.agent.troupe import PlainTool, calling, entries, scripted, setup

DUE = datetime(2100, 1, 1, tzinfo=UTC)


def engine_with(port: EnginePort, work: Callable[[str, ToolContext], object], *script: str, **more: object) -> Engine:
    """An engine whose model calls one tool, then says these lines."""
    model = scripted(calling(("work", '{"text":"bob"}')), *script)
    engine = Engine(open_volatile(), setup(model, tools=[PlainTool("work", work)], **more))
    port.connect(engine)
    return engine


async def said_by(engine: Engine, owner: str) -> None:
    """Something that an owner said in a session called as they are."""
    async with engine.store.session(owner) as session:
        await session.append(Described(owner=owner))
        await session.say(f"the tortoise of {owner}")


async def result(engine: Engine, key: str) -> str:
    """What the call of a session came to, once nothing runs in it."""
    conversation = await engine.open(key)
    await conversation.idle()
    log = await entries(conversation.session)
    return "; ".join(plain_text(each.parts) for each in log if isinstance(each, ToolFinished))


async def test_a_tool_finds_and_reads_only_what_its_owner_said() -> None:
    """
    Sessions of another owner are not found, and asked for by their key they do not exist.
    """
    port = EnginePort()

    async def work(other: str, context: ToolContext) -> str:
        hits = await port.search(context, "tortoise")
        read = [await port.load(context, hit.key, start=hit.pos, stop=hit.pos + 1) for hit in hits]
        for refused in (port.load(context, other), port.open(context, other)):
            with pytest.raises(NoSession, match=f"There is no session '{other}'"):
                await refused
        return repr([record.entry for records in read for record in records])

    async with engine_with(port, work, "Done.") as engine:
        await said_by(engine, "alice")
        await said_by(engine, "bob")
        await engine.begin("asks", Described(owner="alice"))
        await engine.send("asks", "What did I say?")

        found = await result(engine, "asks")
        assert ("the tortoise of alice" in found, "of bob" in found) == (True, False), found


async def test_a_tool_begins_a_child_and_hears_what_came_of_it() -> None:
    """
    The child has the owner and workspace of the session that called, whatever it is begun with, and can be left.
    """
    port = EnginePort()

    async def work(_: str, context: ToolContext) -> str:
        child = await port.begin(context, "child", Described(title="a part", owner="mallory"))
        await child.send("Do your part.", source=Source(host="task"))
        ended = await child.idle()
        with pytest.raises(AlreadyThere):
            await port.begin(context, "child")
        await port.leave(context, "child")
        again = await port.open(context, "child")
        state = again.state
        await port.leave(context, again.key)
        await port.leave(context, context.key)  # a tool cannot close the session that it works for
        return f"{ended and ended.why} {state.title} {state.owner} {state.workspace} {again.closed}"

    async with engine_with(port, work, "My part is done.", "All is done.") as engine:
        await engine.begin("parent", Described(owner="alice", workspace="w"))
        await engine.send("parent", "Have it done.")

        assert "answered a part alice w True" == await result(engine, "parent")
        child = await engine.store.load("child")
        assert "My part is done." in repr(child)


async def test_a_tool_sets_a_wake_in_its_own_session() -> None:
    """
    Durable when it returns; and what it writes is seen by those who watch, where the call stands.
    """
    port = EnginePort()

    async def work(_: str, context: ToolContext) -> str:
        return str(await port.wake_at(context, DUE, why="later", text="Go on."))

    async with engine_with(port, work, "I wait.") as engine:
        await engine.send("talk", "Wait for it.")
        place = int(await result(engine, "talk"))
        (record,) = await engine.store.load("talk", start=place, stop=place + 1)

        assert WakeSet(due=DUE, why="later", text="Go on.") == record.entry
        assert DUE == (await engine.store.due())[0].at


class Once:
    """Goes on once, when it is asked without the end of a turn."""

    async def next_step(self, session: Session, ended: TurnEnded | None) -> Next:
        said = UserSaid(parts=(Text(text="It has happened."),), source=Source(host="timer"))
        return AnotherStep(said=said) if ended is None else None


async def test_what_a_tool_waits_for_is_told_after_its_call() -> None:
    """
    Whoever decides on the next step is asked again, also where the session was closed meanwhile.
    """
    port, contexts = EnginePort(), list[ToolContext]()

    async with engine_with(
        port, lambda _, context: contexts.append(context), "I wait.", "So I go on.", next_step=Once()
    ) as engine:
        await engine.send("talk", "Wait for it.")
        await result(engine, "talk")
        await engine.leave("talk")
        with (await engine.open("talk")).watch() as watch:
            await port.go_on(contexts[0])
            async for event in watch:
                if "So I go on." in repr(event):
                    break

        assert await engine.store.exists("talk")


async def test_a_port_that_leads_nowhere_says_so() -> None:
    """
    A tool that was made by hand and never connected fails with what to do.
    """
    port, failed = EnginePort(), list[str]()

    async def work(_: str, context: ToolContext) -> None:
        with pytest.raises(Closed, match="connected to no engine") as caught:
            await EnginePort().search(context, "x")
        failed.append(str(caught.value))

    async with engine_with(port, work, "Done.") as engine:
        await engine.send("talk", "Try.")
        await result(engine, "talk")

    assert ["This tool is connected to no engine. Call `connect` of the port it was made with."] == failed
