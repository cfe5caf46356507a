"""How well a message answers a query, from term ids alone.

A message is a string of marks, one per term in order (see `terms.mark`), so a word
is counted and a phrase is found by plain string search. The score is of the BM25
family: rare words weigh more, repetition counts less each time, long texts are
discounted; a word that only contains what was asked for counts half, and words that
stand together as in the query count more. Nothing here touches the database.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.text_index import terms as t

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TYPICAL = 24
"""Terms in a message of usual length. Fixed, so that a score needs no statistics."""

CONTAINED, TOGETHER, BY_USER = 0.5, 0.3, 1.1


class Slot(Struct, frozen=True, kw_only=True):
    """One place in a clause: any of these terms may stand there."""

    ids: tuple[int, ...]
    lone: bool = False
    df: int = 0


class Clause(Struct, frozen=True, kw_only=True):
    """One thing the query asks for, in the forms that FTS5 and the ranking need.

    `narrow` and `exact` are the words as typed, where they exist; `match` and
    `pattern` are wider when parts of words count too.
    """

    match: str
    narrow: str
    exact: str
    pattern: re.Pattern[str] | None
    df: int

    def count(self, marks: str) -> tuple[float, int]:
        """How much an occurrence is worth, and how many there are."""
        if self.exact and (times := marks.count(self.exact)):
            return 1.0, times
        return CONTAINED, len(self.pattern.findall(marks)) if self.pattern else 0


class Doc(Struct, frozen=True, kw_only=True):
    """A candidate: a message, or a piece of a long one."""

    id: int
    pos: int
    user: bool
    marks: str


class Scored(Struct, frozen=True, kw_only=True):
    """A candidate with how many clauses were found in it, and how well."""

    doc: Doc
    matched: int
    score: float


def clause(slots: Sequence[Slot], typed: Sequence[int] | None) -> Clause:
    """Say a sequence of slots for FTS5 and for the ranking; `typed` are the very words, if all exist."""
    match = _match(slots)
    plain = typed is not None and all(len(slot.ids) == 1 for slot in slots)
    return Clause(
        match=match,
        narrow=_match([Slot(ids=(number,), lone=slot.lone) for number, slot in zip(typed, slots, strict=True)])
        if typed
        else match,
        exact="".join(map(t.mark, typed or ())),
        pattern=None if plain else re.compile("".join(map(_pattern, slots))),
        df=min(slot.df for slot in slots),
    )


def score(docs: Iterable[Doc], clauses: Sequence[Clause], total: int) -> list[Scored]:
    """Rate each candidate; `total` is how many messages there are in all."""
    weights = [log(1 + total / (1 + one.df)) for one in clauses]
    weighed = list(zip(clauses, weights, strict=True))
    links = [
        (a.exact + b.exact, TOGETHER * max(one, other))
        for (a, one), (b, other) in pairwise(weighed)
        if a.exact and b.exact
    ]
    return [_scored(doc, weighed, links) for doc in docs]


def _scored(doc: Doc, weighed: Sequence[tuple[Clause, float]], links: Sequence[tuple[str, float]]) -> Scored:
    marks = doc.marks
    room = 0.6 + 0.4 * len(marks) / TYPICAL
    matched, found = 0, 0.0
    for one, weight in weighed:
        worth, times = one.count(marks)
        if times:
            matched += 1
            found += weight * worth * times / (times + room)
    for link, weight in links:
        if link in marks:
            found += weight
    return Scored(doc=doc, matched=matched, score=found * BY_USER if doc.user else found)


def _match(slots: Sequence[Slot]) -> str:
    """The clause in the query language of FTS5; characters without spaces are asked for in pairs."""
    words = {t.pair_word(a.ids[0], b.ids[0]) for a, b in pairwise(slots) if a.lone and b.lone}
    for at, slot in enumerate(slots):
        paired = slot.lone and any(other.lone for other in (*slots[max(0, at - 1) : at], *slots[at + 1 : at + 2]))
        if not paired:
            words.add(f"({' OR '.join(map(str, slot.ids))})")
    return " AND ".join(words)


def _pattern(slot: Slot) -> str:
    return f"(?:{'|'.join([re.escape(t.mark(number)) for number in slot.ids])})"
