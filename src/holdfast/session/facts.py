"""What is remembered of a person: a fold over the entries of all sessions that are theirs, pure.

An operation counts while its entry is on the branch its session is on, in any session that has the entry: a fork shares
those of its original. Entries are folded by time, then key and position, so a rebuild gives the same facts.
"""

import hashlib
import unicodedata
from base64 import b32encode
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import assert_never

import msgspec

from holdfast.ids import FactId, Position, SessionKey
from holdfast.records.codec import Record
from holdfast.records.entries import Fork, Opened, Rewound
from holdfast.records.facts import (
    AddFact,
    ConfirmFact,
    Consolidated,
    FactOperation,
    Forgotten,
    ForgottenWords,
    Made,
    RefusedFact,
    ReplaceFact,
    RetractFact,
    Section,
)
from holdfast.records.parts import Value
from holdfast.session.state import Jump, on_path, path_to

PERSON = "me"
"""The name of the scope of the person of this machine."""
OTHERS = "of:"
"""What the names of all other scopes begin with."""
REFUSALS = 100
"""So many of the newest refusals are shown."""
_ID_CHARACTERS = 8


class Scope(Value, frozen=True, kw_only=True):
    """Whose memory it is; every way to a fact names one."""

    owner: str
    """Who its sessions belong to; '' is the person of this machine."""

    @property
    def name(self) -> str:
        """What it is called in files and by commands; never empty."""
        return f"{OTHERS}{self.owner}" if self.owner else PERSON


def scope_named(name: str) -> Scope | None:
    """The scope of a name; None if there is none."""
    if name == PERSON:
        return Scope(owner="")
    return Scope(owner=name.removeprefix(OTHERS)) if name.startswith(OTHERS) and name != OTHERS else None


class MemoryFact(Value, frozen=True, kw_only=True):
    """Something that is remembered, with where it comes from."""

    id: FactId
    section: Section
    text: str
    quote: str
    key: SessionKey
    """The session it was written down in, or the scope."""
    pos: Position
    """Where."""
    at: tuple[Position, ...]
    """The entries of that session that the quote stands in."""
    said: datetime
    confirmed: datetime
    """When it was said last."""
    times: int = 1
    """How often it was said."""
    made: Made = "consolidated"
    until: datetime | None = None
    """When it ceased to hold; None while it holds."""
    successor: FactId | None = None
    """What took its place."""


class DayLine(Value, frozen=True, kw_only=True):
    """What was done in a session, in one line; a summary, so it may be wrong."""

    key: SessionKey
    pos: Position
    at: datetime
    text: str


class Refusal(Value, frozen=True, kw_only=True):
    """Something that was proposed and not accepted."""

    key: SessionKey
    at: datetime
    refused: RefusedFact


class DayUsage(Value, frozen=True, kw_only=True):
    """What consolidation used on a day (UTC)."""

    day: date
    tokens: int


