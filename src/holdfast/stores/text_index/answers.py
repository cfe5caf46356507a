"""From candidates to answers: the features of each, the table of weights that fits the talk, and the order."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.text_index import stop_words as stop
from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.features import AskedTerm, Candidate, IndexedMessage, Kinds, features, idf
from holdfast.stores.text_index.near_words import near_words
from holdfast.stores.text_index.weights import ASSISTANT, PEOPLE, score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.stores.text_index.question import AskedQuestion, Days

MODELS = 0.25
"""When a model said more than this share of the candidates, these are talks with an assistant."""

NearWord = tuple[int, int, float]
"""A word of like meaning that was said: its id, in how many messages, and how near it is."""
Speaker = tuple[str, int, int]
"""A word of a name, a session, and the number (see `terms.about`) of who is called so there."""


class RankedAnswer(Struct, frozen=True, kw_only=True):
    """Where something was said that may answer a question."""

    session: int
    pos: int
    score: float = 0.0
    features: tuple[float, ...] = ()


def word_slot(
    forms: Sequence[tuple[str, int, int]], word: str, near: Sequence[NearWord], total: int
) -> AskedTerm | None:
    """A word that is asked for: those of its stem and those near to it that were said, as (word, id, messages)."""
    own = [t.mark(number) for term, number, _ in forms if term == word]
    others = [t.mark(number) for term, number, _ in forms if term != word]
    known = {number for _, number, _ in forms}
    beside = [(number, df, cosine) for number, df, cosine in near if number not in known]
    df = sum(df for _, _, df in forms)
    if not forms and not beside:
        return None
    return AskedTerm(
        exact="".join(own),
        forms=tuple(others),
        near=tuple((t.mark(number), cosine) for number, _, cosine in beside),
        idf=idf(df, total) if forms else 0.0,
        near_idf=idf(df if forms else sum(df for _, df, _ in beside), total),
    )


def named(text: str, speakers: Sequence[Speaker]) -> tuple[str, list[Speaker]]:
    """The text without the names in it that are written without spaces, and the speakers that it may name.

    Of such a name every character is a term, and each of them stands in other words too: only the whole name counts.
    """
    spaced = [one for one in speakers if not t.unspaced(one[0])]
    characters: dict[tuple[int, int], set[str]] = {}
    for term, session, number in speakers:
        characters.setdefault((session, number), set()).add(term)
    whole: list[Speaker] = []
    for run in re.findall(f"{t.LONE}+", t.fold(text)) if len(spaced) < len(speakers) else ():
        for start, end in combinations(range(len(run) + 1), 2):
            name = run[start:end]
            found = [at for at, known in characters.items() if at[1] == t.number_of(name) and known.issuperset(name)]
            whole += [(name, *at) for at in found]
    for name in sorted({name for name, _, _ in whole}, key=len, reverse=True):
        text = t.fold(text).replace(name, " ")
    return text, [*spaced, *whole]


def near_to(word: str) -> dict[str, float]:
    """The words of like meaning, and how near they are; none for other scripts."""
    return near_words()(word) if word.isascii() and word.isalpha() else {}


def kinds(query: str, number: Callable[[Iterable[str]], Iterable[int]]) -> Kinds:
    """What tells of what kind a message is; `number` looks up the ids of words."""
    asks_when = not stop.TIME.isdisjoint(t.terms(query[: t.MOST_TYPED]))
    times = number(stop.NAMES_A_TIME) if asks_when else ()
    return Kinds(times=frozenset(map(t.mark, times)), own=frozenset(map(t.mark, number(stop.OWN))))


def pair_slot(first: int, second: int, df: float, total: int) -> AskedTerm:
    """Two neighbouring characters."""
    return AskedTerm(exact=t.mark(first) + t.mark(second), idf=idf(df, total))


def ranked(
    turns: Sequence[Candidate], slots: Sequence[AskedTerm], days: Sequence[Days], kinds: Kinds
) -> list[RankedAnswer]:
    """The turns as answers, best first; of equals, the newest."""
    models = sum(not t.person(turn.doc.about) for turn in turns)
    weights = ASSISTANT if models > MODELS * len(turns) else PEOPLE
    rows = features(turns, slots, days, kinds)
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
