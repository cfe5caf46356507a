"""Whether what an entry names is there: checked before it is written.

A log takes back nothing, so a pin or a result for something that does not exist, a message without
words, and an id that was used for another message are refused while whoever made the mistake can hear of it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from holdfast.errors import BadInput
from holdfast.ids import CallId, ClientId, Position
from holdfast.records.codec import Record
from holdfast.records.entries import Entry, ModelReplied, Pinned, ToolFinished, Unpinned, UserSaid
from holdfast.records.parts import Part, Text, ToolCall
from holdfast.session.state import SessionState

TURN = 256
"""After how many entries of one append or one log the event loop gets its turn."""


class ReadableLog(Protocol):
    """The log of one session."""

    def read(self, *, start: int = 0, stop: int | None = None) -> AsyncIterator[Record]:
        """Every record from `start` up to, not including, `stop`, oldest first."""
        ...

    def read_back(self, *, before: int | None = None) -> AsyncIterator[Record]:
        """The records before a position, or all, newest first."""
        ...


def must_say_something(parts: Sequence[Part]) -> None:
    """Refuse a message without a word and without an attachment. Raises `BadInput`."""
    if all(isinstance(part, Text) and (not part.text or part.text.isspace()) for part in parts):
        raise BadInput("There is nothing to say: the text is empty.", hint="Give at least one word or an attachment.")


async def must_exist(log: ReadableLog, state: SessionState, entries: Sequence[Entry]) -> None:
    """Refuse entries that name what is not there. Raises `BadInput`; most entries name nothing, and cost nothing."""
    called: set[CallId] | None = None
    said: dict[ClientId, UserSaid] = {}
    for index, entry in enumerate(entries):
        if index % TURN == TURN - 1:
            await asyncio.sleep(0)
        match entry:
            case ToolFinished():
                called = _called(state, entries) if called is None else called
                if entry.call not in called:
                    await _must_have_called(log, entry)
            case Pinned() | Unpinned() if not state.last < entry.target <= state.last + index:
                _must_be_there(state, entry.target)
            case UserSaid(client_id=str(client)):
                before = said.setdefault(client, entry)
                pos = next((each.pos for each in state.said if each.client_id == client), None)
                if before.parts != entry.parts or (pos is not None and not await _same(log, pos, entry)):
                    raise said_otherwise(client, pos)
            case _:
                pass


def said_otherwise(client: str, pos: Position | None) -> BadInput:
    """What is said of a client id that was used for other words, where that message stands."""
    place = "" if pos is None else f" at position {pos}"
    return BadInput(
        f"The client id {client!r} was used before{place}, with other words.",
        hint="Give each message an id of its own; the same id is for sending the same message again.",
    )


def _called(state: SessionState, entries: Sequence[Entry]) -> set[CallId]:
    """The calls that wait for a result, or are written with it."""
    replies = (entry for entry in entries if isinstance(entry, ModelReplied))
    fresh = {part.id for reply in replies for part in reply.parts if isinstance(part, ToolCall)}
    return fresh | {each.call for each in state.open_calls}


async def _must_have_called(log: ReadableLog, entry: ToolFinished) -> None:
    """A result may be late, or a second one; but some reply must have asked for it."""
    async for record in log.read_back():
        reply = record.entry
        if isinstance(reply, ModelReplied) and any(
            isinstance(part, ToolCall) and part.id == entry.call for part in reply.parts
        ):
            return
    raise BadInput(
        f"There is no call {entry.call!r} that {entry.name!r} could have answered.",
        hint="Write the reply with the call first, and give its id.",
    )


def _must_be_there(state: SessionState, target: Position) -> None:
    if not 0 <= target <= state.last:
        raise BadInput(
            f"There is no entry at position {target} to pin.", hint=f"Positions go from 0 to {state.last} here."
        )


async def _same(log: ReadableLog, pos: Position, entry: UserSaid) -> bool:
    """Whether a message says what stands at a position; what cannot be read any more is taken for the same."""
    there = [record.entry async for record in log.read(start=pos, stop=pos + 1)]
    return all(isinstance(each, UserSaid) and each.parts == entry.parts for each in there)
