"""What speaks for an answer."""

import pytest

from holdfast.stores.text_index import features as f
from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.features import AskedTerm, Candidate, Counting, IndexedMessage, features, idf
from holdfast.stores.text_index.question import Days

HIGH = 0xF0000 + 5
"""An id that takes two characters as a mark."""


def turn(at: int, *ids: int, session: int = 1, joined: bool = True, day: int = 0, asks: bool = False) -> Candidate:
    """A message with these terms."""
    about = t.about(person=True, text="?" if asks else "")
    doc = IndexedMessage(id=at, session=session, pos=at, day=day, about=about, marks="".join(map(t.mark, ids)))
    return Candidate(doc=doc, joined=joined, meant=True, idf=3.0)


def of(name: str, turns: list[Candidate], slots: list[AskedTerm], days: list[Days] | None = None) -> list[float]:
    """One feature of each turn."""
    return [row[f.NAMES.index(name)] for row in features(turns, slots, days or [])]


def slot(exact: int, *forms: int, weight: float = 2.0) -> AskedTerm:
    """A word that is asked for."""
    return AskedTerm(exact=t.mark(exact), forms=tuple(map(t.mark, forms)), idf=weight)


def test_rare_words_tell_more_and_no_count_is_too_large() -> None:
    """
    The counts of forms of a word are added, so there may be more than there are messages.
    """
    assert idf(1, 100) > idf(50, 100) > idf(100, 100) == idf(130, 100) > 0


def test_forms_and_pairs_and_any_id_are_counted() -> None:
    """
    Whatever the ids are, and in overlapping pairs.
    """
    pair = AskedTerm(exact=t.mark(7) + t.mark(8), idf=1.0)
    count = Counting([slot(1, 2), slot(HIGH), pair, AskedTerm(exact="", forms=(t.mark(3),), idf=1.0)])

    marks = "".join(map(t.mark, (1, 2, 2, HIGH, 7, 8, 7, 3)))
    assert {0: 3, 1: 1, 2: 1, 3: 1} == count(marks)
    assert {} == count(t.mark(9))


def test_what_has_more_of_what_was_asked_is_better() -> None:
    """
    As a message, in the form asked, by its rarest word, together with its neighbours and its session.
    """
    turns = [turn(0, 1, 2, joined=False), turn(1, 3, 9), turn(2, 9, 9), turn(5, 9, session=2, joined=False)]
    slots = [slot(1), slot(2, 3, weight=4.0)]

    assert [True, True, True, True] == [a >= b for a, b in zip(of("b", turns, slots), [0.5, 0.3, 0, 0], strict=True)]
    assert [1.0, 0.0, 0.0, 0.0] == of("nost", turns, slots)
    assert [1.0, 1.0, 0.0, 0.0] == of("rare", turns, slots)
    near, far, whole = of("bw", turns, slots), of("bw2", turns, slots), of("bs", turns, slots)
    assert near[2] > 0
    assert near[3] == far[3] == whole[3] == 0
    assert far[0] == far[1] == far[2] > 0
    assert whole[0] == whole[2] > 0


def test_words_of_like_meaning_count_by_how_near_they_are() -> None:
    """
    The nearest of a message, of those beside it, and of its session; a word that nobody said counts by them alone.
    """
    turns = [turn(0, 5, 6, joined=False), turn(1, 9), turn(2, 9), turn(3, 9), turn(7, 1, session=2, joined=False)]
    near = ((t.mark(5), 0.6), (t.mark(6), 0.8), (t.mark(HIGH), 0.9))
    said = AskedTerm(exact=t.mark(1), near=near, idf=2.0, near_idf=2.0)
    never = AskedTerm(exact="", near=((t.mark(5), 0.5),), idf=0.0, near_idf=2.0)

    assert [0.8, 0.0, 0.0, 0.0, 1.0] == of("near", turns, [said])
    assert [0.8, 0.8, 0.0, 0.0, 1.0] == of("near1", turns, [said])
    assert [0.8, 0.8, 0.8, 0.0, 1.0] == of("near2", turns, [said])
    assert [0.8, 0.8, 0.8, 0.8, 1.0] == of("session", turns, [said])
    assert [0.65, 0.0, 0.0, 0.0, 0.5] == of("near", turns, [said, never])
    assert [0.0] * 5 == of("b", turns, [never])


def test_words_tell_of_what_kind_a_message_is() -> None:
    """
    Whether it names a time, if the question asks for one, and whether people speak of themselves.
    """
    turns = [turn(0, 1, 7, joined=False), turn(1, 8)]
    kinds = f.Kinds(times=frozenset({t.mark(7)}), own=frozenset({t.mark(8)}))
    rows = features(turns, [slot(1)], [], kinds)

    assert [(1.0, 0.0), (0.0, 1.0)] == [(row[f.NAMES.index("when")], row[f.NAMES.index("first")]) for row in rows]


def test_an_answer_follows_the_question_that_has_the_words() -> None:
    """
    Only the message right before counts, and only if it asks.
    """
    turns = [
        turn(0, 1, joined=False, asks=True),
        turn(1, 9),
        turn(4, 1, joined=False, asks=True),
        turn(9, 9, joined=False),
    ]

    assert [0.0, True, 0.0, 0.0] == [value and value > 0 for value in of("pq", turns, [slot(1)])]
    assert [1.0, 0.0, 1.0, 0.0] == of("isq", turns, [slot(1)])


@pytest.mark.parametrize(
    ("day", "length", "expected"),
    [
        *(
            (-40, 1, 0.0),
            (-20, 1, 0.2),
            (-5, 1, 0.6),
            (-1, 1, 1.0),
            (0, 1, 1.0),
            (3, 1, 1.0),
            (9, 1, 0.6),
            (25, 1, 0.2),
        ),
        *((6, 7, 1.0), (9, 7, 1.0), (10, 7, 0.6)),
        *((-1, 30, 0.0), (0, 30, 0.7), (32, 30, 0.7), (40, 30, 0.0)),
        *((200, 365, 0.2), (365, 365, 0.0)),
    ],
)
def test_days_near_a_named_one_count(day: int, length: int, expected: float) -> None:
    """
    People tell soon after; of a month or a year the whole of it counts, and less.
    """
    named = [Days(first=1_000, end=1_000 + length), Days(first=9_000, end=9_001)]

    assert [expected] == of("date", [turn(0, 1, day=1_000 + day, joined=False)], [slot(1)], named)


def test_nothing_asked_is_nothing_found() -> None:
    """
    Words that nobody ever said leave nothing to compare.
    """
    assert [0.0] == of("b", [turn(0, 1, joined=False)], [])
    assert [0.0] == of("rare", [turn(0, 1, joined=False)], [])
