"""A store that is not files: logs and their catalog as rows of one SQLite database.

It proves that the contracts are enough. An entry is a row, an append one transaction, the lease a row with an epoch.
"""

import asyncio
import os
import socket
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import Any, Self

import msgspec

from holdfast.clock import Clock, at_time
from holdfast.errors import AlreadyThere, BadInput, BeyondEnd, Closed, Conflict, Fenced, Held, NoBlob, NoSession
from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.blobs import blob_id
from holdfast.log.lease import Holder
from holdfast.log.store import Ack, Damaged, Durability, StoreAbout, Trashed, Verdict
from holdfast.records.codec import Record, decode_line, encode, from_json, to_json
from holdfast.records.entries import Drafted, Entry, Fork, Opened, attached
from holdfast.session.catalog import Due, Hits, Listed, Page, Progress, Wanted, nearest
from holdfast.session.goals import ALWAYS
from holdfast.stores.scan_catalog import ComparedRows, ScanningCatalog, listed, search
from holdfast.stores.text_index.question import SearchQuery

SCHEMA = """
create table if not exists logs (id integer primary key autoincrement, key text not null, trash text, thrown integer,
    holder blob, epoch integer not null default 0);
create unique index if not exists log_by_key on logs (key) where trash is null;
create table if not exists entries (log integer, pos integer, line blob, primary key (log, pos)) without rowid;
create table if not exists blobs (log integer, name text, data blob, primary key (log, name)) without rowid;
create table if not exists drafts (id integer primary key autoincrement, log integer, piece blob);
create table if not exists list (log integer primary key, updated text, key text, archived integer, tags text,
    workspace text, owner blob, row blob);
"""
LOOK_SECONDS = 0.01


