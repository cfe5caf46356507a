"""The table of sessions: what the list shows of each, and how far its log was read for that and for its words."""

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from holdfast.ids import Position, SessionKey
from holdfast.records.codec import from_json, to_json
from holdfast.records.entries import Opened
from holdfast.session.catalog import Listed
from holdfast.session.schedules import Wake
from holdfast.stores.files.catalog import index, memory, schema, sizes
from holdfast.stores.files.catalog.forget import VACUUM
from holdfast.stores.files.catalog.schema import transaction
from holdfast.stores.files.segments import Cursor

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
COLUMNS = (
    "id, folder, key, title, preview, created, updated, entries, messages, turns, size, tags, archived, damaged,"
    " birth, segment, offset, next, workspace, attached, owner, elsewhere,"
    " indexed_segment, indexed_offset, indexed_next, proof, wakes, due, speaker, origin"
)


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """What the catalog keeps of a session."""

    id: int | None
    """None until it is kept."""
    folder: str
    listed: Listed
    birth: str
    """Which file its log began in: a session that was deleted and made again is another one."""
    cursor: Cursor = Cursor()
    """How far its log was read."""
    indexed: Cursor = Cursor()
    """How far its words are in the search index."""
    attached: int = 0
    """The bytes of the attachments that are counted."""
    elsewhere: bool = False
    """Whether the last message was said before it was written: what is noted behind it makes the session no newer."""
    wakes: tuple[Wake, ...] = ()
    proof: str = ""
    """By which its log is known after it was copied; '' if an earlier version read it."""


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
        memory.remove(db, row.id, row.listed.owner)
        db.execute("delete from sessions where id = ?", (row.id,))
        schema.note(db, VACUUM, "needed")


def _micros(at: datetime) -> int:
    return (at - EPOCH) // timedelta(microseconds=1)


def save(db: sqlite3.Connection, row: SessionRow) -> SessionRow:
    """Keep a row."""
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
        row.indexed.segment,
        row.indexed.offset,
        row.indexed.next,
        row.proof,
        json.dumps([(wake.pos, _micros(wake.at)) for wake in row.wakes]),
        None if each.due is None else _micros(each.due),
        each.speaker,
        None if each.origin is None else to_json(Opened(key=each.key, origin=each.origin)),
    )
    marks = ", ".join("?" * len(values))
    done = db.execute(f"insert or replace into sessions ({COLUMNS}) values ({marks})", values)  # noqa: S608
    return msgspec.structs.replace(row, id=done.lastrowid if row.id is None else row.id)


def _wakes(text: str) -> tuple[Wake, ...]:
    return tuple(Wake(pos=pos, at=EPOCH + timedelta(microseconds=micros)) for pos, micros in json.loads(text))


def to_row(found: tuple[Any, ...]) -> SessionRow:
    """A row of the table as a value."""
    listed = Listed(
        key=SessionKey(found[2].decode("utf-8", "surrogatepass")),
        title=found[3].decode("utf-8", "surrogatepass"),
        preview=found[4],
        created=EPOCH + timedelta(microseconds=found[5]),
        updated=EPOCH + timedelta(microseconds=found[6]),
        entries=found[7],
        messages=found[8],
        turns=found[9],
        size=found[10],
        tags=tuple(json.loads(found[11])),
        archived=bool(found[12]),
        damaged=found[13],
        workspace=found[18].decode("utf-8", "surrogatepass"),
        owner=found[20].decode("utf-8", "surrogatepass"),
        due=None if found[27] is None else EPOCH + timedelta(microseconds=found[27]),
        speaker=found[28],
        origin=None if found[29] is None else from_json(found[29], Opened).origin,
    )
    return SessionRow(
        id=found[0],
        folder=found[1],
        listed=listed,
        birth=found[14],
        cursor=Cursor(found[15], found[16], Position(found[17])),
        indexed=Cursor(found[22], found[23], Position(found[24])),
        attached=found[19],
        elsewhere=bool(found[21]),
        proof=found[25],
        wakes=_wakes(found[26]),
    )
