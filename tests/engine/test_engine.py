"""The engine: sessions are opened once, shared, left and closed, whatever goes wrong on the way."""

import asyncio
import gc
from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast import ManualClock, NoSession, Scripted, Text, UserSaid, open_store, open_volatile
from holdfast.agent.tool import FixedTools
from holdfast.engine.engine import Engine
from holdfast.errors import Closed, LogError
from holdfast.session.store import Store
from holdfast.stores.scan_catalog import ScanningCatalog
from holdfast.stores.volatile import VolatileStore
from tests.agent.troupe import Troupe, entries, scripted, setup

SILENT = Scripted(parts=(Text(text="Once upon a time there was a harbour"),), after=1, failure="silence")


class Box(FixedTools):
    """Tools that know whether they were closed."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0

    async def close(self) -> None:
        self.closed += 1


async def test_a_conversation_that_was_closed_is_opened_again() -> None:
    """
    By whomever it was closed, also while it still closes.
    """
    async with Engine(open_volatile(), setup(scripted(SILENT, "Here."))) as engine:
        first = await engine.open("a")
        await first.send("go")
        closing = asyncio.create_task(first.close())
        await asyncio.sleep(0)
        second = await engine.open("a")
        await closing

        assert first is not second
        assert not second.closed
        await second.send("again")
        assert "answered" == (await second.idle()).why  # type: ignore[union-attr]


async def test_a_session_is_left_and_opened_by_one_at_a_time() -> None:
    """
    Who opens it while it is being left waits, and is not told that somebody holds it.
    """
    async with Engine(open_volatile(), setup(scripted(SILENT))) as engine:
        first = await engine.open("a")
        await first.send("go")
        _, second = await asyncio.gather(engine.leave("a"), engine.open("a"))

        assert first is not second


async def test_a_session_that_is_waited_for_keeps_no_other() -> None:
    """
    Opening another one goes on meanwhile.
    """
    store = open_volatile()
    held = await store.open("held")
    async with Engine(store, setup(scripted())) as engine:
        waiting = asyncio.create_task(engine.open("held", wait=30.0))
        await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await engine.open("free")
        await held.close()
        await waiting


async def test_keys_that_are_opened_and_left_cost_nothing_for_ever() -> None:
    """
    A program that has had ten thousand conversations is no larger than one that has had none.
    """
    async with Engine(open_volatile(), setup(scripted())) as engine:
        before = sum(isinstance(each, asyncio.Lock) for each in gc.get_objects())
        for number in range(50):
            await engine.open(f"k{number}")
            await engine.leave(f"k{number}")
        gc.collect()

        assert 10 > sum(isinstance(each, asyncio.Lock) for each in gc.get_objects()) - before


async def test_messages_are_sent_by_key(tmp_path: Path) -> None:
    """
    A resend with the same client id is one message.
    """
    async with Engine(open_store(tmp_path, clock=ManualClock()), setup(scripted("Heard."))) as engine:
        first = await engine.send("a", "hello", client_id="m1")
        assert first == await engine.send("a", "hello", client_id="m1")
        conversation = await engine.open("a")
        await conversation.idle()

        assert 1 == sum(isinstance(entry, UserSaid) for entry in await entries(conversation.session))
        with pytest.raises(NoSession):
            await engine.open("b", create=False)


class Broken(VolatileStore):
    """A store that cannot be closed."""

    async def close(self) -> None:
        raise LogError("the disk is gone")


async def test_everything_is_closed_although_something_fails() -> None:
    """
    Processes of tools and connections of models are not left behind, and the failure is told.
    """
    box, troupe = Box(), Troupe(scripted(SILENT))
    logs = Broken(clock=ManualClock())
    made = replace(setup(), models=troupe, toolbox=box)
    engine = Engine(Store(logs, ScanningCatalog(logs), ManualClock()), made)
    conversation = await engine.open("a")
    await conversation.send("go")

    with pytest.raises(LogError):
        await engine.close()

    assert (1, True, True) == (box.closed, troupe.closed, conversation.closed)
    assert not conversation.busy


async def test_a_stop_by_key_stops_that_one() -> None:
    """
    Whether something ran is the answer.
    """
    async with Engine(open_volatile(), setup(scripted(SILENT, SILENT))) as engine:
        await engine.send("a", "go")
        await engine.send("b", "go")

        assert await engine.cancel("a")
        assert not await engine.cancel("a")
        assert not await engine.cancel("c")
        assert (await engine.open("b")).busy


async def test_what_was_never_opened_is_left_and_closed_too() -> None:
    """
    A host need not know whether there is anything to leave.
    """
    async with Engine(open_volatile(), setup(scripted())) as engine:
        await engine.leave("talk")

    with pytest.raises(Closed):
        await engine.attach("talk")
