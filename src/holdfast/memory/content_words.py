"""What a sentence says, as a set of words: to tell facts that say the same, or more than their source does."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from holdfast.session.facts import folded

_ELISION = re.compile(r"^(?:[cdjlmnst]|qu)['’](?=[^\W\d])")
_WORD = (  # compiled with the first text: so many signs take longer than the rest of this module
    r"[a-z0-9à-ɏ\u0370-\u0dff\u1000-\u1fff][a-z0-9à-ɏ\u0370-\u0dff\u1000-\u1fff'’./:@+_-]*|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_THAI, _EAST = ("\u0e00", "\u0e80"), "\u3040"
"""Words in scripts without spaces begin within the first, or with the second or behind it."""
_KANA_ENDINGS = re.compile(r"[\u3040-\u309f]+")
_DATE = re.compile(r"\d{4}(-\d\d){0,2}|\d\d?:\d\d")
_ENDINGS = ("'s", "’s", "ings", "ing", "edly", "ied", "ies", "ed", "es", "ly", "er", "s", "e", "y")
_STOP = frozenset(
    """
    a an the i me my mine myself you your yours we us our ours it its
    this that these those who whom whose which what where when why how there here and or but so if than then as at by
    for from in into of off on onto out over to up down with about after before since until while during
    is am are was were be been being do does did done have has had having will would shall should can could may might
    must get gets got getting gotten im ive id youre its thats just really very quite also too again still already now
    always way well actually basically honestly literally anyway please ok okay yes yeah um uh hmm person user persons
    called named currently some any all every each one own remember know think guess mean say says
    said tell told saying going go goes let lets thing things kind sort bit little lot much many more most
    der die das ein eine ich mein meine bin ist und oder mit von zu in auf ja doch schon auch
    le la les un une je mon ma mes suis est et ou avec de du des à en
    """.split()
)
_NEGATIONS = frozenset(
    "not no never none nobody nothing neither nor without cannot nicht kein keine nie pas jamais".split()
)
_NEGATED = re.compile(r"n['’]t$")
_EAST_NEGATIONS = ("不", "没", "沒", "無い", "ない", "ません", "않", "안 ", "ไม่")
_NEGATIVE = re.compile(
    r"(?i)\b(?:dislik|avoid|hate|stop|quit|refus|without|except|un\w{3}|in(?:toler|capab|valid)|free of|former|ex-|"
    r"left|ended?\b|gave up|anti|against|only|instead|lack|miss|fail|reject|declin|cancel|allerg|lost)"
)
_CLAUSE = re.compile(r"[,;:.!?。、]|\b(?:and|but|und|aber|et|mais)\b")
_ROOT = 3
"""Letters that are left of a word without its ending, at least."""
_SHARED = 4
"""Words with so many letters in common at their beginning are taken for forms of one word."""


def content_words(text: str) -> frozenset[str]:
    """The stems of the words that say something; of texts without spaces, pairs of characters."""
    found = set[str]()
    for word in re.findall(_WORD, folded(text)):
        if word >= _EAST or _THAI[0] <= word < _THAI[1]:
            # Particles and endings are written in kana; they change while what is said stays.
            parts = [part for part in _KANA_ENDINGS.split(word) if part] or [word]
            found.update(pair for part in parts for pair in _pairs(part))
            continue
        bare = _ELISION.sub("", word.strip("'’./:@+-"))
        if _NEGATED.search(bare) or bare in _NEGATIONS:
            found.add("not")
        elif bare and re.sub("['’]", "", bare) not in _STOP:
            found.add(_stem(bare))
    found.update("not" for sign in _EAST_NEGATIONS if sign in text)
    return frozenset(found)


def _pairs(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(len(text) - 1)] or [text]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _ROOT:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > _SHARED and word[-1] == word[-2] else word


def _same(one: str, other: str) -> bool:
    """Whether two stems are of one word."""
    if one == other:
        return True
    if not (one.isalpha() and other.isalpha()):
        return False
    shorter = min(len(one), len(other))
    return shorter >= _SHARED and one[: max(_SHARED, shorter - 1)] == other[: max(_SHARED, shorter - 1)]


def is_exact(word: str) -> bool:
    """Whether a word is a number, a path or an address: there is no other form of it."""
    return any(char.isdigit() or char in "./:@+_" for char in word)


def is_date(word: str) -> bool:
    """Whether a word is a date or a time, which may be worked out from words such as "tomorrow"."""
    return _DATE.fullmatch(word) is not None


def missing(words: Iterable[str], among: Iterable[str]) -> list[str]:
    """Those words of which there is no form among others."""
    known = frozenset(among)
    return [word for word in words if word not in known and not any(_same(word, each) for each in known)]


def denies(text: str, words: frozenset[str]) -> bool:
    """Whether that part of a text which is nearest to some words has a `not` in it."""
    clauses = [content_words(clause) for clause in _CLAUSE.split(unicodedata.normalize("NFKC", text))]
    nearest = max(clauses, key=lambda clause: len(clause & words), default=frozenset())
    return "not" in nearest


def is_negative(text: str) -> bool:
    """Whether a text says that something is not so, in whatever way."""
    return "not" in content_words(text) or _NEGATIVE.search(text) is not None


def weights(texts: Iterable[frozenset[str]]) -> Mapping[str, float]:
    """How much each word tells, among some texts."""
    counts = Counter(word for words in texts for word in words)
    total = max(counts.values(), default=1)
    return {word: log(1 + total / count) for word, count in counts.items()}


def says_the_same(one: frozenset[str], other: frozenset[str], tells: Mapping[str, float], share: float = 0.9) -> bool:
    """Whether two sentences say the same in other words.

    Numbers, names of files and a `not` must agree, so that likes and dislikes, or two cats and three, stay apart.
    """
    if not one or not other:
        return one == other
    apart = [*missing(one, other), *missing(other, one)]
    if any(is_exact(word) or word == "not" for word in apart):
        return False
    usual = log(2)

    def weight(words: Iterable[str]) -> float:
        return sum(tells.get(word, usual) for word in words)

    both = weight(one) + weight(other)
    return both > 0 and 1 - weight(apart) / both >= share