class ScopeFacts(Value, frozen=True, kw_only=True):
    """All that is remembered in a scope."""

    facts: tuple[MemoryFact, ...] = ()
    """Also those that hold no longer, oldest first."""
    days: tuple[DayLine, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    forgotten: tuple[Forgotten, ...] = ()
    used: tuple[DayUsage, ...] = ()

    @property
    def current(self) -> tuple[MemoryFact, ...]:
        """The facts that hold."""
        return tuple(fact for fact in self.facts if fact.until is None)

    @property
    def words(self) -> tuple[ForgottenWords, ...]:
        """Where something stands that is forgotten."""
        return tuple(words for each in self.forgotten for words in each.words)

    def used_on(self, day: date) -> int:
        """How many tokens consolidation used on a day."""
        return sum(each.tokens for each in self.used if each.day == day)


class CoreFacts(Value, frozen=True, kw_only=True):
    """The facts that may stand in a system text."""

    facts: tuple[MemoryFact, ...] = ()
    """Those that were said most often and last, at most as many as were asked for, best first."""
    total: int = 0
    """How many hold."""
    words: tuple[ForgottenWords, ...] = ()


class ScopeRecord(Value, frozen=True, kw_only=True):
    """An entry about memory, with the session it was first written to."""

    key: SessionKey
    pos: Position
    at: datetime
    entry: Consolidated | Forgotten


def concerns_memory(record: Record) -> bool:
    """Whether the facts of a scope depend on an entry."""
    return isinstance(record.entry, Consolidated | Forgotten | Rewound | Opened)


def scope_records(key: SessionKey, records: Sequence[Record]) -> list[ScopeRecord]:
    """The entries about memory that count in a session, of those that concern it, in order."""
    home, homes, jumps = key, dict[Position, SessionKey](), list[Jump]()
    head = Position(-1)
    opened = [record for record in records if isinstance(record.entry, Opened)]
    for record, following in zip(opened, [*opened[1:], None], strict=True):
        # What a fork shares was written to its original, whose key its own opening names.
        if following is not None and isinstance(following.entry, Opened) and isinstance(following.entry.origin, Fork):
            homes[record.pos] = following.entry.origin.key
    for record in records:
        head = record.pos
        if isinstance(record.entry, Rewound):
            jumps.append(Jump(at=record.pos, to=record.entry.to))
            head = record.entry.to
    path = path_to(head, tuple(jumps))
    found = []
    for record in records:
        if isinstance(record.entry, Opened):
            home = homes.get(record.pos, key)
        if isinstance(record.entry, Consolidated | Forgotten) and on_path(record.pos, path):
            found.append(ScopeRecord(key=home, pos=record.pos, at=record.at, entry=record.entry))
    return found


def fact_id(key: SessionKey, pos: Position, number: int) -> FactId:
    """What a fact is called that was written to a session, as the operation of a number in an entry."""
    digest = hashlib.blake2b(f"{key}\0{pos}\0{number}".encode("utf-8", "surrogatepass"), digest_size=5).digest()
    return FactId(f"F{b32encode(digest).decode().lower()[:_ID_CHARACTERS]}")


def folded(text: str) -> str:
    """A text without what makes no difference to what it says: case, width, white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def keyed_hash(text: str, salt: str) -> str:
    """By which a text is known again that was forgotten."""
    words = folded(text).rstrip(".!。 ").encode("utf-8", "surrogatepass")
    return hashlib.blake2b(words, key=salt.encode()[:64], digest_size=16).hexdigest()


def fold_facts(records: Iterable[ScopeRecord]) -> ScopeFacts:
    """What some entries about memory come to."""
    unique = {(each.key, each.pos): each for each in records}
    ordered = sorted(unique.values(), key=lambda each: (each.at, each.key, each.pos))
    forgotten = [(each.at, each.entry) for each in ordered if isinstance(each.entry, Forgotten)]
    fold = _Fold(forgotten)
    for each in ordered:
        if isinstance(each.entry, Consolidated):
            fold.take(each, each.entry)
    return ScopeFacts(
        facts=tuple(fold.facts.values()),
        days=tuple(fold.days),
        refusals=tuple(fold.refusals[-REFUSALS:]),
        forgotten=tuple(entry for _, entry in forgotten),
        used=tuple(DayUsage(day=day, tokens=tokens) for day, tokens in sorted(fold.used.items())),
    )


class _Fold:
    """Facts in the making."""

    def __init__(self, forgotten: Sequence[tuple[datetime, Forgotten]]) -> None:
        self._forgotten = forgotten
        self._gone = {each for _, entry in forgotten for each in entry.facts}
        self._places = {(each.key, each.pos) for _, entry in forgotten for each in entry.words}
        self.facts: dict[FactId, MemoryFact] = {}
        self.days: list[DayLine] = []
        self.refusals: list[Refusal] = []
        self.used: Counter[date] = Counter()

    def take(self, record: ScopeRecord, entry: Consolidated) -> None:
        """Take the next entry."""
        for number, operation in enumerate(entry.facts):
            self._operate(record, number, operation, entry.made)
        if entry.day and not self._is_forgotten(record.key, (record.pos,), record.at, (entry.day,)):
            self.days.append(DayLine(key=record.key, pos=record.pos, at=record.at, text=entry.day))
        for each in entry.refused:
            if not self._is_forgotten(record.key, (), record.at, (each.text,)):
                self.refusals.append(Refusal(key=record.key, at=record.at, refused=each))
        if entry.usage is not None:
            self.used[record.at.date()] += entry.usage.input_tokens + entry.usage.output_tokens

    def _operate(self, record: ScopeRecord, number: int, operation: FactOperation, made: Made) -> None:
        said = operation.said or record.at
        match operation:
            case AddFact() | ReplaceFact():
                new = self._new(record, number, operation, made)
                if isinstance(operation, ReplaceFact):
                    self._end(operation.fact, said, new.id)
                # What is forgotten ends what it replaced all the same.
                words = (operation.text, operation.quote)
                if new.id not in self._gone and not self._is_forgotten(record.key, new.at, said, words):
                    self.facts[new.id] = new
            case RetractFact():
                self._end(operation.fact, said, None)
            case ConfirmFact():
                known = self.facts.get(operation.fact)
                if known is not None:
                    self.facts[known.id] = msgspec.structs.replace(
                        known, confirmed=max(known.confirmed, said), times=known.times + 1
                    )
            case _:
                assert_never(operation)

    def _new(self, record: ScopeRecord, number: int, operation: AddFact | ReplaceFact, made: Made) -> MemoryFact:
        said = operation.said or record.at
        return MemoryFact(
            id=fact_id(record.key, record.pos, number),
            section=operation.section,
            text=operation.text,
            quote=operation.quote,
            key=record.key,
            pos=record.pos,
            at=operation.at,
            said=said,
            confirmed=said,
            made=made,
        )

    def _end(self, fact: FactId, at: datetime, successor: FactId | None) -> None:
        known = self.facts.get(fact)
        if known is not None and known.until is None:
            self.facts[fact] = msgspec.structs.replace(known, until=at, successor=successor)

    def _is_forgotten(self, key: SessionKey, places: Iterable[Position], said: datetime, words: Iterable[str]) -> bool:
        """Whether something was said where, or before, it was forgotten."""
        if any((key, pos) in self._places for pos in places):
            return True
        return any(
            keyed_hash(text, entry.salt) in entry.hashes
            for at, entry in self._forgotten
            if said <= at and entry.hashes
            for text in words
            if text
        )


def settled(before: ScopeFacts, after: ScopeFacts, *, keep: bool) -> Consolidated | None:
    """What the log of a scope must say once a session is gone, for the facts to be as they were without its own.

    What a fact of it had replaced stays replaced. Its own facts go with it; `keep` keeps them, without their quotes.
    """
    held = {fact.id for fact in before.current}
    left = {fact.id for fact in after.facts}
    facts: list[FactOperation] = [RetractFact(fact=fact.id) for fact in after.current if fact.id not in held]
    if keep:
        gone = (fact for fact in before.current if fact.id not in left)
        facts += [AddFact(section=fact.section, text=fact.text, said=fact.said) for fact in gone]
    return Consolidated(upto=Position(-1), facts=tuple(facts), made="edited") if facts else None


def core_of(facts: ScopeFacts, most: int) -> CoreFacts:
    """The facts that may stand in a system text."""
    current = sorted(facts.current, key=core_rank)
    return CoreFacts(facts=tuple(current[:most]), total=len(current), words=facts.words)


def core_rank(fact: MemoryFact) -> tuple[int, float, FactId]:
    """The order in which facts find room: what was said most often, then what was said last."""
    return (-fact.times, -fact.confirmed.timestamp(), fact.id)
