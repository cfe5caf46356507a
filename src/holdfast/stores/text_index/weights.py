"""How much each feature counts: two tables, learned by `make recall-learn`.

A talk in which people have names is one thing; a talk of one person with a model, with few and long messages, another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PEOPLE = (1.01, -0.02, 7.88, 3.17, 1.12, 1.47, 7.46, 2.72, -0.43, 1.56, 3.97, 3.87)
"""For talks among people who have names; in the order of `features.NAMES`. Learned on LoCoMo: see NOTICE."""
ASSISTANT = (8.73, 0.98, 2.90, 0.24, 1.39, -0.45, 8.44, 0.90, -0.20, -2.34, -3.13, -2.99)
"""For talks of a person with a model."""


def score(row: Sequence[float], weights: Sequence[float]) -> float:
    """One number for the features of a turn; scores compare within one question."""
    return sum([value * weight for value, weight in zip(row, weights, strict=True) if value])
