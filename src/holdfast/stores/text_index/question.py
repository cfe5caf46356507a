"""A query that asks something, as the terms that count and the days that it names.

Of a few words, or of words in quotes, a search box wants all; those queries are not questions. In a question
everything counts and nothing is required.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.stores.text_index import stop_words as stop
from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.stemming import prefix, stem

if TYPE_CHECKING:
    from collections.abc import Collection

WORDS = 4
"""A query of so many different words is a question."""
UNSPACED = 4
"""So is a text of more characters than these in a script without spaces."""
SOON = (-1, 3)
"""Days before and after a named day that are as good as it."""

_MOMENT = timedelta(microseconds=1)


class Days(Struct, frozen=True, kw_only=True):
    """The days that some words name: from `first` up to and without `end`, as `date.toordinal` counts them."""

    first: int
    end: int


class SearchQuery(Struct, frozen=True, kw_only=True):
    """What was typed, and when."""

    text: str
    now: datetime | None = None
    """Local time, to which words such as "yesterday" are relative; without it no words name a time."""


class AskedQuestion(Struct, frozen=True, kw_only=True):
    """What a query asks for."""

    terms: tuple[tuple[str, ...], ...] = ()
    """Each a word, or one or two neighbouring characters of a script without spaces."""
    days: tuple[Days, ...] = ()
    """Which days it names."""
    names: frozenset[str] = frozenset()
    """The words of it that name people who speak."""


def is_question(query: str) -> bool:
    """Whether a query asks something, and is not a few words that all have to be found."""
    query = query[: t.MOST_TYPED]
    if '"' in query:
        return False
    words = t.fold(query).split()
    if len(set(words)) >= WORDS or (len(words) > 1 and not stop.ASKING.isdisjoint(words)):
        return True
    if query.isascii():
        return False
    return any(_long_unspaced(word) for word in words) or any(asking in query for asking in stop.UNSPACED_ASKING)


def _long_unspaced(word: str) -> bool:
    return re.search(rf"{t.LONE}{{{UNSPACED + 1}}}", word) is not None


def named_days(query: SearchQuery) -> tuple[tuple[Days, ...], str]:
    """The days that a query names, looking back, and the rest of its words."""
    text, now = query.text[: t.MOST_TYPED], query.now
    if now is None or '"' in text:
        return (), text
    from holdfast.times.find import find as find_times  # noqa: PLC0415 # its patterns take a moment to compile

    found: list[Days] = []
    rest = text
    for one in reversed(find_times(text, now)):
        span = one.past(now)
        if span is not None:
            last = max(span.start, span.end - _MOMENT)
            found.append(Days(first=span.start.toordinal(), end=last.toordinal() + 1))
            rest = f"{rest[: one.at]} {rest[one.to :]}"
    return tuple(reversed(found)), rest


def read(query: str, days: tuple[Days, ...] = (), names: Collection[str] = ()) -> AskedQuestion:
    """What a question asks for; `names` are words by which people who speak are called.

    Names in scripts without spaces are no longer in the query (see `answers.named`).
    """
    said = t.terms(query[: t.MOST_TYPED])
    whole = {name for name in names if len(name) > 1 and t.unspaced(name[0])}
    called = frozenset(names).intersection(said) | whole
    singles: dict[tuple[str, ...], None] = dict.fromkeys((term,) for term in said if term not in called)
    pairs: dict[tuple[str, ...], None] = dict.fromkeys(pair for pair in pairwise(said) if all(map(t.unspaced, pair)))
    telling = [one for one in singles if one[0] not in stop.ENGLISH and one[0] not in stop.UNSPACED]
    telling += [pair for pair in pairs if not stop.UNSPACED.issuperset(pair)]
    found = (
        telling
        or [(name,) for name in called - whole]
        or [pair for name in whole for pair in pairwise(name)]
        or [*singles, *pairs]
    )
    return AskedQuestion(terms=tuple(found), days=days, names=called)


def only_times(query: SearchQuery, days: tuple[Days, ...], rest: str) -> bool:
    """Whether a query names days and nothing else, so that it asks for what was said then.

    A single word, such as "yesterday", is looked for as any other word is.
    """
    alone = query.text.isascii() and len(query.text.split()) == 1
    return bool(days) and not alone and all(term in stop.ENGLISH or term in stop.UNSPACED for term in t.terms(rest))


def shown(query: str) -> list[str]:
    """The words around which a find of this query is shown: of a question, those that tell, without their endings."""
    if not is_question(query):
        return query.replace('"', " ").split()
    return ["".join(map(_root, terms)) for terms in read(query).terms]


def _root(term: str) -> str:
    return prefix(stem(term))
