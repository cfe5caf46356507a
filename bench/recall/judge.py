"""How many of the turns that answer a question are among the first ones found, by us and by SQLite's FTS5."""

from __future__ import annotations

import re
import sqlite3
import time
from collections import defaultdict
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

import holdfast
from bench.recall.dialogues import ADVERSARIAL, ASSISTANT, CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from bench.recall.dialogues import Dialogue, Question, Turn

DEPTHS = (5, 10, 20)
FINDS, DEEP = 20, 100
"""Finds that a question asks for, and finds from which sessions are counted."""
MEAN, SESSIONS = "all", "sessions"
"""The mean of all categories but the adversarial one, and the same by session instead of by turn."""


class Figures(Struct, frozen=True, kw_only=True):
    """How well questions of one kind were answered, in percent."""

    questions: int
    recall: tuple[float, ...]
    """At each of the depths."""
    mrr: float
    """The mean of one divided by the place of the first turn that answers."""


class Result(Struct, frozen=True, kw_only=True):
    """The figures of one way to search."""

    by: str
    figures: dict[str, Figures]
    cpu_ms: tuple[float, float]
    """Processor time of a question: the median and the 95th percentile."""


class Finds(Struct, frozen=True, kw_only=True):
    """The ids that one question found, best first, and what it cost."""

    question: Question
    turns: list[str]
    deep: list[str]
    seconds: float


def _said(turn: Turn) -> holdfast.UserSaid | holdfast.ModelReplied:
    parts = (holdfast.Text(text=turn.text),)
    if turn.speaker == ASSISTANT:
        return holdfast.ModelReplied(parts=parts, model="")
    return holdfast.UserSaid(parts=parts, source=holdfast.Source(host="chat", sender=turn.speaker))


async def ours(dialogue: Dialogue, folder: Path) -> list[Finds]:
    """Ask a store that has this dialogue alone, one session of it for each of ours."""
    clock = holdfast.ManualClock()
    ids: dict[tuple[str, int], str] = {}
    async with holdfast.open_store(folder / dialogue.name, durability="os", clock=clock) as store:
        for number, each in enumerate(dialogue.sessions, 1):
            clock.advance(each.at.timestamp() - clock.now_ns() / 1e9)
            async with store.session(f"session {number}") as session:
                for turn in each.turns:
                    position = await session.append(_said(turn))
                    ids[f"session {number}", position] = turn.id
        clock.advance(timedelta(days=1).total_seconds())
        await store.search("warm")
        found = []
        for question in dialogue.questions:
            before = time.process_time()
            hits = await store.search(question.text, limit=FINDS)
            took = time.process_time() - before
            more = await store.search(question.text, limit=DEEP)
            turns, deep = ([ids[hit.key, hit.pos] for hit in each] for each in (hits, more))
            found.append(Finds(question=question, turns=turns, deep=deep, seconds=took))
        return found


def fts5(dialogue: Dialogue) -> list[Finds]:
    """Ask FTS5 with its `porter` stemmer for any of the words, ranked by its own BM25."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("create virtual table turns using fts5(id unindexed, text, tokenize='porter unicode61')")
        turns = [(turn.id, turn.text) for each in dialogue.sessions for turn in each.turns]
        db.executemany("insert into turns values (?, ?)", turns)
        found = []
        for question in dialogue.questions:
            before = time.process_time()
            words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question.text))
            rows = db.execute("select id from turns where turns match ? order by rank limit ?", (words, DEEP))
            ids = [str(number) for (number,) in rows.fetchall()]
            took = time.process_time() - before
            found.append(Finds(question=question, turns=ids[:FINDS], deep=ids, seconds=took))
        return found


def result(by: str, found: Sequence[Finds]) -> Result:
    """The figures of all questions, by category."""
    groups: dict[str, list[tuple[Sequence[str], frozenset[str]]]] = defaultdict(list)
    for one in found:
        asked = one.question
        groups[CATEGORIES.get(asked.category, str(asked.category))].append((one.turns, asked.evidence))
        if asked.category != ADVERSARIAL:
            groups[MEAN].append((one.turns, asked.evidence))
            places = list(dict.fromkeys(map(_session, one.deep)))
            groups[SESSIONS].append((places, frozenset(map(_session, asked.evidence))))
    seconds = sorted(one.seconds for one in found)
    cpu = (seconds[len(seconds) // 2] * 1e3, seconds[int(len(seconds) * 0.95)] * 1e3)
    return Result(by=by, figures={name: _figures(groups[name]) for name in sorted(groups)}, cpu_ms=cpu)


def _session(turn: str) -> str:
    return turn.partition(":")[0]


def _figures(asked: Iterable[tuple[Sequence[str], frozenset[str]]]) -> Figures:
    pairs = list(asked)
    recalls = tuple(
        sum(len(right.intersection(found[:depth])) / len(right) for found, right in pairs) / len(pairs) * 100
        for depth in DEPTHS
    )
    firsts = (next((1 / at for at, each in enumerate(found, 1) if each in right), 0.0) for found, right in pairs)
    return Figures(questions=len(pairs), recall=recalls, mrr=sum(firsts) / len(pairs) * 100)
