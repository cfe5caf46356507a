"""Finding what was said: the ten best among a million in milliseconds.

FTS5 offers candidates, newest first ("newest" is what was indexed last), and a bounded
number of them is ranked here; its own ranking reads every match, which takes up to
300 ms among a million messages. Every step has a fixed upper bound, so a search
for the commonest words costs as little as one for the rarest.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.files.catalog.questions import OWNED, Asking, scope_words
from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.question import SearchQuery, is_question, named_days, only_times
from holdfast.stores.text_index.ranking import Clause, Doc, Slot, clause, score

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

CLAUSES = 8
"""Words of a query that are looked for; of a longer query, the rarest."""

FEW = 1_000
"""A word in at most so many messages may be meant as a part of a longer word."""

LIKELY, SCANNED, RANKED = 300, 2_000, 200
"""Messages expected to have all words that are looked up in the index; messages looked
at for the rest; and of those that have everything, how many are ranked."""

RELAXED, ENOUGH, RECENT = 100, 250, 100_000
"""When few messages have all words: messages ranked for each word and in all, and how
many of the newest are searched for combinations."""

CONTAINING, PLENTY = (12, 64), 4_000
"""Words that a part of a word stands for: more than the first number only while they
are in fewer messages than `PLENTY`, and never more than the second."""

SUFFIXES, EARLIEST = 512, 4_096
"""Where those are looked for: suffixes, and the terms that were met first."""

_KNOWN = "select term, id, df from search_terms where term in (select value from json_each(?))"
_SESSION = "select session from search_runs where id <= ? order by id desc limit 1"
_CANDIDATES = """
    select d.id, d.pos, d.about, d.marks
    from (
        select rowid as id from search_words where search_words match ? and rowid > ?{owned} order by rowid desc limit ?
    ) c
    cross join search_docs d on d.id = c.id
    where true"""


class ScoredHit(Struct, frozen=True, kw_only=True):
    """Where something was said, and how well it fits; scores compare within one search."""

    session: int
    pos: int
    score: float


class _Scope(Struct, frozen=True, kw_only=True):
    """Where to look and how much is wanted."""

    db: sqlite3.Connection
    limit: int
    within: tuple[str, ...]
    owner: tuple[bytes, ...]
    """Whose sessions they are, if only those of an owner with many are searched."""
    total: int


def find(
    db: sqlite3.Connection,
    query: SearchQuery | str,
    *,
    limit: int = 10,
    session: int | None = None,
    owner: str | None = None,
) -> list[ScoredHit]:
    """Return the best matches, best first; of equals, the newest.

    Messages with all the words come first, whole words before parts of words. When
    there are fewer than `limit`, those with the most and rarest of the words
    follow. A "quoted phrase" is matched as it stands. No query is an error.
    In a question everything counts and nothing is required; one that only names a
    time finds what was said then, in order. With an owner, messages of others are passed over
    in the index, so that however many there are, they are in the way of nothing.
    """
    owned = () if owner is None else (owner.encode("utf-8", "surrogatepass"),)
    query = SearchQuery(text=query) if isinstance(query, str) else query
    days, rest = named_days(query)
    if only_times(query, days, rest):
        answers = Asking(db, session, owned).said_on(days, limit)
    elif is_question(query.text):
        answers = Asking(db, session, owned).answers(rest, days)
    else:
        return _with_words(db, query.text, limit, session, owned)
    return [ScoredHit(session=one.session, pos=one.pos, score=one.score) for one in answers[:limit]]


def _with_words(
    db: sqlite3.Connection, query: str, limit: int, session: int | None, owner: tuple[bytes, ...]
) -> list[ScoredHit]:
    (total,) = db.execute("select coalesce(max(id), 0) from search_docs").fetchone()
    within = tuple(filter(None, (scope_words(db, session, owner),)))
    scope = _Scope(db=db, limit=limit, within=within, owner=() if within and session is None else owner, total=total)
    wanted = t.wanted(query)
    known = _known(db, wanted)
    asked = _rarest(wanted, known)
    clauses = [one for want in asked if (one := _typed(want, known))]
    whole = len(clauses) == len(asked)
    docs = _with_all(scope, clauses) if whole else {}
    if len(docs) < limit:
        wide = [one for want in asked if (one := _widened(db, want, known))]
        if not whole or wide != clauses:
            docs |= _with_all(scope, wide)
        clauses = wide
    if len(docs) < limit and len(clauses) > 1:
        docs |= _with_most(scope, clauses)
    return _best(docs.values(), clauses, scope)


def _best(docs: Iterable[Doc], clauses: Sequence[Clause], scope: _Scope) -> list[ScoredHit]:
    rated = [one for one in score(docs, clauses, scope.total) if one.matched]
    rated.sort(key=lambda one: (one.matched == len(clauses), one.score, one.doc.id), reverse=True)
    best: dict[tuple[int, int], ScoredHit] = {}
    for one in rated:
        if len(best) >= scope.limit:
            break
        (session,) = scope.db.execute(_SESSION, (one.doc.id,)).fetchone()
        at = session, one.doc.pos  # a long message may match in several pieces
        best.setdefault(at, ScoredHit(session=session, pos=one.doc.pos, score=one.score))
    return list(best.values())


def _known(db: sqlite3.Connection, asked: Iterable[t.WantedTerms]) -> dict[str, Slot]:
    listed = json.dumps(list({term for want in asked for term in want.terms}))
    return {
        term: Slot(ids=(number,), lone=t.unspaced(term), df=df) for term, number, df in db.execute(_KNOWN, (listed,))
    }


def _rarest(asked: Sequence[t.WantedTerms], known: Mapping[str, Slot]) -> Sequence[t.WantedTerms]:
    """The whole query if it is short, else the rarest of its words that were ever said."""
    if len(asked) <= CLAUSES:
        return asked
    whole = [(one.df, at) for at, want in enumerate(asked) if (one := _typed(want, known))]
    return [asked[at] for at in sorted(at for _, at in sorted(whole)[:CLAUSES])]


def _typed(want: t.WantedTerms, known: Mapping[str, Slot]) -> Clause | None:
    """The clause with the very words of the query, if all of them were ever said."""
    slots = [known[term] for term in want.terms if term in known]
    return clause(slots, [slot.ids[0] for slot in slots]) if len(slots) == len(want.terms) else None


def _widened(db: sqlite3.Connection, want: t.WantedTerms, known: Mapping[str, Slot]) -> Clause | None:
    """The clause with parts of words: any part for a single term, the outer ends for several."""
    exact = _typed(want, known)
    if want.quoted:
        return exact
    last = len(want.terms) - 1
    slots = []
    for at, term in enumerate(want.terms):
        before, after = "*" * (at == 0), "*" * (at == last)
        slot = known.get(term)
        if (before or after) and not t.unspaced(term) and (slot is None or slot.df <= FEW):
            slot = _containing(db, term, f"{before}{term}{after}")
        if slot is None:
            return None
        slots.append(slot)
    return clause(slots, [known[term].ids[0] for term in want.terms] if exact else None)


def _containing(db: sqlite3.Connection, needle: str, pattern: str) -> Slot | None:
    """The most frequent terms that fit the pattern, the needle itself first."""
    start = needle[: t.SUFFIX]
    near = db.execute(
        "select term = ?, df, id from search_terms where term glob ? and (term = ? or id in "
        "(select term from search_suffixes where suffix >= ? and suffix < ? limit ?))",
        (needle, pattern, needle, start, start + chr(sys.maxunicode), SUFFIXES),
    ).fetchall()
    # Frequent terms are met early, so their ids are low, whatever their place among the suffixes.
    early = db.execute(
        "select term = ?, df, id from search_terms where id <= ? and term glob ?", (needle, EARLIEST, pattern)
    ).fetchall()
    ids: list[int] = []
    messages = 0
    for _, df, number in sorted({*near, *early}, reverse=True)[: CONTAINING[1]]:
        if len(ids) >= CONTAINING[0] and messages >= PLENTY:
            break
        ids.append(number)
        messages += df
    return Slot(ids=tuple(ids), df=messages) if ids else None


def _with_all(scope: _Scope, clauses: Sequence[Clause]) -> dict[int, Doc]:
    """The newest messages in which every clause is found."""
    if not clauses:
        return {}
    driving = _driving(clauses, scope.total)
    if len(driving) < len(clauses):
        docs = list(_newest(scope, driving, (), scanned=SCANNED))
        found = {doc.id: doc for doc in docs if all(one.count(doc.marks)[1] for one in clauses)}
        if len(found) >= scope.limit or len(docs) < SCANNED:
            return found
    wide = [one for one in clauses if one.pattern]
    held = (
        doc
        for doc in _newest(scope, [one.match for one in clauses], clauses, scanned=SCANNED)
        if all(one.count(doc.marks)[1] for one in wide)
    )
    return {doc.id: doc for doc in islice(held, max(RANKED, scope.limit))}


def _driving(clauses: Sequence[Clause], total: int) -> list[str]:
    """The rarest clauses, so many that few messages are likely to have them all.

    The others are then looked for in those messages: that is cheaper than to
    intersect one more list.
    """
    likely = float(total)
    driving: list[str] = []
    for one in sorted(clauses, key=lambda one: one.df):
        if driving and likely <= LIKELY:
            break
        likely *= one.df / total
        driving.append(one.match)
    return driving


def _with_most(scope: _Scope, clauses: Sequence[Clause]) -> dict[int, Doc]:
    """Messages with the rarest of the clauses, and recent ones with all but one of the two rarest."""
    rarest = sorted(clauses, key=lambda one: one.df)
    found: dict[int, Doc] = {}
    for one in rarest:
        docs = _newest(scope, [one.match if one.df <= FEW else one.narrow], [one], scanned=RELAXED)
        found |= {doc.id: doc for doc in islice(docs, max(0, ENOUGH - len(found)))}
    after = 0 if scope.within or scope.owner else scope.total - RECENT
    for left in rarest[:2] if rarest[2:] else ():
        rest = [one for one in rarest if one is not left]
        docs = _newest(scope, [one.narrow for one in rest], rest, scanned=RELAXED, after=after)
        found |= {doc.id: doc for doc in docs}
    return found


def _newest(
    scope: _Scope, matches: Sequence[str], clauses: Sequence[Clause], *, scanned: int, after: int = 0
) -> Iterator[Doc]:
    """The newest that match and hold each clause as typed, as far as a clause has no wider form."""
    # Checked by SQLite: a message that is only looked at does not become a Python object.
    typed = [t.pack(list(t.numbers(one.exact))) for one in clauses if not one.pattern]
    rows = scope.db.execute(
        _CANDIDATES.format(owned=OWNED if scope.owner else "") + " and instr(d.marks, ?)" * len(typed),
        (" AND ".join([*matches, *scope.within]), after, *scope.owner, max(scanned, scope.limit), *typed),
    )
    with closing(rows):
        for number, pos, about, marks in rows:
            yield Doc(id=number, pos=pos, user=t.person(about), marks=t.unpack(marks))
