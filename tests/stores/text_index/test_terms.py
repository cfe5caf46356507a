"""Text to terms: what is the same word, and where words begin and end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores.text_index import terms as t

anything = st.text(st.characters(exclude_categories=()))
ids = st.integers(1, 0xF0000 + (1 << 32) - 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", ["hello", "world"]),
        ("ÉTÉ été e\u0301te\u0301", ["ete", "ete", "ete"]),
        ("Straße \uff21\uff22\uff23 ﬁne", ["strasse", "abc", "fine"]),
        ("ёлка İstanbul", ["елка", "istanbul"]),
        ("src/holdfast/snake_case.py", ["src", "holdfast", "snake", "case", "py"]),
        ("v3.14, 1_000", ["v3", "14", "1", "000"]),
        ("记忆is好的", ["记", "忆", "is", "好", "的"]),
        ("ﾃｽﾄ ガ か\u3099", ["テ", "ス", "ト", "ガ", "が"]),
        ("한국어", ["한", "국", "어"]),
        ("สวัสดี", list("สวัสดี")),
        ("done 🎉!", ["done", "🎉"]),
        ("\x00\ud800 \u2028 …", []),
    ],
)
def test_a_word_is_folded_and_a_script_without_spaces_is_single_characters(text: str, expected: list[str]) -> None:
    """
    Case, accents and width do not matter; identifiers and paths are sequences of words.
    """
    assert expected == t.terms(text)


@given(anything)
def test_any_text_becomes_terms_that_can_be_stored(text: str) -> None:
    """
    Whatever is said, its terms are short, not empty and valid Unicode, and are their own terms.
    """
    for term in t.terms(text):
        assert 1 <= len(term) <= t.LONGEST
        assert term == term.encode().decode()
        assert [term] == t.terms(term)


def test_a_run_without_a_gap_becomes_several_terms() -> None:
    """
    A megabyte of base64 does not become one term.
    """
    assert [t.LONGEST, t.LONGEST, 2] == [len(term) for term in t.terms("x" * (2 * t.LONGEST + 2))]


@given(st.lists(st.text("ab ", max_size=9)), st.integers(0, 3))
def test_pieces_are_the_text(parts: list[str], times: int) -> None:
    """
    A long text is cut into bounded pieces, and nothing of it is lost.
    """
    text = " ".join(parts) * times * 3_000
    pieces = list(t.pieces(text))

    assert text == "".join(pieces)
    assert all(len(piece) <= t.PIECE for piece in pieces)


def test_pieces_do_not_cut_words() -> None:
    """
    A word at the border of two pieces is whole in one of them.
    """
    text = "holdfast " * 10_000

    assert {"holdfast"} == {term for piece in t.pieces(text) for term in t.terms(piece)}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("two words", [(("two",), False), (("words",), False)]),
        ('say "two words" now', [(("say",), False), (("two", "words"), True), (("now",), False)]),
        ('an "open quote', [(("an",), False), (("open",), False), (("quote",), False)]),
        ("same SAME same", [(("same",), False)]),
        ("log/store.py", [(("log", "store", "py"), False)]),
        ("记忆", [(("记", "忆"), False)]),
        ("NEAR(a, b) AND * OR -", [(("near", "a"), False), (("b",), False), (("and",), False), (("or",), False)]),
        ('"" "', []),
    ],
)
def test_a_query_is_words_and_quoted_phrases(query: str, expected: list[tuple[tuple[str, ...], bool]]) -> None:
    """
    Quotes make a phrase; anything else is words, never an operator and never an error.
    """
    assert expected == [(want.terms, want.quoted) for want in t.wanted(query)]


@given(st.text("abcdéж9", min_size=1, max_size=16), st.data())
def test_every_part_of_a_word_begins_a_suffix(word: str, data: st.DataObject) -> None:
    """
    A part of three or more characters is found as the beginning of a stored suffix.
    """
    term = t.terms(word)[0]
    start = data.draw(st.integers(0, max(0, len(term) - 3)))
    needle = term[start : data.draw(st.integers(start + 3, start + 9))]

    assert any(suffix.startswith(needle[: t.SUFFIX]) for suffix in t.suffixes(term))


def test_a_hash_and_a_single_character_take_little_room() -> None:
    """
    What nobody searches by its middle does not fill the table of suffixes.
    """
    assert ["9f86d0"] == t.suffixes("9f86d081884c7d659a2feaa0c55ad015")
    assert [] == t.suffixes("忆")


@given(st.lists(ids, min_size=1))
def test_packed_ids_come_back(numbers: list[int]) -> None:
    """
    A message is stored as exactly its sequence of term ids.
    """
    assert numbers == list(t.numbers(t.unpack(t.pack(numbers))))


@given(st.lists(ids, min_size=1, max_size=4), st.lists(ids, min_size=1, max_size=9))
def test_a_phrase_is_found_in_marks_only_where_it_is(phrase: list[int], message: list[int]) -> None:
    """
    Searching the stored string never finds half of one id and half of another.
    """
    starts = range(len(message) - len(phrase) + 1)
    there = any(phrase == message[at : at + len(phrase)] for at in starts)

    assert there == ("".join(map(t.mark, phrase)) in t.unpack(t.pack(message)))
    assert there == (t.pack(phrase) in t.pack(message))


@given(st.lists(st.lists(ids, max_size=9), max_size=5))
def test_the_different_ids_of_several_messages(messages: list[list[int]]) -> None:
    """
    Each once, whether it takes one character or two.
    """
    assert {number for each in messages for number in each} == t.distinct(
        ["".join(map(t.mark, each)) for each in messages]
    )
