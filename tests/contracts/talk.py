"""Short words for what the contract's tests do again and again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from holdfast.ids import Position, SessionKey
from holdfast.log.store import LogStore, LogWriter
from holdfast.records.codec import Record
from holdfast.records.entries import UserSaid
from holdfast.records.parts import Text, plain_text

KEY = SessionKey("team:alice")
FORK = SessionKey("team:alice, again")
T = TypeVar("T")


def said(text: str) -> UserSaid:
    """Something to append."""
    return UserSaid(parts=(Text(text=text),))


def at(number: int) -> Position:
    """A position."""
    return Position(number)


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
    """What was said."""
    return [plain_text(record.entry.parts) for record in records if isinstance(record.entry, UserSaid)]


@asynccontextmanager
async def writing(store: LogStore, key: SessionKey = KEY) -> AsyncIterator[LogWriter]:
    """Hold a log for a block of code."""
    writer = await store.acquire(key)
    try:
        yield writer
    finally:
        await writer.release()


async def say(writer: LogWriter, *words: str) -> None:
    """Append each word as an entry of its own."""
    for word in words:
        await writer.append([said(word)], expect=Position(writer.end + 1))


async def filled(store: LogStore, count: int, key: SessionKey = KEY) -> list[Record]:
    """Make a log of some entries, and give them."""
    async with writing(store, key) as writer:
        await say(writer, *(f"word {number}" for number in range(count)))
    return await all_of(store.read(key))
