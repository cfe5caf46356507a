"""What a good engineer would write on SQLite: one database in WAL mode, one connection, one commit for all who wait.

Uses the standard library alone. Sessions have a table of their own, so that the newest are found by an index. An
append that must only survive a killed process is a transaction that SQLite does not sync; one that must survive a
power cut goes to a thread, which takes all that wait into one transaction that SQLite syncs. The search index is one
of FTS5, which finds whole words and phrases; only `search` has it, because every append would pay for it.
"""

import asyncio
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import count as numbers
from itertools import cycle, islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

from bench.child import SHORT, Job, Task, bytes_written, serve, timed, timed_async
from bench.corpus import corpus, questions
from bench.texts import said, texts

_KEY = "team:alice"
_ROLES = ("user", "assistant")
_BATCH = 10_000
_SCHEMA = """
create table if not exists sessions (id integer primary key, key text unique, messages integer, updated real);
create index if not exists newest on sessions (updated desc);
create table if not exists messages (id integer primary key, session integer, position integer, role text, text text,
    said real, unique (session, position));
"""
_INDEX = """
create virtual table words using fts5 (text, content = 'messages', content_rowid = 'id');
insert into words (words) values ('rebuild');
"""
_SAY = "insert into messages (session, position, role, text, said) values (?, ?, ?, ?, ?)"
_COUNT = "update sessions set messages = ?, updated = ? where id = ?"
_FOUND = (
    "select sessions.key, messages.position, messages.text from words join messages on messages.id = words.rowid"
    " join sessions on sessions.id = messages.session where words match ? order by rank limit 10"
)


def connect(folder: str | Path, synchronous: str) -> sqlite3.Connection:
    """The database in a folder; `normal` syncs no commit, `full` each."""
    db = sqlite3.connect(Path(folder) / "conversations.db", isolation_level=None, check_same_thread=False)
    db.execute("pragma journal_mode = wal")
    db.execute(f"pragma synchronous = {synchronous}")
    db.executescript(_SCHEMA)
    return db


class Session:
    """One session of a database; whoever has it counts its messages."""

    def __init__(self, db: sqlite3.Connection, key: str) -> None:
        self._db = db
        db.execute("insert into sessions (key, messages, updated) values (?, 0, 0) on conflict do nothing", (key,))
        self._id, self._next = db.execute("select id, messages from sessions where key = ?", (key,)).fetchone()

    def add(self, words: Iterable[str]) -> None:
        """Add messages, within a transaction of the caller's or each in its own."""
        now = time.time()
        for text in words:
            role = _ROLES[self._next % 2]
            self._db.execute(_SAY, (self._id, self._next, role, text, now))
            self._next += 1
        self._db.execute(_COUNT, (self._next, now, self._id))


class Waiting(NamedTuple):
    """A message that is to be on the disk, and who waits for that."""

    session: Session
    text: str
    done: "asyncio.Future[None]"


class GroupCommit:
    """One thread that takes all messages that wait into one transaction."""

    def __init__(self, db: sqlite3.Connection, loop: asyncio.AbstractEventLoop) -> None:
        self._db, self._loop = db, loop
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    async def say(self, session: Session, text: str) -> None:
        """Add one message, and wait until it is on the disk."""
        done = self._loop.create_future()
        self._queue.put(Waiting(session, text, done))
        await done

    def close(self) -> None:
        """End the thread."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            together = [first, *self._others()]
            self._db.execute("begin immediate")
            for each in together:
                each.session.add((each.text,))
            self._db.execute("commit")
            self._loop.call_soon_threadsafe(_tell, together)

    def _others(self) -> Iterator[Waiting]:
        while True:
            try:
                other = self._queue.get_nowait()
            except Empty:
                return
            if other is None:
                self._queue.put(None)  # for the next look, after this transaction
                return
            yield other


def _tell(together: Iterable[Waiting]) -> None:
    for each in together:
        each.done.set_result(None)


class Build:
    """Makes what the other tasks start from: sessions of equal length; if asked, with a search index."""

    def __init__(self, job: Job, words: Iterable[str], sessions: int, *, index: bool = False) -> None:
        self._db = connect(job.folder, "off")
        self._words, self._index = iter(words), index
        self._sessions, self._length = sessions, max(2, job.size // sessions)

    def round(self, count: int, seconds: float) -> list[float]:
        """Write them once, in large transactions."""
        del count, seconds
        for number in range(self._sessions):
            if number % _BATCH == 0:
                self._db.execute("begin")
            session = Session(self._db, _KEY if self._sessions == 1 else f"team:{number}")
            session.add(islice(self._words, self._length))
            if number % _BATCH == _BATCH - 1 or number == self._sessions - 1:
                self._db.execute("commit")
        if self._index:
            self._db.executescript(_INDEX)
        return []

    def close(self) -> None:
        """Close the database, which empties its write-ahead log."""
        self._db.close()


class Append:
    """Add one message, safe against a killed process: a transaction in the event loop that is not synced."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._said = cycle(said())
        self._copies = numbers()
        self._db = _begun(job, next(self._copies), "normal")

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each message."""
        if self._job.size <= SHORT:
            self._db.close()
            self._db = _begun(self._job, next(self._copies), "normal")
        session = Session(self._db, _KEY)

        def step() -> None:
            self._db.execute("begin immediate")
            session.add((next(self._said),))
            self._db.execute("commit")

        return timed(step, count, seconds)

    def close(self) -> None:
        """Close the database."""
        self._db.close()


def _begun(job: Job, number: int, synchronous: str) -> sqlite3.Connection:
    """The database that was built; a copy of it where the session is to stay short."""
    if job.size > SHORT:
        return connect(job.template, synchronous)
    folder = job.path(str(number))
    shutil.copytree(job.template, folder)
    return connect(folder, synchronous)


class Acknowledged:
    """Each message on the disk before the next: of one session, or of many at once."""

    def __init__(self, job: Job, writers: int = 0) -> None:
        self._said = said()
        self._runner = asyncio.Runner()
        self._writers = writers
        self._db = connect(job.folder, "full") if writers else _begun(job, 0, "full")
        self._commits = GroupCommit(self._db, self._runner.get_loop())
        self._sessions = [Session(self._db, f"team:{number}") for number in range(writers)]

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each message; of many sessions, messages per second."""
        if not self._writers:
            return self._runner.run(self._alone(count, seconds))
        before = time.perf_counter()
        self._runner.run(self._together(count))
        return [self._writers * count / (time.perf_counter() - before)]

    def close(self) -> None:
        """Close the database."""
        self._commits.close()
        self._db.close()
        self._runner.close()

    async def _alone(self, count: int, seconds: float) -> list[float]:
        session = Session(self._db, _KEY)
        words = cycle(self._said)
        return await timed_async(lambda: self._commits.say(session, next(words)), count, seconds)

    async def _together(self, count: int) -> None:
        await asyncio.gather(*(self._work(session, count) for session in self._sessions))

    async def _work(self, session: Session, count: int) -> None:
        for text in self._said[:count]:
            await self._commits.say(session, text)


