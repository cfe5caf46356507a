"""Answering questions from the index: candidates for each of the rarest words, ranked by their features.

Each step has a fixed upper bound, as in `search`. A message is a candidate because it has one of the words, because it
stands beside one that has, or because it was said on a day that the question names.
"""

from __future__ import annotations

import json
from itertools import chain, combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.answers import (
    RankedAnswer,
    Speaker,
    kinds,
    named,
    near_to,
    pair_slot,
    ranked,
    turns_of,
    word_slot,
)
from holdfast.stores.text_index.features import AskedTerm, Counting, IndexedMessage, idf
from holdfast.stores.text_index.question import SOON, Days, read
from holdfast.stores.text_index.stemming import prefix, stem

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.stores.text_index.answers import NearWord
    from holdfast.stores.text_index.question import AskedQuestion

ASKED = 48
"""Words that count; of a longer text, the rarest that were ever said."""
RAREST, EACH = 6, 120
"""For how many words candidates are looked up, and how many of the newest for each."""
PAIRS = 16
"""For how many pairs of characters they are."""
NEAR = 40
"""How many of the newest with a near word of each."""
TOGETHER, BOTH = 4, 30
"""Of how many frequent words two are looked for in one message, and how many of the newest of those."""
ON_DAYS = 200
"""Candidates because of their day."""
KEPT, BESIDE = 100, 2
"""Candidates that are ranked, and how far from each its neighbours are ranked too."""
STEMS, LONGER = 400, 6
"""Words that are compared with the stem of one that is asked for, and by how many letters they may be longer."""
NAMES = 2_000
"""Sessions in which the people are looked up whom a question names."""

_KNOWN = "select term, id, df from search_terms where term in (select value from json_each(?))"
_LIKE = "select term, id, df from search_terms where term >= ? and term < ? and length(term) <= ? limit ?"
_NEWEST = "select rowid from search_words where search_words match ?{owned} order by rowid desc limit ?"
_OF_SESSION = " and ? = (select owner from sessions where sessions.id = {session})"
OWNED = _OF_SESSION.format(
    session="(select session from search_runs where id <= search_words.rowid order by id desc limit 1)"
)
"""What is added to a query of `search_words` that is about the sessions of one owner."""
_DOCS = """
    select d.id, r.session, d.pos, r.day, d.about, d.marks
    from search_docs d cross join search_runs r on r.id = (select max(id) from search_runs where id <= d.id)
    where d.id in (select value from json_each(?)){owned}
    order by r.session, d.id"""
_SPEAKERS = """
    select term, session, speaker from search_speakers
    where term in (select value from json_each(?)) and session = coalesce(?, session){owned} limit ?"""
_ON_DAYS = """
    select r.id, (select min(id) from search_runs where id > r.id) from search_runs r
    where day >= ? and day < ? and session = coalesce(?, session){owned} order by r.id"""
_BETWEEN = "select id from search_docs where id >= ? and id < coalesce(?, id + 1) order by id limit ?"
_DFS = "select id, df from search_terms where id in (select value from json_each(?))"


NAMED = 256
"""Of so many sessions FTS5 is asked for by their names; those of an owner with more are told apart one by one."""


def scope_words(db: sqlite3.Connection, session: int | None, owner: tuple[bytes, ...]) -> str:
    """What messages must have besides words: the name of their session, or of one of the owner's; '' for any."""
    if session is not None:
        return t.session_word(session)
    if owner:
        # An owner with few messages among very many would else be looked for through all of the others.
        found = db.execute("select id from sessions where owner = ? limit ?", (*owner, NAMED + 1)).fetchall()
        if len(found) <= NAMED:
            return f"({' OR '.join(t.session_word(number) for (number,) in found or [(NOBODYS,)])})"
    return ""


NOBODYS = 2**62
"""No session ever has this number."""


