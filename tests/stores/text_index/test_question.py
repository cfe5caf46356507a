"""What is a question, what it asks for, and which days it names."""

from datetime import date, datetime

import pytest

from holdfast.stores.text_index.question import SearchQuery, is_question, named_days, only_times, read, shown
from holdfast.stores.text_index.terms import terms

NOW = datetime.fromisoformat("2026-11-19T20:15:30")


@pytest.mark.parametrize(
    "query",
    [
        "what colour is it",
        "who married",
        "quarterly plan for the bakery",
        "我妹妹什么时候结婚",
        "谁来了",
        "データベース",
        "何ですか",
        "회의 언제",
        "プロジェクト meeting",
    ],
)
def test_a_question(query: str) -> None:
    """
    Four words, a question word, or more than four characters without spaces.
    """
    assert is_question(query)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "launch",
        "how",
        "launch friday",
        "red green blue",
        "a a a a a",
        "数据库",
        "妹妹 结婚",
        '"what is it now"',
        "naïve café",
    ],
)
def test_a_search(query: str) -> None:
    """
    Of a few words all have to be found; so have those in quotes.
    """
    assert not is_question(query)


def test_words_that_say_nothing_are_left_out_unless_there_are_no_others() -> None:
    """
    Stop words, function characters, and the names of those who speak.
    """
    assert (("sister",), ("wedding",)) == read("When is my sister's wedding?").terms
    assert (("妹",), ("结",), ("婚",), ("我", "妹"), ("妹", "妹"), ("妹", "什"), ("候", "结"), ("结", "婚")) == tuple(
        term for term in read("我妹妹什么时候结婚").terms if "时" not in term and ("候",) != term
    )
    named = read("what did Ada say to Grace about boats", names={"ada", "grace", "else"})
    assert (frozenset({"ada", "grace"}), (("boats",),)) == (named.names, named.terms)
    assert (("what",), ("is",), ("it",)) == read("what is it").terms
    assert (("ada",),) == read("ada", names={"ada"}).terms


@pytest.mark.parametrize(
    ("query", "days", "rest"),
    [
        ("what did I say two days ago about cats", [("2026-11-17", 1)], ["what", "did", "i", "say", "about", "cats"]),
        ("dogs in May 2026 or on 3 June 2026", [("2026-05-01", 31), ("2026-06-03", 1)], ["dogs", "or", "on"]),
        ("what will I do tomorrow", [], ["what", "will", "i", "do", "tomorrow"]),
        ("先月の会議", [("2026-10-01", 31)], ["の", "会", "議"]),
    ],
)
def test_days_are_taken_out_of_a_question(query: str, days: list[tuple[str, int]], rest: list[str]) -> None:
    """
    They are found by the calendar, not by their words; what has not been yet was not talked about then.
    """
    found, left = named_days(SearchQuery(text=query, now=NOW))

    assert days == [(str(date.fromordinal(each.first)), each.end - each.first) for each in found]
    assert rest == terms(left)


@pytest.mark.parametrize("query", [SearchQuery(text="last week"), SearchQuery(text='"last week"', now=NOW)])
def test_nothing_names_a_day_without_a_clock_or_in_quotes(query: SearchQuery) -> None:
    """
    Then its words are words.
    """
    assert ((), query.text) == named_days(query)


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("last week", True),
        ("先週", True),
        ("what did we say in May", True),
        ("yesterday", False),
        ("last week cats", False),
        ("cats", False),
    ],
)
def test_only_a_time(text: str, alone: bool) -> None:
    """
    Asks for what was said then; a single word is looked for.
    """
    query = SearchQuery(text=text, now=NOW)
    assert alone == only_times(query, *named_days(query))


def test_a_find_is_shown_around_the_words_that_tell() -> None:
    """
    Without their endings, so that another form is found in the text.
    """
    assert ["red", "apple"] == shown('red "apple"')
    assert ["marr", "lisbon"] == shown("who did marry in Lisbon")
