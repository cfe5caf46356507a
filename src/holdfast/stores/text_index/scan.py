"""The same answers without an index: every text is a candidate. For stores that keep logs in memory or in rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.answers import (
    RankedAnswer,
    kinds,
    named,
    near_to,
    pair_slot,
    ranked,
    turns_of,
    word_slot,
)
from holdfast.stores.text_index.features import IndexedMessage, idf
from holdfast.stores.text_index.question import is_question, named_days, only_times, read
from holdfast.stores.text_index.stemming import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.stores.text_index.features import AskedTerm
    from holdfast.stores.text_index.question import SearchQuery


class SaidText(Struct, frozen=True, kw_only=True):
    """Something that was said."""

    session: int
    pos: int
    text: str
    person: bool
    speaker: str = ""
    day: int = 0
    """As `date.toordinal` counts days."""


def answers(said: Sequence[SaidText], query: SearchQuery) -> list[RankedAnswer] | None:
    """What answers a query, best first; None if it asks nothing, but wants some words to be found.

    The texts stand in the order of their sessions.
    """
    days, rest = named_days(query)
    if only_times(query, days, rest):
        then = [one for one in said if any(each.first <= one.day < each.end for each in days)]
        return [RankedAnswer(session=one.session, pos=one.pos) for one in sorted(then, key=lambda one: one.day)]
    if not is_question(query.text):
        return None
    scan = _Scan(said)
    speakers = [
        (term, one.session, t.speaker(doc.about))
        for one, doc in zip(said, scan.docs, strict=True)
        for term in t.terms(one.speaker)
    ]
    rest, speakers = named(rest, speakers)
    question = read(rest, days, {term for term, _, _ in speakers})
    slots = [slot for terms in question.terms for slot in scan.slots(terms)]
    return ranked(turns_of(scan.docs, question, speakers, scan.idfs()), slots, days, kinds(rest, scan.numbers))


class _Scan:
    """Texts as marks, with the ids and counts of their terms."""

    def __init__(self, said: Sequence[SaidText]) -> None:
        self._ids: dict[str, int] = {}
        self._df: Counter[int] = Counter()
        self.docs = [self._doc(at, one) for at, one in enumerate(said)]
        self._terms = list(self._ids)
        self._stems: defaultdict[str, list[int]] = defaultdict(list)
        for term, number in self._ids.items():
            self._stems[stem(term)].append(number)

    def _doc(self, at: int, one: SaidText) -> IndexedMessage:
        numbers = [self._ids.setdefault(term, len(self._ids) + 1) for term in t.terms(one.text)]
        self._df.update(set(numbers))
        about = t.about(person=one.person, text=one.text, speaker=one.speaker)
        marks = "".join(map(t.mark, numbers))
        return IndexedMessage(id=at, session=one.session, pos=one.pos, day=one.day, about=about, marks=marks)

    def idfs(self) -> dict[str, float]:
        """How much each word tells."""
        return {t.mark(number): idf(df, len(self.docs)) for number, df in self._df.items()}

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The ids of those words that were said."""
        return [self._ids[word] for word in words if word in self._ids]

    def slots(self, terms: Sequence[str]) -> list[AskedTerm]:
        """A term that is asked for, if it was ever said."""
        known = [self._ids.get(term) for term in terms]
        if len(known) == 1:
            same = [(self._terms[number - 1], number, self._df[number]) for number in self._stems[stem(terms[0])]]
            near = [
                (number, self._df[number], cosine)
                for word, cosine in near_to(terms[0]).items()
                for number in self.numbers([word])
            ]
            slot = word_slot(same, terms[0], near, len(self.docs))
            return [slot] if slot else []
        first, second = known
        if first is None or second is None:
            return []
        pair = t.mark(first) + t.mark(second)
        df = sum(pair in doc.marks for doc in self.docs)
        return [pair_slot(first, second, df, len(self.docs))] if df else []
