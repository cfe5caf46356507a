"""What the rows about the agent measure really happens."""

import asyncio
from pathlib import Path

import pytest

from bench.building import KEY, BuildMessages, store_in
from bench.child import Job
from bench.headless import Headless, Stub, bare, client
from bench.turns import TASKS, Instant, reply
from holdfast import ModelReplied, ToolFinished, UserSaid, open_store
from holdfast.model.protocol import Finished, Request, Target, TextDelta
from holdfast.stores.files.catalog import file_catalog

REQUEST = Request(target=Target(family="openai-chat", model="instant"), messages=())
BUILT = 10


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """A session of ten messages, and a folder to measure in."""
    monkeypatch.setattr(file_catalog, "QUIET_SECONDS", file_catalog.QUIET_SECONDS)  # a task keeps the catalog behind
    built, work = tmp_path / "built", tmp_path / "work"
    work.mkdir()
    BuildMessages(Job(task="build messages", size=BUILT, folder=str(built), template="", lines="")).round(1, 0)
    return Job(task="any", size=BUILT, folder=str(work), template=str(built), lines="")


async def test_the_model_takes_its_steps_and_then_answers() -> None:
    """
    Ten calls and an answer, turn after turn.
    """
    model = Instant(10, 1)
    last = [[delta async for delta in model.stream(REQUEST)][-1] for _ in range(22)]

    assert ([Finished(stop="called")] * 10 + [Finished()]) * 2 == last


async def test_a_reply_has_as_many_deltas_as_were_asked_for() -> None:
    """
    What a figure is divided by was streamed.
    """
    assert [TextDelta(text="word ")] * 3 + [Finished()] == [delta async for delta in reply(3)]


async def counted(root: Path) -> dict[bool, list[tuple[int, int, int]]]:
    """What was said, replied and returned in each session, apart for the one that was built and for its forks."""
    found: dict[bool, list[tuple[int, int, int]]] = {True: [], False: []}
    async with open_store(root) as store:
        for listed in (await store.list()).sessions:
            entries = [record.entry for record in await store.load(listed.key)]
            said, replied, returned = (
                sum(isinstance(entry, kind) for entry in entries) for kind in (UserSaid, ModelReplied, ToolFinished)
            )
            found[listed.key == KEY].append((said - BUILT // 2, replied - BUILT // 2, returned))
    return found


@pytest.mark.parametrize(("task", "steps"), [("turn/0", 0), ("turn/10", 10), ("turn/10 without commits", 10)])
def test_every_figure_is_a_turn_that_was_written_down(job: Job, task: str, steps: int) -> None:
    """
    With all of its steps, in a fork; the session that everyone starts from stays as it was.
    """
    running = TASKS[task](job)
    samples = running.round(2, 60.0)
    running.close()
    found = asyncio.run(counted(store_in(job.template)))

    assert 2 == len(samples)
    assert [(0, 0, 0)] == found[True]
    # A fork begins with a turn that is not measured, and the first round of a short session has one of its own.
    assert [(1, 1 + steps, steps), (3, 3 * (1 + steps), 3 * steps)] == sorted(found[False])


def test_the_command_asks_once_and_its_start_and_memory_are_measured(job: Job) -> None:
    """
    The real command, led to a server on loopback by its environment alone.
    """
    start, memory = TASKS["headless_start"](job), TASKS["agent_memory"](_elsewhere(job))
    seconds, bytes_ = start.round(1, 0), memory.round(1, 0)
    start.close()
    memory.close()

    assert 0 < seconds[0] < 60
    assert 10e6 < bytes_[0] < 1e9


def _elsewhere(job: Job) -> Job:
    folder = Path(job.folder) / "second"
    folder.mkdir()
    return Job(task=job.task, size=job.size, folder=str(folder), template=job.template, lines="")


def test_the_programs_beside_the_command_ask_too() -> None:
    """
    What is held against the command sends a request to the same kind of server.
    """
    for program in (bare("start"), client("start"), bare("memory")):
        assert all(figure > 0 for figure in program.round(1, 0))
        program.close()


def test_a_command_that_asks_nothing_is_no_figure() -> None:
    """
    A program that fails before its request has no start that could be told.
    """
    with pytest.raises(RuntimeError, match="after 0 requests"):
        Headless("start", ["/bin/true"], lambda _: {})


def test_the_stub_has_an_address_of_its_own() -> None:
    """
    Contenders that take turns do not ask each other's.
    """
    first, second = Stub(), Stub()

    assert first.address != second.address
    for stub in (first, second):
        stub.shutdown()
        stub.server_close()
