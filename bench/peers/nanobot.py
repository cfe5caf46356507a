"""nanobot's sessions: a message is added and the session saved, as its agent loop does.

Runs inside nanobot's environment. A session is one file that is written anew at each save; loading reads all of it,
and so does opening it for the next turn.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

from nanobot.session import manager  # type: ignore[import-not-found]
from nanobot.session.manager import Session  # type: ignore[import-not-found]

from bench.child import SHORT, Job, Task, bytes_written, serve, timed
from bench.command_time import command_time
from bench.conversation import ROOM, Ledger, Line, Replay, conversation, counted
from bench.peers.nanobot_terminal import TASKS as TERMINALS
from bench.peers.nanobot_turns import KEY, TASKS, filled, manager_in
from bench.texts import said, texts

_ROLES = ("user", "assistant")
_MESSAGES = 120


class Build:
    """Makes what the other tasks start from: one session of `size` messages, or `size` sessions of two."""

    def __init__(self, job: Job, *, many: bool) -> None:
        self._job = job
        self._many = many

    def round(self, count: int, seconds: float) -> list[float]:
        """Write it once."""
        del count, seconds
        manager = manager_in(self._job.folder)
        words = cycle(said()) if self._many else texts(1)
        names = {f"team:{number}": 2 for number in range(self._job.size)} if self._many else {KEY: self._job.size}
        for key, size in names.items():
            manager.save(filled(key, islice(words, size)))
            manager.invalidate(key)
        return []

    def close(self) -> None:
        """Nothing is open."""


class Append:
    """Add a message and save. A short session is a new one in each round, so that it stays short."""

    def __init__(self, job: Job, *, fsync: bool) -> None:
        self._job = job
        self._fsync = fsync
        self._said = cycle(said())
        self._manager = manager_in(job.folder if job.size <= SHORT else job.template)
        self._session = self._manager.get_or_create(KEY)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each add and save."""
        if self._job.size <= SHORT:
            self._session = filled(KEY, said()[: self._job.size])
        return timed(self.step, count, seconds)

    def close(self) -> None:
        """Nothing is open."""

    def step(self) -> None:
        """Say one thing."""
        self._session.add_message("user", next(self._said))
        self._manager.save(self._session, fsync=self._fsync)


class Parallel:
    """Many sessions of one manager, each saved with fsync from a thread of its own."""

    def __init__(self, job: Job, writers: int) -> None:
        self._manager = manager_in(job.folder)
        self._sessions = [Session(key=f"team:{number}") for number in range(writers)]

    def round(self, count: int, seconds: float) -> list[float]:
        """Durable saves per second, all threads together."""
        del seconds
        before = time.perf_counter()
        with ThreadPoolExecutor(len(self._sessions)) as pool:
            list(pool.map(lambda session: self._work(session, count), self._sessions))
        return [len(self._sessions) * count / (time.perf_counter() - before)]

    def close(self) -> None:
        """Nothing is open."""

    def _work(self, session: Session, count: int) -> None:
        for number in range(count):
            session.add_message("user", said()[number])
            self._manager.save(session, fsync=True)


class Amplification:
    """All bytes written until a session has its messages, one save for each."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def round(self, count: int, seconds: float) -> list[float]:
        """Bytes written per byte said."""
        del count, seconds
        words = said()[: self._job.size]
        before = bytes_written()
        manager = manager_in(self._job.folder)
        session = manager.get_or_create(KEY)
        for number, text in enumerate(words):
            session.add_message(_ROLES[number % 2], text)
            manager.save(session)
        return [(bytes_written() - before) / sum(len(text.encode()) for text in words)]

    def close(self) -> None:
        """Nothing is open."""


class Load:
    """Load a session that is not in the manager's cache."""

    def __init__(self, job: Job) -> None:
        self._manager = manager_in(job.template)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each load."""
        return timed(self._load, count, seconds)

    def close(self) -> None:
        """Nothing is open."""

    def _load(self) -> None:
        self._manager.invalidate(KEY)
        if not self._manager.get_or_create(KEY).messages:
            raise LookupError("the session is empty")


class Newest:
    """The sessions, newest first; there is no way to ask for fifty."""

    def __init__(self, job: Job) -> None:
        self._manager = manager_in(job.template)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each listing."""
        return timed(lambda: self._manager.list_sessions()[:50], count, seconds)

    def close(self) -> None:
        """Nothing is open."""


