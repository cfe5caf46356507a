"""How a session begins: what it says of itself from the start, and when that is written.

A session that begins with its first message exists only once there is one. Until then its entries are in memory
and on no disk, so that a chat that is opened and left leaves nothing behind.
"""

from collections.abc import AsyncIterator, Sequence

from holdfast.clock import Clock
from holdfast.ids import Position, SessionKey
from holdfast.records.codec import Record, encode
from holdfast.records.entries import CommandRan, Described, Entry, Import, Opened
from holdfast.records.parts import Value


class Beginning(Value, frozen=True, kw_only=True):
    """What a session says of itself from the start. It counts for a session that does not exist yet."""

    origin: Import | None = None
    """Where it was imported from."""
    about: Described = Described()
    """Its title, tags, workspace or owner."""
    with_first_message: bool = False
    """Whether it is created with the first message, and not when it is opened."""

    def entries(self, key: SessionKey) -> tuple[Entry, ...]:
        """The first entries of the log."""
        opened = Opened(key=key, origin=self.origin)
        return (opened,) if self.about == Described() else (opened, self.about)


class UnwrittenLog:
    """The entries of a session that is created with its first message, until there is one."""

    def __init__(self, clock: Clock) -> None:
        """Nothing is there yet."""
        self._clock = clock
        self._records: list[Record] = []

    @property
    def entries(self) -> list[Entry]:
        """What is to be written in front of the first message."""
        return [record.entry for record in self._records]

    def take(self, entries: Sequence[Entry]) -> list[Record] | None:
        """Keep entries that are no reason to create the session; None if one of them is."""
        if not all(isinstance(entry, Opened | Described | CommandRan) for entry in entries):
            return None
        records, _ = encode(entries, Position(len(self._records)), self._clock.now_ns())
        self._records += records
        return records

    async def read(self, start: int, stop: int | None) -> AsyncIterator[Record]:
        """The records from `start` up to, not including, `stop`, oldest first."""
        for record in self._records[start:stop]:
            yield record

    async def read_back(self, before: int | None) -> AsyncIterator[Record]:
        """The records before a position, or all, newest first."""
        for record in self._records[:before][::-1]:
            yield record
