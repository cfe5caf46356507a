"""What was said, looked at from its end: only as much of the log is read as somebody wants to see."""

from collections.abc import AsyncIterator

from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import TurnEnded, UserSaid
from holdfast.records.parts import Value, plain_text
from holdfast.session.writer import Session


class PastTurn(Value, frozen=True, kw_only=True):
    """A turn of the conversation as it is now."""

    before: Position
    """Where the conversation stood when it began."""
    said: str
    """What the person said to begin it; '' if that was said while another turn ran."""


async def newest_first(session: Session) -> AsyncIterator[Record]:
    """The records of the conversation as it is now, from its end to its beginning."""
    for span in reversed(session.state.path):
        async for record in session.read_back(before=span.last + 1):
            if record.pos < span.first:
                break
            yield record


async def turns_back(session: Session) -> AsyncIterator[PastTurn]:
    """The turns, the last first."""
    inside = False
    async for record in newest_first(session):
        entry = record.entry
        if isinstance(entry, TurnEnded):
            if inside:
                yield PastTurn(before=record.pos, said="")
            inside = True
        elif isinstance(entry, UserSaid) and entry.enters == "now":
            yield PastTurn(before=Position(record.pos - 1), said=plain_text(entry.parts))
            inside = False


async def said_since(session: Session, position: int) -> bool:
    """Whether a person said anything after a position."""
    async for record in newest_first(session):
        if record.pos <= position:
            return False
        if isinstance(record.entry, UserSaid):
            return True
    return False


async def first_said_after(session: Session, position: int) -> str:
    """The first thing a person said after a position of the conversation as it is now; '' if nothing was said."""
    said = ""
    async for record in newest_first(session):
        if record.pos <= position:
            break
        if isinstance(record.entry, UserSaid):
            said = plain_text(record.entry.parts)
    return said


async def last_said(session: Session) -> str:
    """The last thing a person said in the conversation as it is now; '' if nothing was said."""
    async for record in newest_first(session):
        if isinstance(record.entry, UserSaid):
            return plain_text(record.entry.parts)
    return ""
