"""The catalog of a file store.

All work with the database is done by one thread, in order, and never by the one that
appends. Before it answers, the catalog reads what this process wrote and what the marks name.
Where that takes longer than a moment it answers from what it has, says how much is
missing, and goes on behind the answer. Between questions it follows sessions that have been
quiet for a moment. Whatever is wrong with the database, it is made anew.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TypeVar

import msgspec

from holdfast.errors import CatalogBusy, Closed, NotWritten, ReadOnly
from holdfast.ids import FactId, Position, SessionKey
from holdfast.records.facts import ForgottenWords
from holdfast.session.catalog import Due, Hit, Hits, Page, Progress, Wanted, hit, nearest
from holdfast.session.facts import CoreFacts, MemoryFact, Scope, ScopeFacts
from holdfast.session.search_text import words
from holdfast.stores.files import disk
from holdfast.stores.files.catalog import backlog, memory, pages, schema
from holdfast.stores.files.catalog.catch_up import Behind, CatchUp, Patience
from holdfast.stores.files.catalog.changes import FileRowChanges
from holdfast.stores.files.catalog.database import Database, Work
from holdfast.stores.files.catalog.dirty import DirtyMarks
from holdfast.stores.files.catalog.follow_log import renew
from holdfast.stores.files.catalog.forget import VACUUM, forget_bytes
from holdfast.stores.files.catalog.in_memory import in_memory
from holdfast.stores.files.catalog.pages import bounded
from holdfast.stores.files.catalog.rows import COLUMNS, load, to_row
from holdfast.stores.files.catalog.search import ScoredHit as Find
from holdfast.stores.files.catalog.search import find
from holdfast.stores.files.folder_names import folder_name, key_of
from holdfast.stores.files.lease import Home
from holdfast.stores.files.segments import read_forward
from holdfast.stores.text_index.question import SearchQuery, shown

QUIET_SECONDS = 0.5
"""Sessions are followed once nothing was appended for so long."""
PATIENCE = 10
"""How many times in a row that may be put off."""
OURS_SECONDS = 2.0
"""How much work an answer waits for that is about what this process wrote, or a session asked for by name."""
OTHERS_SECONDS = 0.1
"""How much work it waits for that is about all others."""
SLICE_SECONDS, PAUSE_SECONDS = 0.05, 0.02
"""How much is done at a time behind the answers, and how long it rests in between."""
NEAR = 2_000
"""How many of the newest sessions are compared with a name that does not exist."""

T = TypeVar("T")


class FileCatalog:
    """The list and the search index of a file store; it listens to what the store writes."""

    def __init__(self, root: Path) -> None:
        """Use the database below `root`; nothing is opened before it is needed."""
        self._root, self._sessions = root, root / "sessions"
        self._marks = DirtyMarks(root)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="holdfast-catalog")
        self._database = Database(root, self._marks.forget_looks)
        self._work = CatchUp(root, self._marks, self._database)
        self._going_on: asyncio.TimerHandle | None = None
        self._changed: dict[str, None] = {}  # in the order of writing: a search prefers what was indexed last
        self._stirred = self._seen = self._delays = 0
        self._timer: asyncio.TimerHandle | None = None
        self._home, self._closed = Home(), False

    def opened(self, folder: str) -> None:
        """This process has the session's lease now."""
        self._marks.hold(folder)

    def expected(self, folder: str) -> None:
        """A session may appear there, without being opened."""
        self._marks.set(folder)

    def changed(self, folder: str) -> None:
        """Something was appended."""
        self._stirred += 1
        if folder not in self._changed:
            self._changed[folder] = None
            self._look_soon()

    def released(self, folder: str) -> None:
        """The writer is done."""
        self._marks.let_go(folder)
        self._changed[folder] = None
        self._look_soon()

    def _look_soon(self) -> None:
        if self._timer is None and not self._closed:
            self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._look)

    def _look(self) -> None:
        """Follow what changed, unless appending is going on just now."""
        self._timer = None
        if self._stirred != self._seen and self._delays < PATIENCE:
            self._seen, self._delays = self._stirred, self._delays + 1
            self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._look)
            return
        self._delays = 0
        self._behind_the_answers(self._freshen)

    def _go_on(self) -> None:
        """Look at some of what is pending."""
        self._going_on = None
        self._behind_the_answers(lambda db: self._slice(db)[0])

    def _behind_the_answers(self, work: Work[Behind]) -> None:
        future = asyncio.get_running_loop().run_in_executor(self._thread, lambda: self._database.run(work))
        future.add_done_callback(self._did)

    def _did(self, future: asyncio.Future[Behind]) -> None:
        # If it failed, the marks are still there: the next question tries again, and says so.
        if not (future.cancelled() or future.exception()):
            self._go_on_after(future.result())

    def _go_on_after(self, behind: Behind) -> None:
        if behind.more and self._going_on is None and not self._closed:
            pause = PAUSE_SECONDS if self._work.has_turn else QUIET_SECONDS
            self._going_on = asyncio.get_running_loop().call_later(pause, self._go_on)

    async def page(self, wanted: Wanted) -> Page:
        """Sessions by the time of their last entry, newest first."""
        if not self._sessions.is_dir():
            return Page(sessions=())
        wanted = msgspec.structs.replace(wanted, limit=bounded(wanted.limit))
        page, behind = await self._asked(lambda db: pages.page(db, wanted), words=False)
        return msgspec.structs.replace(page, waiting=behind.listed)

    async def due(self, *, limit: int = 100, workspace: str = "", goals: bool | None = None) -> tuple[Due, ...]:
        """Sessions that are to be woken, the earliest first."""
        if not self._sessions.is_dir():
            return ()
        found, _ = await self._asked(lambda db: pages.due(db, bounded(limit), workspace, goals=goals))
        return found

    async def changes(self) -> FileRowChanges:
        """Look for changes of the list from now on."""
        changes = FileRowChanges(self._looked)
        await changes.take()
        return changes

    async def _looked(self, work: Work[T]) -> T | None:
        """Ask the database; None while there is no session."""
        return (await self._asked(work))[0] if self._sessions.is_dir() else None

    async def search(
        self,
        text: str,
        *,
        limit: int = 10,
        key: SessionKey | None = None,
        owner: str | None = None,
        now: datetime | None = None,
    ) -> Hits:
        """The best finds for some words, a "phrase in quotes" or a question, in all sessions or in one."""
        if not self._sessions.is_dir():
            return Hits()
        query, named = SearchQuery(text=text, now=now), "" if key is None else folder_name(key)
        hits, behind = await self._asked(lambda db: self._search(db, query, bounded(limit), named, owner), named)
        return Hits(hits, waiting=behind.found)

    def _search(
        self, db: sqlite3.Connection, query: SearchQuery, limit: int, folder: str, owner: str | None
    ) -> tuple[Hit, ...]:
        within = load(db, folder) if folder else None
        if folder and within is None:
            return ()
        asked, around = limit, shown(query.text)
        while True:
            found = find(db, query, limit=asked, session=within.id if within else None, owner=owner)
            hits = [one for each in found if (one := self._hit(db, each, around))]
            if len(hits) >= limit or len(found) < asked:
                return tuple(hits[:limit])
            asked *= 10  # what cannot be read is in the way of what can

    def _hit(self, db: sqlite3.Connection, found: Find, around: list[str]) -> Hit | None:
        """A find with its words, read from the log itself; None if they are gone from there."""
        values = db.execute(f"select {COLUMNS} from sessions where id = ?", (found.session,)).fetchone()  # noqa: S608
        if values is None:
            return None
        row = to_row(values)
        place = Position(found.pos)
        with suppress(OSError):  # of another user by now, not readable, or removed just now
            for record in chain.from_iterable(read_forward(self._sessions / row.folder, place, Position(place + 1))):
                said = words(record.entry)
                if said is not None:
                    return hit(row.listed.key, record, said, around, found.score)
        return None

    async def memory(self, scope: Scope) -> ScopeFacts:
        """All that is remembered in a scope."""
        return await self._remembered(lambda db: memory.memory(db, self._root, scope)) or ScopeFacts()

    async def core(self, scope: Scope, most: int) -> CoreFacts:
        """The facts that may stand in a system text."""
        return await self._remembered(lambda db: memory.core(db, self._root, scope, most)) or CoreFacts()

    async def facts(self, scope: Scope, ids: Sequence[FactId]) -> tuple[MemoryFact, ...]:
        """Some facts by their ids."""
        return await self._remembered(lambda db: memory.named(db, self._root, scope, ids)) or ()

    async def forgotten(self) -> frozenset[ForgottenWords]:
        """Where something stands that is forgotten."""
        if not (self._root / memory.MEMORY_FOLDER).is_dir():
            return frozenset()
        return (await self._asked(lambda db: memory.forgotten(db, self._root)))[0]

    async def _remembered(self, work: Work[T]) -> T | None:
        """Ask about memory; None while there is nothing it could be in."""
        kept = self._sessions.is_dir() or (self._root / memory.MEMORY_FOLDER).is_dir()
        return (await self._asked(work))[0] if kept else None

    async def near(self, key: str, limit: int = 3) -> tuple[SessionKey, ...]:
        """The keys most like one that does not exist."""
        page = await self.page(Wanted(limit=NEAR, archived=None))
        return nearest(key, [each.key for each in page.sessions], limit)

    async def settle(self) -> None:
        """Wait until the catalog has caught up with everything appended so far."""
        async for _ in self.catch_up():
            pass

    async def catch_up(self) -> AsyncIterator[Progress]:
        """Catch up with everything appended so far, saying how far it has come."""
        if not self._sessions.is_dir():
            return
        total = await self._run(self._begun)
        behind = await self._run(self._freshen)
        while behind.more:
            behind, done = await self._run(self._slice)
            total = max(total, behind.found)
            if done:
                yield Progress(done=total - behind.found, total=total, key=_key(done[-1]))
            if behind.more and not self._work.has_turn:
                await asyncio.sleep(PAUSE_SECONDS)  # another process does it

    async def rebuild(self) -> AsyncIterator[Progress]:
        """Make the catalog anew from the logs, saying how far it has come."""
        await self._threaded(self._database.make_anew)
        total, done = await self._run(self._begun), 0
        more = total > 0
        while more:
            names, more = await self._run(self._made)
            for name in names:
                done += 1
                yield Progress(done=done, total=max(done, total), key=_key(name))

    def _begun(self, db: sqlite3.Connection) -> int:
        backlog.plan(db, self._root)
        return backlog.count(db, words=True)

    def _made(self, db: sqlite3.Connection) -> tuple[list[str], bool]:
        self._work.take_turn()  # if it is another process's, both work on it
        names = self._work.look(db, Patience(SLICE_SECONDS))
        more = self._work.behind(db, ()).more
        if not more:
            self._work.give_turn()
        return names, more

    async def renew(self, key: SessionKey) -> None:
        """Read one session again from its beginning, because what was read once may be damaged by now."""
        await self._run(lambda db: renew(db, self._sessions, folder_name(key)))

    async def forget(self, key: SessionKey) -> None:
        """Leave no byte of a session that was removed."""
        try:
            await self._run(lambda db: self._forget(db, folder_name(key)))
        except (ReadOnly, NotWritten) as error:
            raise ReadOnly(
                f"The session is gone, but words of it are left in the catalog: {error.message}",
                hint="They are removed once it can be written; `holdfast sessions` does it then.",
            ) from error

    def _forget(self, db: sqlite3.Connection, name: str) -> None:
        if backlog.remove(db, [name]):
            schema.note(db, VACUUM, "needed")
        self._changed |= dict.fromkeys(self._work.settle(db, [name], Patience(OURS_SECONDS)))
        self._step(db, set(), Patience(OTHERS_SECONDS))
        forget_bytes(db)

    def _freshen(self, db: sqlite3.Connection, named: str = "", *, words: bool = True) -> Behind:
        """Catch up with what this process wrote, with what was asked for by name, and for a moment with the rest."""
        left = self._settle(db, {named} if named else set(), Patience(OURS_SECONDS), words=words)
        return self._step(db, left, Patience(OTHERS_SECONDS))[0]

    def _slice(self, db: sqlite3.Connection) -> tuple[Behind, list[str]]:
        """Do a part of what is left to do."""
        patience = Patience(SLICE_SECONDS)
        return self._step(db, self._settle(db, set(), patience), patience)

    def _settle(self, db: sqlite3.Connection, named: set[str], patience: Patience, *, words: bool = True) -> set[str]:
        """Catch up with what this process wrote and with what was named; tell what was not finished."""
        names, self._changed = self._changed, {}
        left = names.keys() | named
        try:
            left = self._work.settle(db, [*names, *(named - names.keys())], patience, words=words)
        finally:
            self._changed |= {name: None for name in names if name in left}
        return left

    def _step(self, db: sqlite3.Connection, left: set[str], patience: Patience) -> tuple[Behind, list[str]]:
        """Catch up with the sessions of others, as far as patience goes; tell what has yet to be done."""
        left = left | self._work.settle_if_free(db, self._marks.doubtful() - left, patience)
        done: list[str] = []
        self._work.clean(db)
        if self._work.behind(db, ()).more and self._work.take_turn():
            done = self._work.look(db, patience)
        behind = self._work.behind(db, left)
        if not behind.more:
            self._work.give_turn()
        return behind, done

    async def _asked(self, work: Work[T], named: str = "", *, words: bool = True) -> tuple[T, Behind]:
        """Catch up for a moment, and answer from the database; where it cannot be written, from a copy in memory.

        A list needs no `words`, so it does not wait for many of them.
        """

        def answered(db: sqlite3.Connection) -> tuple[Behind, T]:
            return self._freshen(db, named, words=words), work(db)

        def answered_from_copy() -> T:
            with in_memory(self._root, self._marks.all()) as db:
                return work(db)

        try:
            behind, answer = await self._run(answered)
        except (ReadOnly, NotWritten):
            return await self._threaded(answered_from_copy), Behind()
        self._go_on_after(behind)
        return answer, behind

    async def _run(self, work: Work[T]) -> T:
        return await self._threaded(lambda: self._database.run(work))

    async def _threaded(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise Closed("The store was closed.", hint="Open it again.")
        self._home.check()
        with disk.in_our_words(self._root):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        """Catch up, and stop following the logs."""
        if self._closed or not self._home.here:
            return
        try:
            if self._changed:
                # If it fails, the marks are still there, and whoever asks next is told.
                with suppress(ReadOnly, NotWritten, CatalogBusy):
                    await self._run(self._finish)
        finally:
            self._closed = True
            for timer in (self._timer, self._going_on):
                if timer is not None:
                    timer.cancel()
            await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
            self._thread.shutdown(wait=False)

    def _finish(self, db: sqlite3.Connection) -> None:
        """Catch up with what this process wrote; what takes longer is left to the next one."""
        self._work.settle(db, self._changed, Patience(OURS_SECONDS))

    def _let_go(self) -> None:
        self._work.give_turn()
        self._database.close()


def _key(folder: str) -> SessionKey:
    return key_of(folder) or SessionKey(folder)
