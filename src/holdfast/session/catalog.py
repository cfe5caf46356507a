"""What can be asked about all sessions at once; derived from the logs, behind them, never in front."""

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Literal, Protocol, overload

from holdfast.ids import FactId, Position, SessionKey
from holdfast.records.codec import Record
from holdfast.records.entries import (
    Delivered,
    Entry,
    Fork,
    GoalSet,
    ModelReplied,
    Origin,
    ToolFinished,
    UserSaid,
    said_at,
)
from holdfast.records.facts import Consolidated, Forgotten, ForgottenWords, MemoryShown
from holdfast.records.parts import Value, plain_text
from holdfast.records.printable import printable_line
from holdfast.session.facts import CoreFacts, MemoryFact, Scope, ScopeFacts
from holdfast.session.search_text import SearchText
from holdfast.session.state import forked

PREVIEW = 120
"""How many characters a preview has at most."""
SNIPPET = 160
"""How many characters a find shows at most."""
SCRIPT = "print"
"""The host of what `holdfast -p` says: not of a person."""


Speaker = Literal["", "script", "person"]
"""Who spoke in a session."""


def speaker(known: Speaker, records: Iterable[Record]) -> Speaker:
    """Who spoke in a session after some more records."""
    for entry in (record.entry for record in records):
        if isinstance(entry, UserSaid):
            script = entry.source is not None and entry.source.host == SCRIPT
            known = (known or "script") if script else "person"
    return known


def preview_of(entry: Entry) -> str:
    """What a list shows of a session that has no title: the first words of a person, or the goal it began with."""
    match entry:
        case UserSaid(source=source, parts=parts) if source is None or not source.is_engine:
            return printable_line(plain_text(parts), PREVIEW)
        case GoalSet(objective=objective):
            return printable_line(objective, PREVIEW)
        case _:
            return ""


class Listed(Value, frozen=True, kw_only=True):
    """One session in a list."""

    key: SessionKey
    title: str
    """As described, or ''."""
    preview: str
    """The first thing the user said, made safe to show, on one line."""
    created: datetime
    updated: datetime
    entries: int
    messages: int
    turns: int
    size: int
    """In bytes, attachments included."""
    tags: tuple[str, ...] = ()
    archived: bool = False
    workspace: str = ""
    """The identity of the folder it is about; '' if it is about none."""
    owner: str = ""
    """Who it belongs to; '' is the person of this machine."""
    due: datetime | None = None
    """When it is to be woken next."""
    damaged: int = 0
    """Stretches of the log that are no entries."""
    speaker: Speaker = ""
    """Whether a person or a program spoke in it, or nobody but `holdfast -p`; '' before anything was said."""
    origin: Origin | None = None
    """What it was forked or imported from."""

    @property
    def name(self) -> str:
        """What people know it by: its title, its first words, or its key."""
        name = self.title or self.preview or self.key
        return forked(name) if isinstance(self.origin, Fork) and not self.title else name


class Page(Value, frozen=True, kw_only=True):
    """Some sessions, newest first."""

    sessions: tuple[Listed, ...]
    cursor: str = ""
    """Give it back to get the next page; '' when there is none."""
    waiting: int = 0
    """Sessions that the catalog has yet to look at: they may be missing here, or have changed. 0 if it is complete."""


class Wanted(Value, frozen=True, kw_only=True):
    """Which sessions a list is to have."""

    limit: int = 50
    cursor: str = ""
    archived: bool | None = False
    """None for both."""
    tag: str = ""
    workspace: str = ""
    """Only those about this folder; '' for all."""
    owner: str | None = None
    """Only those of this owner; '' is the person of this machine, None is for all."""
    scripts: bool = True
    """Whether those are there too in which nobody but `holdfast -p` spoke."""


class ChangedRows(Value, frozen=True, kw_only=True):
    """What changed in the list since somebody asked last."""

    rows: tuple[Listed, ...] = ()
    """Sessions that are new or changed, as they are now. One may be there that did not change."""
    removed: tuple[SessionKey, ...] = ()
    more: bool = False
    """Whether others changed as well: ask again at once."""
    lost: bool = False
    """Whether it cannot be said what changed, because the catalog was made anew: read the list again."""


class RowChanges(Protocol):
    """Asks again and again what changed in a list, also through other processes on the same store."""

    async def take(self, limit: int = 100) -> ChangedRows:
        """What changed since this was asked last, or since it was begun; at most so many rows at once."""
        ...


class Due(Value, frozen=True, kw_only=True):
    """A session that is to be woken."""

    key: SessionKey
    at: datetime
    """The earliest time that it asks for."""


class Hit(Value, frozen=True, kw_only=True):
    """Something said, found by its words."""

    key: SessionKey
    pos: Position
    """Where to jump to."""
    at: datetime
    role: str
    """user, model, tool, delivered, title."""
    snippet: str
    """The words around the find, made safe to show, on one line."""
    score: float


class Hits(Sequence[Hit]):
    """What a search found, the best first; it is equal to a tuple of the same."""

    __slots__ = ("_hits", "waiting")

    def __init__(self, hits: Iterable[Hit] = (), *, waiting: int = 0) -> None:
        """Keep some finds."""
        self._hits = tuple(hits)
        self.waiting = waiting
        """Sessions that the catalog has yet to look at: something in them may be missing here. 0 if it is complete."""

    @overload
    def __getitem__(self, at: int) -> Hit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, at: int | slice) -> Hit | tuple[Hit, ...]:
        """One of them, or some."""
        return self._hits[at]

    def __len__(self) -> int:
        """How many there are."""
        return len(self._hits)

    def __eq__(self, other: object) -> bool:
        """Whether the same was found."""
        return self._hits == (tuple(other) if isinstance(other, Hits | tuple) else other)

    def __hash__(self) -> int:
        """Equal finds have equal hashes."""
        return hash(self._hits)

    def __repr__(self) -> str:
        """For those who look for a fault."""
        return f"Hits({self._hits!r}, waiting={self.waiting})"


