"""Holdfast itself, through the names that everyone imports.

A store keeps its default promise (`always`) whenever the clock runs.
"""

import asyncio
import shutil
import sys
import time
from collections.abc import Iterable
from itertools import count as numbers
from itertools import cycle
from pathlib import Path

import holdfast
from bench.building import KEY, BuildMessages, BuildSessions, dialogue, leave_catalog_behind, store_in, user
from bench.catalogs import TASKS as CATALOGS
from bench.child import SHORT, Job, Task, bytes_written, serve, timed_async
from bench.command_time import command_time
from bench.corpus import corpus, questions
from bench.first_token import TASKS as FIRST_TOKEN
from bench.large import TASKS as LARGE
from bench.opened import Open
from bench.stops import TASKS as STOPS
from bench.streaming import TASKS as STREAMING
from bench.terminals import TASKS as TERMINALS
from bench.texts import said
from bench.turns import TASKS as TURNS
from bench.windows import TASKS as WINDOWS


class Append(Open):
    """Append one message; with `commit`, wait for the disk. A short session is a fresh copy in each round."""

    def __init__(self, job: Job, *, commit: bool) -> None:
        super().__init__()
        self._job, self._commit = job, commit
        self._entries = cycle([user(text) for text in said()])
        self._copies = numbers()
        leave_catalog_behind()
        self._long = None if job.size <= SHORT else self.runner.run(self._opened(store_in(job.template)))

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each append."""
        return self.runner.run(self._round(count, seconds))

    async def _round(self, count: int, seconds: float) -> list[float]:
        if self._long is not None:
            return await self._steps(self._long, count, seconds)
        fresh = self._job.path(f"copy-{next(self._copies)}")
        shutil.copytree(store_in(self._job.template), fresh)
        session = await self._opened(fresh)
        try:
            return await self._steps(session, count, seconds)
        finally:
            await session.close()

    async def _opened(self, root: Path) -> holdfast.Session:
        return await holdfast.open_store(root).open(KEY)

    async def _steps(self, session: holdfast.Session, count: int, seconds: float) -> list[float]:
        entries = self._entries

        async def append() -> None:
            await session.append(next(entries))

        async def acknowledged() -> None:
            await session.append(next(entries))
            await session.commit()

        return await timed_async(acknowledged if self._commit else append, count, seconds)


class Parallel(Open):
    """Many sessions of one store on one event loop, each waiting for the disk before its next message."""

    def __init__(self, job: Job, writers: int) -> None:
        super().__init__()
        self._writers = writers
        self._entries = [user(text) for text in said()]
        self._sessions = self.runner.run(self._opened(job.path("store")))

    def round(self, count: int, seconds: float) -> list[float]:
        """Acknowledged appends per second, all sessions together."""
        del seconds
        return [self.runner.run(self._round(count))]

    async def _opened(self, root: Path) -> list[holdfast.Session]:
        store = await self.stack.enter_async_context(holdfast.open_store(root))
        return [
            await self.stack.enter_async_context(store.session(f"team:{number}")) for number in range(self._writers)
        ]

    async def _round(self, count: int) -> float:
        before = time.perf_counter()
        await asyncio.gather(*(self._work(session, count) for session in self._sessions))
        return self._writers * count / (time.perf_counter() - before)

    async def _work(self, session: holdfast.Session, count: int) -> None:
        for entry in self._entries[:count]:
            await session.append(entry)
            await session.commit()


class Amplification:
    """All bytes written until a session has its messages, each committed; if asked, with the catalog following."""

    def __init__(self, job: Job, *, catalog: bool) -> None:
        self._job, self._catalog = job, catalog

    def round(self, count: int, seconds: float) -> list[float]:
        """Bytes written per byte said."""
        del count, seconds
        words = said()[: self._job.size]
        return [asyncio.run(self._say(words)) / sum(len(text.encode()) for text in words)]

    def close(self) -> None:
        """Nothing is open."""

    async def _say(self, words: Iterable[str]) -> int:
        before = bytes_written()
        async with holdfast.open_store(self._job.path("store")) as store:
            async with store.session(KEY) as session:
                for entry in dialogue(words):
                    await session.append(entry)
                    await session.commit()
            if self._catalog:
                await store.list()
            return bytes_written() - before


class Opening(Open):
    """Open a session until its first append could follow; the store remembers nothing of a session it has closed."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        leave_catalog_behind()
        self._store = holdfast.open_store(store_in(job.template))

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each opening."""
        return self.runner.run(self._round(count, seconds))

    async def _round(self, count: int, seconds: float) -> list[float]:
        samples: list[float] = []
        end = time.perf_counter() + seconds
        while len(samples) < count and (not samples or time.perf_counter() < end):
            before = time.perf_counter()
            session = await self._store.open(KEY)
            samples.append(time.perf_counter() - before)
            await session.close()
        return samples


class Load(Open):
    """Read and decode a whole session; the store is new each time."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._root = store_in(job.template)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each load."""
        return self.runner.run(timed_async(self._load, count, seconds))

    async def _load(self) -> None:
        async with holdfast.open_store(self._root) as store:
            records = await store.load(KEY)
        if not records:
            raise LookupError("the session is empty")


class Newest(Open):
    """The newest fifty sessions, asked of an open store."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._store = self.runner.run(self.stack.enter_async_context(holdfast.open_store(store_in(job.template))))

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each listing."""
        return self.runner.run(timed_async(self._list, count, seconds))

    async def _list(self) -> None:
        page = await self._store.list(limit=50)
        if len(page.sessions) != 50:
            raise LookupError(f"{len(page.sessions)} sessions where 50 were asked for")


class Search(Open):
    """The ten best for one query of many kinds, asked of an open store."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._queries = cycle([query for _, query in questions(500)])
        self._store = self.runner.run(self.stack.enter_async_context(holdfast.open_store(store_in(job.template))))
        self.runner.run(self._probe())

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each search."""
        return self.runner.run(timed_async(self._search, count, seconds))

    async def _probe(self) -> None:
        hits = await self._store.search("the", limit=10)
        if len(hits) != 10:
            raise LookupError(f"{len(hits)} messages with the most frequent word where 10 were asked for")

    async def _search(self) -> None:
        await self._store.search(next(self._queries), limit=10)


def _build_sessions(job: Job) -> Task:
    return BuildSessions(job, cycle(said()), job.size)


def _build_words(job: Job) -> Task:
    return BuildSessions(job, corpus(job.size), job.size // 1_000)


def _append(job: Job) -> Task:
    return Append(job, commit=False)


def _ack(job: Job) -> Task:
    return Append(job, commit=True)


def _amplification(job: Job) -> Task:
    return Amplification(job, catalog=False)


def _amplification_with_catalog(job: Job) -> Task:
    return Amplification(job, catalog=True)


def _help(job: Job) -> Task:
    del job
    return command_time([str(Path(sys.executable).with_name("holdfast")), "--help"])


if __name__ == "__main__":
    serve(
        {
            "build messages": BuildMessages,
            "build sessions": _build_sessions,
            "build words": _build_words,
            "append": _append,
            "ack": _ack,
            "parallel8": lambda job: Parallel(job, 8),
            "parallel64": lambda job: Parallel(job, 64),
            "amplification": _amplification,
            "amplification with catalog": _amplification_with_catalog,
            "open": Opening,
            "load": Load,
            "list": Newest,
            "search": Search,
            "help": _help,
            **LARGE,
            **WINDOWS,
            **TURNS,
            **CATALOGS,
            **STREAMING,
            **FIRST_TOKEN,
            **STOPS,
            **TERMINALS,
        }
    )
