"""How much each feature counts: two tables, learned by `make recall-learn` on dialogues written for this project.

A talk in which people have names is one thing; a talk of one person with a model, with few and long messages, another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PEOPLE = (
    *(1.6, 1.02, 0.85, 0.79, 0.54, 1.05, 3.89, 2.08, 0.26, 1.68, 8.18, 3.4),
    *(0.91, 1.68, 1.24, 2.63, 0.33, 0.57, 0.36, 0.22),
)
"""For talks among people who have names; in the order of `features.NAMES`."""
ASSISTANT = (
    *(1.58, 0.93, 0.76, 0.61, 0.53, 0.75, 5.01, 0.77, -2.63, -5.32, 17.52, 4.21),
    *(0.74, 0.58, 0.58, 0.79, 0.31, 1.65, -0.75, -0.89),
)
"""For talks of a person with a model."""


def score(row: Sequence[float], weights: Sequence[float]) -> float:
    """One number for the features of a turn; scores compare within one question."""
    return sum([value * weight for value, weight in zip(row, weights, strict=True) if value])
