"""Long texts in slices, as JSON and as UTF-8.

One call that goes through a long text lets no other thread of the interpreter run, the event loop's neither.
So a long text is encoded and checked slice by slice, in a thread, and what joins the slices lets others run.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from secrets import token_hex
from typing import TypeVar, get_args

import msgspec
from msgspec.structs import replace

from holdfast.records.entries import CommandRan, Compacted, Entry, Known
from holdfast.records.parts import Text, Thinking, ToolCall

SLICE = 256 * 1024
"""How many characters are encoded at once; texts that have more together are long."""
SHORT = 4 * 1024
"""Texts up to this many characters are encoded with the rest of their entry."""
MANY = 256
"""So many entries take about as long to encode as a long text."""

_TEXTS: Mapping[type, str] = {
    Text: "text",
    Thinking: "text",
    ToolCall: "arguments",
    CommandRan: "output",
    Compacted: "summary",
}
"""What can have a long text, and in which field."""

_WITH_PARTS = frozenset(kind for kind in get_args(Known) if "parts" in kind.__struct_fields__)
"""Entries whose parts may have one."""

S = TypeVar("S", bound=msgspec.Struct)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(str).decode


def take_long(entries: Sequence[Entry]) -> bool:
    """Whether entries are to be encoded in a thread, because the event loop would wait for them."""
    return len(entries) > MANY or sum(map(text_length, entries)) > SLICE


def text_length(entry: Entry) -> int:
    """How many characters its texts have: from `SLICE` on, it is to be encoded slice by slice."""
    # Every entry that is written comes through here: nothing but types and lengths is looked at.
    kind = type(entry)
    if kind not in _WITH_PARTS:
        return _length(entry) if kind in _TEXTS else 0
    parts = getattr(entry, "parts", None)
    return sum(map(_length, parts)) if isinstance(parts, tuple) else 0  # something else is refused where it is encoded


def _length(holder: msgspec.Struct) -> int:
    text = getattr(holder, _TEXTS.get(type(holder), ""), None)
    return len(text) if isinstance(text, str) else 0


def without_texts(entry: Known) -> tuple[Known, dict[str, str]]:
    """A long entry with a mark in the place of each text that is not short, and the texts by their marks, in order."""
    texts: dict[str, str] = {}
    if type(entry) in _TEXTS:
        return _marked(entry, texts), texts
    return replace(entry, parts=tuple([_marked(part, texts) for part in getattr(entry, "parts", ())])), texts


def _marked(holder: S, texts: dict[str, str]) -> S:
    name = _TEXTS.get(type(holder), "")
    text = getattr(holder, name, None)
    if not isinstance(text, str) or len(text) <= SHORT:
        return holder
    mark = token_hex(16)
    texts[mark] = text
    return replace(holder, **{name: mark})


def slices(text: str) -> Iterator[str]:
    """The text in order, in pieces that can be encoded one by one."""
    start = 0
    while start < len(text):
        end = start + SLICE
        # Two halves of a character make one where they meet, so the second is never the first of a slice.
        while end < len(text) and "\udc00" <= text[end] <= "\udfff":
            end += 1
        yield text[start:end]
        start = end


def json_of(text: str) -> Iterator[bytes]:
    """What stands between the quotes of a JSON text, in pieces. Raises `ValueError` if one would not be read back."""
    for piece in slices(text):
        try:
            encoded = _encode(piece)
            exact = _decode(encoded) == piece
        except UnicodeEncodeError:
            encoded = json.dumps(piece).encode()
            exact = json.loads(encoded) == piece
        if not exact:
            raise ValueError("it has two surrogates that make one character")
        yield encoded[1:-1]


def utf8(text: str) -> bytes:
    """The bytes of a text; a half of a character becomes the bytes that stand for it."""
    return b"".join([piece.encode("utf-8", "surrogatepass") for piece in slices(text)])
