"""Dialogues that were written for this project, with questions in other words than the answers.

The texts stand in `own/*.txt`. A block begins with `> title; slot=one|other`, has lines `a:` and `b:` of the two who
talk and questions (`?3 …` asks for the third line). Lines with `~` are small talk; `~a`, `~b` and `~r` are about the
title, then or in a later session, and `~q` are questions about the first line. In talks with an assistant, `u:` and
`m:` are the person and the model, `?u` and `?m` ask for the line of either before, and the title is followed by words
of its subject. Dialogues are put together by chance with a fixed seed, so they are the same each time.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct

from bench.recall.dialogues import ASSISTANT, Dialogue, Question, Session, Turn
from holdfast.stores.text_index import stop_words as stop
from holdfast.stores.text_index.answers import near_to
from holdfast.stores.text_index.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PLACE = Path(__file__).parent / "own"
FIRST = datetime(2024, 1, 6, 10, tzinfo=UTC)
SINGLE, TIMED = 4, 2
"""Categories: about one turn, and about one turn on days that the question names."""
BLOCKS = 3
"""Blocks in a session."""
MESSAGES, SITTINGS = 100, 5
"""Messages of a talk with an assistant, and sessions that it has."""
DATED, WEEKS = 60, 52
"""Questions with a time over a year of talk."""
OFTEN = 0.5
SHORT_QUERIES, SHORT_TALKS, PHRASE = 100, 4, 3
"""Queries of few words, of how many talks, and how long a phrase in quotes is."""
MISTAKEN = 0.15
"""How often it is not known any more who said it."""
SHORT, NEAREST = 2, 4
"""Letters of words that are left out of a question, and near words from which one is taken instead of a word."""
_HALF_REMEMBERED = (
    "What did {A} say about {0} and {1}?",
    "What was it with {A}, {0} and the {1}?",
    "How was it when {A} talked of {0} {1}?",
    "Which {1} did {A} mention with {0}?",
    "Why did {A} speak of {0} and {1}?",
)
_NO_TIME = ("When", "Since")
"""How questions begin that ask for a time, so that they name none."""

_NAMES = {
    "people": ("Nora Ivan", "Elif Jonas", "Marta Deniz", "Priya Oskar", "Lucia Sam", "Ingrid Theo"),
    "chinese": ("小林 阿杰", "晓雯 大伟", "子涵 老周", "美玲 建国"),
    "japanese": ("さくら 健太", "美咲 大輔", "陽菜 直樹", "由美 翔太"),
}
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


class Block(Struct, frozen=True, kw_only=True):
    """Some lines about one thing, with questions."""

    title: str
    slots: Mapping[str, Sequence[str]]
    lines: tuple[tuple[str, str], ...]
    questions: tuple[tuple[int, str], ...]
    """The number of the line that answers, and the question."""


class _Said(Struct, frozen=True, kw_only=True):
    """A question before its turn has an id."""

    text: str
    turn: int


def blocks(name: str) -> tuple[list[Block], list[str]]:
    """The blocks of a file, and its small talk."""
    heads: list[str] = []
    bodies: list[list[str]] = []
    small = []
    for line in (PLACE / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith(">"):
            heads.append(line[1:].strip())
            bodies.append([])
        elif line.startswith("~"):
            small.append(line[1:].strip())
        else:
            bodies[-1].append(line)
    return [_block(head, body) for head, body in zip(heads, bodies, strict=True)], small


def _block(head: str, body: Sequence[str]) -> Block:
    title, *slots = head.split("; ")
    lines: list[tuple[str, str]] = []
    questions: list[tuple[int, str]] = []
    for line in body:
        mark, _, text = line.partition(" ")
        if not mark.startswith("?"):
            lines.append((mark.rstrip(":"), text))
        elif mark[1:].isdigit():
            questions.append((int(mark[1:]) - 1, text))
        else:
            last = max(at for at, (who, _) in enumerate(lines) if who == mark[1:])
            questions.append((last, text))
    values = {name: value.split("|") for name, _, value in (slot.partition("=") for slot in slots)}
    return Block(title=title, slots=values, lines=tuple(lines), questions=tuple(questions))


def dialogues(name: str, each: int = 0) -> list[Dialogue]:
    """Talks of two people about everything in a file; `each`: how many questions a block has in one talk, 0 for all."""
    return [_talk(name, number, names.split(), each) for number, names in enumerate(_NAMES[name])]


def _talk(name: str, number: int, names: Sequence[str], each: int) -> Dialogue:
    dice = Random(f"{name} {number}")
    found, small = blocks(name)
    dice.shuffle(found)
    talk = _Talk(dice, names, small)
    asked: list[tuple[_Said, int]] = []
    for first in range(0, len(found), BLOCKS):
        for block in found[first : first + BLOCKS]:
            talk.chat()
            own = talk.tell(block)
            asked += [(one, len(talk.sessions)) for one in (own[number % len(own) :][:each] if each else own)]
        talk.chat()
        talk.close(timedelta(days=dice.randint(4, 13), hours=dice.randint(-3, 6)))
    sessions = talk.sessions
    questions = []
    for index, (one, session) in enumerate(asked):
        timed = name == "people" and index % 6 == 0 and not one.text.startswith(_NO_TIME)
        text = f"{one.text[:-1]} in {_MONTHS[sessions[session].at.month - 1]}?" if timed else one.text
        turn = sessions[session].turns[one.turn].id
        questions.append(Question(text=text, evidence=frozenset({turn}), category=TIMED if timed else SINGLE))
    return Dialogue(name=f"{name}-{number}", sessions=tuple(sessions), questions=tuple(questions))


class _Talk:
    """A talk of two people while it is put together."""

    def __init__(self, dice: Random, names: Sequence[str], small: Sequence[str]) -> None:
        self._dice, self._names = dice, names
        self._small = {kind: [one[2:] for one in small if one.startswith(f"{kind} ")] for kind in "abrq"}
        self._small[""] = [one for one in small if not one.startswith(("a ", "b ", "r ", "q "))]
        self._told: list[dict[str, str]] = []
        self._turns: list[Turn] = []
        self._at = FIRST
        self.sessions: list[Session] = []

    def _say(self, speaker: str, text: str) -> None:
        turn = _id(len(self.sessions), len(self._turns))
        self._turns.append(Turn(id=turn, speaker=speaker, text=text[:1].upper() + text[1:]))

    def chat(self) -> None:
        """Some small talk, and perhaps a word about something earlier."""
        for at, text in enumerate(self._dice.sample(self._small[""], self._dice.randint(1, 4))):
            self._say(self._names[at % 2], text)
        if self._told and self._small["r"] and self._dice.random() < OFTEN:
            known = self._dice.choice(self._told)
            at = 2 * self._dice.randrange(len(self._small["r"]) // 2)
            for who, text in zip("BA", self._small["r"][at : at + 2], strict=True):
                self._say(known[who], text.format(**known))

    def tell(self, block: Block) -> list[_Said]:
        """A block with its slots filled, told by one of the two; the questions about it."""
        dice, first = self._dice, len(self._turns)
        a, b = self._names if dice.random() < OFTEN else reversed(self._names)
        known = {name: dice.choice(values) for name, values in block.slots.items()}
        known |= {"A": a, "B": b, "t": block.title}
        for who, text in block.lines:
            self._say(known[who.upper()], text.format(**known))
        if self._small["a"]:
            for at in dice.sample(range(len(self._small["a"])), dice.randint(0, 2)):
                self._say(b, self._small["b"][at].format(**known))
                self._say(a, self._small["a"][at].format(**known))
            self._told.append(known)
        asked = [_Said(text=text.format(**known), turn=first + line) for line, text in block.questions]
        if self._small["q"]:
            asked.append(_Said(text=dice.choice(self._small["q"]).format(**known), turn=first))
            asked += [self._half_remembered(first, len(block.lines), known) for _ in block.lines[1:]]
        return asked

    def _half_remembered(self, first: int, lines: int, known: Mapping[str, str]) -> _Said:
        """A question with some words of a line and of those beside it, one of them in another word."""
        dice = self._dice
        turn = dice.choices(range(first, first + lines), [len(one.text) for one in self._turns[first : first + lines]])[
            0
        ]
        beside = self._turns[max(first, turn - 1) : turn] or self._turns[turn + 1 : turn + 2]
        own, others = _telling(self._turns[turn].text), [word for one in beside for word in _telling(one.text)]
        words = dice.sample(own, min(len(own), dice.randint(1, 3)))
        words += dice.sample(others, min(len(others), dice.randint(0, 2)))
        if dice.random() < OFTEN:
            words.append(known["t"])
        near = list(near_to(words[0]))[:NEAREST] if words else []
        words = [dice.choice(near), *words[1:]] if near else words
        dice.shuffle(words)
        who = self._turns[turn].speaker
        if dice.random() < MISTAKEN:
            who = known["A"] if who == known["B"] else known["B"]
        text = dice.choice(_HALF_REMEMBERED)
        return _Said(text=text.format(", ".join(words[:-1]), words[-1] if words else "", A=who), turn=turn)

    def close(self, pause: timedelta) -> None:
        """End a session; the next one is later."""
        self.sessions.append(Session(at=self._at, turns=tuple(self._turns)))
        self._turns = []
        self._at += pause


def _id(session: int, turn: int) -> str:
    return f"D{session + 1}:{turn + 1}"


def _telling(text: str) -> list[str]:
    return sorted({word for word in terms(text) if word not in stop.ENGLISH and len(word) > SHORT})


def assistant() -> list[Dialogue]:
    """Talks of one person with a model, each about one subject."""
    found, small = blocks("assistant")
    return [_consultation(number, block, small) for number, block in enumerate(found)]


def _consultation(number: int, block: Block, small: Sequence[str]) -> Dialogue:
    dice = Random(f"assistant {number}")
    words = [word.strip() for word in " ".join([block.title, *block.slots]).split(",")]
    fillers = [(ask, answer) for ask, answer in zip(small[::2], small[1::2], strict=True)]
    told: list[list[tuple[str, str, int | None]]] = []
    for line, (who, text) in enumerate(block.lines):
        if who == "u":
            told.append([])
        told[-1].append((who, text, line))
    for one in told:
        if one[-1][0] == "u":
            one.append(("m", _filled(dice, fillers[dice.randrange(len(fillers))][1], words), None))
    while sum(map(len, told)) < MESSAGES:
        ask, answer = dice.choice(fillers)
        values = _filled(dice, f"{ask}\n{answer}", words).split("\n")
        told.append([("u", values[0][2:], None), ("m", values[1], None)])
    dice.shuffle(told)
    flat = [each for one in told for each in one]
    size = MESSAGES // SITTINGS
    places = {line: (at // size, at % size) for at, (_, _, line) in enumerate(flat) if line is not None}
    sessions = tuple(
        Session(
            at=FIRST + timedelta(days=17 * session + number),
            turns=tuple(
                Turn(
                    id=_id(session, at),
                    speaker="" if who == "u" else ASSISTANT,
                    text=text.removeprefix("m ").removeprefix("u "),
                )
                for at, (who, text, _) in enumerate(flat[session * size : (session + 1) * size])
            ),
        )
        for session in range(SITTINGS)
    )
    questions = []
    for index, (line, text) in enumerate(block.questions):
        session, at = places[line]
        timed = index % 6 == 0
        month = _MONTHS[sessions[session].at.month - 1]
        questions.append(
            Question(
                text=f"{text[:-1]}, as we talked about it in {month}?" if timed else text,
                evidence=frozenset({_id(session, at)}),
                category=TIMED if timed else SINGLE,
            )
        )
    return Dialogue(name=f"assistant-{number}", sessions=sessions, questions=tuple(questions))


def _filled(dice: Random, text: str, words: Sequence[str]) -> str:
    one, other, third = dice.sample(words, 3)
    return text.format(n1=one, n2=other, n3=third)


def dated() -> Dialogue:
    """A year of talk in which the same things happen to both several times, and questions that name when."""
    dice = Random("dated")
    found, small = blocks("people")
    talk = _Talk(dice, _NAMES["people"][0].split(), small)
    asked: list[tuple[_Said, int]] = []
    for week in range(WEEKS):
        for block in dice.sample(found, 2):
            talk.chat()
            asked += [(one, week) for one in talk.tell(block) if not one.text.startswith(_NO_TIME)]
        talk.close(timedelta(days=7 + dice.randint(-1, 1)))
    sessions = talk.sessions
    now = sessions[-1].at + timedelta(days=1)
    questions = tuple(
        Question(
            text=f"{one.text[:-1]} {_when(dice, sessions[week].at, now)}?",
            evidence=frozenset({sessions[week].turns[one.turn].id}),
            category=TIMED,
        )
        for one, week in dice.sample(asked, DATED)
    )
    return Dialogue(name="dated", sessions=tuple(sessions), questions=questions)


def _when(dice: Random, at: datetime, now: datetime) -> str:
    """Words for a day, as somebody would say them later."""
    away = (now.date() - at.date()).days
    month = f"in {_MONTHS[at.month - 1]}"
    ways = [month, f"on {at.day} {_MONTHS[at.month - 1]}", f"on {_MONTHS[at.month - 1]} {at.day}"]
    if away < 2 * len(_DAYS):
        ways = [f"{away} days ago", "last week" if at.isocalendar().week + 1 == now.isocalendar().week else month]
    elif away < 10 * len(_DAYS):
        ways.append(f"{round(away / 7)} weeks ago")
    return dice.choice(ways)


def short() -> list[Dialogue]:
    """A hundred queries of one or two words of a turn, every fifth one of them a phrase in quotes."""
    dice = Random("short")
    found = dialogues("people")[:SHORT_TALKS]
    return [
        Dialogue(
            name=each.name,
            sessions=each.sessions,
            questions=tuple(_few_words(dice, each, number) for number in range(SHORT_QUERIES // len(found))),
        )
        for each in found
    ]


def _few_words(dice: Random, dialogue: Dialogue, number: int) -> Question:
    turns = [turn for session in dialogue.sessions for turn in session.turns]
    turn = dice.choice([one for one in turns if len(_telling(one.text)) > PHRASE])
    text = dice.choice(_telling(turn.text))
    if number % 5 == 0:
        words = turn.text.split()
        at = dice.randrange(len(words) - PHRASE)
        text = '"{}"'.format(" ".join(words[at : at + PHRASE]).replace('"', ""))
    elif number % 2:
        text = " ".join(dice.sample(_telling(turn.text), 2))
    return Question(text=text, evidence=frozenset({turn.id}), category=SINGLE)
