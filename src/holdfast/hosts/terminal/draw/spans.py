"""Text in roles, and how it is fitted into columns.

Widths are those of terminals: Chinese, Japanese and Korean take two cells, accents none, an emoji of several
characters two. A line is broken between words, and inside one only where it has no room of its own.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from holdfast.commands.text.width import graphemes
from holdfast.commands.text.width import width as cells
from holdfast.hosts.terminal.draw.theme import Role, Theme

_WORDS = re.compile(r" +|[^ ]+")
# A command between backticks is one piece: broken between lines, it is another command where it is pasted.
_PIECES = re.compile(r" +|(?<!\S)`[^`]+`[^ ]*|[^ ]+")


class Span(NamedTuple):
    """A piece of text and what it is."""

    text: str
    roles: tuple[Role, ...] = ()


def drawn(line: Iterable[Span], theme: Theme) -> str:
    """A line of spans as it is written to a terminal."""
    alike = groupby((span for span in line if span.text), key=attrgetter("roles"))
    return "".join(theme.painted("".join(span.text for span in spans), *roles) for roles, spans in alike)


def wrapped_text(text: str, width: int) -> list[str]:
    """The lines of a plain text, broken between words."""
    return ["".join(span.text for span in line) for line in wrapped([Span(text)], width)]


def wrapped(spans: Iterable[Span], width: int) -> list[list[Span]]:
    """The lines of a text in roles, broken between words."""
    lines: list[list[Span]] = []
    for line in _split_lines(spans):
        lines += _wrapped_line(line, max(2, width))
    return lines


def folded(line: Iterable[Span], width: int) -> list[list[Span]]:
    """One line broken exactly where the columns end, for code: nothing is added or left out."""
    filling = _Filling(max(2, width))
    for span in line:
        filling.cut(span)
    return filling.done()


def _split_lines(spans: Iterable[Span]) -> Iterator[list[Span]]:
    line: list[Span] = []
    for span in spans:
        first, *rest = span.text.expandtabs(4).split("\n")
        line.append(Span(first, span.roles))
        for text in rest:
            yield line
            line = [Span(text, span.roles)]
    yield line


class _Filling:
    """Lines that are being filled."""

    def __init__(self, width: int) -> None:
        self._width, self._lines = width, list[list[Span]]()
        self._line, self._used = list[Span](), 0
        self._space: Span | None = None

    def word(self, pieces: list[Span]) -> None:
        """Add a word; it begins a new line where it does not fit."""
        wide = sum(cells(each.text) for each in pieces)
        space = cells(self._space.text) if self._space else 0
        if self._used and self._used + space + wide > self._width:
            self._break()
        elif self._space is not None:
            self._add(self._space, space)
        self._space = None
        if self._used + wide <= self._width:
            for each in pieces:
                self._add(each, cells(each.text))
        else:
            for each in pieces:
                self.cut(each)

    def space(self, span: Span) -> None:
        """Add a space, unless the line ends at it; at the beginning of the text it is kept."""
        if self._used or not self._lines:
            self._space = Span((self._space.text if self._space else "") + span.text, span.roles)
            if cells(self._space.text) >= self._width:
                self._space = Span(self._space.text[: self._width - 1], span.roles)

    def cut(self, span: Span) -> None:
        """Add text that may be broken anywhere."""
        if span.text.isascii():
            self._cut_ascii(span)
            return
        start = at = 0
        for each in graphemes(span.text):
            wide = cells(each)
            if self._used + wide > self._width and self._used:
                self._add(Span(span.text[start:at], span.roles), 0)
                self._break()
                start = at
            self._used += wide
            at += len(each)
        self._add(Span(span.text[start:], span.roles), 0)

    def _cut_ascii(self, span: Span) -> None:
        rest = span.text
        while rest:
            if self._used >= self._width:
                self._break()
            part, rest = rest[: self._width - self._used], rest[self._width - self._used :]
            self._add(Span(part, span.roles), len(part))

    def done(self) -> list[list[Span]]:
        """All lines."""
        return [*self._lines, self._line]

    def _add(self, span: Span, wide: int) -> None:
        if span.text:
            self._line.append(span)
            self._used += wide

    def _break(self) -> None:
        self._lines.append(self._line)
        self._line, self._used = [], 0


def _wrapped_line(line: Iterable[Span], width: int) -> list[list[Span]]:
    filling, word = _Filling(width), list[Span]()
    for span in line:
        for text, whole in _words(span.text, width):
            if word and (whole or text[0] == " "):
                filling.word(word)
                word = []
            if text[0] == " ":
                filling.space(Span(text, span.roles))
            elif whole:
                filling.word([Span(text, span.roles)])
            else:
                word.append(Span(text, span.roles))
    if word:
        filling.word(word)
    return filling.done()


def _words(text: str, width: int) -> Iterator[tuple[str, bool]]:
    """Words and spaces; a character of two cells is a word of its own, as it may stand anywhere."""
    found: list[str] = _PIECES.findall(text)
    for piece in (word for each in found for word in ([each] if len(each) <= width else _WORDS.findall(each))):
        if piece.isascii():
            yield piece, False
            continue
        narrow = ""
        for each in graphemes(piece):
            if cells(each) < 2:  # noqa: PLR2004
                narrow += each
                continue
            if narrow:
                yield narrow, False
                narrow = ""
            yield each, True
        if narrow:
            yield narrow, False
