"""The SQLite session of openai-agents, on a file.

Runs inside its environment. Each `add_items` is a transaction in WAL mode that SQLite syncs, so an append is an
acknowledged one. It offers no list of sessions, no search and no command.
"""

import asyncio
import time
from collections.abc import Iterable
from itertools import cycle, islice
from pathlib import Path

from agents.memory.sqlite_session import SQLiteSession  # type: ignore[import-not-found]

from bench.child import SHORT, Job, Task, bytes_written, serve, timed_async
from bench.texts import said, texts

_KEY = "team:alice"
_ROLES = ("user", "assistant")
_BATCH = 10_000


def _session(folder: str | Path, key: str = _KEY) -> SQLiteSession:
    return SQLiteSession(key, Path(folder) / "sessions.db")


def _items(words: Iterable[str]) -> list[dict[str, str]]:
    return [{"role": _ROLES[number % 2], "content": text} for number, text in enumerate(words)]


class Build:
    """Makes what the other tasks start from: one session of `size` messages."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def round(self, count: int, seconds: float) -> list[float]:
        """Write it once, in batches."""
        del count, seconds
        asyncio.run(self._fill())
        return []

    def close(self) -> None:
        """Nothing is open."""

    async def _fill(self) -> None:
        session = _session(self._job.folder)
        words = texts(1)
        for start in range(0, self._job.size, _BATCH):
            await session.add_items(_items(islice(words, min(_BATCH, self._job.size - start))))
        session.close()


class Append:
    """Add one item. A short session is a new one in each round, so that it stays short."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._said = cycle(said())
        self._runner = asyncio.Runner()
        self._session = _session(job.folder if job.size <= SHORT else job.template)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each item."""
        return self._runner.run(self._round(count, seconds))

    def close(self) -> None:
        """Close the database."""
        self._session.close()
        self._runner.close()

    async def _round(self, count: int, seconds: float) -> list[float]:
        if self._job.size <= SHORT:
            await self._session.clear_session()
            await self._session.add_items(_items(said()[: self._job.size]))
        return await timed_async(self._step, count, seconds)

    async def _step(self) -> None:
        await self._session.add_items([{"role": "user", "content": next(self._said)}])


class Parallel:
    """Many sessions in one database at once."""

    def __init__(self, job: Job, writers: int) -> None:
        self._runner = asyncio.Runner()
        self._sessions = [_session(job.folder, f"team:{number}") for number in range(writers)]

    def round(self, count: int, seconds: float) -> list[float]:
        """Items per second, all sessions together."""
        del seconds
        return [self._runner.run(self._round(count))]

    def close(self) -> None:
        """Close the database."""
        for session in self._sessions:
            session.close()
        self._runner.close()

    async def _round(self, count: int) -> float:
        before = time.perf_counter()
        await asyncio.gather(*(self._work(session, count) for session in self._sessions))
        return len(self._sessions) * count / (time.perf_counter() - before)

    async def _work(self, session: SQLiteSession, count: int) -> None:
        for number in range(count):
            await session.add_items([{"role": "user", "content": said()[number]}])


class Amplification:
    """All bytes written until a session has its messages, one transaction for each."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def round(self, count: int, seconds: float) -> list[float]:
        """Bytes written per byte said."""
        del count, seconds
        words = said()[: self._job.size]
        before = bytes_written()
        asyncio.run(self._say(words))
        return [(bytes_written() - before) / sum(len(text.encode()) for text in words)]

    def close(self) -> None:
        """Nothing is open."""

    async def _say(self, words: Iterable[str]) -> None:
        session = _session(self._job.folder)
        for number, text in enumerate(words):
            await session.add_items([{"role": _ROLES[number % 2], "content": text}])
        session.close()


class Load:
    """Make the session object anew and get all its items, as a run of an agent does."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._runner = asyncio.Runner()

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each load."""
        return self._runner.run(timed_async(self._load, count, seconds))

    def close(self) -> None:
        """Stop the event loop."""
        self._runner.close()

    async def _load(self) -> None:
        session = _session(self._job.template)
        if not await session.get_items():
            raise LookupError("the session is empty")
        session.close()


def _append(job: Job) -> Task:
    return Append(job)


if __name__ == "__main__":
    serve(
        {
            "build messages": Build,
            "append": _append,
            "ack": _append,
            "parallel8": lambda job: Parallel(job, 8),
            "parallel64": lambda job: Parallel(job, 64),
            "amplification": Amplification,
            "open": Load,
            "load": Load,
        }
    )
