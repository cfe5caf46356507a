"""Cleans text, so that a request may carry it.

A request is UTF-8, so half a surrogate pair cannot be sent, and a NUL is refused by
services that keep requests in a database. Both are replaced by a sign that can be seen.
"""

import re

from holdfast.records.parts import Blob

EMPTY_MESSAGE = "[empty message]"
"""Stands where a person said nothing that can be sent, because no family takes an empty message."""
NO_OUTPUT = "[no output]"
"""Stands where a tool gave nothing."""
CARRIED = "[attachments of the tool results above]"
"""Stands before what a tool gave and its result cannot carry."""

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
_KILO = 1024


def clean(text: str) -> str:
    """The text with everything replaced that cannot be sent."""
    if is_clean(text):
        return text
    return _UNSENDABLE.sub(lambda found: "\u2400" if found[0] == "\x00" else "\ufffd", text)


def is_clean(text: str) -> bool:
    """Whether a text can be sent as it is."""
    if text.isascii():  # the usual case, and quick for a picture of megabytes
        return "\x00" not in text
    return not _UNSENDABLE.search(text)


def is_blank(text: str) -> bool:
    """Whether there is nothing to read."""
    return not text or text.isspace()


def crumb(blob: Blob, fate: str = "not shown") -> str:
    """One line that stands where an attachment is not, so that its absence is seen."""
    rest = "text" if blob.preview else "file"
    kind = "image" if blob.media_type.startswith("image/") else rest
    said = [each for each in (blob.name, _size(blob.size), fate) if each]
    return clean(f"[{kind}: {', '.join(said)}]")


def _size(size: int) -> str:
    if size < _KILO:
        return f"{size} bytes"
    if size < _KILO * _KILO:
        return f"{round(size / _KILO)} KB"
    return f"{size / _KILO / _KILO:.1f} MB"
