"""From one session's log to its row and its words, as far as the log has grown.

The row says how far the log was read, and is written in the transaction that indexes
what was read, so a crash between the two loses nothing and says nothing twice. A log that
has grown by much is read twice: its row takes a tenth of the time that its words take.
"""

import sqlite3
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from holdfast.ids import SessionKey
from holdfast.records.codec import Record
from holdfast.records.entries import said_at
from holdfast.session.catalog import Listed, is_message, is_use, preview_of, speaker, used_at
from holdfast.session.schedules import Wake
from holdfast.session.search_text import words
from holdfast.session.state import SessionState, fold
from holdfast.stores.files.blocks import BLOCK, FIRST_BLOCK
from holdfast.stores.files.catalog import index, memory, sizes
from holdfast.stores.files.catalog.dirty import DirtyMarks
from holdfast.stores.files.catalog.proof import proof
from holdfast.stores.files.catalog.rows import EPOCH, SessionRow, drop, load, save
from holdfast.stores.files.catalog.schema import transaction
from holdfast.stores.files.folder_names import key_of
from holdfast.stores.files.segments import ReadBlock, advance, segment_numbers, segment_path
from holdfast.stores.files.trash import key_in

MUCH = 1_000_000
"""Of a log that has grown by so many bytes, the words come after the row."""


def catch_up(db: sqlite3.Connection, sessions: Path, name: str) -> None:
    """Bring one session's row and words up to its log; drop both if the session is gone."""
    for _ in catching_up(db, sessions, name):
        pass


def catching_up(db: sqlite3.Connection, sessions: Path, name: str, *, rows_first: bool = False) -> Iterator[None]:
    """The same in steps, each of them kept; `rows_first` leaves the words of a log that has grown by much."""
    try:
        try:
            yield from _following(db, sessions / name, rows_first=rows_first)
        except FileNotFoundError:
            yield from _following(
                db, sessions / name, rows_first=rows_first
            )  # removed while we read, perhaps begun again
    except OSError:
        # Another user's, perhaps, or a part of the disk that fails. The others are listed all the same, and
        # this one is looked at with every question.
        with suppress(OSError):
            DirtyMarks(sessions.parent).set(name)
        with suppress(OSError):  # not even its folder can be looked at
            if load(db, name) is None:
                save(db, _unread(sessions / name))


def renew(db: sqlite3.Connection, sessions: Path, name: str) -> None:
    """Read one session again from its beginning."""
    row = load(db, name)
    if row is not None:
        drop(db, row)
    catch_up(db, sessions, name)


def _following(db: sqlite3.Connection, folder: Path, *, rows_first: bool) -> Iterator[None]:
    while not (yield from _reading_on(db, folder, rows_first=rows_first)):
        pass  # another process reads the same log and got further, or the log was replaced


def _reading_on(db: sqlite3.Connection, folder: Path, *, rows_first: bool) -> Generator[None, None, bool]:
    """Read on from where the row says; False if it does not say so any more."""
    row = _known(db, folder) or SessionRow(
        id=None, folder=folder.name, listed=_empty(key_in(folder, folder.name), EPOCH), birth=_birth(folder)
    )
    much = _unread_bytes(folder, row) > MUCH
    at_first = BLOCK if much else FIRST_BLOCK  # many words together cost less, also where one stops after each block
    for found in advance(folder, row.cursor, at_first):
        with transaction(db):
            if _is_overtaken(db, row, folder):
                return False
            row = _add(db, row, found, folder, with_words=not much)
        time.sleep(0)  # the thread that appends goes first
        yield
    if row.indexed == row.cursor or (rows_first and much):
        return True
    for found in advance(folder, row.indexed, at_first):
        with transaction(db):
            if _is_overtaken(db, row, folder):
                return False
            row = _index(db, row, found)
        time.sleep(0)
        yield
    return True


def _known(db: sqlite3.Connection, folder: Path) -> SessionRow | None:
    """The row of a log, if it is still the one that was read."""
    row = load(db, folder.name)
    if row is None:
        return None
    birth = _birth(folder)
    if _reaches(folder, row) and row.birth == birth:
        return row
    if _reaches(folder, row) and row.proof and proof(folder, segment_numbers(folder)[0], row.cursor) == row.proof:
        return save(db, msgspec.structs.replace(row, birth=birth))  # it was copied
    drop(db, row)
    return None