class _Asked(Struct, frozen=True, kw_only=True):
    """One thing that is asked for: its words in the index, how FTS5 is asked for them, and in how many messages."""

    slot: AskedTerm
    match: str
    df: float
    near: str = ""
    """How FTS5 is asked for its near words."""


class Asking:
    """One question to one index, within a session or in all."""

    def __init__(self, db: sqlite3.Connection, session: int | None = None, owner: tuple[bytes, ...] = ()) -> None:
        """Ask this index; with an owner, what is in that one's sessions."""
        self._db, self._session, self._owner = db, session, owner
        self._scope = scope_words(db, session, owner)
        (self._total,) = db.execute("select coalesce(max(id), 0) from search_docs").fetchone()

    def answers(self, text: str, days: tuple[Days, ...]) -> list[RankedAnswer]:
        """What may answer a question, best first; of equals, the newest."""
        text, speakers = named(text, self._speakers(text))
        question = read(text, days, {term for term, _, _ in speakers})
        asked = self._asked(question)
        docs = self._candidates(asked, days)
        turns = turns_of(docs, question, speakers, self._idfs(docs))
        return ranked(turns, [one.slot for one in asked], days, kinds(text, self._numbers))

    def said_on(self, days: Sequence[Days], limit: int) -> list[RankedAnswer]:
        """What was said on some days, in order."""
        docs = self._load(chain.from_iterable(self._on(one.first, one.end, limit) for one in days))
        found = dict.fromkeys((doc.session, doc.pos) for doc in sorted(docs, key=lambda doc: (doc.day, doc.id)))
        return [RankedAnswer(session=session, pos=pos) for session, pos in found][:limit]

    def _speakers(self, text: str) -> list[Speaker]:
        listed = json.dumps(t.terms(text[: t.MOST_TYPED]))
        query = self._owned(_SPEAKERS, "search_speakers.session")
        return self._db.execute(query, (listed, self._session, *self._owner, NAMES)).fetchall()

    def _owned(self, query: str, session: str) -> str:
        """A query about the sessions of the owner, if there is one."""
        return query.format(owned=_OF_SESSION.format(session=session) if self._owner else "")

    def _asked(self, question: AskedQuestion) -> list[_Asked]:
        known = self._known({term for terms in question.terms for term in terms})
        wanted = list(question.terms)
        if len(wanted) > ASKED:
            wanted = [terms for terms in wanted if known.keys() >= set(terms)]
            wanted = sorted(wanted, key=lambda terms: min(known[term][1] for term in terms))[:ASKED]
        beside = {terms[0]: near_to(terms[0]) for terms in wanted if len(terms) == 1}
        near = self._known({other for words in beside.values() for other in words})
        found = []
        for terms in wanted:
            if len(terms) > 1:
                found += [self._pair(*(known[term][0] for term in terms))] if known.keys() >= set(terms) else []
            else:
                others = [(*near[word], cosine) for word, cosine in beside[terms[0]].items() if word in near]
                found += self._word(terms[0], known, others)
        return found

    def _known(self, words: Iterable[str]) -> dict[str, tuple[int, int]]:
        """The id of each word that was said, and in how many messages."""
        rows = self._db.execute(_KNOWN, (json.dumps(list(words)),))
        return {term: (number, df) for term, number, df in rows}

    def _numbers(self, words: Iterable[str]) -> list[int]:
        return [number for number, _ in self._known(words).values()]

    def _word(self, word: str, known: Mapping[str, tuple[int, int]], near: Sequence[NearWord]) -> list[_Asked]:
        """The word with the others of its stem and those near to it, if any of them was ever said."""
        forms = {word: known[word]} if word in known else {}
        root = stem(word)
        start = prefix(root)
        if len(start) > 1 and word.isascii() and word.isalpha():
            like = self._db.execute(_LIKE, (start, f"{start}{{", len(root) + LONGER, STEMS))
            forms |= {term: (number, df) for term, number, df in like if stem(term) == root}
        listed = [(term, number, df) for term, (number, df) in forms.items()]
        slot = word_slot(listed, word, near, self._total)
        if slot is None:
            return []
        df = float(sum(df for _, _, df in listed))
        match, beside = (_any(number for number, *_ in one) for one in ([each[1:] for each in listed], near))
        return [_Asked(slot=slot, match=match, df=df, near=beside)]

    def _pair(self, first: int, second: int) -> _Asked:
        """Two neighbouring characters; in how many messages is told from how near the newest are to each other."""
        match = t.pair_word(first, second)
        newest = self._newest(match, EACH)
        df = float(len(newest)) if len(newest) < EACH else EACH * self._total / (self._total - newest[-1] + 1)
        return _Asked(slot=pair_slot(first, second, df, self._total), match=match, df=df)

    def _newest(self, match: str, limit: int) -> list[int]:
        within = f" AND {self._scope}" if self._scope else ""
        owner = () if self._scope and self._session is None else self._owner
        query = _NEWEST.format(owned=OWNED if owner else "")
        return [number for (number,) in self._db.execute(query, (match + within, *owner, limit))]

    def _candidates(self, asked: Sequence[_Asked], days: Sequence[Days]) -> list[IndexedMessage]:
        """The messages to be ranked, in the order of their sessions."""
        rarest = sorted((one for one in asked if one.df), key=lambda one: one.df)
        driving = [one.match for one in rarest[:RAREST]]
        driving += [one.match for one in rarest[RAREST:] if "x" in one.match][: PAIRS - RAREST]
        found = {number for match in driving for number in self._newest(match, EACH)}
        found.update(number for one in asked if one.near for number in self._newest(one.near, NEAR))
        for one, other in combinations([one.match for one in rarest if one.df > EACH][:TOGETHER], 2):
            found.update(self._newest(f"{one} AND {other}", BOTH))
        if len(found) > KEPT:
            found = self._best(found, asked)
        for stretch in days:
            found.update(self._on(stretch.first + SOON[0], stretch.end + SOON[1], ON_DAYS))
        beside = {number + away for number in found for away in range(-BESIDE, BESIDE + 1)}
        return [doc for doc in self._load(beside) if self._session in {None, doc.session}]

    def _best(self, found: Iterable[int], asked: Sequence[_Asked]) -> set[int]:
        """Those that have the most and rarest of the words."""
        count = Counting([one.slot for one in asked])
        docs = self._load(found)
        docs.sort(key=lambda doc: (count.rough(doc.marks), doc.id), reverse=True)
        return {doc.id for doc in docs[:KEPT]}

    def _on(self, first: int, end: int, limit: int) -> list[int]:
        """Messages of some days, in order."""
        found: list[int] = []
        for start, stop in self._db.execute(
            self._owned(_ON_DAYS, "r.session"), (first, end, self._session, *self._owner)
        ):
            found += [number for (number,) in self._db.execute(_BETWEEN, (start, stop, limit - len(found)))]
            if len(found) >= limit:
                break
        return found

    def _load(self, numbers: Iterable[int]) -> list[IndexedMessage]:
        rows = self._db.execute(self._owned(_DOCS, "r.session"), (json.dumps(list(numbers)), *self._owner))
        return [
            IndexedMessage(id=number, session=session, pos=pos, day=day, about=about, marks=t.unpack(marks))
            for number, session, pos, day, about, marks in rows
        ]

    def _idfs(self, docs: Iterable[IndexedMessage]) -> dict[str, float]:
        """How much each word of some messages tells."""
        words = t.distinct([doc.marks for doc in docs])
        known = self._db.execute(_DFS, (json.dumps(list(words)),)).fetchall()
        tells = {df: idf(df, self._total) for df in {df for _, df in known}}
        return {t.mark(number): tells[df] for number, df in known}


def _any(numbers: Iterable[int]) -> str:
    """How FTS5 is asked for any of these words; '' for none."""
    listed = " OR ".join(map(str, numbers))
    return f"({listed})" if listed else ""
