"""Times in English words, as seen on Thursday 19 November 2026, a quarter past eight in the evening."""

import pytest

from tests.times.readings import read, times


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("see you today", ["2026-11-19"]),
        ("call me tomorrow.", ["2026-11-20"]),
        ("I said so yesterday", ["2026-11-18"]),
        ("the day after tomorrow", ["2026-11-21"]),
        ("it was the day before yesterday", ["2026-11-17"]),
        ("now", ["2026-11-19 20:15:30"]),
        ("right now", ["2026-11-19 20:15:30"]),
        ("by the end of the day", ["2026-11-19 23:59:59"]),
        ("eod", ["2026-11-19 23:59:59"]),
        ("last night", ["2026-11-18T18 … 2026-11-19T04"]),
        ("what did I say last night?", ["2026-11-18T18 … 2026-11-19T04"]),
    ],
)
def test_days_are_counted_from_today(said: str, meant: list[str]) -> None:
    """
    Today, tomorrow and their kin are days around the moment at which they are said.
    """
    assert meant == times(said)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Friday", ["2026-11-13", "2026-11-20"]),
        ("Thursday", ["2026-11-12", "2026-11-19"]),
        ("last Friday", ["2026-11-13"]),
        ("this friday", ["2026-11-20"]),
        ("next Friday", ["2026-11-27"]),
        ("the following Monday", ["2026-11-23"]),
        ("previous Monday", ["2026-11-09"]),
        ("this coming Monday", ["2026-11-23"]),
        ("this past Monday", ["2026-11-16"]),
        ("upcoming Monday", ["2026-11-23"]),
        ("next week Wednesday", ["2026-11-25"]),
        ("this week on Monday", ["2026-11-16"]),
        ("Tuesday of last week", ["2026-11-10"]),
        ("Friday the 13th", ["2026-11-13"]),
        ("Tue 13th", ["2026-10-13", "2027-04-13"]),
        ("Monday 23", ["2026-03-23", "2026-11-23"]),
        ("Friday, Nov 20", ["2025-11-20", "2026-11-20"]),
        ("this Friday (November 20)", ["2026-11-20"]),
        ("this Friday (November 22)", []),
        ("November 20 on Monday", []),
    ],
)
def test_weekdays_have_a_past_and_a_coming_reading(said: str, meant: list[str]) -> None:
    """
    A weekday alone is the last or the next one; with this, last or next it is the one of that week.
    """
    assert meant == times(said)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2026-12-05", ["2026-12-05"]),
        ("2026/12/5", ["2026-12-05"]),
        ("report-2026-12-05.txt", ["2026-12-05"]),
        ("22/04", ["2026-04-22", "2027-04-22"]),
        ("1/1", ["2026-01-01", "2027-01-01"]),
        ("23.04.2022", ["2022-04-23"]),
        ("13/04/21", ["2021-04-13"]),
        ("03/18/90", ["1990-03-18"]),
        ("May 9", ["2026-05-09", "2027-05-09"]),
        ("Jan. 3", ["2026-01-03", "2027-01-03"]),
        ("May the 9th", ["2026-05-09", "2027-05-09"]),
        ("the second of August", ["2026-08-02", "2027-08-02"]),
        ("9 May 2023", ["2023-05-09"]),
        ("9-May-2023", ["2023-05-09"]),
        ("May 9, 2023", ["2023-05-09"]),
        ("fourth of july of 1995", ["1995-07-04"]),
        ("twenty five January nineteen eighty six", ["1986-01-25"]),
        ("february twenty-second two thousand and thirty two", ["2032-02-22"]),
        ("january first two thousand", ["2000-01-01"]),
        ("Feb 29", ["2024-02-29", "2028-02-29"]),
        ("the 18th", ["2026-11-18", "2026-12-18"]),
        ("the 15th day of next month", ["2026-12-15"]),
        ("the 31st of this month", []),
        ("Christmas", ["2025-12-25", "2026-12-25"]),
        ("Christmas 2020", ["2020-12-25"]),
        ("new year's eve", ["2025-12-31", "2026-12-31"]),
        ("independence day of last year", ["2025-07-04"]),
        ("Halloween of next year", ["2027-10-31"]),
    ],
)
def test_dates(said: str, meant: list[str]) -> None:
    """
    A date without a year is the last and the next one; a year that is named counts.
    """
    assert meant == times(said)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("in 5 minutes", ["2026-11-19 20:20:30"]),
        ("half an hour from now", ["2026-11-19 20:45:30"]),
        ("two hours ago", ["2026-11-19 18:15:30"]),
        ("3 days ago", ["2026-11-16"]),
        ("in two weeks", ["2026-12-03"]),
        ("a fortnight later", ["2026-12-03"]),
        ("in a couple of days", ["2026-11-21"]),
        ("a year ago", ["2025-11-19"]),
        ("a week before now", ["2026-11-12"]),
        ("2 years 1 month and 3 days later", ["2028-12-22"]),
        ("three weeks from tomorrow", ["2026-12-11"]),
        ("two days before yesterday", ["2026-11-16"]),
        ("2 weeks before Christmas", ["2026-12-11"]),
        ("three months after the 30th", ["2027-02-28"]),
        ("in 9999 years", []),
        ("in 3 days on Friday", []),
        ("in 3 days on Sunday", ["2026-11-22"]),
    ],
)
def test_distances(said: str, meant: list[str]) -> None:
    """
    So many days, weeks or months from now or from a day that is named.
    """
    assert meant == times(said)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("tomorrow 8:00am", ["2026-11-20 08:00"]),
        ("8.30pm today", ["2026-11-19 20:30"]),
        ("tomorrow at 8:45a", ["2026-11-20 08:45"]),
        ("today at 9p", ["2026-11-19 21:00"]),
        ("tomorrow at 17:30", ["2026-11-20 17:30"]),
        ("tomorrow at 09:20", ["2026-11-20 09:20"]),
        ("tomorrow at 9", ["2026-11-20 09:00", "2026-11-20 21:00"]),
        ("at 4 on Saturday", ["2026-11-14 04:00", "2026-11-14 16:00", "2026-11-21 04:00", "2026-11-21 16:00"]),
        ("tomorrow, 4 o'clock", ["2026-11-20 04:00", "2026-11-20 16:00"]),
        ("tomorrow nine thirty", ["2026-11-20 09:30", "2026-11-20 21:30"]),
        ("tomorrow six pm", ["2026-11-20 18:00"]),
        ("five-thirty tomorrow evening", ["2026-11-20 17:30"]),
        ("tomorrow at half past six in the evening", ["2026-11-20 18:30"]),
        ("tomorrow at quarter to 7 pm", ["2026-11-20 18:45"]),
        ("tomorrow at noon", ["2026-11-20 12:00"]),
        ("midnight on Nov 21, 2026", ["2026-11-21 00:00"]),
        ("8am this morning", ["2026-11-19 08:00"]),
        ("this morning", ["2026-11-19T00 … 2026-11-19T12"]),
        ("tomorrow afternoon", ["2026-11-20T12 … 2026-11-20T18"]),
        ("tonight", ["2026-11-19T18 … 2026-11-20T04"]),
        ("tonight at 9", ["2026-11-19 21:00"]),
        ("tonight at 3", []),
        ("Nov 20 2026 13:61", ["2026-11-20"]),
        ("remind me at 5pm", ["2026-11-19 17:00"]),
        ("remind me at 17:30", ["2026-11-19 17:30"]),
        ("meet at 4", []),
    ],
)
def test_times_of_day(said: str, meant: list[str]) -> None:
    """
    A time of day stands beside its day; without morning or evening both are readings.
    """
    assert meant == times(said)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("last week", ["2026-11-09T00 … 2026-11-16T00"]),
        ("next month", ["2026-12-01T00 … 2027-01-01T00"]),
        ("this year", ["2026-01-01T00 … 2027-01-01T00"]),
        ("last weekend", ["2026-11-14T00 … 2026-11-16T00"]),
        ("in May", ["2026-05-01T00 … 2026-06-01T00", "2027-05-01T00 … 2027-06-01T00"]),
        ("in november", ["2025-11-01T00 … 2025-12-01T00", "2026-11-01T00 … 2026-12-01T00"]),
        ("last May", ["2026-05-01T00 … 2026-06-01T00"]),
        ("next May", ["2027-05-01T00 … 2027-06-01T00"]),
        ("May 2023", ["2023-05-01T00 … 2023-06-01T00"]),
        ("in 2019", ["2019-01-01T00 … 2020-01-01T00"]),
        ("since 2019", ["2019-01-01T00 … 2020-01-01T00"]),
        ("June", ["2026-06-01T00 … 2026-07-01T00", "2027-06-01T00 … 2027-07-01T00"]),
    ],
)
def test_weeks_months_and_years(said: str, meant: list[str]) -> None:
    """
    A period is a stretch of time, from its begin to the begin of the next.
    """
    assert meant == times(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "5/12",
        "friday 5/12",
        "this Friday 7.6",
        "black friday 2010",
        "Friday 2010",
        "feb 30",
        "2/30/2020",
        "2026-02-30",
        "Feb 30, 2021",
        "the end of May",
        "2020/23/Sep",
        "I may go, you can march and sit in the sun",
        "wait a second",
        "the first one",
        "version 3.5 of 2 files",
        "week",
        "this 12",
        "a couple of things",
        "12 apples and 31 pears",
        "two",
        "the quarter past",
        "the 45th",
    ],
)
def test_what_is_not_known_names_no_time(said: str) -> None:
    """
    Words with two meanings, days that do not exist and forms that are not known are refused, not guessed.
    """
    assert [] == times(said)


def test_prices_are_no_days() -> None:
    """
    A sum of money beside a month does not become its day.
    """
    assert ["December 27: 2025-12-27 | 2026-12-27"] == read("I bought it for $12 December 27")


def test_a_text_may_name_several_times() -> None:
    """
    Each time stands with its own words.
    """
    assert ["yesterday: 2026-11-18", "May 9: 2026-05-09 | 2027-05-09"] == read(
        "Said yesterday: it is on May 9, really."
    )