def _birth(folder: Path) -> str:
    numbers = segment_numbers(folder)
    return f"{segment_path(folder, numbers[0]).stat().st_ino}" if numbers else ""


def _reaches(folder: Path, row: SessionRow) -> bool:
    """Whether a log is as long as it was when it was read."""
    path = segment_path(folder, row.cursor.segment)
    return path.exists() and path.stat().st_size >= row.cursor.offset


def _unread_bytes(folder: Path, row: SessionRow) -> int:
    """How much of a log is not in the search index."""
    numbers = [number for number in segment_numbers(folder) if number >= row.indexed.segment]
    return sum(segment_path(folder, number).stat().st_size for number in numbers) - row.indexed.offset


def _is_overtaken(db: sqlite3.Connection, row: SessionRow, folder: Path) -> bool:
    """Whether another process got further, or the log was removed: asked before anything is written."""
    now = load(db, row.folder)
    read = (now.id, now.cursor, now.indexed) if now else (None, row.cursor, row.indexed)
    return (row.id, row.cursor, row.indexed) != read or _birth(folder) != row.birth


def _unread(folder: Path) -> SessionRow:
    """What is known of a session that we may not read."""
    at = datetime.fromtimestamp(folder.stat().st_mtime, UTC)
    listed = msgspec.structs.replace(_empty(key_of(folder.name) or SessionKey(folder.name), at), damaged=1)
    return SessionRow(id=None, folder=folder.name, listed=listed, birth="")


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


def _add(db: sqlite3.Connection, row: SessionRow, found: ReadBlock, folder: Path, *, with_words: bool) -> SessionRow:
    """Take what was read into the row, and into the index if that has all before it."""
    with_words = with_words and row.indexed == row.cursor
    last = next((record for record in reversed(found.records) if is_message(record)), None)
    elsewhere = row.elsewhere if last is None else said_at(last.entry) is not None
    before = row.listed.owner
    listed, wakes = _grown(row.listed, row.wakes, found.records)
    if any(is_use(record) for record in found.records) and not (elsewhere and last is None):
        listed = msgspec.structs.replace(listed, updated=used_at(found.records))
    listed = msgspec.structs.replace(listed, damaged=listed.damaged + len(found.damage))
    read = proof(folder, segment_numbers(folder)[0], found.cursor)
    indexed = found.cursor if with_words else row.indexed
    row = msgspec.structs.replace(
        row, listed=listed, cursor=found.cursor, indexed=indexed, proof=read, elsewhere=elsewhere, wakes=wakes
    )
    row = save(db, _sized(db, row if row.id is not None else save(db, row), found, folder))
    assert row.id is not None  # noqa: S101
    memory.add(db, row.id, listed.owner, found.records)
    if listed.owner != before:
        memory.outdate(db, before)
    if with_words:
        index.add(db, _said(row, found.records))
    return row


def _index(db: sqlite3.Connection, row: SessionRow, found: ReadBlock) -> SessionRow:
    """Take the words of what was read for the row before into the index."""
    index.add(db, _said(row, [record for record in found.records if record.pos < row.cursor.next]))
    reached = found.cursor.next >= row.cursor.next
    return save(db, msgspec.structs.replace(row, indexed=row.cursor if reached else found.cursor))


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
            yield index.IndexedText(
                session=row.id,
                pos=record.pos,
                role=said.role,
                text=said.text,
                speaker=said.speaker,
                day=record.when.astimezone().toordinal(),
            )


def _grown(listed: Listed, wakes: tuple[Wake, ...], records: list[Record]) -> tuple[Listed, tuple[Wake, ...]]:
    state = SessionState(
        title=listed.title,
        tags=listed.tags,
        archived=listed.archived,
        workspace=listed.workspace,
        owner=listed.owner,
        wakes=wakes,
        messages=listed.messages,
        turns=listed.turns,
        origin=listed.origin,
    )
    preview = listed.preview
    for record in records:
        state = fold(state, record)
        preview = preview or preview_of(record.entry)
    grown = msgspec.structs.replace(
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
        due=min((wake.at for wake in state.wakes), default=None),
        speaker=speaker(listed.speaker, records),
        origin=state.origin,
    )
    return grown, state.wakes
