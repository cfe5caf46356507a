"""From one session's log to its row and its words, as far as the log has grown.

The row says how far the log was read, and is written in the transaction that indexes
what was read, so a crash between the two loses nothing and says nothing twice.
"""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from holdfast.ids import Position, SessionKey
from holdfast.records.codec import Record
from holdfast.records.entries import UserSaid, said_at
from holdfast.records.parts import plain_text
from holdfast.records.printable import printable_line
from holdfast.session.catalog import PREVIEW, Listed, is_message, used_at
from holdfast.session.search_text import words
from holdfast.session.state import SessionState, fold
from holdfast.stores.files.catalog import index, schema, sizes
from holdfast.stores.files.catalog.dirty import DirtyMarks
from holdfast.stores.files.folder_names import key_of
from holdfast.stores.files.segments import Cursor, ReadBlock, advance, segment_numbers, segment_path
from holdfast.stores.files.trash import key_in

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
COLUMNS = (
    "id, folder, key, title, preview, created, updated, entries, messages, turns, size, tags, archived, damaged,"
    " birth, segment, offset, next, workspace, attached, owner, elsewhere"
)


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """What the catalog keeps of a session."""

    id: int | None
    """None until it is kept."""
    folder: str
    listed: Listed
    birth: str
    """Which file its log began in: a session that was deleted and made again is another one."""
    cursor: Cursor
    attached: int = 0
    """The bytes of the attachments that are counted."""
    elsewhere: bool = False
    """Whether the last message was said before it was written: what is noted behind it makes the session no newer."""


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of a block's changes, or none."""
    db.execute("begin immediate")
    try:
        yield
    except BaseException:
        db.execute("rollback")
        raise
    db.execute("commit")


def catch_up(db: sqlite3.Connection, sessions: Path, name: str) -> None:
    """Bring one session's row and words up to its log; drop both if the session is gone."""
    try:
        try:
            _follow_all(db, sessions / name)
        except FileNotFoundError:
            _follow_all(db, sessions / name)  # it was removed while we read, and may have been begun again
    except OSError:
        # Another user's, perhaps, or a part of the disk that fails. The others are listed all the same, and
        # this one is looked at with every question.
        with suppress(OSError):
            DirtyMarks(sessions.parent).set(name)
        with suppress(OSError):  # not even its folder can be looked at
            if load(db, name) is None:
                _save(db, _unread(sessions / name))


def _follow_all(db: sqlite3.Connection, folder: Path) -> None:
    while not _follow(db, folder):
        pass  # another process reads the same log, and got further meanwhile


def _follow(db: sqlite3.Connection, folder: Path) -> bool:
    """Read on from where the row says; tell whether no other process did so at the same time."""
    name = folder.name
    numbers = segment_numbers(folder)
    birth = f"{segment_path(folder, numbers[0]).stat().st_ino}" if numbers else ""
    row = load(db, name)
    if row is not None and (row.birth != birth or not _reaches(folder, row.cursor)):
        drop(db, row)
        row = None
    row = row or _new(folder, birth)
    for found in advance(folder, row.cursor):
        with transaction(db):
            now = load(db, name)
            if (now and (now.id, now.cursor)) != (row.id and (row.id, row.cursor)):
                return False
            row = _add(db, row, found, folder)
        time.sleep(0)  # the thread that appends goes first
    return True


def renew(db: sqlite3.Connection, sessions: Path, name: str) -> None:
    """Read one session again from its beginning."""
    row = load(db, name)
    if row is not None:
        drop(db, row)
    catch_up(db, sessions, name)


def load(db: sqlite3.Connection, name: str) -> SessionRow | None:
    """The row of a session folder."""
    found = db.execute(f"select {COLUMNS} from sessions where folder = ?", (name,)).fetchone()  # noqa: S608
    return to_row(found) if found else None


def drop(db: sqlite3.Connection, row: SessionRow) -> None:
    """Forget a session."""
    assert row.id is not None  # noqa: S101
    with transaction(db):
        index.remove(db, row.id)
        sizes.remove(db, row.id)
        db.execute("delete from sessions where id = ?", (row.id,))
        schema.note(db, "vacuum", "needed")


def _reaches(folder: Path, cursor: Cursor) -> bool:
    """Whether a log is as long as it was when it was read."""
    path = segment_path(folder, cursor.segment)
    return path.exists() and path.stat().st_size >= cursor.offset


def _unread(folder: Path) -> SessionRow:
    """What is known of a session that we may not read."""
    at = datetime.fromtimestamp(folder.stat().st_mtime, UTC)
    return _row(
        folder, "", msgspec.structs.replace(_empty(key_of(folder.name) or SessionKey(folder.name), at), damaged=1)
    )


def _new(folder: Path, birth: str) -> SessionRow:
    return _row(folder, birth, _empty(key_in(folder, folder.name), _EPOCH))


