"""The list and the search index in the situations that make them slow: much is open, attached, behind, or just copied.

Each task works in a copy of its own, because the stores that were built are kept for the next run. Figures are
processor time of the whole process, threads included, except for answers that somebody waits for.
"""

import json
import re
import resource
import shutil
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import holdfast
from bench.building import store_in, user
from bench.catalog_rows import BLOBS
from bench.child import Job, Task
from bench.opened import Open
from bench.texts import said
from holdfast.log.blobs import blob_id
from holdfast.stores.files.blob_files import BLOBS as FOLDER
from holdfast.stores.files.folder_names import folder_name

_WORD = re.compile(r"\w+")
_EACH = 100
"""Attachments of one message."""
Question = Callable[[holdfast.Store], Awaitable[object]]
"""What is asked of a store."""


async def newest(store: holdfast.Store) -> None:
    """The newest fifty sessions, or all if there are fewer."""
    if not (await store.list(limit=50)).sessions:
        raise LookupError("no session is listed")


async def best(store: holdfast.Store) -> None:
    """The ten best messages for the words of one."""
    if not await store.search(" ".join(said()[0].split()[:3]), limit=10):
        raise LookupError("nothing is found")


class Asked(Open):
    """A question to a copy of a store, again and again; with `opened`, while all its sessions are open here."""

    def __init__(self, job: Job, question: Question, *, opened: bool) -> None:
        super().__init__()
        allow_files()
        self._question = question
        self._store = self.opened_store(job)
        self.runner.run(self._begin(opened=opened))

    async def _begin(self, *, opened: bool) -> None:
        if opened:
            for listed in (await self._store.list(limit=10_000)).sessions:
                await self.stack.enter_async_context(self._store.session(listed.key))
        await self._question(self._store)

    def opened_store(self, job: Job) -> holdfast.Store:
        """A copy of what was built."""
        root = job.path("store")
        shutil.copytree(store_in(job.template), root)
        return self.runner.run(self.stack.enter_async_context(holdfast.open_store(root)))

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of processor time of each question."""
        del seconds
        return [self.runner.run(self._once()) for _ in range(count)]

    async def _once(self) -> float:
        before = time.process_time()
        await self._question(self._store)
        return time.process_time() - before


class Attached(Open):
    """An append to a session, and the list after it; with `blobs`, the session has so many attachments."""

    def __init__(self, job: Job, blobs: int) -> None:
        super().__init__()
        root = job.path("store")
        self._store = self.runner.run(self.stack.enter_async_context(holdfast.open_store(root)))
        self._session = self.runner.run(self._begin(root, blobs))

    async def _begin(self, root: Path, blobs: int) -> holdfast.Session:
        session = await self.stack.enter_async_context(self._store.session("team:alice"))
        await session.append(user("hello"))
        folder = root / "sessions" / folder_name(session.key) / FOLDER
        folder.mkdir(exist_ok=True)
        for start in range(0, blobs, _EACH):
            # Written here, because a sync for each would take longer than everything else.
            parts = [_kept(folder, b"%d" % number) for number in range(start, min(blobs, start + _EACH))]
            await session.append(holdfast.UserSaid(parts=tuple(parts)))
        await newest(self._store)
        return session

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of processor time of each append with its list."""
        del seconds
        return [self.runner.run(self._once()) for _ in range(count)]

    async def _once(self) -> float:
        before = time.process_time()
        await self._session.append(user("hello again"))
        await newest(self._store)
        return time.process_time() - before


def _kept(folder: Path, data: bytes) -> holdfast.Blob:
    name = blob_id(data)
    (folder / name).write_bytes(data)
    return holdfast.Blob(blob=name, media_type="text/plain", size=len(data))


class CatchUp(Open):
    """A store whose catalog is missing, as after a restore: what reading all of it costs, or how soon it answers."""

    def __init__(self, job: Job, *, first: bool) -> None:
        super().__init__()
        self._first, self._size = first, job.size
        self._root = job.path("store")
        shutil.copytree(store_in(job.template) / "sessions", self._root / "sessions")

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of processor time for each entry; seconds until the first answer."""
        del count, seconds
        return [self.runner.run(self._answer() if self._first else self._catch_up())]

    async def _catch_up(self) -> float:
        store = await self.stack.enter_async_context(holdfast.open_store(self._root))
        before = time.process_time()
        async for _ in store.reindex():
            pass
        return (time.process_time() - before) / self._size

    async def _answer(self) -> float:
        store = await self.stack.enter_async_context(holdfast.open_store(self._root))
        before = time.perf_counter()
        await store.list(limit=50)
        return time.perf_counter() - before


class WordsAlone:
    """What the machine itself takes for those words: each line read as JSON, cut into words, and put into FTS5.

    Nothing else is kept: no list, no place of a message, no count, and no word can be forgotten.
    """

    def __init__(self, job: Job) -> None:
        self._sessions, self._size = store_in(job.template) / "sessions", job.size
        self._database = sqlite3.connect(job.path("words.db"), isolation_level=None)
        self._database.execute("pragma synchronous = off")
        self._database.execute("create virtual table words using fts5 (text, content='', columnsize=0, detail=none)")

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of processor time for each message, all of them in one transaction."""
        del count, seconds
        before = time.process_time()
        self._database.execute("begin")
        self._database.executemany("insert into words (rowid, text) values (?, ?)", enumerate(self._said(), 1))
        self._database.execute("commit")
        return [(time.process_time() - before) / self._size]

    def _said(self) -> Iterator[str]:
        for path in sorted(self._sessions.glob("*/*.jsonl")):
            for line in path.read_bytes().splitlines():
                parts = json.loads(line).get("parts", ())
                yield " ".join(word for part in parts for word in _WORD.findall(part.get("text", "").lower()))

    def close(self) -> None:
        """Close the database."""
        self._database.close()


class Copied(Open):
    """The first list of a store that was copied with its catalog."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._root = job.path("store")
        shutil.copytree(store_in(job.template), self._root)

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds until it is there."""
        del count, seconds
        return [self.runner.run(self._first())]

    async def _first(self) -> float:
        before = time.perf_counter()
        store = await self.stack.enter_async_context(holdfast.open_store(self._root))
        await newest(store)
        return time.perf_counter() - before


def allow_files() -> None:
    """Let the process have as many files open as the system allows: each session has some."""
    with suppress(ValueError, OSError):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _asked(question: Question, *, opened: bool) -> Callable[[Job], Task]:
    return lambda job: Asked(job, question, opened=opened)


TASKS: dict[str, Callable[[Job], Task]] = {
    "list_open": _asked(newest, opened=True),
    "list_open none": _asked(newest, opened=False),
    "search_open": _asked(best, opened=True),
    "search_open none": _asked(best, opened=False),
    "list_blobs": lambda job: Attached(job, BLOBS),
    "list_blobs none": lambda job: Attached(job, 0),
    "catchup": lambda job: CatchUp(job, first=False),
    "catchup words alone": WordsAlone,
    "catchup_list": lambda job: CatchUp(job, first=True),
    "first_list": Copied,
}
"""Each by its name."""
