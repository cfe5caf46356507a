"""Bytes of a file as text and back, without changing what was not edited.

UTF-8 is tried first, UTF-16 is known by its mark; what is neither and not binary is read as latin-1,
which can hold any bytes, so that writing it back gives the same ones.
"""

import codecs
import re
from typing import NamedTuple
from unicodedata import category

from holdfast.errors import ToolFailed

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_LOOKED_AT = 8192
_BREAKING = frozenset({"Cc", "Zl", "Zp"})
"""Control characters, and the separators of lines and paragraphs."""
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_SHARE = 20
"""More than one control character in so many bytes is not text."""


class DecodedText(NamedTuple):
    """A text, and how it was written down."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    def bytes_of(self, text: str) -> bytes:
        """Another text, written down the same way. Raises `ToolFailed` if the encoding cannot hold it."""
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            wrong = text[error.start].encode("ascii", "backslashreplace").decode()
            raise ToolFailed(
                f"The text has the character {wrong}, which {self.encoding} cannot hold.",
                hint="Use other characters.",
            ) from error

    @property
    def note(self) -> str:
        """What a reader should know of the encoding; empty for plain UTF-8."""
        if self.encoding == "latin-1":
            return "[not UTF-8: shown as latin-1]"
        return "[UTF-16]" if self.encoding != "utf-8" else ""


def written(data: bytes) -> DecodedText | None:
    """The text of a file; None if it is binary."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return DecodedText(data[len(mark) :].decode(encoding), encoding, mark)
            except UnicodeDecodeError:
                break
    if looks_binary(data[:_LOOKED_AT]):
        return None
    try:
        return DecodedText(data.decode())
    except UnicodeDecodeError:
        return DecodedText(data.decode("latin-1"), "latin-1")


def looks_binary(head: bytes) -> bool:
    """Whether the beginning of a file is not that of a text."""
    return b"\0" in head or len(_CONTROL.findall(head)) * _SHARE > len(head)


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends; only newlines end a line, as for other programs."""
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def visible(name: str) -> str:
    """A file name that can be kept: one that is not UTF-8 is shown with its bytes as numbers.

    Line feeds and other control characters are shown as escapes: a name must not look like two, nor like a
    line of the listing that says something else.
    """
    text = name.encode(errors="surrogateescape").decode(errors="backslashreplace")
    if text.isprintable():
        return text
    return "".join(char.encode("unicode_escape").decode() if category(char) in _BREAKING else char for char in text)