def _row(folder: Path, birth: str, listed: Listed) -> SessionRow:
    return SessionRow(id=None, folder=folder.name, listed=listed, birth=birth, cursor=Cursor())


def _empty(key: SessionKey, at: datetime) -> Listed:
    return Listed(
        key=key,
        title="",
        preview="",
        created=at,
        updated=at,
        entries=0,
        messages=0,
        turns=0,
        size=0,
    )


def _add(db: sqlite3.Connection, row: SessionRow, found: ReadBlock, folder: Path) -> SessionRow:
    """Take what was read into the row and the index."""
    last = next((record for record in reversed(found.records) if is_message(record)), None)
    elsewhere = row.elsewhere if last is None else said_at(last.entry) is not None
    listed = _grown(row.listed, found.records)
    if found.records and not (elsewhere and last is None):
        listed = msgspec.structs.replace(listed, updated=used_at(found.records))
    listed = msgspec.structs.replace(listed, damaged=listed.damaged + len(found.damage))
    row = msgspec.structs.replace(row, listed=listed, cursor=found.cursor, elsewhere=elsewhere)
    row = _save(db, _sized(db, row if row.id is not None else _save(db, row), found, folder))
    index.add(db, _said(row, found.records))
    return row


def _sized(db: sqlite3.Connection, row: SessionRow, found: ReadBlock, folder: Path) -> SessionRow:
    assert row.id is not None  # noqa: S101
    if row.attached == sizes.NOT_COUNTED:
        attached = sizes.counted_all(db, row.id, folder)
    else:
        attached = row.attached + sizes.counted(db, row.id, folder, [record.raw for record in found.records])
    listed = msgspec.structs.replace(row.listed, size=sizes.size_beside(folder) + attached)
    return msgspec.structs.replace(row, listed=listed, attached=attached)


def _said(row: SessionRow, records: list[Record]) -> Iterator[index.IndexedText]:
    assert row.id is not None  # noqa: S101
    for record in records:
        said = words(record.entry)
        if said is not None:
            yield index.IndexedText(session=row.id, pos=record.pos, role=said.role, text=said.text)


def _grown(listed: Listed, records: list[Record]) -> Listed:
    state = SessionState(
        title=listed.title,
        tags=listed.tags,
        archived=listed.archived,
        workspace=listed.workspace,
        owner=listed.owner,
        messages=listed.messages,
        turns=listed.turns,
    )
    preview = listed.preview
    for record in records:
        state = fold(state, record)
        if not preview and isinstance(record.entry, UserSaid):
            preview = printable_line(plain_text(record.entry.parts), PREVIEW)
    return msgspec.structs.replace(
        listed,
        title=state.title,
        tags=state.tags,
        archived=state.archived,
        workspace=state.workspace,
        owner=state.owner,
        messages=state.messages,
        turns=state.turns,
        preview=preview,
        entries=listed.entries + len(records),
        created=listed.created if listed.entries or not records else records[0].at,
    )


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _save(db: sqlite3.Connection, row: SessionRow) -> SessionRow:
    each = row.listed
    values = (
        row.id,
        row.folder,
        each.key.encode("utf-8", "surrogatepass"),
        each.title.encode("utf-8", "surrogatepass"),
        each.preview,
        _micros(each.created),
        _micros(each.updated),
        each.entries,
        each.messages,
        each.turns,
        each.size,
        json.dumps(each.tags),
        each.archived,
        each.damaged,
        row.birth,
        row.cursor.segment,
        row.cursor.offset,
        row.cursor.next,
        each.workspace.encode("utf-8", "surrogatepass"),
        row.attached,
        each.owner.encode("utf-8", "surrogatepass"),
        row.elsewhere,
    )
    marks = ", ".join("?" * len(values))
    done = db.execute(f"insert or replace into sessions ({COLUMNS}) values ({marks})", values)  # noqa: S608
    return msgspec.structs.replace(row, id=done.lastrowid if row.id is None else row.id)


def to_row(found: tuple[Any, ...]) -> SessionRow:
    """A row of the table as a value."""
    listed = Listed(
        key=SessionKey(found[2].decode("utf-8", "surrogatepass")),
        title=found[3].decode("utf-8", "surrogatepass"),
        preview=found[4],
        created=_EPOCH + timedelta(microseconds=found[5]),
        updated=_EPOCH + timedelta(microseconds=found[6]),
        entries=found[7],
        messages=found[8],
        turns=found[9],
        size=found[10],
        tags=tuple(json.loads(found[11])),
        archived=bool(found[12]),
        damaged=found[13],
        workspace=found[18].decode("utf-8", "surrogatepass"),
        owner=found[20].decode("utf-8", "surrogatepass"),
    )
    cursor = Cursor(found[15], found[16], Position(found[17]))
    return SessionRow(
        id=found[0],
        folder=found[1],
        listed=listed,
        birth=found[14],
        cursor=cursor,
        attached=found[19],
        elsewhere=bool(found[21]),
    )
