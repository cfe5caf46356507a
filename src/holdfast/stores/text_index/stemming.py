"""English words to their stems: the Porter2 (Snowball) stemmer.

"married", "marries" and "marry" have one stem, so a question in one form finds an answer in another. A stem is no word
and is never shown. Words of other languages are left as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

_IRREGULAR = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
_UNCHANGED_AFTER_S = frozenset({"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"})
_VOWELS = "aeiouy"
_REGION = re.compile(r"[aeiouy][^aeiouy]")
_DOUBLED = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_SHORT_END = re.compile(r"(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$")
_STEP_2 = {
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "abli": "able",
    "entli": "ent",
    "izer": "ize",
    "ization": "ize",
    "ational": "ate",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "aliti": "al",
    "alli": "al",
    "fulness": "ful",
    "ousli": "ous",
    "ousness": "ous",
    "iveness": "ive",
    "iviti": "ive",
    "biliti": "ble",
    "bli": "ble",
    "ogi": "og",
    "fulli": "ful",
    "lessli": "less",
    "li": "",
}
_STEP_3 = {
    "tional": "tion",
    "ational": "ate",
    "alize": "al",
    "icate": "ic",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
    "ative": "",
}
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion"),
    *("al", "er", "ic"),
)
_LI_ENDINGS = "cdeghkmnrt"
SHORTEST = 3
"""Letters of a word that has a stem of its own; shorter ones are their stems."""


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of a folded English word; any other term as it is."""
    if len(word) < SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = re.sub(r"(^|[aeiouy])y", r"\1Y", word)
    first = _first_region(word)
    second = _after_vowel(word, first)
    word = _plural(word)
    if word in _UNCHANGED_AFTER_S:
        return word
    word = _past(word, first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:  # noqa: PLR2004
        word = word[:-1] + "i"
    word = _derived(word, first)
    word = _shortened(word, first, second)
    return _final(word, first, second).lower()


def prefix(stem_: str) -> str:
    """With what every word of a stem begins, but for the few irregular ones."""
    return stem_[:-1] if stem_[-1:] in "eiy" else stem_


def _first_region(word: str) -> int:
    for start in ("gener", "commun", "arsen"):
        if word.startswith(start):
            return len(start)
    return _after_vowel(word, 0)


def _after_vowel(word: str, start: int) -> int:
    found = _REGION.search(word, start)
    return found.end() if found else len(word)


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > len("dies") else word[:-1]
    if word.endswith(("us", "ss")) or not word.endswith("s"):
        return word
    return word[:-1] if any(letter in _VOWELS for letter in word[:-2]) else word


def _past(word: str, first: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            return word[: -len(ending)] + "ee" if len(word) - len(ending) >= first else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if not word.endswith(ending):
            continue
        rest = word[: -len(ending)]
        if not any(letter in _VOWELS for letter in rest):
            return word
        if rest.endswith(("at", "bl", "iz")):
            return rest + "e"
        if rest.endswith(_DOUBLED):
            return rest[:-1]
        return rest + "e" if first >= len(rest) and _SHORT_END.search(rest) else rest
    return word


def _derived(word: str, first: int) -> str:
    for endings in (_STEP_2, _STEP_3):
        for ending in sorted(endings, key=len, reverse=True):
            if word.endswith(ending):
                word = _replaced(word, ending, endings[ending], first, last=endings is _STEP_3)
                break
    return word


def _replaced(word: str, ending: str, new: str, first: int, *, last: bool) -> str:
    rest = word[: -len(ending)]
    allowed = {"li": rest[-1:] in _LI_ENDINGS, "ogi": rest.endswith("l")}.get(ending, True)
    if len(rest) < first or not allowed:
        return word
    if last and ending == "ative" and len(rest) < _after_vowel(word, first):
        return word
    return rest + new


def _shortened(word: str, first: int, second: int) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            cut = len(rest) >= max(first, second) and (ending != "ion" or rest[-1:] in ("s", "t"))
            return rest if cut else word
    return word


def _final(word: str, first: int, second: int) -> str:
    rest = word[:-1]
    if word.endswith("e"):
        cut = len(rest) >= second or (len(rest) >= first and not _SHORT_END.search(rest))
        return rest if cut else word
    return rest if word.endswith("ll") and len(rest) >= second else word