class Amplification:
    """All bytes written until a session has its messages, one synced transaction for each."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def round(self, count: int, seconds: float) -> list[float]:
        """Bytes written per byte said."""
        del count, seconds
        words = said()[: self._job.size]
        before = bytes_written()
        db = connect(self._job.folder, "full")
        session = Session(db, _KEY)
        for text in words:
            db.execute("begin immediate")
            session.add((text,))
            db.execute("commit")
        db.close()
        return [(bytes_written() - before) / sum(len(text.encode()) for text in words)]

    def close(self) -> None:
        """Nothing is open."""


class Load:
    """Open the database and read a whole session."""

    def __init__(self, job: Job) -> None:
        self._folder = job.template

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each load."""
        return timed(self._load, count, seconds)

    def close(self) -> None:
        """Nothing is open."""

    def _load(self) -> None:
        db = connect(self._folder, "full")
        query = (
            "select position, role, text, said from messages"
            " where session = (select id from sessions where key = ?) order by position"
        )
        if not db.execute(query, (_KEY,)).fetchall():
            raise LookupError("the session is empty")
        db.close()


class Newest:
    """The newest fifty sessions, or the ten best messages for a query, asked of an open database."""

    def __init__(self, job: Job) -> None:
        self._db = connect(job.template, "full")

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each question."""
        return timed(self.ask, count, seconds)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def ask(self) -> None:
        """The newest fifty."""
        found = self._db.execute("select key, messages, updated from sessions order by updated desc limit 50")
        if len(found.fetchall()) != 50:
            raise LookupError("there are fewer than 50 sessions")

    def found(self, query: str) -> list[tuple[str, int, str]]:
        """The ten best messages."""
        return self._db.execute(_FOUND, (query,)).fetchall()


class Search(Newest):
    """The ten best messages for one query of many kinds."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._queries = cycle([_matching(query) for _, query in questions(500)])
        if len(self.found("the")) != 10:
            raise LookupError("the most frequent word is in fewer than 10 messages")

    def ask(self) -> None:
        """The next query."""
        self.found(next(self._queries))


def _matching(query: str) -> str:
    """A query in the words of FTS5: each word in quotes, phrases as they are."""
    return " ".join(f'"{part.strip(chr(34))}"' for part in re.findall(r'"[^"]+"|\S+', query))


def _build_messages(job: Job) -> Task:
    return Build(job, texts(1), 1)


def _build_sessions(job: Job) -> Task:
    return Build(job, cycle(said()), job.size)


def _build_words(job: Job) -> Task:
    return Build(job, corpus(job.size), job.size // 1_000, index=True)


if __name__ == "__main__":
    serve(
        {
            "build messages": _build_messages,
            "build sessions": _build_sessions,
            "build words": _build_words,
            "append": Append,
            "ack": Acknowledged,
            "parallel8": lambda job: Acknowledged(job, 8),
            "parallel64": lambda job: Acknowledged(job, 64),
            "amplification": Amplification,
            "load": Load,
            "list": Newest,
            "search": Search,
        }
    )
