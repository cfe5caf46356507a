"""The search index of the catalog: what was said, by its words.

FTS5 is fed term ids, never words, because it keeps deleted text in its segments
and cannot forget it on demand. Words live in two tables, counted, and leave them
with the last message that used them. Beside FTS5 stands each message as the
sequence of its term ids, from which phrases are checked, matches are ranked and
deletions are told to FTS5. Everything works inside the caller's transaction, on
the caller's connection.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.text_index import terms as t

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Mapping, Sequence

BATCH = 1_000
"""Messages taken together; bounds memory, and asks for each word once."""

MERGED = 1_000
"""Pages of the index that are rearranged together."""
CHANGED = 2
"""Changes of a rearrangement that had something to do, at least."""

_IDS_OF = "select term, id from search_terms where term in (select value from json_each(?))"
_TERMS_OF = "select id, term from search_terms where id in (select value from json_each(?))"


class IndexedText(Struct, frozen=True, kw_only=True):
    """Something that was said in a session, to be found later."""

    session: int
    pos: int
    role: str
    text: str
    speaker: str = ""
    """The name of the person who said it, where people have names."""
    day: int = 0
    """When, as `date.toordinal` counts days."""


class _Piece(Struct, frozen=True, kw_only=True):
    said: IndexedText
    about: int
    terms: list[str]


def create(db: sqlite3.Connection) -> None:
    """Create the tables of an empty index."""
    db.execute("create table search_terms (id integer primary key, term text not null unique, df integer not null)")
    db.execute(
        "create table search_suffixes "
        "(suffix text not null, term integer not null, primary key (suffix, term)) without rowid"
    )
    db.execute(
        "create table search_docs "
        "(id integer primary key, pos integer not null, about integer not null, marks blob not null)"
    )
    # Messages of one session and one day that were indexed one after the other: the first of them says both for all.
    db.execute("create table search_runs (id integer primary key, session integer not null, day integer not null)")
    db.execute("create index search_runs_on on search_runs (day)")
    db.execute(
        "create table search_speakers (term text not null, session integer not null, speaker integer not null, "
        "primary key (term, session, speaker)) without rowid"
    )
    db.execute(
        "create virtual table search_words using fts5(ids, content='', columnsize=0, detail=none, tokenize='ascii')"
    )
    # Small pages make skipping cheap when lists are intersected; a large hash makes fewer segments.
    db.execute("insert into search_words (search_words, rank) values ('pgsz', 1000), ('hashsize', 8388608)")


def add(db: sqlite3.Connection, said: Iterable[IndexedText]) -> None:
    """Index messages. The caller sees to it that none is added twice."""
    stream = (
        _Piece(said=one, about=t.about(person=one.role == "user", text=piece, speaker=one.speaker), terms=found)
        for one in said
        for piece in t.pieces(one.text)
        if (found := t.terms(piece))
    )
    while batch := list(islice(stream, BATCH)):
        _add(db, batch)


def settle(db: sqlite3.Connection) -> bool:
    """After much was added: bring what belongs together to one place, which makes searching a third faster.

    Each call does a part of it; tell whether that was the last.
    """
    before = db.total_changes
    db.execute("insert into search_words (search_words, rank) values ('merge', ?)", (-MERGED,))
    return db.total_changes - before < CHANGED


def remove(db: sqlite3.Connection, session: int) -> None:
    """Forget everything said in a session.

    No word of it is left in the tables. Pages are another matter: even with `secure_delete`
    SQLite leaves copies of rows it has moved in the unused part of a page, where they outlive
    the rows (seen with one word in a thousand). Only a `vacuum` after the commit removes them.
    """
    while rows := db.execute(
        "select d.id, d.marks from search_words cross join search_docs d on d.id = search_words.rowid "
        "where search_words match ? limit ?",
        (t.session_word(session), BATCH),
    ).fetchall():
        _remove(db, session, {number: list(t.numbers(t.unpack(marks))) for number, marks in rows})
    db.execute("delete from search_speakers where session = ?", (session,))


def _add(db: sqlite3.Connection, pieces: Sequence[_Piece]) -> None:
    known = _learn(db, Counter(chain.from_iterable(set(piece.terms) for piece in pieces)))
    lone = {number for term, number in known.items() if t.unspaced(term)}
    (last,) = db.execute("select coalesce(max(id), 0) from search_docs").fetchone()
    docs, words = [], []
    for number, piece in enumerate(pieces, last + 1):
        ids = [known[term] for term in piece.terms]
        docs.append((number, piece.said.pos, piece.about, t.pack(ids)))
        words.append((number, _words(piece.said.session, ids, lone)))
    db.executemany("insert into search_docs values (?, ?, ?, ?)", docs)
    db.executemany("insert into search_words (rowid, ids) values (?, ?)", words)
    _say_where(db, pieces, last + 1)


def _say_where(db: sqlite3.Connection, pieces: Sequence[_Piece], first: int) -> None:
    """Note whose messages these are, and of which day, where that is not as for the message before."""
    before = db.execute("select session, day from search_runs order by id desc limit 1").fetchone()
    runs: list[tuple[int, int, int]] = []
    speakers: set[tuple[str, int, int]] = set()
    for number, piece in enumerate(pieces, first):
        one = piece.said
        if (one.session, one.day) != before:
            before = one.session, one.day
            runs.append((number, *before))
        if one.speaker:
            speakers.update((term, one.session, t.speaker(piece.about)) for term in t.terms(one.speaker))
    db.executemany("insert into search_runs values (?, ?, ?)", runs)
    db.executemany("insert or ignore into search_speakers values (?, ?, ?)", sorted(speakers))


def _learn(db: sqlite3.Connection, counts: Mapping[str, int]) -> dict[str, int]:
    """Count the terms in, and return the id of each."""
    (last,) = db.execute("select coalesce(max(id), 0) from search_terms").fetchone()
    db.executemany(
        "insert into search_terms (term, df) values (?, ?) on conflict (term) do update set df = df + excluded.df",
        counts.items(),
    )
    known: dict[str, int] = dict(db.execute(_IDS_OF, (json.dumps(list(counts)),)).fetchall())
    db.executemany(
        "insert into search_suffixes values (?, ?)",
        sorted((suffix, number) for term, number in known.items() if number > last for suffix in t.suffixes(term)),
    )
    return known


def _remove(db: sqlite3.Connection, session: int, docs: Mapping[int, list[int]]) -> None:
    counts = Counter(chain.from_iterable(set(ids) for ids in docs.values()))
    listed = json.dumps(list(counts))
    known = dict(db.execute(_TERMS_OF, (listed,)).fetchall())
    lone = {number for number, term in known.items() if t.unspaced(term)}
    # A table without content cannot look up what to take out: it must be told.
    db.executemany(
        "insert into search_words (search_words, rowid, ids) values ('delete', ?, ?)",
        [(number, _words(session, ids, lone)) for number, ids in docs.items()],
    )
    db.executemany("delete from search_docs where id = ?", [(number,) for number in docs])
    db.executemany("delete from search_runs where id = ?", [(number,) for number in docs])
    db.executemany("update search_terms set df = df - ? where id = ?", [(n, number) for number, n in counts.items()])
    gone = db.execute(f"{_TERMS_OF} and df <= 0", (listed,)).fetchall()
    db.executemany(
        "delete from search_suffixes where suffix = ? and term = ?",
        [(suffix, number) for number, term in gone for suffix in t.suffixes(term)],
    )
    db.executemany("delete from search_terms where id = ?", [(number,) for number, _ in gone])


def _words(session: int, ids: Sequence[int], lone: Collection[int]) -> str:
    """What FTS5 is given for a message: each term once, and neighbours that may make up a word."""
    words = {str(number) for number in ids}
    if lone:
        words.update(t.pair_word(a, b) for a, b in pairwise(ids) if a in lone and b in lone)
    words.add(t.session_word(session))
    return " ".join(words)
