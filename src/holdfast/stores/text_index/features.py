"""What speaks for a message as the answer to a question: numbers from 0 to about 1, from term ids alone.

Each is divided by what the question could reach, so that no statistics but counts of messages are needed. A message
is judged together with its neighbours and with what else was found of its session.
"""

from __future__ import annotations

import re
from math import exp, log
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.question import SOON

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.stores.text_index.question import Days

NAMES = (
    *("b", "bw", "bw2", "bs", "rare", "nost", "date", "spk", "isq", "len", "midf", "pq"),
    *("near", "near1", "near2", "session", "pisq", "when", "first", "pos"),
)
"""The features, in the order of the weights."""

TYPICAL = 24
"""Terms in a message of usual length."""
K1, B = 1.2, 0.75
"""The constants of BM25: how much repetition counts, and how much length is discounted."""
NEXT, AFTER_NEXT = 1, 2
"""How far neighbours are away that are read as one text with a message."""
SEVERAL = 8
"""A session counts as so many messages of usual length at least."""
PAIR = 2


class AskedTerm(Struct, frozen=True, kw_only=True):
    """One thing that is asked for, as marks (see `terms.mark`)."""

    exact: str
    """The word as it was asked, or two neighbouring characters; '' if it was never said."""
    forms: tuple[str, ...] = ()
    """Other words of its stem."""
    near: tuple[tuple[str, float], ...] = ()
    """Words of like meaning, and how near they are to it (see `near_words`)."""
    idf: float
    """How much it tells; 0 if neither it nor a word of its stem was ever said."""
    near_idf: float = 0.0
    """How much it tells together with its near words."""


class Kinds(Struct, frozen=True, kw_only=True):
    """Marks of words that say of what kind a message is."""

    times: frozenset[str] = frozenset()
    """Words that name a time, if the question asks for one."""
    own: frozenset[str] = frozenset()
    """The words for "I" and "we"."""


class IndexedMessage(Struct, frozen=True, kw_only=True):
    """A message, or a piece of a long one."""

    id: int
    """Messages are numbered in the order in which they were said in their session."""
    session: int
    pos: int
    day: int
    """As `date.toordinal` counts days."""
    about: int
    """Who said it and how; see `terms.about`."""
    marks: str


class Candidate(Struct, frozen=True, kw_only=True):
    """A message with what is known of it in relation to a question."""

    doc: IndexedMessage
    joined: bool
    """Whether it follows the turn before it in the list, with nothing said in between."""
    meant: bool
    """Whether the person said it whom the question names; if it names nobody, whether a person said it."""
    idf: float
    """The mean idf of its words."""


def idf(df: float, total: int) -> float:
    """How much a word tells that is in `df` of `total` messages."""
    df = min(df, total)
    return log(1 + (total - df + 0.5) / (df + 0.5))


def features(
    turns: Sequence[Candidate], slots: Sequence[AskedTerm], days: Sequence[Days], kinds: Kinds | None = None
) -> list[tuple[float, ...]]:
    """The features of each turn; the turns stand in the order of their sessions."""
    count, kinds = Counting(slots), kinds or Kinds()
    counts = [count(turn.doc.marks) for turn in turns]
    meant = [count.meant(turn.doc.marks, one) for turn, one in zip(turns, counts, strict=True)]
    lengths = [len(turn.doc.marks) for turn in turns]
    reach = count.reach
    own = [count.bm25(one, n, TYPICAL) / reach for one, n in zip(counts, lengths, strict=True)]
    by_session = _sessions(turns, counts, lengths, count)
    together: dict[int, list[Mapping[int, float]]] = {}
    for turn, one in zip(turns, meant, strict=True):
        together.setdefault(turn.doc.session, []).append(one)
    in_session = {session: count.share(each) for session, each in together.items()}
    days_of: dict[int, float] = {}
    rows: list[tuple[float, ...]] = []
    for at, turn in enumerate(turns):
        before, after = _neighbours(turns, at)
        near, far = (_window(counts, lengths, max(before, at - n), min(after, at + n)) for n in (NEXT, AFTER_NEXT))
        asked_before = before < at and t.asks(turns[at - 1].doc.about)
        day, marks = turn.doc.day, turn.doc.marks
        if day not in days_of:
            days_of[day] = max((_date(day, each) for each in days), default=0.0)
        rows.append(
            (
                own[at],
                count.bm25(*near, TYPICAL * 3) / reach,
                count.bm25(*far, TYPICAL * 5) / reach,
                by_session[turn.doc.session],
                *count.found(counts[at], turn.doc.marks),
                days_of[day],
                float(turn.meant),
                float(t.asks(turn.doc.about)),
                log(1 + lengths[at]) / 3,
                turn.idf / 6,
                own[at - 1] if asked_before else 0.0,
                count.share(meant[at : at + 1]),
                count.share(meant[max(before, at - NEXT) : min(after, at + NEXT) + 1]),
                count.share(meant[before : after + 1]),
                in_session[turn.doc.session],
                float(asked_before),
                float(not kinds.times.isdisjoint(marks)),
                float(not kinds.own.isdisjoint(marks)),
                exp(-turn.doc.pos / 4),
            )
        )
    return rows