def _count_alike() -> None:
    """Count tokens as everyone does here.

    Its own counter downloads a vocabulary when it is first used; where it cannot, it tries again for each message.
    """
    manager.estimate_message_tokens = _tokens


def _tokens(message: Mapping[str, object]) -> int:
    calls = message.get("tool_calls", [])
    texts = [str(message.get("content", "")), str(message.get("name", ""))]
    for call in calls if isinstance(calls, list) else []:
        texts += [call["function"]["name"], call["function"]["arguments"]]
    return counted(*texts)


class NextWindow:
    """Someone says something, and the session gives as much of itself as a number of tokens allows."""

    def __init__(self, job: Job, tokens: int) -> None:
        _count_alike()
        self._job, self._tokens = job, tokens
        self._said = cycle(said())
        self._session = manager_in(job.template).get_or_create(KEY)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each history."""
        if self._job.size <= SHORT:
            self._session = filled(KEY, said()[: self._job.size])
        samples: list[float] = []
        end = time.perf_counter() + seconds
        while len(samples) < count and (not samples or time.perf_counter() < end):
            self._session.add_message("user", next(self._said))
            samples += timed(lambda: self._session.get_history(max_tokens=self._tokens), 1, 0)
            self._session.add_message("assistant", next(self._said))
        return samples

    def close(self) -> None:
        """Nothing is open."""


def _added(session: Session, line: Line) -> dict[str, object]:
    """Say a line, and give it as a request holds it."""
    functions = [{"name": call.name, "arguments": call.arguments} for call in line.calls]
    calls = [
        {"id": call.id, "type": "function", "function": function}
        for call, function in zip(line.calls, functions, strict=True)
    ]
    more: dict[str, object] = {"tool_calls": calls} if calls else {}
    if line.call:
        more = {"tool_call_id": line.call, "name": line.name}
    session.add_message(line.role, line.text, **more)
    return {"role": line.role, "content": line.text, **more}


def _play(ledger: Ledger) -> None:
    """As its agent loop does: the history is asked for when a turn begins, and the turn goes on from there."""
    _count_alike()
    session = Session(key=KEY)
    for turn in conversation():
        _added(session, turn[0])
        messages = list(session.get_history(_MESSAGES, max_tokens=ROOM))
        for line in turn[1:]:
            if line.role == "assistant":
                ledger.ask([(json.dumps(message, sort_keys=True), _tokens(message)) for message in messages])
            messages.append(_added(session, line))


def _next(tokens: int) -> Callable[[Job], Task]:
    return lambda job: NextWindow(job, tokens)


def _replay(figure: str) -> Callable[[Job], Task]:
    return lambda _: Replay(_play, figure)


def _build_messages(job: Job) -> Task:
    return Build(job, many=False)


def _build_sessions(job: Job) -> Task:
    return Build(job, many=True)


def _append(job: Job) -> Task:
    return Append(job, fsync=False)


def _ack(job: Job) -> Task:
    return Append(job, fsync=True)


def _help(job: Job) -> Task:
    del job
    return command_time([str(Path(sys.executable).with_name("nanobot")), "--help"])


if __name__ == "__main__":
    serve(
        {
            "build messages": _build_messages,
            "build sessions": _build_sessions,
            "append": _append,
            "ack": _ack,
            "parallel8": lambda job: Parallel(job, 8),
            "parallel64": lambda job: Parallel(job, 64),
            "amplification": Amplification,
            "open": Load,
            "load": Load,
            "list": Newest,
            "help": _help,
            "window/32k": _next(32_000),
            "window/200k": _next(200_000),
            "cache_reuse": _replay("cache_reuse"),
            "cache_cost": _replay("cache_cost"),
            **TASKS,
            **TERMINALS,
        }
    )
