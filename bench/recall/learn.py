"""`make recall-learn`: weights of the features, learned from questions whose answers are known.

Without DATA they are learned on the dialogues that were written for this project: those are the tables that ship.

The weights of a question's candidates are turned into probabilities (softmax), and moved so that the turns that answer
get more of it. Each dialogue is judged with weights learned on the others alone, and those figures are printed beside
the ones on what was learned from: never the other way round. The last line of each
table is one for `stores/text_index/weights`.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from bench.recall import written
from bench.recall.dialogues import ADVERSARIAL, ASSISTANT, NoDialoguesError, load
from bench.recall.judge import Finds, result
from bench.recall.table import table
from holdfast.stores.files.catalog import index
from holdfast.stores.files.catalog.questions import Asking
from holdfast.stores.text_index.features import NAMES
from holdfast.stores.text_index.question import SearchQuery, named_days
from holdfast.stores.text_index.weights import score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.recall.dialogues import Dialogue, Question

Row = tuple[float, ...]

ROUNDS, STEP, PENALTY = 300, 0.1, 3e-2
"""How often the weights are moved, how far at first, and how much large ones cost."""
SLOWER, LITTLE = 50, 1e-9
LEAST = 0.15
"""What every other feature counts at least, in units of how much it differs: none is left to chance."""
EITHER = {"isq", "len", "first", "pos"}
"""Features that may speak against a turn; all others are found things, and finding more is never worse."""
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
                role, speaker = ("model", "") if turn.speaker == ASSISTANT else ("user", turn.speaker)
                said = index.IndexedText(session=number, pos=pos, role=role, text=turn.text, speaker=speaker, day=day)
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
    rows = np.array([row for rows, _ in sets for row in rows])
    right = np.array([each for _, answers in sets for each in answers], float)
    lengths = [len(answers) for _, answers in sets]
    starts, of = np.cumsum([0, *lengths[:-1]]), np.repeat(np.arange(len(sets)), lengths)
    spread = rows.std(0)
    signless = np.array([name in EITHER for name in NAMES])
    kept = spread > LITTLE  # what never differs tells nothing
    rows, spread = rows[:, kept], spread[kept]
    rows = (rows - rows.mean(0)) / spread
    wanted = right / np.add.reduceat(right, starts)[of]
    weights, speed, size = (np.zeros(len(spread)) for _ in range(3))
    for round_ in range(1, ROUNDS + 1):
        points = rows @ weights
        shares = np.exp(points - np.maximum.reduceat(points, starts)[of])
        push = shares / np.add.reduceat(shares, starts)[of] - wanted
        slope = push @ rows / len(sets) + PENALTY * weights
        speed = KEEP * speed + (1 - KEEP) * slope
        size = SQUARES * size + (1 - SQUARES) * slope * slope
        even = (speed / (1 - KEEP**round_)) / (np.sqrt(size / (1 - SQUARES**round_)) + LITTLE)
        weights = weights - STEP * even / (1 + round_ / SLOWER)
        weights = np.where(signless[kept], weights, np.maximum(weights, LEAST))
    found = np.zeros(len(NAMES))
    found[kept] = weights / spread
    return tuple(round(float(weight), 2) for weight in found)


def _sampled(one: Example, dice: Random) -> tuple[list[Row], list[bool]]:
    right = [each in one.question.evidence for each in one.ids]
    chosen = set(range(min(HARD, len(right)))) | {at for at, is_right in enumerate(right) if is_right}
    chosen.update(dice.sample(range(len(right)), min(OTHERS, len(right))))
    return [one.rows[at] for at in sorted(chosen)], [right[at] for at in sorted(chosen)]


def finds(one: Example, weights: Row) -> Finds:
    """What these weights find."""
    order = sorted(range(len(one.ids)), key=lambda at: -score(one.rows[at], weights))
    ids = [one.ids[at] for at in order]
    return Finds(question=one.question, turns=ids[:20], deep=ids[:100], seconds=0.0)


def left_out(parts: Sequence[Sequence[Example]]) -> list[Finds]:
    """What each dialogue finds by weights that were learned on the others."""
    learning = [[one for one in part if one.question.category != ADVERSARIAL] for part in parts]
    weights = [
        learn([one for at, part in enumerate(learning) if at != out for one in part]) for out in range(len(parts))
    ]
    return [finds(one, own) for part, own in zip(parts, weights, strict=True) for one in part]


def main() -> int:
    """Learn, judge, and print the table; 2 if there is nothing to learn from."""
    folder = os.environ.get("DATA")
    try:
        dialogues = load(Path(folder)) if folder else written.dialogues("people")
    except NoDialoguesError as error:
        print(error, file=sys.stderr)
        return 2
    if len(dialogues) == 1:
        print("One dialogue is not enough: each is judged by weights learned on the others.", file=sys.stderr)
        return 2
    parts = [examples(each) for each in dialogues]
    talks = parts if folder else [examples(each) for each in written.assistant()]
    tables = {"PEOPLE": parts} if folder else {"PEOPLE": parts, "ASSISTANT": talks}
    for name, known in tables.items():
        weights = learn([one for part in known for one in part if one.question.category != ADVERSARIAL])
        seen = [finds(one, weights) for part in known for one in part]
        print(table([result("left out", left_out(known)), result("learned from", seen)]))
        print(f"\n{name} = {weights}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
