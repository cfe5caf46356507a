"""A long conversation with tools, made up, the same in every run and for every contender.

A turn is something a person asks, one to five steps in which the model calls tools, and
an answer. Results are as long as results are: most a screen, some a few pages. Everyone
counts its tokens alike, at four bytes a token.
"""

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from bench.texts import said

TURNS = 500
ROOM = 32_000 - 4_096
"""Tokens for messages: the budget without what is kept for the reply. System text and tools, always the same, are not
counted: they would make every share better."""

_LONGEST = 8_000
_FRAME = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool is called."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message."""

    role: str
    """`user`, `assistant` or `tool`."""
    text: str
    calls: tuple[Call, ...] = ()
    call: str = ""
    """Which call this is the result of."""
    name: str = ""
    """And of which tool."""

    @property
    def tokens(self) -> int:
        """What it takes."""
        return counted(self.text, self.name, *(word for call in self.calls for word in (call.name, call.arguments)))


def counted(*texts: str) -> int:
    """Tokens of one message with these texts in it."""
    return _FRAME + sum(-(-len(text.encode()) // 4) for text in texts)


def conversation(turns: int = TURNS) -> Iterator[list[Line]]:
    """The lines of each turn."""
    dice = random.Random(5)
    words = " ".join(said())
    calls = 0
    for turn in range(turns):
        lines = [Line(role="user", text=said()[2 * turn % len(said())])]
        for _ in range(dice.randint(1, 5)):
            made = []
            for _ in range(dice.choices((1, 2, 3), (7, 2, 1))[0]):
                calls += 1
                made.append(_call(dice, calls))
            lines.append(Line(role="assistant", text=_cut(dice, words, 120), calls=tuple(made)))
            lines += [Line(role="tool", text=_result(dice, words), call=call.id, name=call.name) for call in made]
        lines.append(Line(role="assistant", text=said()[(2 * turn + 1) % len(said())]))
        yield lines


def _call(dice: random.Random, number: int) -> Call:
    name = dice.choice(("read_file", "run_command", "search"))
    return Call(id=f"call_{number}", name=name, arguments=f'{{"path": "src/{dice.getrandbits(40):010x}.py"}}')


def _result(dice: random.Random, words: str) -> str:
    return _cut(dice, words, min(_LONGEST, round(dice.lognormvariate(6.4, 1.0))))


def _cut(dice: random.Random, words: str, length: int) -> str:
    start = dice.randrange(len(words) - _LONGEST)
    return words[start : start + max(20, length)]


class Ledger:
    """What a provider that caches prompts sees, request by request."""

    def __init__(self) -> None:
        self._before: Sequence[tuple[Hashable, int]] = ()
        self._asked = self._reused = 0

    def ask(self, messages: Sequence[tuple[Hashable, int]]) -> None:
        """A request: each message, and its tokens. Reused is what begins like the request before."""
        same = True
        for index, (message, tokens) in enumerate(messages):
            same = same and index < len(self._before) and self._before[index][0] == message
            self._asked += tokens
            self._reused += tokens if same else 0
        self._before = messages

    @property
    def share(self) -> float:
        """Reused tokens, in percent of all."""
        return 100 * self._reused / self._asked

    @property
    def cost(self) -> float:
        """The price in thousands of tokens, where a reused one costs a tenth."""
        return (self._asked - 0.9 * self._reused) / 1_000


class Replay:
    """Has a conversation once, and gives one figure of its ledger."""

    def __init__(self, play: Callable[[Ledger], None], figure: str) -> None:
        self._play, self._figure = play, figure

    def round(self, count: int, seconds: float) -> list[float]:
        """The share of reused tokens, or what the requests cost."""
        del count, seconds
        ledger = Ledger()
        self._play(ledger)
        return [ledger.share if self._figure == "cache_reuse" else ledger.cost]

    def close(self) -> None:
        """Nothing is open."""
