"""Telling quickly of very many sessions that nothing happened to them.

After a restart of the machine, and after a store was copied, every session has to be looked at, and
nearly all are as they were. Only those with one segment are told here; what is left is read.
"""

import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from holdfast.stores.files.catalog.proof import proof
from holdfast.stores.files.catalog.schema import transaction
from holdfast.stores.files.segments import Cursor, segment_path

_KEPT = (
    "select id, folder, birth, proof, segment, offset from sessions"
    " where folder in (select value from json_each(?)) and (segment, offset) = (indexed_segment, indexed_offset)"
)


class _Kept(NamedTuple):
    id: int
    folder: str
    birth: str
    proof: str
    segment: int
    offset: int


def unchanged(db: sqlite3.Connection, sessions: Path, names: Sequence[str]) -> set[str]:
    """Those of some sessions whose logs end where they were read up to."""
    same: set[str] = set()
    learnt: list[tuple[str, str, int, str]] = []
    for kept in map(_Kept._make, db.execute(_KEPT, (json.dumps(names),)).fetchall()):
        with suppress(OSError):
            found = _looked_at(sessions / kept.folder, kept)
            if found is not None:
                same.add(kept.folder)
                if found != (kept.birth, kept.proof):
                    learnt.append((*found, kept.id, kept.birth))
    if learnt:
        with transaction(db):
            db.executemany("update sessions set birth = ?, proof = ? where id = ? and birth = ?", learnt)
    return same


def _looked_at(folder: Path, kept: _Kept) -> tuple[str, str] | None:
    """The number of the file of a log, and the proof that it is the one that was read; None if it is not, or grew."""
    path = segment_path(folder, kept.segment)
    if [name for name in os.listdir(folder) if name.endswith(".jsonl")] != [path.name]:
        return None
    state = os.stat(path)
    if state.st_size != kept.offset:
        return None
    birth = f"{state.st_ino}"
    if kept.proof and kept.birth == birth:
        return birth, kept.proof
    found = proof(folder, kept.segment, Cursor(kept.segment, kept.offset))
    return (birth, found) if found == kept.proof or kept.birth == birth else None