def hit(key: SessionKey, record: Record, said: SearchText, asked: Sequence[str], score: float) -> Hit:
    """A find, with the words around what was asked for."""
    folded = said.text.casefold()
    places = [folded.find(word.casefold()) for word in asked]
    start = max(0, min((place for place in places if place >= 0), default=0) - SNIPPET // 3)
    shown = f"…{said.text[start:]}" if start else said.text
    return Hit(
        key=key, pos=record.pos, at=record.when, role=said.role, snippet=printable_line(shown, SNIPPET), score=score
    )


def is_message(record: Record) -> bool:
    """Whether an entry is something that was said."""
    return isinstance(record.entry, UserSaid | ModelReplied | ToolFinished | Delivered)


def is_use(record: Record) -> bool:
    """Whether an entry is a use of a session: what is remembered of it is written down behind it, by itself."""
    return not isinstance(record.entry, Consolidated | Forgotten | MemoryShown)


def used_at(records: Sequence[Record]) -> datetime:
    """When a session was used last: what is noted behind a message from elsewhere makes it no newer."""
    records = [record for record in records if is_use(record)] or records
    last = next((record for record in reversed(records) if is_message(record)), None)
    return records[-1].at if last is None or said_at(last.entry) is None else last.when


class Progress(Value, frozen=True, kw_only=True):
    """How far the catalog has come."""

    done: int
    total: int
    key: SessionKey


class Catalog(Protocol):
    """The list and the search index of a store.

    Whatever was appended and acknowledged before a call is in its answer; the catalog
    catches up first where it has to. Where that takes longer than a moment, it answers from what it
    has, and the answer says how many sessions wait; it catches up behind the answers. What
    this process wrote, and a session that was asked for by name, come first. A missing, outdated or damaged
    catalog is made anew from the logs without being asked.
    """

    async def page(self, wanted: Wanted) -> Page:
        """Sessions by the time of their last entry, newest first. Raises `BadInput` for a foreign cursor."""
        ...

    async def due(self, *, limit: int = 100, workspace: str = "", goals: bool | None = None) -> tuple[Due, ...]:
        """Sessions that are to be woken, the earliest first; of all workspaces, or of one.

        Those with an active goal come first, at `goals.ALWAYS`; with `goals` only they are given, or all but they.
        """
        ...

    async def changes(self) -> RowChanges:
        """Look for changes of the list from now on. Nothing runs between two looks, and nobody is told of them."""
        ...

    async def search(
        self,
        text: str,
        *,
        limit: int = 10,
        key: SessionKey | None = None,
        owner: str | None = None,
        now: datetime | None = None,
    ) -> Hits:
        """The best finds, in all sessions or in one.

        Of a few words all are wanted, and a "phrase in quotes" is wanted as it stands. In a question (four words or
        more, or a text without spaces of more than four characters) everything counts and nothing is required. Words
        that name a time are relative to `now`; a time alone finds what was said then. With an `owner`, only sessions
        of that one are searched; what others said is in the way of nothing.
        """
        ...

    async def memory(self, scope: Scope) -> ScopeFacts:
        """All that is remembered in a scope: the fold of what its sessions, and the log of the scope, say of it.

        Entries on branches that were left, and sessions in the trash, say nothing.
        """
        ...

    async def core(self, scope: Scope, most: int) -> CoreFacts:
        """The facts that may stand in a system text, as `core_of` chooses them, without reading a log."""
        ...

    async def facts(self, scope: Scope, ids: Sequence[FactId]) -> tuple[MemoryFact, ...]:
        """Some facts of a scope by their ids, also those that hold no longer; one that is not known is left out."""
        ...

    async def forgotten(self) -> frozenset[ForgottenWords]:
        """Where something stands that is forgotten, in all scopes."""
        ...

    async def near(self, key: str, limit: int = 3) -> tuple[SessionKey, ...]:
        """The keys most like one that does not exist."""
        ...

    async def settle(self) -> None:
        """Wait until the catalog has caught up with everything appended so far."""
        ...

    def catch_up(self) -> AsyncIterator[Progress]:
        """Catch up with everything appended so far, saying how far it has come."""
        ...

    def rebuild(self) -> AsyncIterator[Progress]:
        """Make the catalog anew from the logs, saying how far it has come."""
        ...

    async def renew(self, key: SessionKey) -> None:
        """Read one session again from its beginning, because what was read once may be damaged by now."""
        ...

    async def forget(self, key: SessionKey) -> None:
        """Leave no byte of a session that was removed."""
        ...

    async def close(self) -> None:
        """Stop following the logs. Closing twice is once."""
        ...


def nearest(key: str, keys: Sequence[SessionKey], limit: int) -> tuple[SessionKey, ...]:
    """The keys most like one, whatever the case of their letters."""
    folded = get_close_matches(key.casefold(), {each.casefold() for each in keys}, limit)
    return tuple([each for near in folded for each in keys if each.casefold() == near][:limit])
