"""Lenient JSON: reads what a service sent although its text is not valid.

Some servers cut what they stream between the halves of a character, or between its bytes. A reply is not
worth less for it: halves that come one after the other become one again, and what cannot be read becomes a sign that
can be seen.
"""

import json
from typing import TypeVar

import msgspec

T = TypeVar("T")
_FIRST, _LAST = "\ud800", "\udbff"
"""Between these lies the first half of a pair of surrogates."""


class NotJson(ValueError):
    """It is no JSON, or not of the expected kind."""


def read(decoder: "msgspec.json.Decoder[T]", data: bytes) -> T:
    """What the data says. Raises `NotJson`."""
    try:
        data.decode()  # the decoder does not look at all of it
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        text = json.dumps(json.loads(data.decode("utf-8", "replace")), ensure_ascii=False)
        return decoder.decode(_seen(text).encode())
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


def read_halves(decoder: "msgspec.json.Decoder[T]", data: bytes, kind: type[T], raw: str) -> T:
    """The same, with halves of characters as they came; the field `raw` is not read. Raises `NotJson`."""
    try:
        data.decode()
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass

    def kept(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {_seen(key): msgspec.Raw(json.dumps(value).encode()) if key == raw else value for key, value in pairs}

    try:
        found = json.loads(data.decode("utf-8", "replace"), object_pairs_hook=kept)
        return msgspec.convert(found, kind, strict=False)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise NotJson(str(error)) from error


class Halves:
    """Joins the halves of characters in texts that come one after the other."""

    def __init__(self) -> None:
        self._half = ""

    def joined(self, text: str) -> str:
        """The text, with a half that waited for it, and without one that waits now."""
        if not text or (text.isascii() and not self._half):
            return text
        text, self._half = self._half + text, ""
        if _FIRST <= text[-1] <= _LAST:
            text, self._half = text[:-1], text[-1]
        return _seen(text)

    def rest(self) -> str:
        """A sign for the half that nothing followed, if there is one."""
        half, self._half = self._half, ""
        return _seen(half)


def _seen(text: str) -> str:
    """A text with whole characters, and a sign for each half that has no other."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
