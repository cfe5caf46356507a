"""Makes text printable: no control characters, no sequences that a terminal obeys.

What users, models and tools say may hold sequences that move a cursor, set a title,
write to the clipboard or turn the direction of reading. They are kept in the log,
and shown as what they are.
"""

import unicodedata

_KEPT = frozenset("\n\t")


def printable(text: str) -> str:
    """The text with control characters made visible; lines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in _KEPT else _visible(char) for char in text)


def printable_line(text: str, limit: int) -> str:
    """The text on one line of at most `limit` characters."""
    line = " ".join(printable(text[: limit * 4]).split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _visible(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Cc":
        return chr(0x2400 + ord(char)) if ord(char) < 0x20 else "\ufffd"  # noqa: PLR2004
    if kind in {"Cf", "Cs", "Co", "Zl", "Zp"} and char not in "\u200c\u200d":
        return "\ufffd"
    return char
