"""What a summary must name, because code can see that it matters: demands, files, calls that never ended."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from holdfast.context.units import Unit
from holdfast.model.protocol import AssistantMessage, ToolMessage
from holdfast.records.parts import Text, ToolCall, Value

MOST_FILES = 32
"""So many files must be named, those that were used last."""
LONGEST_PATH = 200

_KEY = re.compile(r"(?:^|_)(?:path|paths|file|files|filename|filenames|filepath|file_path)$", re.IGNORECASE)
_PATH = re.compile(r"(?!\w+://)(?:~|\.{1,2}|[\w@.+-]+)?(?:/[\w@.+,=-]+)+|[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7}")
"""What looks like a path without being named one: with a slash in it, or with an ending."""
_EDGES = "`'\"*,;:()[]<>"


class Requirements(Value, frozen=True, kw_only=True):
    """What a summary must name."""

    quotes: tuple[str, ...] = ()
    """Lines of the user's, to the letter."""
    files: tuple[str, ...] = ()
    """The paths of files that tools were called with."""
    calls: tuple[str, ...] = ()
    """The names of tools with a call of which no result is known."""

    def missing(self, text: str) -> tuple[str, ...]:
        """The files and calls that a text does not name."""
        return tuple(name for name in (*self.files, *self.calls) if name not in text)


def requirements(units: Iterable[Unit], earlier: Requirements) -> Requirements:
    """What the summary of some units must name, on top of what an earlier one named."""
    said, files, calls = list(earlier.quotes), list(earlier.files), list(earlier.calls)
    for unit in units:
        for message in unit.messages:
            if unit.kind == "user":
                said += [quote for part in message.parts if isinstance(part, Text) for quote in demands(part.text)]
            elif isinstance(message, AssistantMessage):
                files += [path for part in message.parts if isinstance(part, ToolCall) for path in paths(part)]
            elif isinstance(message, ToolMessage) and message.pos < 0:
                calls.append(message.name)
    used_last = list(dict.fromkeys(reversed(files)))[:MOST_FILES]
    return Requirements(quotes=newest(said), files=tuple(reversed(used_last)), calls=tuple(dict.fromkeys(calls)))


def paths(call: ToolCall) -> list[str]:
    """The files a call names in its arguments."""
    try:
        arguments = msgspec.json.decode(call.arguments)
    except (ValueError, RecursionError):
        return []  # what is no JSON has no names in it
    short = ((key, text.strip()) for key, text in _strings("", arguments) if len(text) <= LONGEST_PATH)
    found = (text for key, text in short if _KEY.search(key) or _PATH.fullmatch(text))
    return [text for text in found if len(text.splitlines()) == 1]


def _strings(key: str, value: object) -> Iterator[tuple[str, str]]:
    """Every text in some JSON, with the name it goes by."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for each in value:
            yield from _strings(key, each)
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _strings(str(name), each)


def named_paths(text: str) -> tuple[str, ...]:
    """The paths that a section of a summary names."""
    words = (word.strip(_EDGES) for word in text.split())
    return tuple(word for word in words if len(word) <= LONGEST_PATH and _PATH.fullmatch(word))


# A model that summarizes rounds off exactly what matters most: "never touch main" becomes "prefers branches". So code
# finds the lines in which users forbid, demand or correct, and they are kept to the letter. The rules are crude on
# purpose: a line too many costs a few tokens, a line too few costs the user's trust.
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
"""Compiled by `re` when something is first summarized, because it takes its time."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])")


def demands(text: str) -> list[str]:
    """The lines of what one user said in one message that forbid, demand or correct, to the letter."""
    found = [piece for line in text.splitlines() for piece in _sentences(line.strip()) if re.search(_DEMAND, piece)]
    return found[:PER_MESSAGE]


def _sentences(line: str) -> list[str]:
    if len(line) <= LINE:
        return [line]
    return [sentence.strip()[:LINE].rstrip() for sentence in _SENTENCE.split(line)]


def newest(quotes: Iterable[str]) -> tuple[str, ...]:
    """The newest of some quotes, each once, in the order they were said."""
    # Who says a thing again means it now: the later one counts.
    last = dict.fromkeys(reversed(list(quotes)))
    return tuple(list(last)[:MOST][::-1])