class Counting:
    """How often the things that are asked for are in a message."""

    def __init__(self, slots: Sequence[AskedTerm]) -> None:
        """Count these."""
        self._idfs = [slot.idf for slot in slots]
        self._exact = [slot.exact for slot in slots]
        self._pairs = [(at, slot.exact) for at, slot in enumerate(slots) if _is_pair(slot.exact)]
        self._of = {
            mark: at
            for at, slot in enumerate(slots)
            for mark in (slot.exact, *slot.forms)
            if mark and not _is_pair(mark)
        }
        self._near: dict[str, list[tuple[int, float]]] = {}
        for at, slot in enumerate(slots):
            for mark, cosine in slot.near:
                self._near.setdefault(mark, []).append((at, cosine))
        self._pattern, self._near_pattern = _any(self._of), _any(self._near)
        self._near_idfs = [slot.near_idf or slot.idf for slot in slots]
        self._near_reach = sum(self._near_idfs) or 1.0
        self.reach = (K1 + 1) * sum(self._idfs) or 1.0

    def __call__(self, marks: str) -> dict[int, int]:
        """How often each is in a message, by its number; those that are not in it are left out."""
        found: dict[int, int] = {}
        for mark in self._pattern.findall(marks) if self._pattern else ():
            at = self._of[mark]
            found[at] = found.get(at, 0) + 1
        for at, pair in self._pairs:
            if times := marks.count(pair):
                found[at] = times
        return found

    def meant(self, marks: str, counts: Mapping[int, int]) -> dict[int, float]:
        """How near a message comes to each thing that is asked for: 1 if it has it, else by its nearest word."""
        found = dict.fromkeys(counts, 1.0)
        for mark in set(self._near_pattern.findall(marks)) if self._near_pattern else ():
            for at, cosine in self._near[mark]:
                found[at] = max(found.get(at, 0.0), cosine)
        return found

    def share(self, meant: Sequence[Mapping[int, float]]) -> float:
        """The share of what is asked for that some messages have or come near to."""
        best = dict(meant[0])
        for one in meant[1:]:
            for at, cosine in one.items():
                best[at] = max(best.get(at, 0.0), cosine)
        return sum([self._near_idfs[at] * cosine for at, cosine in best.items()]) / self._near_reach

    def rough(self, marks: str) -> float:
        """The BM25 of a message, and what it has of like meaning: enough to tell what is worth ranking."""
        counts = self(marks)
        return self.bm25(counts, len(marks), TYPICAL) / self.reach + self.share([self.meant(marks, counts)])

    def bm25(self, counts: Mapping[int, int], length: int, typical: int) -> float:
        """The BM25 of a text."""
        room = K1 * (1 - B + B * length / typical)
        return sum([self._idfs[at] * n * (K1 + 1) / (n + room) for at, n in counts.items()])

    def found(self, counts: Mapping[int, int], marks: str) -> tuple[float, float]:
        """How telling the rarest find is, and which share was found in exactly the form asked."""
        if not counts:
            return 0.0, 0.0
        exact = sum([self._idfs[at] for at in counts if self._exact[at] and self._exact[at] in marks])
        return max(self._idfs[at] for at in counts) / max(self._idfs), exact / sum(self._idfs)


def _any(marks: Iterable[str]) -> re.Pattern[str] | None:
    """What finds any of these marks."""
    found = "|".join(map(re.escape, marks))
    return re.compile(found) if found else None


def _is_pair(marks: str) -> bool:
    return len(list(t.numbers(marks))) == PAIR


def _neighbours(turns: Sequence[Candidate], at: int) -> tuple[int, int]:
    """The first and the last turn within two places with nothing missing in between."""
    first = last = at
    while at - first < AFTER_NEXT and turns[first].joined:
        first -= 1
    while last - at < AFTER_NEXT and last + 1 < len(turns) and turns[last + 1].joined:
        last += 1
    return first, last


def _window(
    counts: Sequence[Mapping[int, int]], lengths: Sequence[int], first: int, last: int
) -> tuple[Mapping[int, int], int]:
    found: dict[int, int] = {}
    for at in range(first, last + 1):
        for slot, n in counts[at].items():
            found[slot] = found.get(slot, 0) + n
    return found, sum(lengths[first : last + 1])


def _sessions(
    turns: Sequence[Candidate], counts: Sequence[Mapping[int, int]], lengths: Sequence[int], count: Counting
) -> dict[int, float]:
    """The BM25 of what is known of each session, as one text."""
    found: dict[int, dict[int, int]] = {}
    length: dict[int, int] = {}
    for turn, one, n in zip(turns, counts, lengths, strict=True):
        whole = found.setdefault(turn.doc.session, {})
        length[turn.doc.session] = length.get(turn.doc.session, 0) + n
        for slot, times in one.items():
            whole[slot] = whole.get(slot, 0) + times
    typical = max(TYPICAL * SEVERAL, sum(length.values()) // max(1, len(length)))
    return {
        session: count.bm25(one, max(length[session], TYPICAL * SEVERAL), typical) / count.reach
        for session, one in found.items()
    }


WEEK, MONTH, LATER = 8, 31, 10
"""Days of the longest week and month that a question may name, and days after a named one that are nearly as good."""


def _date(day: int, named: Days) -> float:
    """How near a day is to those that a question names."""
    if named.end - named.first > MONTH:
        return 0.2 if named.first <= day < named.end else 0.0
    if named.end - named.first > WEEK:
        return 0.7 if named.first <= day < named.end + SOON[1] else 0.0
    away = day - named.first if day < named.first else max(0, day - named.end + 1)
    if SOON[0] <= away <= SOON[1]:
        return 1.0
    if abs(away) <= LATER:
        return 0.6
    return 0.2 if abs(away) <= MONTH else 0.0
