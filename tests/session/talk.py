"""Short words for what the tests of sessions do again and again."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

from holdfast.clock import ManualClock
from holdfast.ids import CallId, Position
from holdfast.records.codec import Record, encode
from holdfast.records.entries import Checkpointed, Entry, ModelReplied, UserSaid
from holdfast.records.parts import Text, ToolCall, plain_text
from holdfast.session.state import PositionSpan, SessionState, fold

KEY = "team:alice"
T = TypeVar("T")


def at(number: int) -> Position:
    """A position."""
    return Position(number)


def said(text: str) -> UserSaid:
    """Something a user said."""
    return UserSaid(parts=(Text(text=text),))


def replied(text: str) -> ModelReplied:
    """Something a model answered."""
    return ModelReplied(parts=(Text(text=text),))


def called(*calls: str) -> ModelReplied:
    """A reply that asks for tools, each by the id of its call."""
    return ModelReplied(parts=tuple(ToolCall(id=CallId(call), name="tool") for call in calls), stop="called")


def records_of(*entries: Entry, first: int = 0) -> list[Record]:
    """Entries as they would stand in a log."""
    return encode(entries, Position(first), ManualClock().now_ns())[0]


def folded(records: Iterable[Record], state: SessionState | None = None) -> SessionState:
    """What records mean, after a state or from the beginning."""
    state = state or SessionState()
    for record in records:
        state = fold(state, record)
    return state


def meaning(*entries: Entry) -> SessionState:
    """What entries mean from the beginning of a log."""
    return folded(records_of(*entries))


def flat(spans: tuple[PositionSpan, ...]) -> list[int]:
    """Every position of a branch."""
    return [position for span in spans for position in range(span.first, span.last + 1)]


async def all_of(source: AsyncIterator[T]) -> list[T]:
    """Everything an iterator gives."""
    return [each async for each in source]


async def next_of(source: AsyncIterator[T], count: int) -> list[T]:
    """The next few things an iterator gives; fails rather than waiting for ever."""
    async with asyncio.timeout(20):
        return [await anext(source) for _ in range(count)]


def positions(records: list[Record]) -> list[int]:
    """Where records stand."""
    return [record.pos for record in records]


def texts(records: list[Record]) -> list[str]:
    """What was said, by users and models."""
    spoken = [record.entry for record in records if isinstance(record.entry, UserSaid | ModelReplied)]
    return [plain_text(entry.parts) for entry in spoken]


def entries(records: list[Record]) -> list[Entry]:
    """What records say, without checkpoints."""
    return [record.entry for record in records if not isinstance(record.entry, Checkpointed)]
