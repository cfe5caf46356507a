"""What a user demanded, in their own words.

A model that sums up rounds off exactly what matters most: "never touch main" becomes "prefers
branches". So code finds the lines in which users forbid, demand or correct, and they
are kept to the letter. The rules are crude on purpose: a line too many costs a few tokens,
a line too few costs the user's trust.
"""

import re
from collections.abc import Iterable

LINE = 500
"""A longer line is taken apart into sentences, and a longer sentence is cut."""
PER_MESSAGE = 6
"""So many lines of one message are kept: who pastes a page does not demand all that it says."""
MOST = 40
"""So many lines are kept in all, the newest."""

_WORDS = (
    # English
    r"do(?:n['’]?t| not)|must(?:n['’]t)?|never|always|instead|rather than|stop|avoid|only|wrong|from now on|make sure",
    r"should(?:n['’]t| not)|can(?:['’]t|not)|need(?:s)? to|have to|i (?:said|meant|told you)|prefer|remember",
    r"not\b.{1,60}\bbut",
    # German
    r"nicht|nie(?:mals)?|immer|kein(?:e[nmrs]?)?|stattdessen|sondern|m(?:u|ü)ss(?:en|t)?|dar(?:f|fst)|stopp?|falsch|nur",
    # Spanish, Portuguese, Italian
    r"nunca|siempre|deb(?:e|es|en)|en (?:vez|lugar) de|sino|tienes que",
    r"sempre|deve[ms]?|devi|em vez de|não|mai|invece|non",
    # French
    r"jamais|toujours|ne\b.{1,40}\bpas|n['’].{1,40}\bpas|doi(?:t|s|vent)|plutôt|au lieu|arrête[sz]?|uniquement",
    # Russian
    r"не|нельзя|никогда|всегда|долж(?:ен|на|ны|но)|вместо|стоп|только|неправильно",
)
_SIGNS = (
    # Chinese, then Japanese: written without spaces
    "不要|别|不能|必须|不得|总是|永远|从不|而是|禁止|只能|务必|不对|停止",
    "ないで|禁止|必ず|絶対|ではなく|代わりに|やめて|だけ",
)
_DEMAND = rf"(?i)\b(?:{'|'.join(_WORDS)})\b|{'|'.join(_SIGNS)}|^\W*(?:no|nope|nein|нет|不)\s*[^\w\s]"
"""Compiled by `re` when something is first summed up, because it takes its time."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])")


def demands(text: str) -> list[str]:
    """The lines of what one user said in one message that forbid, demand or correct, to the letter."""
    found = [piece for line in text.splitlines() for piece in _pieces(line.strip()) if re.search(_DEMAND, piece)]
    return found[:PER_MESSAGE]


def _pieces(line: str) -> list[str]:
    if len(line) <= LINE:
        return [line]
    return [sentence.strip()[:LINE].rstrip() for sentence in _SENTENCE.split(line)]


def newest(quotes: Iterable[str]) -> tuple[str, ...]:
    """The newest of some quotes, each once, in the order they were said."""
    # Who says a thing again means it now: the later one counts.
    last = dict.fromkeys(reversed(list(quotes)))
    return tuple(list(last)[:MOST][::-1])
