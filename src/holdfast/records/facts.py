"""What is said about facts that are remembered: entries, and the operations in them.

An operation names the words it stands on: a quote, and the positions of the entries it was said in.
"""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec

from holdfast.ids import FactId, Position, SessionKey
from holdfast.records.parts import Usage, Value

Section: TypeAlias = Literal["person", "preference", "correction", "decision", "project", "place"]
"""What a fact is about; a place is one in time: an appointment, a date, a journey."""

Made: TypeAlias = Literal["consolidated", "remembered", "edited"]
"""Who made a fact: consolidation, somebody who asked for it, or the person who edited a file."""


class _Cited(Value, frozen=True, kw_only=True):
    quote: str = ""
    """The words it stands on, as they were said; '' where the person typed the fact itself."""
    at: tuple[Position, ...] = ()
    """The entries that the quote stands in."""
    said: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    """When that was said; without it, when the operation was written."""


class AddFact(_Cited, frozen=True, kw_only=True, tag_field="op", tag="add"):
    """A fact is remembered."""

    section: Section
    text: str


class ReplaceFact(_Cited, frozen=True, kw_only=True, tag_field="op", tag="replace"):
    """A fact takes the place of another one, which is kept with the time until which it held."""

    fact: FactId
    section: Section
    text: str


class RetractFact(_Cited, frozen=True, kw_only=True, tag_field="op", tag="retract"):
    """A fact holds no longer."""

    fact: FactId


class ConfirmFact(_Cited, frozen=True, kw_only=True, tag_field="op", tag="confirm"):
    """A fact was said again."""

    fact: FactId


FactOperation: TypeAlias = AddFact | ReplaceFact | RetractFact | ConfirmFact
"""One change of what is remembered."""


class RefusedFact(Value, frozen=True, kw_only=True):
    """An operation that was proposed and not accepted."""

    why: str
    """In words for a person."""
    text: str = ""
    """The fact as it was proposed; '' where it may hold a secret."""


class ForgottenWords(Value, frozen=True, kw_only=True):
    """Where something stands that is forgotten; never the words."""

    key: SessionKey
    pos: Position


class Consolidated(Value, frozen=True, kw_only=True, tag_field="kind", tag="consolidated"):
    """What is remembered changed: from all entries up to a position facts were drawn, or somebody asked for one."""

    upto: Position
    """The last entry that was looked at; consolidation goes on behind it."""
    day: str = ""
    """What was done, in one line; a summary, so it may be wrong."""
    facts: tuple[FactOperation, ...] = ()
    made: Made = "consolidated"
    refused: tuple[RefusedFact, ...] = ()
    """What the model proposed besides, and why it was not accepted."""
    usage: Usage | None = None


class Forgotten(Value, frozen=True, kw_only=True, tag_field="kind", tag="forgotten"):
    """Something is not remembered any more, and must not come back; it does not say what."""

    facts: tuple[FactId, ...] = ()
    words: tuple[ForgottenWords, ...] = ()
    """Where it was said: models are shown `[forgotten]` there."""
    salt: str = ""
    hashes: tuple[str, ...] = ()
    """Of the facts and the words, keyed by the salt: what was said before is known by them in a copy."""


class MemoryShown(Value, frozen=True, kw_only=True, tag_field="kind", tag="memory_shown"):
    """The model is told of these facts from now on."""

    core: tuple[FactId, ...] | None = None
    """All that the system text says; absent where that stays, and the model is told of changes behind it."""
    more: int = 0
    """How many facts had no room there."""
    added: tuple[FactId, ...] = ()
    ended: tuple[FactId, ...] = ()


def new_facts(entry: Consolidated) -> tuple[str, ...]:
    """The facts that an entry adds or puts in the place of others."""
    return tuple(each.text for each in entry.facts if isinstance(each, AddFact | ReplaceFact))
