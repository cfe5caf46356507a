"""Text to the terms under which it is found.

A term is a folded word (case, width and accents do not matter), or a single
character of a script that is written without spaces, such as Chinese. A text is
the sequence of its terms: `snake_case`, a path and a Chinese word are neighbours
in that sequence, so each is found whole, as a phrase, and by its parts.
Nothing here touches the database.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING
from zlib import crc32

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST = 64
"""Characters in a term; a longer run of letters becomes several terms."""

PIECE = 16_384
"""Characters of a text that are indexed as one; a longer text becomes several pieces."""

MOST_TYPED = 4_096
"""Characters of a query that are looked at; people paste whole logs into a search box."""

SUFFIX = 6
"""Characters kept of each suffix. Longer needles are checked against the whole term."""

# Thai, Lao, Burmese, Jamo, Khmer, emoji, kana, Bopomofo, Han, Hangul, emoji, rare Han.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u2600-\u27bf\u3005\u3007"
    "\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff\U00020000-\U000323af"
)
_TERM = rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]{{1,{LONGEST}}}"
_ASCII_TERM = re.compile(rf"[a-z0-9]{{1,{LONGEST}}}")
LONE = rf"[{_UNSPACED}]"
"""One character of such a script. These two take long to compile, so `re` does it when a text first needs them."""
_ACCENTS = re.compile("[\u0300-\u036f]")
_QUERY = re.compile(r'"([^"]*)"|([^\s"]+)')
_HASHLIKE = re.compile(r"(?=.*\d)\w{17,}")

# Planes 15 and 16 hold no term of their own: two of their characters stand for one high id.
_PAIRS = 0xF0000
_LOW = 0x100000


_PERSON, _QUESTION, _SPEAKER = 1, 2, 4
_SPEAKERS = 8_191
"""More names than a conversation has; with the two bits before them they fit into two bytes."""


class WantedTerms(Struct, frozen=True, kw_only=True):
    """One thing a query asks for: terms that follow each other."""

    terms: tuple[str, ...]
    quoted: bool


def fold(text: str) -> str:
    """The text without the differences that a search should not see."""
    if text.isascii():
        return text.lower()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFKC", bare.casefold())


def terms(text: str) -> list[str]:
    """The terms of a text, in order, with repetitions."""
    folded = fold(text)
    return (_ASCII_TERM if folded.isascii() else re.compile(_TERM)).findall(folded)


def unspaced(term: str) -> bool:
    """Whether the term is one character of a script without spaces."""
    return len(term) == 1 and re.match(LONE, term) is not None


def pieces(text: str) -> Iterator[str]:
    """The text in parts of bounded length, cut between words where there is a gap."""
    start = 0
    while len(text) - start > PIECE:
        gap = text.rfind(" ", start + PIECE // 2, start + PIECE)
        end = gap if gap > 0 else start + PIECE
        yield text[start:end]
        start = end
    yield text[start:] if start else text


def wanted(query: str) -> list[WantedTerms]:
    """What a query asks for, without repetitions. No query is an error."""
    found = {}
    for quoted, plain in _QUERY.findall(query[:MOST_TYPED]):
        if sequence := tuple(terms(quoted or plain)):
            found[sequence] = WantedTerms(terms=sequence, quoted=bool(quoted))
    return list(found.values())


def suffixes(term: str) -> list[str]:
    """The starts of the term's suffixes: a needle within the term is a prefix of one of them.

    Suffixes of one and two characters are left out (they would add a quarter to the
    table), and a term that looks like a hash or an id is found by its beginning only.
    """
    if unspaced(term):
        return []
    last = 1 if _HASHLIKE.match(term) else len(term) - 2
    return list(dict.fromkeys(term[at : at + SUFFIX] for at in range(max(1, last))))


def mark(number: int) -> str:
    """A term id as one character (two above 983,039).

    A message kept as a string of marks is compact, and finding a phrase in it or
    counting a term is a plain string search.
    """
    if number < _PAIRS:
        return chr(number)
    high, low = divmod(number - _PAIRS, 0x10000)
    return chr(_PAIRS + high) + chr(_LOW + low)


def pack(numbers: Sequence[int]) -> bytes:
    """Term ids as they are stored: UTF-8 makes the small ids of frequent terms short."""
    marks = map(chr if max(numbers) < _PAIRS else mark, numbers)
    return "".join(marks).encode("utf-8", "surrogatepass")


def unpack(stored: bytes) -> str:
    """The marks of the term ids that were packed."""
    return stored.decode("utf-8", "surrogatepass")


def numbers(marks: str) -> Iterator[int]:
    """The term ids of a string of marks: the reverse of `mark`."""
    high = 0
    for code in map(ord, marks):
        if code < _PAIRS:
            yield code
        elif code < _LOW:
            high = code - _PAIRS
        else:
            yield _PAIRS + high * 0x10000 + code - _LOW


def distinct(texts: Sequence[str]) -> set[int]:
    """The different term ids of several strings of marks."""
    marks = set[str]().union(*texts)
    if any(ord(mark) >= _PAIRS for mark in marks):
        return {number for text in texts for number in numbers(text)}
    return set(map(ord, marks))


def about(*, person: bool, text: str, speaker: str = "") -> int:
    """What is kept of a text beside its terms: whether a person said it, whether it asks something, and who said it."""
    asks = "?" in text or "\uff1f" in text
    return _PERSON * person | _QUESTION * asks | _SPEAKER * (number_of(speaker) if speaker else 0)


def number_of(speaker: str) -> int:
    """The number for the name of a speaker."""
    return 1 + crc32(fold(speaker).encode("utf-8", "surrogatepass")) % _SPEAKERS


def person(kept: int) -> bool:
    """Whether a person said it."""
    return bool(kept & _PERSON)


def asks(kept: int) -> bool:
    """Whether it asks something."""
    return bool(kept & _QUESTION)


def speaker(kept: int) -> int:
    """A number for the name of who said it; 0 without a name."""
    return kept // _SPEAKER


def pair_word(first: int, second: int) -> str:
    """What FTS5 is given for two neighbouring characters of a script without spaces."""
    return f"{first}x{second}"


def session_word(session: int) -> str:
    """What FTS5 is given for everything that was said in a session."""
    return f"s{session}"
