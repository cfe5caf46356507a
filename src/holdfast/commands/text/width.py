"""How wide text is on a terminal, and how it is fitted into columns: one measure for every host.

Chinese, Japanese and Korean take two cells, accents none, an emoji of several characters two (wcwidth knows the
tables, and is loaded only when a text is not ASCII).
"""

from collections.abc import Iterator
from functools import lru_cache

from holdfast.records.printable import printable

_WIDENS = "\ufe0f"
_REMEMBERED = 40
"""Characters of a text below which its width is remembered: characters and words come again, lines do not."""


def width(text: str) -> int:
    """How many cells a line of text takes."""
    if text.isascii():
        return len(text)
    return _remembered(text) if len(text) < _REMEMBERED else _counted(text)


def _counted(text: str) -> int:
    from wcwidth import wcswidth

    # Alone, the sign that widens what stands before it has no width; it may come to stand after something.
    counted = wcswidth(text) + text.startswith(_WIDENS)
    # One control character makes a whole line unmeasurable; it is shown as a sign of one cell.
    return counted if counted >= 0 else sum(max(0, wcswidth(each)) for each in text)


_remembered = lru_cache(maxsize=4096)(_counted)


def graphemes(text: str) -> Iterator[str]:
    """What a person takes for characters."""
    if text.isascii():
        return iter(text)
    from wcwidth import iter_graphemes

    return iter_graphemes(text)


def clip(text: str, limit: int) -> str:
    """The text, or as much of it as fits, with an ellipsis."""
    if width(text) <= limit:
        return text
    kept, used = "", 0
    for each in graphemes(text):
        used += width(each)
        if used >= limit:
            break
        kept += each
    return f"{kept.rstrip()}…" if limit > 0 else ""


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
    """Break a line between words where it can be, else after a wide character or wherever the limit is."""
    start = 0
    while start < len(line):
        end = _fit(line, start, limit)
        if end < len(line):
            space = line.rfind(" ", start + 1, end + 1)
            tick = line.rfind("`", start + 1, space + 1)
            if line.count("`", start, space + 1) % 2 and line[tick - 1] == " " and line[start:tick].strip():
                space = tick - 1  # a command stays whole, so that it can be pasted
            if space > start and line[start:space].strip() and width(line[end - 1]) < 2:  # noqa: PLR2004
                end = space
        yield line[start:end].rstrip()
        start = end
        while start < len(line) and line[start] == " ":
            start += 1


def _fit(text: str, start: int, limit: int) -> int:
    """Up to which index the text from `start` fits; always further than `start`."""
    if text.isascii():
        return min(len(text), start + max(1, limit))
    used, end = 0, start
    for each in graphemes(text[start:]):
        used += width(each)
        if used > limit and end > start:
            break
        end += len(each)
    return end


def flat(text: str) -> str:
    """Text made safe, on one line, with nothing left out."""
    return printable(text).replace("\n", "␊").replace("\t", "␉")