class Database:
    """One connection; another opening of the same file stands for another program."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.executescript("pragma journal_mode=wal; pragma secure_delete=on;" + SCHEMA)

    def rows(self, query: str, *values: object, **named: object) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return self._connection.execute(query, named or values).fetchall()

    def one(self, query: str, *values: object) -> tuple[Any, ...] | None:
        """The first row of a query."""
        return next(iter(self.rows(query, *values)), None)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or none, and nobody else meanwhile."""
        self._connection.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._connection.execute("rollback")
            raise
        self._connection.execute("commit")

    def log(self, key: str, *, empty: bool = False) -> int:
        """The number of a log. Raises `NoSession`; one with nothing in it counts only with `empty`."""
        row = self.one("select id from logs where key = ? and trash is null", key)
        if row is None or not (empty or self.end(row[0])):
            raise NoSession(SessionKey(key))
        return int(row[0])

    def end(self, log: int) -> int:
        """The position that is next."""
        row = self.one("select coalesce(max(pos) + 1, 0) from entries where log = ?", log)
        return int(row[0]) if row else 0

    def records(self, log: int, start: int, stop: int | None) -> list[Record]:
        """Some records of a log."""
        last = 2**62 if stop is None else stop
        found = self.rows(
            "select line from entries where log = ? and pos >= ? and pos < ? order by pos", log, start, last
        )
        return [decode_line(bytes(line)) for (line,) in found if isinstance(line, bytes)]

    def holder(self, log: int) -> Holder | None:
        """Who holds a log."""
        row = self.one("select holder from logs where id = ?", log)
        return msgspec.json.decode(row[0], type=Holder) if row and isinstance(row[0], bytes) else None

    def list_again(self, log: int) -> None:
        """Bring the row of the list up to date with a log."""
        row = self.one("select key, trash from logs where id = ?", log)
        self.rows("delete from list where log = ?", log)
        records = self.records(log, 0, None)
        if row is None or row[1] is not None or not records:
            return
        kept = self.one("select coalesce(sum(length(data)), 0) from blobs where log = ?", log)
        size = sum(len(record.raw) for record in records) + (kept[0] if kept else 0)
        each = listed(SessionKey(str(row[0])), records, size, 0)
        tags = b"".join(b"\xff" + as_bytes(tag) + b"\xff" for tag in each.tags)
        place = (each.updated.isoformat(), as_bytes(each.key), each.archived)
        values = (log, *place, tags, as_bytes(each.workspace), as_bytes(each.owner), to_json(each))
        self.rows("insert into list values (?, ?, ?, ?, ?, ?, ?, ?)", *values)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class SqliteWriter:
    """The one writer of one log."""

    def __init__(self, database: Database, log: int, holder: Holder, clock: Clock, durability: Durability) -> None:
        self._database, self._log, self._holder = database, log, holder
        self._clock, self._durability, self._closed = clock, durability, False

    @property
    def holder(self) -> Holder:
        return self._holder

    @property
    def end(self) -> Position:
        return Position(self._database.end(self._log) - 1)

    @property
    def repaired(self) -> tuple[Damaged, ...]:
        return ()

    def _usable(self) -> None:
        if self._closed:
            raise Closed("The session was closed.", hint="Open it again.")
        now = self._database.holder(self._log)
        if now is None or now.epoch != self._holder.epoch:
            raise Fenced("Another writer took this session over.", hint="Read it again, and open it anew to go on.")

    async def append(self, entries: Sequence[Entry], *, expect: Position) -> Sequence[Record]:
        records, _ = encode(entries, expect, self._clock.now_ns())
        with self._database.transaction():
            self._usable()
            end = self._database.end(self._log)
            if expect != end:
                raise Conflict(expect, end)
            for record in records:
                self._database.rows("insert into entries values (?, ?, ?)", self._log, record.pos, bytes(record.raw))
            self._database.list_again(self._log)
        return records

    async def check(self) -> None:
        self._usable()

    async def commit(self) -> Ack:
        self._usable()
        return Ack(position=self.end, durability=self._durability)

    async def put_blob(self, data: bytes) -> BlobId:
        self._usable()
        name = blob_id(data)
        self._database.rows("insert or ignore into blobs values (?, ?, ?)", self._log, name, data)
        return name

    async def draft(self, piece: Drafted) -> None:
        self._usable()
        self._database.rows("insert into drafts (log, piece) values (?, ?)", self._log, msgspec.json.encode(piece))

    async def drop_draft(self) -> None:
        self._usable()
        self._database.rows("delete from drafts where log = ?", self._log)

    async def release(self, *, discard: bool = False) -> None:
        self._closed = True
        now = self._database.holder(self._log)
        if now is not None and now.epoch == self._holder.epoch:
            self._database.rows("update logs set holder = null where id = ?", self._log)
            if discard:
                self._database.rows(
                    "delete from logs where id = ? and not exists (select 1 from entries where log = id)", self._log
                )


