"""What is said in the measurements: the same words for every contender, made up, and the same in every run.

Words follow Zipf's law, as in human languages, because a search index is easy to beat with words that are all equally
rare. A message is 330 bytes on average, as a person and a model take turns. What is searched comes from `corpus`.
"""

import random
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, islice

MESSAGE_BYTES = 330
SAID = 2_000

_VOCABULARY = 30_000
_SYLLABLES = tuple(a + b for a in "bdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "u", "ai", "en", "or"))
# Letters and the space after a word of this vocabulary, averaged over how often each word is used.
_BYTES_PER_WORD = 5.83


def vocabulary() -> tuple[str, ...]:
    """All words, the most frequent first; frequent words are short, as in human languages."""
    rng = random.Random(1)
    words: dict[str, None] = {}
    while len(words) < _VOCABULARY:
        longest = 1 if len(words) < 60 else 2 if len(words) < 2_000 else 4
        words["".join(rng.choices(_SYLLABLES, k=rng.randint(max(1, longest - 1), longest)))] = None
    return tuple(words)


def texts(seed: int, mean_bytes: int = MESSAGE_BYTES) -> Iterator[str]:
    """Messages without end; a third of them short questions, the rest longer, about `mean_bytes` on average."""
    rng = random.Random(seed)
    words = vocabulary()
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    usual = mean_bytes / _BYTES_PER_WORD
    while True:
        length = usual * (rng.uniform(0.2, 0.6) if rng.random() < 1 / 3 else rng.uniform(0.9, 1.7))
        said = " ".join(rng.choices(words, cum_weights=weights, k=max(2, round(length))))
        yield said.capitalize() + "."


@cache
def said() -> tuple[str, ...]:
    """Messages to say while the clock runs: made beforehand, because making one takes longer than appending it."""
    return tuple(islice(texts(2), SAID))
