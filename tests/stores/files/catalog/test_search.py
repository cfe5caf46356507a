"""Finding what was said, compared with reading everything."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.stores.files.catalog import index
from holdfast.stores.files.catalog.index import IndexedText
from holdfast.stores.files.catalog.search import find
from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.question import is_question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

letters = "aab é_/记忆好か9"
texts = st.lists(st.text(letters, max_size=14), max_size=9)
queries = st.lists(st.text(letters, min_size=1, max_size=5), max_size=3).map(" ".join)
anything = st.text(st.characters(exclude_categories=()))


@contextmanager
def opened(*texts: str, role: str = "agent") -> Iterator[sqlite3.Connection]:
    """An index of messages, ten to a session."""
    with closing(sqlite3.connect(":memory:")) as db:
        index.create(db)
        index.add(
            db, (IndexedText(session=at // 10, pos=at % 10, role=role, text=text) for at, text in enumerate(texts))
        )
        yield db


def found_in(texts: Sequence[str], query: str, *, limit: int = 10) -> list[int]:
    """Which of these messages are found, best first."""
    with opened(*texts) as db:
        return found(db, query, limit=limit)


def found(db: sqlite3.Connection, query: str, *, limit: int = 10, session: int | None = None) -> list[int]:
    """Which messages are found, by their number, best first."""
    return [10 * hit.session + hit.pos for hit in find(db, query, limit=limit, session=session)]


def holds(said: Sequence[str], want: t.WantedTerms) -> bool:
    """The rule, by brute force: terms in a row, of which the outer ones may be parts of words."""
    last = len(want.terms) - 1

    def fits(term: str, at: int) -> bool:
        needle = want.terms[at]
        if want.quoted or t.unspaced(needle) or t.unspaced(term):
            return needle == term
        return {
            (True, True): needle in term,
            (True, False): term.endswith(needle),
            (False, True): term.startswith(needle),
            (False, False): needle == term,
        }[at == 0, at == last]

    return any(all(fits(said[start + at], at) for at in range(last + 1)) for start in range(len(said) - last))


@given(texts, queries)
def test_every_message_with_all_words_is_found_and_comes_first(said: list[str], query: str) -> None:
    """
    What has every word of the query, be it as a part of a word, is found before anything else.
    """
    assume(not is_question(query))
    wants = t.wanted(query)
    expected = {at for at, text in enumerate(said) if wants and all(holds(t.terms(text), want) for want in wants)}

    actual = found_in(said, query)

    assert expected == set(actual[: len(expected)])
    for at in actual:
        assert any(holds(t.terms(said[at]), want) for want in wants)


@given(texts, st.text(letters, min_size=1, max_size=6))
def test_a_quoted_phrase_is_found_as_it_stands(said: list[str], phrase: str) -> None:
    """
    In quotes, whole words next to each other count and nothing else.
    """
    wants = t.wanted(f'"{phrase}"')
    expected = {at for at, text in enumerate(said) if wants and holds(t.terms(text), wants[0])}

    assert expected == set(found_in(said, f'"{phrase}"'))


@given(texts, queries)
def test_a_search_in_one_session_finds_nothing_else(said: list[str], query: str) -> None:
    """
    Searching in a session is searching in a store that holds only that session.
    """
    with opened(*said) as db:
        index.add(db, [IndexedText(session=7, pos=at, role="agent", text=text) for at, text in enumerate(said)])

        assert set(found_in(said, query)) == {at - 70 for at in found(db, query, session=7)}


@given(anything, anything)
def test_nothing_that_is_said_or_asked_is_an_error(text: str, query: str) -> None:
    """
    Quotes, operators, NULs and lone surrogates are text like any other.
    """
    with opened(text) as db:
        assert found(db, query) in ([], [0])
        assert found(db, text[:64]) == ([0] if t.terms(text[:64]) else [])


@pytest.mark.parametrize("query", ["", "   ", '"', '""', "\x00", "*", "-", "()", "\ud800", "…"])
def test_a_query_without_words_finds_nothing(query: str) -> None:
    """
    No words, no matches.
    """
    assert [] == found_in(["some words"], query)


@pytest.mark.parametrize(
    "query", ["words " * 200_000, "x" * 1_000_000, " ".join(map(str, range(150_000))), '"' * 99_999]
)
def test_a_pasted_megabyte_is_a_query(query: str) -> None:
    """
    People paste whole logs; the rarest words at their beginning are looked for.
    """
    best = found_in(["some words", "17"], query)[:1]

    assert ([1] if query.startswith("0 1 2") else [0] if query.startswith("words") else []) == best


def test_of_a_long_query_the_rarest_words_are_looked_for() -> None:
    """
    A pasted paragraph finds the message that shares its unusual words.
    """
    common = "this is what the error said when we ran it on a new server".split()
    with opened(*common * 20, "grommet", *common * 20) as db:
        assert 20 * len(common) == found(db, f"{' '.join(common)}: a grommet")[0]


def test_of_many_words_beside_a_phrase_the_rarest_are_looked_for() -> None:
    """
    With quotes it is no question, however long it is.
    """
    with opened(*["a b c d e f g h i"] * 20, "grommet of brass", *["a b c d e f g h i"] * 20) as db:
        assert 20 == found(db, 'a b c d e f g h i grommet "of brass"')[0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("HOLDFAST", [0]),
        ("fas", [0]),
        ("ho", [0]),
        ("t", [0, 1, 2, 4]),
        ("naive", [1]),
        ("write_ahead", [2]),
        ("log/wri", [2]),
        ("og/write", [2]),
        ("rite/ahead", [2]),
        ("ahead_log", []),
        ("记忆", [3]),
        ("忆", [3, 4]),
        ("忆记", [4]),
        ("カ", [5]),
        ("한국", [6]),
    ],
)
def test_parts_paths_accents_and_scripts_are_found(query: str, expected: list[int]) -> None:
    """
    Chinese, Japanese, Korean, identifiers and parts of words are found, and only where they are.
    """
    said = ["Holdfast", "naïvete", "log/write_ahead.py", "我的记忆", "忆记 t", "ｶﾀｶﾅ", "한국어"]

    assert expected == sorted(found_in(said, query))


def test_whole_words_come_before_parts() -> None:
    """
    Who asks for "log" gets "log" before "catalog", however new that is.
    """
    assert [1, 2, 0] == found_in(["the catalog", "the log", "the catalog"], "log")


def test_words_together_come_before_words_apart() -> None:
    """
    Of two messages with the same words, the one that has them as typed is better.
    """
    with opened("lock the file now", "the file, a new lock") as db:
        assert [0, 1] == found(db, "lock the file")


def test_of_equals_the_newest_comes_first() -> None:
    """
    With nothing else to tell them apart, what was said last is nearer.
    """
    assert [2, 1, 0] == found_in(["same", "same", "same"], "same")


def test_what_the_user_said_comes_before_an_echo() -> None:
    """
    A person looks for their own words more often than for the answer's.
    """
    with opened("same words", role="user") as db:
        index.add(db, [IndexedText(session=0, pos=1, role="agent", text="same words")])

        assert [0, 1] == found(db, "words")


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    """
    When no message has both words, the one with the telling word is better.
    """
    with opened(*["common thing"] * 20, "grommet thing", *["common thing"] * 20) as db:
        assert 20 == found(db, "common grommet")[0]


def test_most_of_the_words_are_better_than_few() -> None:
    """
    When no message has all words, not even with those beside it, those that lack one come first.
    """
    filler = [text for text in ("alpha one", "beta two", "gamma three", "delta four") for _ in range(20)]
    with opened("alpha beta gamma", *filler) as db:
        assert 0 == found(db, "alpha beta gamma delta")[0]


def test_a_word_nobody_said_does_not_spoil_the_others() -> None:
    """
    A misspelt word is as if it had not been typed.
    """
    with opened("red apple", "green apple", "red pear") as db:
        assert [0, 1, 2] == sorted(found(db, "red apple zzyzx"))
        assert 0 == found(db, "red apple zzyzx")[0]


def test_a_long_message_is_one_match() -> None:
    """
    A text of several pieces is found by the words of each, and once.
    """
    with opened("begin " + "filler " * 10_000 + "middle " + "filler " * 10_000 + "end") as db:
        for query in ("begin", "middle", "end", "filler", "begin end"):
            assert [0] == found(db, query)


def test_never_more_than_asked_for() -> None:
    """
    The limit is a limit, and may be larger than the number of messages that are ranked at first.
    """
    with opened(*["again"] * 450) as db:
        assert 10 == len(found(db, "again"))
        assert [] == found(db, "again", limit=0)
        assert 450 == len(found(db, "again", limit=1_000))
        assert list(range(449, 49, -1)) == found(db, "again", limit=400)


def test_a_rare_phrase_of_common_words_is_found_behind_many_others() -> None:
    """
    Words that are often in one message and seldom side by side: the phrase is still found.
    """
    with opened("time out", *["out of time"] * 1_500) as db:
        assert [0] == found(db, '"time out"')
        assert 0 == found(db, "time_out")[0]


def test_all_words_are_found_behind_many_messages_with_most_of_them() -> None:
    """
    Two words that nearly always go together do not hide the message that has the third one too.
    """
    with opened("new york weather", *["new york"] * 2_500, *["weather"] * 22_000) as db:
        assert 0 == found(db, "weather new york")[0]


def test_a_part_of_frequent_words_is_enough_work_with_a_dozen() -> None:
    """
    When a few words with that part are in thousands of messages, the rarer ones are left out.
    """
    words = [f"{chr(97 + at)}qx" for at in range(20)]
    with opened("zqx", *words * 250) as db:
        assert 0 not in found(db, "qx", limit=5_000)
        assert [0] == found(db, "zqx")


def test_a_common_part_of_words_stands_for_the_most_frequent() -> None:
    """
    A part that is in thousands of words finds the words that are said most.
    """
    with opened(*[f"aqx{at:04}" for at in range(5_000)], *["zzaqx"] * 50) as db:
        assert set(range(5_000, 5_050)) >= set(found(db, "aqx"))


def steps(db: sqlite3.Connection, query: str, owner: str) -> int:
    """How many hundred steps SQLite takes for a search among an owner's sessions."""
    taken = [0]

    def step() -> int:
        taken[0] += 1
        return 0

    db.set_progress_handler(step, 100)
    assert find(db, query, owner=owner)
    db.set_progress_handler(None, 0)
    return taken[0]


@pytest.mark.parametrize("query", ["heron", "heron harbour", "her", '"the harbour"', "where does the heron stand now"])
def test_an_owner_with_few_messages_is_not_looked_for_through_all_others(query: str) -> None:
    """
    The same search takes about as many steps among ten times as many messages of somebody else.
    """
    said, taken = "the heron stands at the harbour now", list[int]()
    for times in (400, 4_000):
        with opened(*[said] * times) as db:
            db.execute("create table sessions (id integer primary key, owner blob)")
            owners = ((number, b"few" if number == 1 else b"many") for number in range(times // 10))
            db.executemany("insert into sessions values (?, ?)", owners)
            taken.append(steps(db, query, "few"))
            assert {1} == {hit.session for hit in find(db, query, owner="few")}
            assert 1 not in {hit.session for hit in find(db, query, owner="many")}
            assert [] == find(db, query, owner="nobody")

    assert taken[1] < 2 * taken[0] + 50
