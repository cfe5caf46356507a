"""The search index: what is added is counted, what is removed is gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores.files.catalog import index
from holdfast.stores.files.catalog.index import IndexedText
from holdfast.stores.files.catalog.search import find
from holdfast.stores.text_index import terms as t

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TABLES = (
    "select term, df from search_terms order by 1",
    "select suffix, s.term from search_suffixes join search_terms s on id = search_suffixes.term order by 1, 2",
    """select session, pos, about from search_docs d join search_runs r
    on r.id = (select max(id) from search_runs where id <= d.id) order by 1, 2""",
    "select term, session, speaker from search_speakers order by 1, 2, 3",
)

texts = st.lists(st.text("ab é_记忆好\ud800\x00", max_size=12), max_size=6)


@contextmanager
def opened(*said: IndexedText, at: Path | str = ":memory:") -> Iterator[sqlite3.Connection]:
    """An index with these messages, set up as the catalog does it, but without waiting for the disk."""
    with closing(sqlite3.connect(at, isolation_level=None)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("pragma secure_delete = on")
        db.execute("pragma synchronous = off")
        index.create(db)
        index.add(db, said)
        yield db


def said(session: int, *texts: str) -> list[IndexedText]:
    """A session in which these texts were said."""
    return [
        IndexedText(session=session, pos=pos, role="user", text=text, speaker=f"Person {session}")
        for pos, text in enumerate(texts)
    ]


def contents(db: sqlite3.Connection) -> list[list[tuple[object, ...]]]:
    """What the tables hold, without the ids, which depend on the past."""
    return [db.execute(table).fetchall() for table in TABLES]


def bytes_below(folder: Path) -> bytes:
    """Everything in the files of a folder."""
    return b"".join(path.read_bytes() for path in folder.iterdir())


@given(texts, texts, texts)
def test_removing_a_session_leaves_what_the_others_said(one: list[str], gone: list[str], two: list[str]) -> None:
    """
    After a removal the index holds what it would hold if the session had never been.
    """
    with opened(*said(1, *one), *said(2, *gone), *said(3, *two)) as db, opened(*said(1, *one), *said(3, *two)) as never:
        index.remove(db, 2)

        assert contents(never) == contents(db)
        for query in ("a", "b", "ab", "e", "记", "忆好"):
            hits = {(hit.session, hit.pos) for hit in find(db, query, limit=100)}
            assert {(hit.session, hit.pos) for hit in find(never, query, limit=100)} == hits
        db.execute("insert into search_words (search_words) values ('integrity-check')")


def test_a_session_larger_than_a_batch_is_removed_whole() -> None:
    """
    Removing works in batches, and does not stop after the first.
    """
    count = 2 * index.BATCH + 5
    with opened(*said(1, *["again and again"] * count), *said(2, "again")) as db:
        index.remove(db, 1)

        assert [[("again", 1)], [(2, 0, t.about(person=True, text="again", speaker="Person 2"))]] == contents(db)[0:3:2]


def test_removing_an_unknown_session_does_nothing() -> None:
    """
    A session that never said anything can be removed.
    """
    with opened(*said(1, "still here")) as db:
        index.remove(db, 11)

        assert [1] == [hit.session for hit in find(db, "here")]


def test_it_works_inside_the_callers_transaction() -> None:
    """
    A rolled back transaction adds and removes nothing.
    """
    with opened(*said(1, "first words")) as db:
        before = contents(db)

        db.execute("begin")
        index.remove(db, 1)
        index.add(db, said(2, "other words"))
        db.execute("rollback")

        assert before == contents(db)
        assert [] == find(db, "other")


def test_removed_words_are_gone_from_every_byte(tmp_path: Path) -> None:
    """
    After a vacuum no removed word is left in the database file or its write-ahead log.
    """
    with opened(at=tmp_path / "catalog.db") as db:
        dice = Random(1)
        gone: list[str] = []
        # Many words of many lengths: copies in the unused parts of pages are rare.
        for session in range(40):
            new = [f"q{dice.getrandbits(36):09x}z" + "y" * dice.choice((0, 1, 9, 20)) for _ in range(250)]
            index.add(db, said(session, " ".join(new)))
            if session % 2:
                index.remove(db, session)
                gone += new

        db.execute("vacuum")
        db.execute("pragma wal_checkpoint(truncate)")

        left = bytes_below(tmp_path)
        assert [] == [word for word in gone if word.encode() in left]


@pytest.mark.parametrize("before", [0xD7FE, 0xEFFFE, 0xF0000, (1 << 32) - 2])
def test_ids_of_any_size_are_found_and_removed(before: int) -> None:
    """
    A vocabulary of millions of words, whose ids need two marks, works like a small one.
    """
    with opened(*said(1, "anchor")) as db:
        db.execute("update search_terms set id = ?", (before,))
        db.execute("update search_suffixes set term = ?", (before,))
        index.add(db, said(2, "Holdfast keeps 记忆好", "忆记 keeps"))

        for query in ("oldfas", '"holdfast keeps"', "记忆", "忆好", "keeps 记忆"):
            assert (2, 0) == next((hit.session, hit.pos) for hit in find(db, query))
        assert [(2, 0)] == [(hit.session, hit.pos) for hit in find(db, "记忆")]
        index.remove(db, 2)
        assert [("anchor", 1)] == contents(db)[0]
