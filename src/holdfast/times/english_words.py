"""English words and numbers that times are made of, and the tokens of a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.times.spans import CENTURY, TENS, YEAR_DIGITS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


def _numbered(words: str, start: int) -> dict[str, int]:
    return {word: number for number, names in enumerate(words.split(), start) for word in names.split("/")}


MONTHS: Mapping[str, int] = _numbered(
    "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sept/sep october/oct"
    " november/nov december/dec",
    1,
)
WEEKDAYS: Mapping[str, int] = _numbered(
    "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri saturday/sat sunday/sun", 0
)
MILLENNIA = 2
"""Thousands of years that are said in words."""
SHY = frozenset({"may", "march", "mar", "sat", "sun", "second", "mon", "wed"})
"""Words that mostly mean something else; they need a number or a word about time beside them."""

UNITS: Mapping[str, str] = {
    name: unit
    for unit, names in {
        "second": "second seconds sec secs",
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs",
        "day": "day days",
        "week": "week weeks wk wks",
        "month": "month months",
        "year": "year years yr yrs",
    }.items()
    for name in names.split()
}
PARTS: Mapping[str, tuple[int, int]] = {
    "morning": (0, 12),
    "noon": (12, 12),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 28),
    "tonight": (18, 28),
    "midday": (12, 12),
}
HOLIDAYS: Mapping[tuple[str, ...], tuple[int, int]] = {
    ("christmas", "eve"): (12, 24),
    ("christmas", "day"): (12, 25),
    ("christmas",): (12, 25),
    ("boxing", "day"): (12, 26),
    ("new", "year's", "eve"): (12, 31),
    ("new", "years", "eve"): (12, 31),
    ("new", "year's", "day"): (1, 1),
    ("new", "year's"): (1, 1),
    ("new", "years"): (1, 1),
    ("new", "year"): (1, 1),
    ("halloween",): (10, 31),
    ("valentine's", "day"): (2, 14),
    ("valentines", "day"): (2, 14),
    ("independence", "day"): (7, 4),
}
THIS, NEXT, LAST = frozenset({"this"}), frozenset({"next", "following"}), frozenset({"last", "previous"})
COMING, BYGONE = frozenset({"coming", "upcoming"}), frozenset({"past"})

_ONES = _numbered(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen",
    0,
)
_TENS = {
    word: 10 * number for word, number in _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 2).items()
}
_ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth",
    1,
) | {"twentieth": 20, "thirtieth": 30}

_TOKEN = re.compile(
    r"""
    (?P<iso>(?<!\d)\d{4}(?P<sep>[-/. ])\d{1,2}(?P=sep)\d{1,2}(?!\d)(?:T(?=\d))?)
    |(?P<dmy>(?<!\d)\d{1,2}(?P<dot>[-/.])\d{1,2}(?P=dot)(?:\d{4}|\d{2})(?![\d:]))
    |(?P<slash>(?<![\d/])\d{1,2}/\d{1,2}(?![\d/]))
    |(?P<clock>(?<![\d.])\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?|[ap]\b)?|(?<![\d.:])\d{1,2}(?:\.\d{2})?(?:\s?(?:[ap]m\b|[ap]\.m\.)|[ap]\b))
    |(?P<ordinal>\d{1,2}(?:st|nd|rd|th)\b)
    |(?P<number>\d+)
    |(?P<word>[a-z]+(?:['’][a-z]+)*)
    |(?P<mark>[^\sa-z\d])
    """,
    re.VERBOSE,
)


class Token(Struct, frozen=True, kw_only=True):
    """A word, a number or a mark, in lower case."""

    kind: str
    text: str
    at: int
    to: int


END = Token(kind="end", text="", at=0, to=0)
"""What stands behind the last token."""


class Tokens(list[Token]):
    """The tokens of a text; beyond its ends there are empty ones."""

    def token(self, at: int) -> Token:
        """The token at a place."""
        return self[at] if 0 <= at < len(self) else END

    def word(self, at: int) -> str:
        """What the token at a place says."""
        return self.token(at).text

    def skip(self, at: int, words: Collection[str]) -> int:
        """The place behind one of these words, or the same place if none stands there."""
        return at + 1 if self.word(at) in words else at


def tokens(text: str) -> Tokens:
    """The tokens of a text."""
    return Tokens(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text.lower()):
        said = match.group().replace("’", "'")
        yield Token(kind=match.lastgroup or "", text=said, at=match.start(), to=match.end())


def cardinal(said: Tokens, at: int) -> tuple[int, int] | None:
    """A number in figures or words below one hundred, and where the text goes on."""
    token = said.token(at)
    if token.kind == "number":
        return (int(token.text), at + 1) if len(token.text) <= YEAR_DIGITS else None
    if token.text in _TENS:
        after = said.skip(at + 1, {"-"})
        unit = _ONES.get(said.word(after), 0)
        return (_TENS[token.text] + unit, after + 1) if 0 < unit < TENS else (_TENS[token.text], at + 1)
    return (_ONES[token.text], at + 1) if token.text in _ONES else None


def ordinal(said: Tokens, at: int) -> tuple[int, int] | None:
    """Which day of a month is named: "4th", "fourth", "twenty-second"."""
    token = said.token(at)
    if token.kind == "ordinal":
        return int(token.text[:-2]), at + 1
    if token.text in _TENS:
        after = said.skip(at + 1, {"-"})
        unit = _ORDINALS.get(said.word(after), 0)
        return (_TENS[token.text] + unit, after + 1) if 0 < unit < TENS else None
    return (_ORDINALS[token.text], at + 1) if token.text in _ORDINALS else None


def year(said: Tokens, at: int) -> tuple[int, int] | None:
    """A year: "1994", "nineteen eighty six", "two thousand and thirty two"."""
    token = said.token(at)
    if token.kind == "number":
        return (int(token.text), at + 1) if re.fullmatch(r"1[5-9]\d\d|20\d\d|21\d\d", token.text) else None
    first = cardinal(said, at)
    if first is None:
        return None
    if first[0] == MILLENNIA and said.word(first[1]) == "thousand":
        rest = cardinal(said, said.skip(first[1] + 1, {"and"}))
        return (2000 + rest[0], rest[1]) if rest else (2000, first[1] + 1)
    second = cardinal(said, first[1]) if first[0] in {19, 20} else None
    return (first[0] * CENTURY + second[0], second[1]) if second and TENS <= second[0] < CENTURY else None
