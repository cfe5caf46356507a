"""Entries about memory, as sessions hold them."""

from datetime import UTC, datetime, timedelta

from holdfast.ids import FactId, Position, SessionKey
from holdfast.records.facts import AddFact, Consolidated, FactOperation, Forgotten, ReplaceFact
from holdfast.session.facts import ScopeRecord, fact_id

BEGAN = datetime(2026, 11, 16, tzinfo=UTC)


def adds(*texts: str) -> Consolidated:
    """Facts are added, each standing on itself."""
    return Consolidated(
        upto=Position(0), facts=tuple(AddFact(section="person", text=text, quote=text) for text in texts)
    )


def changes(*operations: FactOperation) -> Consolidated:
    """Something else happens to facts."""
    return Consolidated(upto=Position(0), facts=operations)


def replaces(fact: FactId, text: str) -> ReplaceFact:
    """A fact takes the place of another."""
    return ReplaceFact(fact=fact, section="person", text=text, quote=text)


def at(entry: Consolidated | Forgotten, pos: int, *, key: str = "a") -> ScopeRecord:
    """An entry that was written at a minute."""
    return ScopeRecord(key=SessionKey(key), pos=Position(pos), at=BEGAN + timedelta(minutes=pos), entry=entry)


def named(pos: int, number: int = 0, *, key: str = "a") -> FactId:
    """The id of a fact."""
    return fact_id(SessionKey(key), Position(pos), number)
