"""Incremental Markdown, where nothing that was printed can be drawn again: line by line, as soon as one is sure.

A line is sure when no words that may still come would change it: it is full, and no mark is open in it. What is
given out early is what the whole block would have been, so the text is the same however it was cut into pieces.
Tables and titles come whole. If a block turns out to be something else after all, it is given out as that.
"""

import re

from holdfast.commands.text.blocks import CodeBlock, ParagraphBlock, PlacedBlock
from holdfast.hosts.terminal.draw.inline import spans_of
from holdfast.hosts.terminal.draw.markdown import MarkdownStream, rendered
from holdfast.hosts.terminal.draw.theme import Theme

LONGEST = 8_000
"""Characters of a paragraph up to which it is looked at; what is longer comes at its end."""
TRIES = 16
"""Open marks, from the last one back, before which a paragraph may be cut."""
_MARKS = re.compile(r"[*_`~\[]|\\[(\[]")
_OPEN = re.compile(r"\*(?=\S)|(?<!\w)_(?=\S)|`|~~(?=\S)|\[[^\]]*$")
_UNDECIDED = re.compile(r"[\s\-=*_+#>`~|:.)\d\[\]$\\]*$")
"""The beginning of a line that may become anything."""


class IncrementalMarkdown:
    """One reply, while it comes."""

    def __init__(self, width: int, theme: Theme) -> None:
        """Draw for a width."""
        self._width, self._theme = width, theme
        self._stream = MarkdownStream(width, theme)
        self._given: list[str] = []
        """Lines of what is unfinished that were given out."""

    def resize(self, width: int) -> None:
        """Draw for another width from now on; what was begun is finished for the one it has."""
        if not self._given:
            self._width = width
            self._stream.resize(width)

    def feed(self, text: str) -> str:
        """Take more of the text; gives the lines that are sure now, each with its end."""
        done = self._rest_of(self._stream.feed(text))
        fresh = self._sure()[len(self._given) :]
        self._given += fresh
        return "".join([done, *(f"{line}\n" for line in fresh)])

    def end(self) -> str:
        """There is no more text; gives the rest."""
        return self._rest_of(self._stream.end())

    def tail(self, rows: int) -> list[str]:
        """Nothing is drawn before it is sure."""
        del rows
        return []

    def _rest_of(self, finished: str) -> str:
        """Finished lines without those that were given out before."""
        lines = finished.split("\n")[:-1]
        given, self._given = self._given[: len(lines)], self._given[len(lines) :]
        if lines[: len(given)] == given:
            lines = lines[len(given) :]
        return "".join(f"{line}\n" for line in lines)

    def _sure(self) -> list[str]:
        """The lines of what is unfinished that no more words can change."""
        newest = self._stream.newest
        blocks = self._stream.ahead("" if _UNDECIDED.match(newest) else newest)
        lines = [line for each in blocks[:-1] for line in rendered(each, self._width, self._theme)]
        return [*lines, *(line for each in blocks[-1:] for line in self._sure_of(each))]

    def _sure_of(self, placed: PlacedBlock) -> list[str]:
        match placed.block:
            case ParagraphBlock(text=text):
                whole = _closed(text)
                lines = (
                    rendered(placed._replace(block=ParagraphBlock(whole)), self._width, self._theme) if whole else []
                )
                return lines[:-1]
            case CodeBlock():
                # The last line may become the closing fence, and below it stands the one that is not there yet.
                return rendered(placed, self._width, self._theme)[:-2]
            case _:
                return []


def _closed(text: str) -> str:
    """As much of a paragraph as has no open mark, to the end of a word; '' if that is nothing."""
    if len(text) > LONGEST:
        return ""
    first, newline, last = text.rpartition("\n")
    if "|" in last:  # it may be the head of a table
        text = first + newline
    marks = [found.start() for found in _MARKS.finditer(text)]
    for cut in [len(text), *marks[: -TRIES - 1 : -1], *marks[:1]]:
        words = text[:cut].rstrip() if text[cut - 1 : cut].isspace() else _whole_words(text[:cut])
        if not _is_open(words):
            return words
    return ""


def _whole_words(text: str) -> str:
    return text[: max(text.rfind(" "), text.rfind("\n"), 0)].rstrip()


def _is_open(text: str) -> bool:
    """Whether what comes may pair with a mark in a text."""
    if text.count("\\(") > text.count("\\)") or text.count("\\[") > text.count("\\]"):
        return True
    seen = "".join(" " if "code" in span.roles else span.text for span in spans_of(text))
    return _OPEN.search(seen) is not None
