"""How wide text is on a terminal: Chinese, Japanese and Korean take two cells, accents none."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_NOTHING = frozenset({"Mn", "Me", "Cf"})


@lru_cache(maxsize=4096)
def cells(char: str) -> int:
    """How many cells one character takes."""
    if unicodedata.category(char) in _NOTHING:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width(text: str) -> int:
    """How many cells a line of text takes."""
    return len(text) if text.isascii() else sum(map(cells, text))


def _fit(text: str, start: int, limit: int) -> int:
    """Up to which index the text from `start` fits; always further than `start`."""
    if text.isascii():
        return min(len(text), start + max(1, limit))
    used, end = 0, start
    while end < len(text):
        used += cells(text[end])
        if used > limit and end > start:
            break
        end += 1
    return end


def clip(text: str, limit: int) -> str:
    """The text, or as much of it as fits, with an ellipsis."""
    if width(text) <= limit:
        return text
    start = text[: _fit(text, 0, limit - 1)].rstrip()
    return f"{start}…" if width(start) < limit else "…"[: max(0, limit)]


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """The text with spaces around it, so that it takes that many cells."""
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def wrap(text: str, limit: int | None) -> Iterator[str]:
    """The lines of a text, none wider than the limit; indentation stays where it is."""
    for line in text.split("\n"):
        flat = line.expandtabs(4).rstrip()
        if limit is None or not flat:
            yield flat
        else:
            yield from _wrap_line(flat, max(2, limit))


def _wrap_line(line: str, limit: int) -> Iterator[str]:
    start = 0
    while start < len(line):
        end = _fit(line, start, limit)
        if end < len(line):
            space = line.rfind(" ", start + 1, end + 1)
            if space > start and line[start:space].strip() and cells(line[end - 1]) == 1:
                end = space
        yield line[start:end].rstrip()
        start = end
        while start < len(line) and line[start] == " ":
            start += 1
