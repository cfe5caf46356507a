"""Words of like meaning: married → marriage, wife, spouse.

A table of English words, each with those nearest to it and how near they are (a cosine), made by `make near-words` from
all-MiniLM-L6-v2. It is read when the first question is asked, and looked up in place. Layout: the number of words and
the length of their list, little-endian; the words in order, each behind a newline; for each word `NEAREST` numbers of
two bytes; for each word `NEAREST` levels of four bits.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACE = Path(__file__).with_suffix(".bin")
NEAREST = 16
"""Near words that a word has at most."""
LEAST = 0.45
"""The cosine of words that are just near enough."""

_HEAD = struct.Struct("<II")
_LEVELS, _SPAN = 16, 1 - LEAST


def encoded(words: Sequence[str], near: Sequence[Sequence[tuple[int, float]]]) -> bytes:
    """The table as it is stored; fewer near words are filled up with the word itself."""
    numbers, levels = bytearray(), bytearray()
    for own, row in enumerate(near):
        padded = [(*each,) for each in row] + [(own, LEAST)] * (NEAREST - len(row))
        numbers += struct.pack(f"<{NEAREST}H", *(number for number, _ in padded))
        steps = [min(_LEVELS - 1, int((cosine - LEAST) / _SPAN * _LEVELS)) for _, cosine in padded]
        levels += bytes(low | high << 4 for low, high in zip(steps[::2], steps[1::2], strict=True))
    listed = "".join(f"\n{word}" for word in words).encode()
    return _HEAD.pack(len(words), len(listed)) + listed + numbers + levels


class NearWords:
    """The table, as it is stored."""

    def __init__(self, stored: bytes) -> None:
        """Look words up in this."""
        count, size = _HEAD.unpack_from(stored)
        self._words = stored[_HEAD.size : _HEAD.size + size].decode().split("\n")[1:]
        self._stored = stored
        self._numbers = _HEAD.size + size
        self._levels = self._numbers + 2 * NEAREST * count

    def __call__(self, word: str) -> dict[str, float]:
        """The words near to one, with their cosines, nearest first; empty for a word that is not known."""
        at = bisect_left(self._words, word)
        if at == len(self._words) or self._words[at] != word:
            return {}
        numbers = struct.unpack_from(f"<{NEAREST}H", self._stored, self._numbers + 2 * NEAREST * at)
        start = self._levels + NEAREST // 2 * at
        packed = self._stored[start : start + NEAREST // 2]
        levels = [level for both in packed for level in (both & 15, both >> 4)]
        return {
            self._words[number]: LEAST + (level + 0.5) / _LEVELS * _SPAN
            for number, level in zip(numbers, levels, strict=True)
            if number != at
        }


@lru_cache(maxsize=1)
def near_words() -> NearWords:
    """The table that the package has."""
    return NearWords(PLACE.read_bytes())
