"""A whole turn of Holdfast beside the model: everything of the agent is real but the model, which answers at once."""

import asyncio
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable
from itertools import count as numbers
from itertools import cycle
from pathlib import Path

from msgspec.structs import replace

import holdfast
from bench.building import KEY, leave_catalog_behind, store_in
from bench.child import SHORT, Job, Task
from bench.headless import Figure, Headless, client
from bench.texts import said
from bench.turn_rows import LINES, SILENT, STEPS
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import Event, TurnOver
from holdfast.agent.models import ChatModel
from holdfast.agent.permissions import Rule
from holdfast.agent.setup import AgentSetup
from holdfast.assembly.agent import Wishes, open_runtime
from holdfast.config.load import read
from holdfast.hosts.terminal.draw.activity import Activity, Look
from holdfast.hosts.terminal.draw.theme import NONE
from holdfast.log.store import Durability
from holdfast.model.protocol import CallDelta, Delta, Finished, Model, Request, Target, TextDelta

TARGET = Target(family="openai-chat", model="instant", provider="bench")
PATH = "/usr/bin:/bin"
WORKSPACE = "workspace"
"""The folder below that of a job in which its agent works."""
_LISTED = '{"items":[{"text":"measure","state":"doing"}]}'


class Instant:
    """A model that answers at once: `steps` calls, of the tool that only makes a list, then a reply of some deltas."""

    target = TARGET

    def __init__(self, steps: int, deltas: int, call: tuple[str, str] = ("todo", _LISTED)) -> None:
        self._steps, self._deltas, self._call = steps, deltas, call
        self._taken = 0

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """The next step of a turn."""
        del request
        if self._taken < self._steps:
            self._taken += 1
            name, arguments = self._call
            yield CallDelta(index=0, id=f"call-{self._taken}", name=name, arguments=arguments)
            yield Finished(stop="called")
            return
        self._taken = 0
        async for delta in reply(self._deltas):
            yield delta


async def reply(deltas: int) -> AsyncIterator[Delta]:
    """A reply in pieces, as they come from a connection: the event loop has its turn after each."""
    for _ in range(deltas):
        yield TextDelta(text="word ")
        await asyncio.sleep(0)
    yield Finished()


class Alone:
    """The one model there is."""

    def __init__(self, model: Model) -> None:
        self._chat_model = ChatModel(name="bench:instant", model=model)

    async def named(self, name: str) -> ChatModel:
        """The model, whatever it is called."""
        del name
        return self._chat_model

    async def usual(self) -> ChatModel:
        """The model."""
        return self._chat_model

    async def close(self) -> None:
        """Nothing is held."""


class Turns:
    """Turns in a session, one after the other, with one who watches.

    Each child, and each round of a short session, goes on in a fork of its own.
    """

    def __init__(
        self,
        job: Job,
        model: Instant,
        durability: Durability,
        clock: Callable[[], float] = time.perf_counter,
        seen: Callable[[Event], object] = lambda _: None,
    ) -> None:
        leave_catalog_behind()
        self._clock, self._seen = clock, seen
        self._short = job.size <= SHORT
        self._store = holdfast.open_store(store_in(job.template), durability=durability)
        self._names = (f"{job.task} {time.time_ns()} {number}" for number in numbers())
        self._words = cycle(said())
        self._runner = asyncio.Runner()
        self._setup = agent_setup(job, Alone(model), Rule(tool="shell", decision="allow"))
        self._conversation = self._runner.run(self._fork())

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each turn, by the clock that was given."""
        return self._runner.run(self._round(count, seconds))

    def close(self) -> None:
        """Close the session; the store would wait for its catalog."""
        self._runner.run(self._conversation.close())
        self._runner.close()

    async def _round(self, count: int, seconds: float) -> list[float]:
        if self._short:
            await self._conversation.close()
            self._conversation = await self._fork()
        samples: list[float] = []
        end = time.perf_counter() + seconds
        while len(samples) < count and (not samples or time.perf_counter() < end):
            samples.append(await self._turn(self._conversation))
        return samples

    async def _fork(self) -> Conversation:
        """A copy of the session with its agent, and one turn behind them, which opens what later ones find open."""
        name = next(self._names)
        await self._store.fork(KEY, name)
        conversation = await open_conversation(await self._store.open(name), self._setup)
        await self._turn(conversation)
        return conversation

    async def _turn(self, conversation: Conversation) -> float:
        """From saying something until whoever watches sees that the turn is over."""
        words = next(self._words)
        with conversation.watch() as watch:
            before = self._clock()
            await conversation.send(words)
            async for event in watch:
                self._seen(event)
                if isinstance(event, TurnOver):
                    took = self._clock() - before
                    if event.ended.why != "answered":
                        raise LookupError(f"the turn ended as {event.ended.why}: {event.ended.note}")
                    return took
        raise LookupError("the conversation was closed")


def agent_setup(job: Job, models: Alone, *rules: Rule) -> AgentSetup:
    """An agent with the usual settings and tools, in an empty workspace, and what is allowed besides.

    What asks a model beside the turn, which is titles and summaries, is left out.
    """
    workspace = job.path(WORKSPACE)
    (workspace / ".holdfast").mkdir(parents=True)  # or else it belonged to the checkout around it
    environment = {"HOME": job.folder, "PATH": PATH}
    agent = open_runtime(read(environment, where=workspace), Wishes(titles=False, rules=rules), environment=environment)
    return replace(agent.engine.setup, models=models, compaction=None)


def _headless(figure: Figure) -> Callable[[Job], Task]:
    """The command itself, on a copy of the session in a store of its own."""

    def task(job: Job) -> Task:
        store = job.path("store")
        shutil.copytree(store_in(job.template), store)
        holdfast_command = str(Path(sys.executable).with_name("holdfast"))
        return Headless(
            figure,
            [holdfast_command, "--store", str(store), "-p", "hello", "--session", KEY],
            lambda address: {
                "HOME": job.folder,
                "PATH": PATH,
                "OPENAI_API_KEY": "none",
                "OPENAI_BASE_URL": address,
            },
        )

    return task


def _turn(steps: int, durability: Durability, clock: Callable[[], float] = time.perf_counter) -> Callable[[Job], Task]:
    return lambda job: Turns(job, Instant(steps, 1), durability, clock)


def _tool_lines(*, shown: bool) -> Callable[[Job], Task]:
    """A turn with one command that prints many lines, with what a chat shows of it drawn or not."""

    def task(job: Job) -> Task:
        model = Instant(1, 1, ("shell", f'{{"command":"seq {LINES}"}}'))
        activity = Activity(Look(theme=NONE, width=80))
        return Turns(job, model, "os", time.process_time, activity.spaced if shown else lambda _: None)

    return task


TASKS: dict[str, Callable[[Job], Task]] = {
    **{f"turn/{steps}": _turn(steps, "always") for steps in STEPS},
    **{f"turn/{steps} without commits": _turn(steps, "os") for steps in STEPS},
    "turn_cpu/10": _turn(10, "always", time.process_time),
    "turn_cpu/10 without commits": _turn(10, "os", time.process_time),
    "tool_lines": _tool_lines(shown=True),
    f"tool_lines {SILENT}": _tool_lines(shown=False),
    "headless_start": _headless("start"),
    "agent_memory": _headless("memory"),
    "headless_start with the client alone": lambda _: client("start"),
}
"""Each by its name."""
