"""On which line of a TOML text each key stands.

The parser of the standard library gives values without their places. This one gives places
without values: it only reads text that the other has accepted, so it need not check anything.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Way: TypeAlias = tuple[str | int, ...]
"""The way to a value: names of keys, and places in lists."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_NAME = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'""")
_TEXT = re.compile(
    r'''"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}|\'\'\'(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\]|\\.)*"|'[^']*\'''',
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}\n#]*")


def positions(text: str) -> dict[Way, int]:
    """The line of every key and every member of a list, counted from 1."""
    return _Scanner(text).lines


def line_of(lines: Mapping[Way, int], path: Way) -> int:
    """The line of a value, or of the nearest thing it is part of."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[Way, int] = {}
        self._text, self._at = text, 0
        self._counted, self._line = 0, 1
        self._sizes: dict[Way, int] = {}
        table: Way = ()
        while self._skip(_BLANK) < len(text):
            if text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at + 1
        return self._at

    def _comes(self, text: str) -> bool:
        """Whether this comes next; then it is passed."""
        there = self._text.startswith(text, self._at)
        self._at += len(text) if there else 0
        return there

    def _mark(self, path: Way) -> Way:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        self.lines.setdefault(path, self._line)
        return path

    def _names(self) -> Iterator[str]:
        while True:
            begin = self._skip(_SPACE)
            word = self._text[begin : self._skip(_NAME)]
            yield tomllib.loads(f"name = {word}")["name"] if word[0] in "\"'" else word
            self._skip(_SPACE)
            if not self._comes("."):
                return

    def _header(self) -> Way:
        is_list = self._comes("[[")
        self._comes("[")
        path: Way = ()
        for name in self._names():
            path = self._inside((*path, name))
        if is_list:
            path = path[:-1] if isinstance(path[-1], int) else path
            self._sizes[path] = self._sizes.get(path, 0) + 1
            path = self._inside(path)
        self._comes("]]" if is_list else "]")
        return self._mark(path)

    def _inside(self, path: Way) -> Way:
        """The way into the newest table, where there is a list of them."""
        return (*path, self._sizes[path] - 1) if path in self._sizes else path

    def _pair(self, table: Way) -> None:
        path = table
        for name in self._names():
            path = self._mark((*path, name))
        self._comes("=")
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: Way) -> None:
        if self._comes("["):
            self._list(path)
        elif self._comes("{"):
            self._inline(path)
        else:
            self._skip(_TEXT if self._text[self._at] in "\"'" else _PLAIN)

    def _list(self, path: Way) -> None:
        member = 0
        while self._skip(_BLANK) < len(self._text) and not self._comes("]"):
            self._value(self._mark((*path, member)))
            member += 1
            self._skip(_BLANK)
            self._comes(",")

    def _inline(self, path: Way) -> None:
        while self._skip(_BLANK) < len(self._text) and not self._comes("}"):
            self._pair(path)
            self._skip(_BLANK)
            self._comes(",")
