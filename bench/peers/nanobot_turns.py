"""nanobot's agent: a whole turn of its loop with a provider that answers at once, and its command.

Runs inside nanobot's environment. It has the tools it always has, and one more that only returns a word. Nothing is
summed up: the context is as large as need be.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterable
from itertools import count as numbers
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from loguru import logger  # type: ignore[import-not-found]
from nanobot.agent.loop import AgentLoop  # type: ignore[import-not-found]
from nanobot.agent.tools.base import Tool  # type: ignore[import-not-found]
from nanobot.bus.queue import MessageBus  # type: ignore[import-not-found]
from nanobot.config.loader import load_config  # type: ignore[import-not-found]
from nanobot.providers.base import LLMProvider, LLMResponse, ToolCallRequest  # type: ignore[import-not-found]
from nanobot.session.manager import Session, SessionManager  # type: ignore[import-not-found]
from nanobot.utils import helpers  # type: ignore[import-not-found]

from bench.child import SHORT, Job, Task
from bench.headless import Figure, Headless
from bench.texts import said, texts

KEY = "team:alice"
_ROLES = ("user", "assistant")


def manager_in(folder: str) -> SessionManager:
    """The sessions that are kept in a folder."""
    return SessionManager(Path(folder) / "workspace", sessions_root=Path(folder) / "sessions")


def filled(key: str, words: Iterable[str]) -> Session:
    """A session in which a person and a model took turns."""
    session = Session(key=key)
    for number, text in enumerate(words):
        session.add_message(_ROLES[number % 2], text)
    return session


class _Quarters:
    """Four bytes are a token, as everywhere in this bench: its own vocabulary would have to be downloaded."""

    def encode(self, text: str) -> range:
        return range(len(text.encode()) // 4)


class _Instant(LLMProvider):  # type: ignore[misc]
    """Answers at once: so many calls, then a word."""

    def __init__(self, steps: int) -> None:
        super().__init__(provider_name="instant")
        self._steps, self._taken = steps, 0

    async def chat(self, *args: Any, **kwargs: Any) -> LLMResponse:  # noqa: ANN401
        del args, kwargs
        if self._taken < self._steps:
            self._taken += 1
            call = ToolCallRequest(id=f"call-{time.time_ns()}", name="nothing", arguments={})
            return LLMResponse(content="", tool_calls=[call], finish_reason="tool_calls")
        self._taken = 0
        return LLMResponse(content="word ")

    def get_default_model(self) -> str:
        return "instant"


class _Nothing(Tool):  # type: ignore[misc]
    """Does nothing, and says so."""

    name = "nothing"
    description = "Does nothing."
    parameters = {"type": "object", "properties": {}}  # noqa: RUF012
    read_only = True

    async def execute(self, **kwargs: Any) -> str:  # noqa: ANN401
        del kwargs
        return "nothing"


class Turns:
    """Turns in a session, one after the other. A short session is a new one in each round, so that it stays short."""

    def __init__(self, job: Job, steps: int) -> None:
        logger.disable("nanobot")  # as its command does
        helpers._get_token_encoding = _Quarters  # noqa: SLF001
        self._job, self._words = job, cycle(said())
        self._folder = job.folder if job.size <= SHORT else job.template
        self._manager = manager_in(self._folder)
        self._names = (f"team:{number}" for number in numbers())
        self._runner = asyncio.Runner()
        self._loop = self._runner.run(self._opened(steps))
        if job.size > SHORT:
            self._runner.run(self._turn(KEY))

    async def _opened(self, steps: int) -> AgentLoop:
        loop = AgentLoop(
            MessageBus(),
            _Instant(steps),
            Path(self._folder) / "workspace",
            session_manager=self._manager,
            context_window_tokens=100_000_000,
            # Loading settings, of which there are none, is what makes them usable.
            tools_config=load_config(self._job.path("config.json")).tools,
        )
        loop.tools.register(_Nothing())
        return loop

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each turn."""
        return self._runner.run(self._round(count, seconds))

    def close(self) -> None:
        """Close the loop."""
        self._runner.run(self._loop.aclose())
        self._runner.close()

    async def _round(self, count: int, seconds: float) -> list[float]:
        key = KEY
        if self._job.size <= SHORT:
            key = next(self._names)
            self._manager.save(filled(key, islice(texts(1), self._job.size)))
            await self._turn(key)  # loads it, which ours has done too
        samples: list[float] = []
        end = time.perf_counter() + seconds
        while len(samples) < count and (not samples or time.perf_counter() < end):
            samples.append(await self._turn(key))
        return samples

    async def _turn(self, key: str) -> float:
        words = next(self._words)
        before = time.perf_counter()
        answer = await self._loop.process_direct(words, session_key=key)
        took = time.perf_counter() - before
        if answer is None or answer.content.strip() != "word":
            raise LookupError(f"the turn ended otherwise: {answer}")
        return took


def _turn(steps: int) -> Callable[[Job], Task]:
    return lambda job: Turns(job, steps)


def _headless(figure: Figure) -> Callable[[Job], Task]:
    """Its command for one message, in a session of the same length."""

    def task(job: Job) -> Task:
        workspace = job.path("workspace")
        workspace.mkdir()
        SessionManager(workspace).save(filled(KEY, islice(texts(1), job.size)))
        command = [str(Path(sys.executable).with_name("nanobot")), "agent", "-m", "hello", "-s", KEY]
        return Headless(figure, command, lambda address: configured(job, workspace, address))

    return task


def configured(job: Job, workspace: Path, address: str) -> dict[str, str]:
    """Write the settings that lead it to an address, and give the environment in which it finds them."""
    defaults = {"model": "instant", "provider": "custom", "workspace": str(workspace)}
    settings = {
        "providers": {"custom": {"apiKey": "none", "apiBase": address}},
        "agents": {"defaults": defaults},
    }
    file = job.path(".nanobot") / "config.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(settings), encoding="utf-8")
    return {"HOME": job.folder, "PATH": "/usr/bin:/bin"}


TASKS: dict[str, Callable[[Job], Task]] = {
    "turn/0": _turn(0),
    "turn/10": _turn(10),
    "headless_start": _headless("start"),
    "agent_memory": _headless("memory"),
}
"""Each by its name."""
