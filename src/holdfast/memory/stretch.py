"""Stretches of a session that no fact was drawn from yet: whole turns, as a model is shown them.

Each entry has its position in front, so that a fact can cite it. A person's words are whole; what a model said and what
tools returned is context, and shortened.
"""

from collections.abc import AsyncIterator, Iterable

from holdfast.ids import Position
from holdfast.memory.own_words import by_person
from holdfast.model.estimate import Estimate
from holdfast.records.codec import Record
from holdfast.records.entries import Delivered, ModelReplied, ToolFinished, TurnEnded, UserSaid
from holdfast.records.parts import Value, plain_text
from holdfast.session.state import SessionState, on_path
from holdfast.session.store import Store

TOKENS = 6_000
"""A stretch has about so many tokens, unless its only turn is longer."""
OWN, REPLY, RESULT = 24_000, 800, 200
"""So many characters of an entry are shown: of a person's words, of a reply, of what a tool returned."""
_COUNT = Estimate()


class Stretch(Value, frozen=True, kw_only=True):
    """Some whole turns of one branch."""

    cursor: Position
    """Up to where facts were drawn before it."""
    last: Position
    records: tuple[Record, ...]
    text: str
    tokens: int
    more: bool = False
    """Whether turns follow it."""

    @property
    def has_words(self) -> bool:
        """Whether a person said anything in it."""
        return any(by_person(record.entry) for record in self.records)


async def next_stretch(store: Store, state: SessionState, most: int = TOKENS) -> Stretch | None:
    """The first turns that were not looked at yet; None if there are none that ended."""
    cursor = state.consolidated
    shown, lines, tokens = list[Record](), list[str](), 0
    turn, turn_lines = list[Record](), list[str]()
    last, more = cursor, False
    gone = await store.forgotten_in(state.key)
    async for record in _since(store, state, cursor):
        if record.pos not in gone:
            turn.append(record)
            line = shown_line(record)
            turn_lines += [line] if line else []
        if not _ends(record, state):
            continue
        size = _COUNT.count("\n".join(turn_lines))
        if shown and tokens + size > most:
            more = True
            break
        shown, lines, tokens, last = [*shown, *turn], [*lines, *turn_lines], tokens + size, record.pos
        turn, turn_lines = [], []
    if not lines:  # nothing was said: an entry about that would only call for the next one
        return None
    return Stretch(cursor=cursor, last=last, records=tuple(shown), text="\n".join(lines), tokens=tokens, more=more)


def _ends(record: Record, state: SessionState) -> bool:
    """Whether a turn ends there: also where a process was killed in the middle of the last one, and nothing runs."""
    return isinstance(record.entry, TurnEnded) or (record.pos == state.last and not state.in_turn)


async def _since(store: Store, state: SessionState, cursor: Position) -> AsyncIterator[Record]:
    path = state.path
    async for record in store.read(state.key, start=cursor + 1):
        if on_path(record.pos, path):
            yield record


def waiting_tokens(records: Iterable[Record]) -> int:
    """How long some entries are, as they would be shown."""
    return _COUNT.count("\n".join(filter(None, map(shown_line, records))))


def shown_line(record: Record) -> str:
    """An entry as a model is shown it that draws facts; '' for what says nothing."""
    match record.entry:
        case UserSaid() if not by_person(record.entry):
            who, text = "program", _cut(plain_text(record.entry.parts), REPLY)
        case UserSaid():
            who, text = f"{record.when:%Y-%m-%d %H:%M} person", _cut(plain_text(record.entry.parts), OWN)
            source = record.entry.source
            who = f"{who} ({source.sender})" if source is not None and source.sender else who
        case ModelReplied() | Delivered():
            who, text = "assistant", _cut(plain_text(record.entry.parts), REPLY)
        case ToolFinished():
            who, text = f"tool {record.entry.name}", _cut(plain_text(record.entry.parts), RESULT)
        case _:
            return ""
    return f"@{record.pos} {who}: {text}" if text.strip() else ""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} [… {len(text) - most} more characters]"
