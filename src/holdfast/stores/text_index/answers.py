"""From candidates to answers: the features of each, the table of weights that fits the talk, and the order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.features import AskedTerm, Candidate, IndexedMessage, features, idf
from holdfast.stores.text_index.weights import ASSISTANT, PEOPLE, score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.stores.text_index.question import AskedQuestion, Days

MODELS = 0.25
"""When a model said more than this share of the candidates, these are talks with an assistant."""

Speaker = tuple[str, int, int]
"""A word of a name, a session, and the number (see `terms.about`) of who is called so there."""


class RankedAnswer(Struct, frozen=True, kw_only=True):
    """Where something was said that may answer a question."""

    session: int
    pos: int
    score: float = 0.0
    features: tuple[float, ...] = ()


def word_slot(exact: int | None, others: Iterable[int], df: float, total: int) -> AskedTerm:
    """A word that is asked for: its own id, if it was ever said, and those of others of its stem."""
    return AskedTerm(exact="" if exact is None else t.mark(exact), forms=tuple(map(t.mark, others)), idf=idf(df, total))


def pair_slot(first: int, second: int, df: float, total: int) -> AskedTerm:
    """Two neighbouring characters."""
    return AskedTerm(exact=t.mark(first) + t.mark(second), idf=idf(df, total))


def ranked(turns: Sequence[Candidate], slots: Sequence[AskedTerm], days: Sequence[Days]) -> list[RankedAnswer]:
    """The turns as answers, best first; of equals, the newest."""
    models = sum(not t.person(turn.doc.about) for turn in turns)
    weights = ASSISTANT if models > MODELS * len(turns) else PEOPLE
    rows = features(turns, slots, days)
    rated = sorted(
        ((score(row, weights), turn.doc.id, row, turn.doc) for row, turn in zip(rows, turns, strict=True)),
        key=lambda each: each[:2],
        reverse=True,
    )
    best: dict[tuple[int, int], RankedAnswer] = {}
    for points, _, row, doc in rated:
        at = doc.session, doc.pos  # a long message may be found in several pieces
        best.setdefault(at, RankedAnswer(session=doc.session, pos=doc.pos, score=points, features=row))
    return list(best.values())


def turns_of(
    docs: Sequence[IndexedMessage], question: AskedQuestion, speakers: Sequence[Speaker], idfs: Mapping[str, float]
) -> list[Candidate]:
    """Messages in the order of their sessions with what is known of each; `idfs` has what each mark tells."""
    called: dict[str, set[tuple[int, int]]] = {}
    for term, session, speaker in speakers:
        if term in question.names:
            called.setdefault(term, set()).add((session, speaker))
    # First and last name of one person are said in the same places. Who names two asks about neither's own words.
    persons = {frozenset(places) for places in called.values()}
    (places,) = persons if len(persons) == 1 else (frozenset[tuple[int, int]](),)
    turns = []
    for at, doc in enumerate(docs):
        before = docs[at - 1] if at else doc
        tells = [idfs[mark] for mark in set(doc.marks) if mark in idfs]
        place = doc.session, t.speaker(doc.about)
        turns.append(
            Candidate(
                doc=doc,
                joined=(before.session, before.id) == (doc.session, doc.id - 1),
                meant=place in places if called else t.person(doc.about),
                idf=sum(tells) / max(1, len(tells)),
            )
        )
    return turns
