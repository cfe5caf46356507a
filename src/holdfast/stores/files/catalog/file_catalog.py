"""The catalog of a file store.

All work with the database is done by one thread, in order, and never by the one that
appends. Before it answers, the catalog reads what the marks name, so its answers hold
everything acknowledged before. Between questions it follows sessions that have been
quiet for a moment. Whatever is wrong with the database, it is made anew.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from holdfast.errors import BadInput, CatalogBusy, Closed, NotWritten, ReadOnly
from holdfast.ids import Position, SessionKey
from holdfast.session.catalog import Hit, Page, Progress, Wanted, hit, nearest
from holdfast.session.search_text import words
from holdfast.stores.files import disk
from holdfast.stores.files.catalog import schema
from holdfast.stores.files.catalog.dirty import DirtyMarks
from holdfast.stores.files.catalog.in_memory import in_memory
from holdfast.stores.files.catalog.rescan import forget_bytes, oldest_first, rescan
from holdfast.stores.files.catalog.rows import COLUMNS, SessionRow, catch_up, load, renew, to_row
from holdfast.stores.files.catalog.search import ScoredHit as Find
from holdfast.stores.files.catalog.search import find
from holdfast.stores.files.folder_names import folder_name
from holdfast.stores.files.lease import Home
from holdfast.stores.files.segments import read_forward

QUIET_SECONDS = 0.5
"""Sessions are followed once nothing was appended for so long."""
PATIENCE = 10
"""How many times in a row that may be put off."""
TRIES = 2
"""How often a question is asked again whose database is damaged, or made anew by another process."""
NEAR = 2_000
"""How many of the newest sessions are compared with a name that does not exist."""
DIGITS, MOST = 19, 2**31
"""How long a number in a cursor can be, and how many rows anyone can ask for: more, and SQLite cannot take it."""
BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
UNWRITABLE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR})

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
"""Something to do with the database, in its thread."""


class FileCatalog:
    """The list and the search index of a file store; it listens to what the store writes."""

    def __init__(self, root: Path) -> None:
        """Use the database below `root`; nothing is opened before it is needed."""
        self._root, self._sessions = root, root / "sessions"
        self._marks = DirtyMarks(root)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="holdfast-catalog")
        self._db: sqlite3.Connection | None = None
        self._file = -1
        self._changed: set[str] = set()
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
            self._changed.add(folder)
            self._look_soon()

    def released(self, folder: str) -> None:
        """The writer is done."""
        self._marks.let_go(folder)
        self._changed.add(folder)
        self._look_soon()

    def _look_soon(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._look)

    def _look(self) -> None:
        """Follow what changed, unless appending is going on just now."""
        self._timer = None
        if self._closed:
            return
        if self._stirred != self._seen and self._delays < PATIENCE:
            self._seen, self._delays = self._stirred, self._delays + 1
            self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._look)
            return
        self._delays = 0
        # If it fails, the marks are still there: the next question tries again, and says so.
        self._thread.submit(self._with_db, self._freshen).add_done_callback(Future.exception)

    async def page(self, wanted: Wanted) -> Page:
        """Sessions by the time of their last entry, newest first."""
        if not self._sessions.is_dir():
            return Page(sessions=())
        wanted = msgspec.structs.replace(wanted, limit=_bounded(wanted.limit))
        return await self._asked(lambda db: self._page(db, wanted))

    def _page(self, db: sqlite3.Connection, wanted: Wanted) -> Page:
        updated, number = _parsed(wanted.cursor)
        about = " and workspace = :workspace" if wanted.workspace else ""
        about += "" if wanted.owner is None else " and owner = :owner"
        query = (
            f"select {COLUMNS} from sessions where (updated, id) < (:updated, :number)"  # noqa: S608
            " and (:archived is null or archived = :archived)"
            " and (:tag = '\"\"' or (instr(tags, :tag) and tagged(tags, :tag)))"
            f"{about}"
            " order by updated desc, id desc limit :limit"
        )
        asked = {
            "updated": updated,
            "number": number,
            "archived": wanted.archived,
            "tag": json.dumps(wanted.tag),
            "workspace": wanted.workspace.encode("utf-8", "surrogatepass"),
            "owner": (wanted.owner or "").encode("utf-8", "surrogatepass"),
        }
        found = db.execute(query, {**asked, "limit": wanted.limit + 1}).fetchall()
        last = found[wanted.limit - 1] if len(found) > wanted.limit else None
        cursor = f"{last[6]}-{last[0]}" if last else ""
        return Page(sessions=tuple(to_row(each).listed for each in found[: wanted.limit]), cursor=cursor)

    async def search(self, text: str, *, limit: int = 10, key: SessionKey | None = None) -> tuple[Hit, ...]:
        """The best finds for some words, or a "phrase in quotes", in all sessions or in one."""
        if not self._sessions.is_dir():
            return ()
        return await self._asked(lambda db: self._search(db, text, _bounded(limit), key))

    def _search(self, db: sqlite3.Connection, text: str, limit: int, key: SessionKey | None) -> tuple[Hit, ...]:
        within = None if key is None else load(db, folder_name(key))
        if key is not None and within is None:
            return ()
        asked = limit
        while True:
            found = find(db, text, limit=asked, session=within.id if within else None)
            hits = [one for each in found if (one := self._hit(db, each, text))]
            if len(hits) >= limit or len(found) < asked:
                return tuple(hits[:limit])
            asked *= 10  # what cannot be read is in the way of what can

    def _hit(self, db: sqlite3.Connection, found: Find, text: str) -> Hit | None:
        """A find with its words, read from the log itself; None if they are gone from there."""
        values = db.execute(f"select {COLUMNS} from sessions where id = ?", (found.session,)).fetchone()  # noqa: S608
        if values is None:
            return None
        row = to_row(values)
        place = Position(found.pos)
        with suppress(OSError):  # of another user by now, not readable, or removed just now
            for records in read_forward(self._sessions / row.folder, place, Position(place + 1)):
                said = words(records[0].entry)
                if said is not None:
                    return hit(row.listed.key, records[0], said, text.replace('"', " ").split(), found.score)
        return None

    async def near(self, key: str, limit: int = 3) -> tuple[SessionKey, ...]:
        """The keys most like one that does not exist."""
        page = await self.page(Wanted(limit=NEAR, archived=None))
        return nearest(key, [each.key for each in page.sessions], limit)

    async def settle(self) -> None:
        """Wait until the catalog has caught up with everything appended so far."""
        if self._sessions.is_dir():
            await self._run(self._freshen)

    async def rebuild(self) -> AsyncIterator[Progress]:
        """Make the catalog anew from the logs, saying how far it has come."""
        names = await self._threaded(self._begin_anew)
        for done, name in enumerate(names, 1):
            row = await self._run(lambda db, name=name: self._made(db, name))  # type: ignore[misc]
            yield Progress(done=done, total=len(names), key=row.listed.key if row else SessionKey(name))
        await self._run(lambda db: rescan(db, self._root))

    def _begin_anew(self) -> list[str]:
        """An empty database, and the sessions that belong into it."""
        self._discard()
        try:
            self._connect()
        except sqlite3.DatabaseError as error:
            raise _unwritable(error, self._root) from error
        here = {each.name for each in self._sessions.iterdir()} if self._sessions.is_dir() else set()
        return oldest_first(self._sessions, here)

    def _made(self, db: sqlite3.Connection, name: str) -> SessionRow | None:
        catch_up(db, self._sessions, name)
        return load(db, name)

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
        self._marks.settle(name, lambda: self._follow(db, name))
        forget_bytes(db)

    def _freshen(self, db: sqlite3.Connection) -> None:
        """Catch up with every session that may have changed."""
        names, self._changed = self._changed, set()
        left = names | self._marks.doubtful()
        try:
            for name in left.copy():
                if self._marks.settle(name, lambda name=name: self._follow(db, name)):  # type: ignore[misc]
                    left.discard(name)
        finally:
            self._changed |= left
        forget_bytes(db)

    def _follow(self, db: sqlite3.Connection, name: str) -> bool:
        """Catch up with a session; tell whether that is in the database whose name is still its own."""
        catch_up(db, self._sessions, name)
        return schema.number(self._root) == self._file

    async def _asked(self, work: Work[T]) -> T:
        """Catch up, and answer from the database; where it cannot be written, from a copy in memory."""

        def answered(db: sqlite3.Connection) -> T:
            self._freshen(db)
            return work(db)

        def answered_from_copy() -> T:
            with in_memory(self._root, self._marks.all()) as db:
                return work(db)

        try:
            return await self._run(answered)
        except (ReadOnly, NotWritten):
            return await self._threaded(answered_from_copy)

    async def _run(self, work: Work[T]) -> T:
        return await self._threaded(lambda: self._with_db(work))

    async def _threaded(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise Closed("The store was closed.", hint="Open it again.")
        self._home.check()
        with disk.in_our_words(self._root):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _with_db(self, work: Work[T]) -> T:
        for _ in range(TRIES):
            try:
                return work(self._connected())
            except sqlite3.DatabaseError as error:
                if schema.number(self._root) != self._file:
                    self._close_db()  # another process made it anew under us
                    continue
                _refuse(error, self._root)
            # Damaged, or not ours: everything in it stands in the logs, so it is made anew.
            self._discard()
        try:
            return work(self._connected())
        except sqlite3.DatabaseError as error:
            raise _unwritable(error, self._root) from error

    def _connected(self) -> sqlite3.Connection:
        if self._db is not None and schema.number(self._root) != self._file:
            self._close_db()  # another process made it anew
        if self._db is not None:
            return self._db
        db = self._connect()
        rescan(db, self._root)
        return db

    def _connect(self) -> sqlite3.Connection:
        while True:
            self._file = schema.number(self._root)
            self._marks.forget_looks()
            self._db = schema.connect(self._root)
            if schema.number(self._root) == self._file:
                return self._db
            self._close_db()  # made just now, by us or by another process

    def _discard(self) -> None:
        self._close_db()
        schema.discard(self._root)

    def _close_db(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    async def close(self) -> None:
        """Catch up, and stop following the logs."""
        if self._closed or not self._home.here:
            return
        if self._timer is not None:
            self._timer.cancel()
        try:
            if self._changed:
                # If it fails, the marks are still there, and whoever asks next is told.
                with suppress(ReadOnly, NotWritten, CatalogBusy):
                    await self._run(self._freshen)
        finally:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._close_db)
            self._thread.shutdown(wait=False)


def _bounded(limit: int) -> int:
    return max(0, min(limit, MOST))


def _parsed(cursor: str) -> tuple[int, int]:
    updated, dash, number = cursor.partition("-")
    if not cursor:
        return 2**62, 2**62
    if not (dash and updated.isdecimal() and number.isdecimal() and max(len(updated), len(number)) < DIGITS):
        raise BadInput(f"{cursor!r} is not a cursor of this list.", hint="Begin without one.")
    return int(updated), int(number)


def _refuse(error: sqlite3.DatabaseError, root: Path) -> None:
    """Raise what a new database would not mend, in our words."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in BUSY:
        raise CatalogBusy(
            "Another process has been working on the catalog for too long.", hint="Try again in a moment."
        ) from error
    if code in UNWRITABLE:
        raise _unwritable(error, root) from error


def _unwritable(error: sqlite3.DatabaseError, root: Path) -> ReadOnly:
    return ReadOnly(
        f"The catalog in {root} cannot be written: {error}.",
        hint="Check the space and the permissions there. The conversations themselves are safe.",
    )
