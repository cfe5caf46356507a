"""Finds: the words around what was asked for."""

from holdfast.ids import SessionKey
from holdfast.session.catalog import SNIPPET, Hit, hit
from holdfast.session.search_text import SearchText
from tests.session.talk import records_of, said

KEY = SessionKey("k")


def found(text: str, *asked: str) -> Hit:
    """A find in a text."""
    (record,) = records_of(said(text), first=7)
    return hit(KEY, record, SearchText(role="user", text=text), asked, 0.5)


def test_a_find_says_where_it_is() -> None:
    """
    It has all that is needed to jump there, and to show it.
    """
    (record,) = records_of(said("high tide"), first=7)

    expected = Hit(key=KEY, pos=record.pos, at=record.at, role="user", snippet="high tide", score=0.5)
    assert expected == found("high tide", "tide")


def test_a_find_shows_the_words_around_it() -> None:
    """
    Far into a long text the snippet begins near the first word that was asked for, whatever its case.
    """
    text = "before " * 200 + "HARBOUR" + " after" * 200
    snippet = found(text, "missing", "after", "harbour").snippet

    assert "…" == snippet[0] == snippet[-1]
    assert "HARBOUR after" in snippet
    assert SNIPPET >= len(snippet)


def test_a_find_without_its_word_shows_the_beginning() -> None:
    """
    A word may be found in a form that the text does not have.
    """
    assert "the boats" == found("the boats", "boating").snippet


def test_a_find_is_safe_to_show() -> None:
    """
    What was said reaches no terminal as a command.
    """
    assert "␛[2J tide" == found("\x1b[2J\ntide", "tide").snippet
