"""What is remembered, in the catalog: the entries about memory, and their fold for each scope.

The fold is made anew when a scope is asked for after an entry about it came or went; until then its facts are rows, so
that the few that a system text shows are read without the others.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from holdfast.ids import FactId, Position, SessionKey
from holdfast.records.codec import Record, decode_line, from_json, to_json
from holdfast.records.facts import ForgottenWords
from holdfast.session.facts import (
    CoreFacts,
    MemoryFact,
    Scope,
    ScopeFacts,
    ScopeRecord,
    concerns_memory,
    core_rank,
    fold_facts,
    scope_named,
    scope_records,
)
from holdfast.stores.files.catalog.schema import transaction
from holdfast.stores.files.folder_names import folder_name, key_of
from holdfast.stores.files.segments import read_forward, segment_numbers, segment_path

MEMORY_FOLDER = "memory"
"""Where the logs of the scopes are, below the root of a store."""

_OF_SESSIONS = """
    select m.session, s.key, m.line from memory_entries m join sessions s on s.id = m.session
    where s.owner = ? order by m.session, m.pos"""
_KEEP_SCOPE = "insert or replace into memory_scopes (owner, stale, log, rest) values (?, 0, ?, ?)"
_KEEP_FACT = "insert into memory_facts (owner, id, rank, holds, fact) values (?, ?, ?, ?, ?)"
_CORE = "select fact from memory_facts where owner = ? and holds = 1 order by rank limit ?"
_NAMED = "select fact from memory_facts where owner = ? and id = ?"


def add(db: sqlite3.Connection, session: int, owner: str, records: Iterable[Record]) -> None:
    """Take what a session says about memory."""
    found = [record for record in records if concerns_memory(record)]
    rows = [(session, record.pos, bytes(record.raw)) for record in found]
    db.executemany("insert or replace into memory_entries values (?, ?, ?)", rows)
    if found:
        outdate(db, owner)


def remove(db: sqlite3.Connection, session: int, owner: str) -> None:
    """Forget what a session said."""
    if db.execute("delete from memory_entries where session = ?", (session,)).rowcount:
        outdate(db, owner)


def outdate(db: sqlite3.Connection, owner: str) -> None:
    """Have the facts of a scope folded anew when they are asked for."""
    db.execute("update memory_scopes set stale = 1 where owner = ?", (_bytes(owner),))


def memory(db: sqlite3.Connection, root: Path, scope: Scope) -> ScopeFacts:
    """All that is remembered in a scope."""
    _refresh(db, root, scope)
    owner = _bytes(scope.owner)
    ((rest,),) = db.execute("select rest from memory_scopes where owner = ?", (owner,))
    rows = db.execute("select fact from memory_facts where owner = ? order by number", (owner,))
    facts = tuple(from_json(fact, MemoryFact) for (fact,) in rows)
    known = from_json(rest, ScopeFacts)
    return ScopeFacts(facts=facts, days=known.days, refusals=known.refusals, forgotten=known.forgotten, used=known.used)


def core(db: sqlite3.Connection, root: Path, scope: Scope, most: int) -> CoreFacts:
    """The facts that may stand in a system text."""
    _refresh(db, root, scope)
    owner = _bytes(scope.owner)
    found = tuple(from_json(fact, MemoryFact) for (fact,) in db.execute(_CORE, (owner, most)))
    ((total,),) = db.execute("select count(*) from memory_facts where owner = ? and holds = 1", (owner,))
    ((rest,),) = db.execute("select rest from memory_scopes where owner = ?", (owner,))
    return CoreFacts(facts=found, total=total, words=from_json(rest, ScopeFacts).words)


def named(db: sqlite3.Connection, root: Path, scope: Scope, ids: Sequence[FactId]) -> tuple[MemoryFact, ...]:
    """Some facts by their ids."""
    _refresh(db, root, scope)
    rows = (db.execute(_NAMED, (_bytes(scope.owner), each)).fetchone() for each in ids)
    return tuple(from_json(row[0], MemoryFact) for row in rows if row is not None)


def forgotten(db: sqlite3.Connection, root: Path) -> frozenset[ForgottenWords]:
    """Where something stands that is forgotten, in all scopes."""
    found = set[ForgottenWords]()
    for folder in sorted((root / MEMORY_FOLDER).iterdir()):
        name = key_of(folder.name)
        scope = None if name is None else scope_named(name)
        if scope is not None:
            found.update(core(db, root, scope, 0).words)
    return frozenset(found)


def _refresh(db: sqlite3.Connection, root: Path, scope: Scope) -> None:
    """Fold the entries of a scope, if any came or went since that was done."""
    owner, folder = _bytes(scope.owner), root / MEMORY_FOLDER / folder_name(SessionKey(scope.name))
    size = _size(folder)
    row = db.execute("select stale, log from memory_scopes where owner = ?", (owner,)).fetchone()
    if row == (0, size):
        return
    with transaction(db):
        found = [*_of_sessions(db, owner), *_of_log(folder, SessionKey(scope.name))]
        facts = fold_facts(found)
        ranked = sorted(facts.facts, key=core_rank)
        ranks = {fact.id: rank for rank, fact in enumerate(ranked)}
        db.execute("delete from memory_facts where owner = ?", (owner,))
        rows = [(owner, each.id, ranks[each.id], each.until is None, to_json(each)) for each in facts.facts]
        db.executemany(_KEEP_FACT, rows)
        rest = ScopeFacts(days=facts.days, refusals=facts.refusals, forgotten=facts.forgotten, used=facts.used)
        db.execute(_KEEP_SCOPE, (owner, size, to_json(rest)))


def _of_sessions(db: sqlite3.Connection, owner: bytes) -> list[ScopeRecord]:
    lines: dict[int, tuple[str, list[Record]]] = {}
    for session, key, line in db.execute(_OF_SESSIONS, (owner,)):
        lines.setdefault(session, (key.decode("utf-8", "surrogatepass"), []))[1].append(decode_line(line))
    return [each for key, records in lines.values() for each in scope_records(SessionKey(key), records)]


def _of_log(folder: Path, name: SessionKey) -> list[ScopeRecord]:
    if not folder.is_dir():
        return []
    return scope_records(name, list(chain.from_iterable(read_forward(folder, Position(0), None))))


def _size(folder: Path) -> int:
    """How long the log of a scope is; it only grows."""
    if not folder.is_dir():
        return 0
    return sum(segment_path(folder, number).stat().st_size for number in segment_numbers(folder))


def _bytes(owner: str) -> bytes:
    return owner.encode("utf-8", "surrogatepass")
