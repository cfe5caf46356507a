"""Dialogues with questions about them, read from files in the form of LoCoMo.

A file is a list of `{sample_id, conversation, qa}`. A conversation has `session_N` (turns with `speaker`, `dia_id`,
`text` and perhaps `blip_caption`) and `session_N_date_time`; a question has `question`, `evidence` (ids of turns) and
`category`. Questions without evidence that can be found are left out.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5
"""Questions that name the wrong person; they are not in the mean."""
ASSISTANT = "assistant"
"""The speaker that is a model."""
_TIME = "%I:%M %p on %d %B, %Y"


class Turn(Struct, frozen=True, kw_only=True):
    """One message."""

    id: str
    speaker: str
    text: str


class Session(Struct, frozen=True, kw_only=True):
    """Messages of one day."""

    at: datetime
    turns: tuple[Turn, ...]


class Question(Struct, frozen=True, kw_only=True):
    """A question, and the ids of the turns that answer it."""

    text: str
    evidence: frozenset[str]
    category: int


class Dialogue(Struct, frozen=True, kw_only=True):
    """Two people who talk to each other over months."""

    name: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]


class NoDialoguesError(Exception):
    """The folder has none."""


def load(folder: Path) -> list[Dialogue]:
    """Every dialogue in the files of a folder. Raises `NoDialoguesError`."""
    found = [_dialogue(each) for path in sorted(folder.glob("*.json")) for each in json.loads(path.read_text("utf-8"))]
    if not found:
        raise NoDialoguesError(f"There are no dialogues in {folder}. Give DATA= a folder with *.json in LoCoMo's form.")
    return found


def _dialogue(raw: Mapping[str, Any]) -> Dialogue:
    talk = raw["conversation"]
    names = list(takewhile(talk.__contains__, (f"session_{number}" for number in count(1))))
    sessions = tuple(_session(talk[name], talk[f"{name}_date_time"]) for name in names)
    ids = {turn.id for session in sessions for turn in session.turns}
    questions = tuple(
        Question(text=each["question"], evidence=found, category=each["category"])
        for each in raw["qa"]
        if (found := frozenset(ids.intersection(each.get("evidence") or ())))
    )
    return Dialogue(name=raw["sample_id"], sessions=sessions, questions=questions)


def _session(turns: list[Mapping[str, str]], at: str) -> Session:
    return Session(
        at=datetime.strptime(at, _TIME).replace(tzinfo=UTC),
        turns=tuple(
            Turn(
                id=turn["dia_id"],
                speaker=turn["speaker"],
                text="\n".join(filter(None, (turn["text"], turn.get("blip_caption")))),
            )
            for turn in turns
        ),
    )
