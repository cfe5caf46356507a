"""A catalog without an index: it scans the logs each time it is asked.

Right for logs in memory, and the model that the file catalog's tests compare with.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from holdfast.errors import BadInput
from holdfast.ids import FactId, Position, SessionKey
from holdfast.log.store import LogStore
from holdfast.records.codec import Record
from holdfast.records.facts import Forgotten, ForgottenWords
from holdfast.session.catalog import (
    ChangedRows,
    Due,
    Hits,
    Listed,
    Page,
    Progress,
    Wanted,
    hit,
    nearest,
    preview_of,
    speaker,
    used_at,
)
from holdfast.session.facts import (
    CoreFacts,
    MemoryFact,
    Scope,
    ScopeFacts,
    ScopeRecord,
    core_of,
    fold_facts,
    scope_records,
)
from holdfast.session.goals import ALWAYS
from holdfast.session.search_text import SearchText, words
from holdfast.session.state import SessionState, fold
from holdfast.stores.text_index.question import SearchQuery, shown
from holdfast.stores.text_index.scan import SaidText, answers


class _Nothing(AsyncIterator[Progress]):
    async def __anext__(self) -> Progress:
        raise StopAsyncIteration


class ComparedRows:
    """Changes of a list that is small enough to be compared as a whole."""

    def __init__(
        self,
        signs: Callable[[], Awaitable[Mapping[SessionKey, object]]],
        row: Callable[[SessionKey], Awaitable[Listed]],
        known: Mapping[SessionKey, object],
    ) -> None:
        """Begin with the `known` signs: something for each session that differs after each change of it."""
        self._signs, self._row, self._known = signs, row, dict(known)

    async def take(self, limit: int = 100) -> ChangedRows:
        """What changed since this was asked last."""
        now = await self._signs()
        changed = [key for key, sign in now.items() if self._known.get(key) != sign]
        rows = tuple([await self._row(key) for key in changed[:limit]])
        removed = tuple(key for key in self._known if key not in now)
        kept = {key: sign for key, sign in self._known.items() if key in now}
        self._known = kept | {key: now[key] for key in changed[:limit]}
        return ChangedRows(rows=rows, removed=removed, more=len(changed) > limit)


class ScanningCatalog:
    """The list and the search of any store, by reading it."""

    def __init__(self, logs: LogStore, scopes: LogStore | None = None) -> None:
        """Read from this store; what is said about memory outside of sessions is in the logs of the scopes."""
        self._logs, self._scopes = logs, scopes

    async def page(self, wanted: Wanted) -> Page:
        """Sessions by the time of their last entry, newest first."""
        rows = [await self._listed(key) async for key in self._logs.sessions()]
        rows = [
            row
            for row in rows
            if wanted.archived in {None, row.archived}
            and (not wanted.tag or wanted.tag in row.tags)
            and wanted.workspace in {"", row.workspace}
            and wanted.owner in {None, row.owner}
            and (wanted.scripts or row.speaker != "script")
        ]
        rows.sort(key=lambda row: (row.updated, row.key), reverse=True)
        if wanted.cursor and not wanted.cursor.isdecimal():
            raise BadInput(f"{wanted.cursor!r} is not a cursor of this list.", hint="Begin without one.")
        start = int(wanted.cursor or 0)
        end = start + max(0, wanted.limit)
        return Page(sessions=tuple(rows[start:end]), cursor=str(end) if end < len(rows) else "")

    async def due(self, *, limit: int = 100, workspace: str = "", goals: bool | None = None) -> tuple[Due, ...]:
        """Sessions that are to be woken, the earliest first."""
        rows = [await self._listed(key) async for key in self._logs.sessions()]
        found = [Due(key=row.key, at=row.due) for row in rows if row.due and workspace in {"", row.workspace}]
        found = [each for each in found if goals in {None, each.at == ALWAYS}]
        return tuple(sorted(found, key=lambda each: (each.at, each.key))[:limit])

    async def changes(self) -> ComparedRows:
        """Look for changes of the list from now on."""
        return ComparedRows(self._ends, self._listed, await self._ends())

    async def _ends(self) -> dict[SessionKey, object]:
        """The last entry of each session."""
        ends = dict[SessionKey, object]()
        async for key in self._logs.sessions():
            last = await anext(aiter(self._logs.read_back(key)))
            ends[key] = (last.pos, last.at)
        return ends

    async def _listed(self, key: SessionKey) -> Listed:
        records = [record async for record in self._logs.read(key)]
        verdict = await self._logs.verify(key)
        return listed(key, records, verdict.size, len(verdict.damaged))

    async def search(
        self,
        text: str,
        *,
        limit: int = 10,
        key: SessionKey | None = None,
        owner: str | None = None,
        now: datetime | None = None,
    ) -> Hits:
        """The newest entries that hold all the words; the best ones for a question."""
        keys = [each async for each in self._logs.sessions() if key in {None, each}]
        if owner is not None:
            keys = [each for each in keys if (await self._listed(each)).owner == owner]
        entries = [(each, record) for each in keys async for record in self._logs.read(each)]
        return search(entries, SearchQuery(text=text, now=now), limit)

    async def memory(self, scope: Scope) -> ScopeFacts:
        """All that is remembered in a scope."""
        found = list[ScopeRecord]()
        async for key in self._logs.sessions():
            records = [record async for record in self._logs.read(key)]
            if (await self._listed(key)).owner == scope.owner:
                found += scope_records(key, records)
        name = SessionKey(scope.name)
        if self._scopes is not None and await self._scopes.exists(name):
            found += scope_records(name, [record async for record in self._scopes.read(name)])
        return fold_facts(found)

    async def core(self, scope: Scope, most: int) -> CoreFacts:
        """The facts that may stand in a system text."""
        return core_of(await self.memory(scope), most)

    async def facts(self, scope: Scope, ids: Sequence[FactId]) -> tuple[MemoryFact, ...]:
        """Some facts by their ids."""
        return tuple(fact for fact in (await self.memory(scope)).facts if fact.id in ids)

    async def forgotten(self) -> frozenset[ForgottenWords]:
        """Where something stands that is forgotten."""
        if self._scopes is None:
            return frozenset()
        logs = [[record async for record in self._scopes.read(name)] async for name in self._scopes.sessions()]
        found = [record.entry for records in logs for record in records]
        return frozenset(words for each in found if isinstance(each, Forgotten) for words in each.words)

    async def near(self, key: str, limit: int = 3) -> tuple[SessionKey, ...]:
        """The keys most like one that does not exist."""
        return nearest(key, [each async for each in self._logs.sessions()], limit)

    def catch_up(self) -> AsyncIterator[Progress]:
        """It is never behind."""
        return _Nothing()

    async def rebuild(self) -> AsyncIterator[Progress]:
        """Nothing is kept, so nothing has to be made anew."""
        keys = [each async for each in self._logs.sessions()]
        for done, key in enumerate(keys, 1):
            yield Progress(done=done, total=len(keys), key=key)

    async def settle(self) -> None:
        """It is never behind."""

    async def renew(self, key: SessionKey) -> None:
        """It reads everything each time."""

    async def forget(self, key: SessionKey) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        """Nothing is open."""


def search(entries: Sequence[tuple[SessionKey, Record]], query: SearchQuery, limit: int) -> Hits:
    """The best finds among the entries of some sessions, each in its order; of those with all the words, the newest."""
    around = shown(query.text)
    numbers = {key: number for number, key in enumerate(dict.fromkeys(key for key, _ in entries))}
    found = {
        (numbers[key], record.pos): (key, record, said)
        for key, record in entries
        if (said := words(record.entry)) is not None
    }
    best = answers([_said(session, record, said) for (session, _), (_, record, said) in found.items()], query)
    if best is not None:
        hits = [hit(*found[one.session, Position(one.pos)], around, one.score) for one in best]
    else:
        wanted = [word.casefold() for word in around]
        holding = [
            each for each in found.values() if wanted and all(word in each[2].text.casefold() for word in wanted)
        ]
        hits = sorted((hit(*each, around, 1.0) for each in holding), key=lambda hit: hit.at, reverse=True)
    return Hits(hits[: max(0, limit)])


def _said(session: int, record: Record, said: SearchText) -> SaidText:
    return SaidText(
        session=session,
        pos=record.pos,
        text=said.text,
        person=said.role == "user",
        speaker=said.speaker,
        day=record.when.astimezone().toordinal(),
    )


def listed(key: SessionKey, records: list[Record], size: int, damaged: int) -> Listed:
    """What a list shows of a session with these records."""
    state = SessionState()
    preview = ""
    for record in records:
        state = fold(state, record)
        preview = preview or preview_of(record.entry)
    return Listed(
        key=key,
        title=state.title,
        preview=preview,
        created=records[0].at,
        updated=used_at(records),
        entries=len(records),
        messages=state.messages,
        turns=state.turns,
        size=size,
        tags=state.tags,
        archived=state.archived,
        workspace=state.workspace,
        owner=state.owner,
        due=min((wake.at for wake in state.wakes), default=None),
        damaged=damaged,
        speaker=speaker("", records),
        origin=state.origin,
    )
