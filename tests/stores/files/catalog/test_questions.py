"""Questions to the index: as many candidates as it takes, and no more, whatever the words are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from holdfast.stores.files.catalog import index, questions
from holdfast.stores.files.catalog.index import IndexedText
from holdfast.stores.files.catalog.search import find
from holdfast.stores.text_index import scan
from holdfast.stores.text_index.question import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

words = st.lists(st.sampled_from(["ship", "ships", "sail", "sailing", "red", "好", "记忆", "what?"]), max_size=5)


def asked(texts: Sequence[str], query: str, *, session: int | None = None, limit: int = 10) -> list[int]:
    """Which of these messages, ten to a session, answer a question, best first."""
    said = (IndexedText(session=at // 10, pos=at % 10, role="user", text=text) for at, text in enumerate(texts))
    with closing(sqlite3.connect(":memory:")) as db:
        index.create(db)
        index.add(db, said)
        return [10 * hit.session + hit.pos for hit in find(db, query, limit=limit, session=session)]


def test_the_message_with_most_of_the_words_is_found_among_thousands() -> None:
    """
    Words that are everywhere bring the newest messages, and those that have two of them, however old they are.
    """
    texts = ["the lamp", "a carpet", "some window"] * 500
    texts[7] = "lamp and carpet and window"

    assert 7 == asked(texts, "what about lamp, carpet and window")[0]


def test_a_pair_of_characters_that_is_everywhere_weighs_less() -> None:
    """
    How common it is shows in how close together its newest messages are.
    """
    texts = ["我们讨论数据库"] * 600
    texts[300] = "他们讨论鲸鱼"

    assert 300 == asked(texts, "我们讨论过鲸鱼吗")[0]


def test_a_question_to_a_session_is_answered_from_it_alone() -> None:
    """
    Also at its beginning and end, where messages of other sessions stand beside its own.
    """
    texts = ["a lamp and a carpet"] * 30

    assert set(range(10, 20)) == set(asked(texts, "which lamp is on the carpet", session=1, limit=50))


def test_of_a_pasted_text_the_rarest_words_count() -> None:
    """
    Wherever they stand in it.
    """
    common = [f"word{number}" for number in range(2 * questions.ASKED)]
    texts = [" ".join(common)] * 30
    texts[11] += " grommet"

    assert 11 == asked(texts, f"{' '.join(common)} grommet nowhere")[0]


@given(st.lists(words.map(" ".join), max_size=12), words.map(" ".join))
def test_the_index_and_a_scan_agree_on_what_has_the_words(texts: list[str], query: str) -> None:
    """
    What the index finds, a reading of everything finds too, with the same message first unless two are as good.
    """
    question = f"what {query} was there"
    said = [
        scan.SaidText(session=at // 10, pos=at % 10, text=text, person=True) for at, text in enumerate(texts) if text
    ]
    answers = scan.answers(said, SearchQuery(text=question)) or []

    assert set(asked(texts, question, limit=99)) <= {10 * one.session + one.pos for one in answers}
