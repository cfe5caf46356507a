"""What a summary must name, because code can see that it matters: demands, files, calls that never ended."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from holdfast.context.compact import quotes
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
                said += [
                    quote for part in message.parts if isinstance(part, Text) for quote in quotes.demands(part.text)
                ]
            elif isinstance(message, AssistantMessage):
                files += [path for part in message.parts if isinstance(part, ToolCall) for path in paths(part)]
            elif isinstance(message, ToolMessage) and message.pos < 0:
                calls.append(message.name)
    used_last = list(dict.fromkeys(reversed(files)))[:MOST_FILES]
    return Requirements(quotes=quotes.newest(said), files=tuple(reversed(used_last)), calls=tuple(dict.fromkeys(calls)))


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