class SqliteStore:
    """Many logs as rows."""

    def __init__(self, path: Path, *, clock: Clock, durability: Durability = "always") -> None:
        self.database, self._clock, self._durability, self._path = Database(path), clock, durability, path

    def about(self, key: SessionKey | None = None) -> StoreAbout:
        return StoreAbout(place=f"{self._path}, {key or 'all of it'}")

    async def acquire(
        self, key: SessionKey, *, create: bool = True, doing: str = "", wait: float = 0.0, take_over: bool = False
    ) -> SqliteWriter:
        waited = 0.0
        while True:
            with self.database.transaction():
                if create and self.database.one("select 1 from logs where key = ? and trash is null", key) is None:
                    self.database.rows("insert into logs (key) values (?)", key)
                log = self.database.log(key, empty=create)
                holder = self.database.holder(log)
                if holder is None or take_over:
                    return self._taken_by_us(log, doing)
            if waited >= wait:
                raise Held(key, str(holder))
            await self._clock.sleep(LOOK_SECONDS)
            waited += LOOK_SECONDS

    def _taken_by_us(self, log: int, doing: str) -> SqliteWriter:
        self.database.rows("update logs set epoch = epoch + 1 where id = ?", log)
        ((epoch,),) = self.database.rows("select epoch from logs where id = ?", log)
        since, host = at_time(self._clock.now_ns()), socket.gethostname()
        holder = Holder(pid=os.getpid(), host=host, since=since, doing=doing, epoch=epoch)
        self.database.rows("update logs set holder = ? where id = ?", msgspec.json.encode(holder), log)
        return SqliteWriter(self.database, log, holder, self._clock, self._durability)

    async def exists(self, key: SessionKey) -> bool:
        try:
            return bool(self.database.log(key))
        except NoSession:
            return False

    async def holder(self, key: SessionKey) -> Holder | None:
        row = self.database.one("select id from logs where key = ? and trash is null", key)
        return self.database.holder(row[0]) if row else None

    async def read(
        self, key: SessionKey, *, start: Position = Position(0), stop: Position | None = None
    ) -> AsyncIterator[Record]:
        for record in self.database.records(self.database.log(key), start, stop):
            yield record

    async def load(
        self, key: SessionKey, *, start: Position = Position(0), stop: Position | None = None
    ) -> list[Record]:
        return self.database.records(self.database.log(key), start, stop)

    async def read_back(self, key: SessionKey, *, before: Position | None = None) -> AsyncIterator[Record]:
        log, position = self.database.log(key), self.database.end(self.database.log(key))
        position = position if before is None else min(before, position)
        while position > 0:
            position -= 1
            for record in self.database.records(log, position, position + 1):
                yield record

    async def follow(self, key: SessionKey, *, after: Position = Position(-1)) -> AsyncIterator[Record]:
        log = self.database.log(key)
        if after >= (end := self.database.end(log)):
            raise BeyondEnd(after, end - 1)
        position = max(0, after + 1)
        while True:
            for record in self.database.records(log, position, None):
                yield record
                position = record.pos + 1
            if self.database.log(key) != log:
                raise NoSession(key, replaced=True)
            await asyncio.sleep(LOOK_SECONDS)

    def _pieces(self, log: int, after: int) -> list[tuple[int, Drafted]]:
        found = self.database.rows("select id, piece from drafts where log = ? and id > ? order by id", log, after)
        return [(each, msgspec.json.decode(bytes(piece), type=Drafted)) for each, piece in found]

    async def drafts(self, key: SessionKey) -> tuple[Drafted, ...]:
        row = self.database.one("select id from logs where key = ? and trash is null", key)
        return tuple(piece for _, piece in self._pieces(row[0], 0)) if row else ()

    async def follow_draft(self, key: SessionKey) -> AsyncIterator[tuple[Drafted, ...]]:
        log, last = self.database.log(key), 0
        while True:
            if pieces := self._pieces(log, last):
                last = pieces[-1][0]
                yield tuple(piece for _, piece in pieces)
            if self.database.log(key) != log:
                raise NoSession(key, replaced=True)
            await asyncio.sleep(LOOK_SECONDS)

    async def get_blob(self, key: SessionKey, blob: BlobId) -> bytes:
        named = "select data from blobs join logs on log = id where key = ? and trash is null and name = ?"
        row = self.database.one(named, key, blob)
        if row is None or not isinstance(row[0], bytes):
            raise NoBlob(f"The attachment {blob} is not there.", hint="`holdfast verify` lists what is missing.")
        return row[0]

    async def fork(self, source: SessionKey, target: SessionKey, *, at: Position) -> None:
        with self.database.transaction():
            log = self.database.log(source)
            if not 0 <= at < self.database.end(log):
                raise BeyondEnd(at, self.database.end(log) - 1)
            self._free(target, "Choose another name.")
            self.database.rows("delete from logs where key = ? and trash is null", target)
            self.database.rows("insert into logs (key) values (?)", target)
            new = self.database.log(target, empty=True)
            shared = "insert into entries select ?, pos, line from entries where log = ? and pos <= ?"
            self.database.rows(shared, new, log, at)
            for name in mentioned(self.database.records(new, 0, None)):
                self.database.rows(
                    "insert into blobs select ?, name, data from blobs where log = ? and name = ?", new, log, name
                )
            opened = Opened(key=target, origin=Fork(key=source, pos=at))
            (record,), _ = encode([opened], Position(at + 1), self._clock.now_ns())
            self.database.rows("insert into entries values (?, ?, ?)", new, at + 1, bytes(record.raw))
            self.database.list_again(new)

    def _free(self, key: SessionKey, hint: str) -> None:
        row = self.database.one("select id from logs where key = ? and trash is null", key)
        log = row[0] if row else 0
        if row and (self.database.end(log) or self.database.holder(log) is not None):
            raise AlreadyThere(f"There is already a session {key!r}.", hint=hint)

    def _unheld(self, key: SessionKey) -> int:
        log = self.database.log(key)
        if (holder := self.database.holder(log)) is not None:
            raise Held(key, str(holder))
        return log

    def _remove(self, log: int) -> None:
        for table, column in (("entries", "log"), ("blobs", "log"), ("drafts", "log"), ("list", "log"), ("logs", "id")):
            self.database.rows(f"delete from {table} where {column} = ?", log)

    async def delete(self, key: SessionKey) -> None:
        with self.database.transaction():
            self._remove(self._unheld(key))

    async def throw_away(self, key: SessionKey) -> None:
        with self.database.transaction():
            log, now = self._unheld(key), self._clock.now_ns()
            self.database.rows("update logs set trash = ?, thrown = ? where id = ?", f"{now}+{token_hex(4)}", now, log)
            self.database.list_again(log)

    async def trash(self) -> tuple[Trashed, ...]:
        found = self.database.rows(
            "select trash, key, thrown, id from logs where trash is not null order by thrown desc"
        )
        return tuple(
            Trashed(name=str(name), key=SessionKey(str(key)), at=at_time(at), size=self._size(log))
            for name, key, at, log in found
        )

    def _size(self, log: int) -> int:
        return sum(len(record.raw) for record in self.database.records(log, 0, None))

    async def bring_back(self, name: str) -> SessionKey:
        with self.database.transaction():
            row = self.database.one("select id, key from logs where trash = ?", name)
            if row is None:
                raise NoSession(SessionKey(name))
            key = SessionKey(str(row[1]))
            self._free(key, "To keep that one, fork it under another name; then delete it, and this can come back.")
            self.database.rows("delete from logs where key = ? and trash is null", key)
            self.database.rows("update logs set trash = null, thrown = null where id = ?", row[0])
            self.database.list_again(row[0])
            return key

    async def empty_trash(self, name: str | None = None) -> int:
        with self.database.transaction():
            found = self.database.rows(
                "select id from logs where trash is not null and trash = coalesce(?, trash)", name
            )
            for (log,) in found:
                self._remove(log)
            return len(found)

    async def sessions(self) -> AsyncIterator[SessionKey]:
        for (key,) in self.database.rows(
            "select key from logs where trash is null and id in (select log from entries)"
        ):
            yield SessionKey(str(key))

    async def verify(self, key: SessionKey) -> Verdict:
        log = self.database.log(key)
        records = self.database.records(log, 0, None)
        kept = {str(name): data for name, data in self.database.rows("select name, data from blobs where log = ?", log)}
        size = sum(len(record.raw) for record in records) + sum(len(bytes(data)) for data in kept.values())
        missing = tuple(sorted(name for name in mentioned(records) if name not in kept))
        last = Position(len(records) - 1)
        return Verdict(key=key, entries=len(records), first=Position(0), last=last, size=size, blobs_missing=missing)

    async def repair(self, key: SessionKey) -> Verdict:
        verdict = await self.verify(key)
        self._unheld(key)
        return verdict

    async def close(self) -> None:
        self.database.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class SqliteCatalog:
    """The list and the search of the same database; it is written with each append, so it is never behind."""

    def __init__(self, store: SqliteStore, scopes: SqliteStore) -> None:
        self._store, self._database = store, store.database
        self._scan = ScanningCatalog(store, scopes)
        self.memory, self.core, self.facts = self._scan.memory, self._scan.core, self._scan.facts
        self.forgotten = self._scan.forgotten

    async def page(self, wanted: Wanted) -> Page:
        if wanted.cursor and wanted.cursor.count("|") < 1:
            raise BadInput(f"{wanted.cursor!r} is not a cursor of this list.", hint="Begin without one.")
        updated, _, key = wanted.cursor.partition("|")
        where = ["1"] + (["(updated, key) < (:updated, :key)"] if wanted.cursor else [])
        where += ["archived = :archived"] if wanted.archived is not None else []
        where += ["instr(tags, :tag)"] if wanted.tag else []
        where += ["workspace = :workspace"] if wanted.workspace else []
        where += ["owner = :owner"] if wanted.owner is not None else []
        where += [] if wanted.scripts else ["""not instr(row, '"speaker":"script"')"""]
        values: dict[str, object] = {
            "updated": updated,
            "key": as_bytes(key),
            "archived": wanted.archived,
            "tag": b"\xff" + as_bytes(wanted.tag) + b"\xff",
        }
        values |= {"owner": as_bytes(wanted.owner or "")}
        values |= {"workspace": as_bytes(wanted.workspace), "limit": max(0, min(wanted.limit, 2**31)) + 1}
        query = f"select row from list where {' and '.join(where)} order by updated desc, key desc limit :limit"
        found = [from_json(bytes(row), Listed) for (row,) in self._database.rows(query, **values)]
        rows = found[: max(0, wanted.limit)]
        more = len(found) > len(rows) and rows
        return Page(sessions=tuple(rows), cursor=f"{rows[-1].updated.isoformat()}|{rows[-1].key}" if more else "")

    async def due(self, *, limit: int = 100, workspace: str = "", goals: bool | None = None) -> tuple[Due, ...]:
        rows = [from_json(bytes(row), Listed) for (row,) in self._database.rows("select row from list")]
        found = [Due(key=row.key, at=row.due) for row in rows if row.due and workspace in {"", row.workspace}]
        found = [each for each in found if goals in {None, each.at == ALWAYS}]
        return tuple(sorted(found, key=lambda each: (each.at, each.key))[:limit])

    async def _rows(self) -> dict[SessionKey, Listed]:
        rows = [from_json(bytes(row), Listed) for (row,) in self._database.rows("select row from list")]
        return {row.key: row for row in rows}

    async def _row(self, key: SessionKey) -> Listed:
        return (await self._rows())[key]

    async def changes(self) -> ComparedRows:
        return ComparedRows(self._rows, self._row, await self._rows())

    async def search(
        self,
        text: str,
        *,
        limit: int = 10,
        key: SessionKey | None = None,
        owner: str | None = None,
        now: datetime | None = None,
    ) -> Hits:
        owned = [each for each, row in (await self._rows()).items() if owner in {None, row.owner}]
        keys = [each for each in owned if key in {None, each}]
        entries = [
            (each, record) for each in keys for record in self._database.records(self._database.log(each), 0, None)
        ]
        return search(entries, SearchQuery(text=text, now=now), limit)

    async def near(self, key: str, limit: int = 3) -> tuple[SessionKey, ...]:
        return nearest(key, [each async for each in self._store.sessions()], limit)

    async def settle(self) -> None:
        """Nothing is ever behind."""

    async def catch_up(self) -> AsyncIterator[Progress]:
        for never in tuple[Progress, ...]():
            yield never

    async def rebuild(self) -> AsyncIterator[Progress]:
        found = self._database.rows("select id, key from logs where trash is null")
        for done, (log, key) in enumerate(found, 1):
            self._database.list_again(log)
            yield Progress(done=done, total=len(found), key=SessionKey(str(key)))

    async def renew(self, key: SessionKey) -> None:
        self._database.list_again(self._database.log(key))

    async def forget(self, key: SessionKey) -> None:
        """The rows went with the log; what is left of them in the journal goes now."""
        self._database.rows("pragma wal_checkpoint(truncate)")

    async def close(self) -> None:
        """The store closes the database."""


def mentioned(records: Sequence[Record]) -> set[BlobId]:
    """The blobs that entries name."""
    return {blob.blob for record in records for blob in attached(record.entry)}


def as_bytes(text: str) -> bytes:
    """A text as SQLite can keep it, also half a character."""
    return text.encode("utf-8", "surrogatepass")
