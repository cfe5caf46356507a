"""`make recall-learn DATA=folder`: weights of the features, learned from questions whose answers are known.

The weights of a question's candidates are turned into probabilities (softmax), and moved so that the turns that answer
get more of it. Each dialogue is judged with weights learned on the others alone, and those figures are printed beside
the ones on what was learned from: never the other way round. The last line is a table for `stores/text_index/weights`.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from math import exp
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct

from bench.recall.dialogues import ADVERSARIAL, NoDialoguesError, load
from bench.recall.judge import Finds, result
from bench.recall.table import table
from holdfast.stores.files.catalog import index
from holdfast.stores.files.catalog.questions import Asking
from holdfast.stores.text_index.features import NAMES
from holdfast.stores.text_index.question import SearchQuery, named_days
from holdfast.stores.text_index.weights import PEOPLE, score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.recall.dialogues import Dialogue, Question

Row = tuple[float, ...]

ROUNDS, STEP, PENALTY = 60, 0.3, 1e-3
"""How often the weights are moved, how far at first, and how much large ones cost."""
HARD, OTHERS = 60, 30
"""Candidates of a question that are learned from: the best by the weights in use, and some more."""
KEEP, SQUARES = 0.9, 0.99
"""How much of the direction, and of its size, is kept from one round to the next (Adam)."""


class Example(Struct, frozen=True, kw_only=True):
    """A question with its candidates."""

    question: Question
    ids: list[str]
    rows: list[Row]


def examples(dialogue: Dialogue) -> list[Example]:
    """The candidates of each question, as the index finds them."""
    with closing(sqlite3.connect(":memory:")) as db:
        index.create(db)
        ids = {}
        for number, session in enumerate(dialogue.sessions, 1):
            day = session.at.toordinal()
            for pos, turn in enumerate(session.turns):
                ids[number, pos] = turn.id
                said = index.IndexedText(
                    session=number, pos=pos, role="user", text=turn.text, speaker=turn.speaker, day=day
                )
                index.add(db, [said])
        now = dialogue.sessions[-1].at.replace(tzinfo=None)
        found = []
        for question in dialogue.questions:
            days, rest = named_days(SearchQuery(text=question.text, now=now))
            answers = Asking(db).answers(rest, days)
            places = [ids[one.session, one.pos] for one in answers]
            found.append(Example(question=question, ids=places, rows=[one.features for one in answers]))
        return found


def learn(learned_from: Sequence[Example]) -> Row:
    """The weights that give the most probability to the turns that answer."""
    dice = Random(1)
    sets = [one for each in learned_from if any((one := _sampled(each, dice))[1])]
    scale = [max(1e-6, sum(abs(row[at]) for rows, _ in sets for row in rows)) for at in range(len(NAMES))]
    count = sum(len(rows) for rows, _ in sets)
    scale = [count / each for each in scale]  # every feature is about 1 while it is learned
    scaled = [([tuple(v * s for v, s in zip(row, scale, strict=True)) for row in rows], right) for rows, right in sets]
    weights = [weight / s for weight, s in zip(PEOPLE, scale, strict=True)]
    speed, size = [0.0] * len(NAMES), [0.0] * len(NAMES)
    for round_ in range(1, ROUNDS + 1):
        for at, slope in enumerate(_slopes(scaled, weights)):
            speed[at] = KEEP * speed[at] + (1 - KEEP) * slope
            size[at] = SQUARES * size[at] + (1 - SQUARES) * slope * slope
            even = (speed[at] / (1 - KEEP**round_)) / ((size[at] / (1 - SQUARES**round_)) ** 0.5 + 1e-9)
            weights[at] -= STEP * even / (1 + round_ / 10)
    return tuple(round(weight * s, 2) for weight, s in zip(weights, scale, strict=True))


def _sampled(one: Example, dice: Random) -> tuple[list[Row], list[bool]]:
    right = [each in one.question.evidence for each in one.ids]
    chosen = set(range(min(HARD, len(right)))) | {at for at, is_right in enumerate(right) if is_right}
    chosen.update(dice.sample(range(len(right)), min(OTHERS, len(right))))
    return [one.rows[at] for at in sorted(chosen)], [right[at] for at in sorted(chosen)]


def _slopes(sets: Sequence[tuple[list[Row], list[bool]]], weights: Sequence[float]) -> list[float]:
    """How the error changes with each weight."""
    slopes = [0.0] * len(weights)
    for rows, right in sets:
        points = [score(row, weights) for row in rows]
        top = max(points)
        shares = [exp(each - top) for each in points]
        total, answers = sum(shares), sum(right)
        for row, share, is_right in zip(rows, shares, right, strict=True):
            push = share / total - is_right / answers
            for at, value in enumerate(row):
                slopes[at] += push * value
    return [slope / len(sets) + PENALTY * weight for slope, weight in zip(slopes, weights, strict=True)]


def finds(one: Example, weights: Row) -> Finds:
    """What these weights find."""
    order = sorted(range(len(one.ids)), key=lambda at: -score(one.rows[at], weights))
    ids = [one.ids[at] for at in order]
    return Finds(question=one.question, turns=ids[:20], deep=ids[:100], seconds=0.0)


def main() -> int:
    """Learn, judge, and print the table; 2 if there is nothing to learn from."""
    try:
        dialogues = load(Path(os.environ.get("DATA") or "."))
    except NoDialoguesError as error:
        print(error, file=sys.stderr)
        return 2
    if len(dialogues) == 1:
        print("One dialogue is not enough: each is judged by weights learned on the others.", file=sys.stderr)
        return 2
    parts = [examples(each) for each in dialogues]
    learning = [[one for one in part if one.question.category != ADVERSARIAL] for part in parts]
    left_out = [
        learn([one for at, part in enumerate(learning) if at != out for one in part]) for out in range(len(parts))
    ]
    weights = learn([one for part in learning for one in part])
    unseen = [finds(one, own) for part, own in zip(parts, left_out, strict=True) for one in part]
    seen = [finds(one, weights) for part in parts for one in part]
    shipped = [finds(one, PEOPLE) for part in parts for one in part]
    print(table([result("left out", unseen), result("learned from", seen), result("shipped", shipped)]))
    print("\n" + ", ".join(f"{name} {weight}" for name, weight in zip(NAMES, weights, strict=True)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
