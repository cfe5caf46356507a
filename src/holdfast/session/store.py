"""Many conversations in one place: what a program imports to keep them.

It joins a log store and its catalog. Everything here takes plain strings and
numbers, and gives typed values back.
"""

import builtins  # in the class `list` is its method
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from types import TracebackType
from typing import Self

import msgspec

from holdfast.clock import Clock, at_time
from holdfast.errors import BadInput, BadKey, BeyondEnd, LogError, NoSession, NotThere, ReadOnly
from holdfast.ids import BlobId, FactId, Position, SessionKey
from holdfast.log.lease import Holder
from holdfast.log.store import LogStore, StoreAbout, Trashed, Verdict
from holdfast.records.codec import Record
from holdfast.records.entries import Drafted
from holdfast.records.facts import Consolidated, Forgotten
from holdfast.session.branch import no_position
from holdfast.session.catalog import Catalog, Due, Hits, Listed, Page, Progress, RowChanges, Wanted
from holdfast.session.facts import CoreFacts, MemoryFact, Scope, ScopeFacts, settled
from holdfast.session.first_entries import Beginning
from holdfast.session.load_state import load_state
from holdfast.session.state import SessionState, on_path
from holdfast.session.unforgotten import ShownChanges, Unforgotten
from holdfast.session.writer import Session, open_session

SCOPE_SECONDS = 5.0
"""How long another process is waited for that writes to the log of a scope: it has it only for the append."""
MOST_FORGOTTEN = 200
"""A search looks for so many more finds at most, in place of those that are forgotten."""
DAMAGED = "`holdfast verify` says what is damaged."


def session_key(text: str) -> SessionKey:
    """Check that `text` can name a session."""
    given: object = text  # a chat's number comes from programs that are not type-checked
    if not isinstance(given, str) or not given:
        what = "is empty" if given == "" else f"is a string, not {given!r}"
        raise BadKey(f"A session key {what}.", hint="Give any non-empty string, such as 'notes' or 'team:alice'.")
    return SessionKey(text)


def _limit(number: int) -> int:
    if number < 1:
        raise BadInput(f"At most {number} is none at all.", hint="Give a limit from 1.")
    return number


class Store:
    """Conversations that cannot be lost."""

    def __init__(self, logs: LogStore, catalog: Catalog, clock: Clock, scopes: LogStore | None = None) -> None:
        """Join a log store and its catalog; `holdfast.open_store` does it for you.

        The logs of the scopes hold what is said about memory outside of sessions; without them there is no such thing.
        """
        self._logs, self._catalog, self._clock, self._scopes = logs, catalog, clock, scopes
        self._unforgotten = Unforgotten(logs, catalog)

    @asynccontextmanager
    async def session(
        self,
        key: str,
        *,
        create: bool = True,
        begins: Beginning | None = None,
        doing: str = "",
        wait: float = 0.0,
        take_over: bool = False,
    ) -> AsyncIterator[Session]:
        """Open a session for writing, for a block of code.

        Raises `Held` if another process has it and does not give it back within `wait`
        seconds; `take_over` fences that process instead. Raises `NoSession` if it does
        not exist and `create` is false. One that does not exist says `begins` of itself from the start.
        """
        session = await self.open(key, create=create, begins=begins, doing=doing, wait=wait, take_over=take_over)
        try:
            yield session
        finally:
            await session.close()

    async def open(
        self,
        key: str,
        *,
        create: bool = True,
        begins: Beginning | None = None,
        doing: str = "",
        wait: float = 0.0,
        take_over: bool = False,
    ) -> Session:
        """Open a session for writing until its `close` is called."""
        name = session_key(key)
        if not create:
            await self._must_exist(key)
        writer = await self._logs.acquire(name, create=create, doing=doing, wait=wait, take_over=take_over)
        return await open_session(self._logs, writer, name, begins, self._clock)

    async def _must_exist(self, key: str) -> None:
        if not await self._logs.exists(session_key(key)):
            # Only for an error: the catalog may have to catch up, and opening must not wait for that.
            near = await self._catalog.near(key)
            raise NoSession(key, near=tuple(each for each in near if each != key))

    def about(self, key: str | None = None) -> StoreAbout:
        """Where the store lies; with a key, where that session lies or would lie."""
        return self._logs.about(None if key is None else session_key(key))

    async def exists(self, key: str) -> bool:
        """Whether there is such a session."""
        return await self._logs.exists(session_key(key))

    async def holder(self, key: str) -> Holder | None:
        """Who has the session open for writing now, if anyone."""
        return await self._logs.holder(session_key(key))

    async def state(self, key: str) -> SessionState:
        """What a session's log means so far."""
        await self._must_exist(key)
        state, _ = await load_state(self._logs, session_key(key))
        return state

    async def read(
        self, key: str, *, start: int = 0, stop: int | None = None, kinds: Collection[str] = ()
    ) -> AsyncIterator[Record]:
        """Every record of a session from `start` up to, not including, `stop`, oldest first.

        With `kinds`, such as `("user_said",)`, only entries of these; the others are not decoded.
        """
        await self._must_exist(key)
        end = None if stop is None else Position(stop)
        async for record in self._logs.read(session_key(key), start=Position(start), stop=end):
            if not kinds or record.kind in kinds:
                yield record

    async def last(self, key: str, kind: str) -> Record | None:
        """The newest entry of a kind; None if there is none. Reads back from the end, and no further than that."""
        async for record in self.read_back(key):
            if record.kind == kind:
                return record
        return None

    async def branch(self, key: str) -> AsyncIterator[Record]:
        """The records of the conversation as it is now, without opening it: what was rewound is left out."""
        spans = (await self.state(key)).path
        async for record in self.read(key, stop=spans[-1].last + 1 if spans else 0):
            if on_path(record.pos, spans):
                yield record

    async def load(self, key: str, *, start: int = 0, stop: int | None = None) -> builtins.list[Record]:
        """The records that `read` gives, all at once: quicker, and as much memory as they take."""
        await self._must_exist(key)
        end = None if stop is None else Position(stop)
        return await self._logs.load(session_key(key), start=Position(start), stop=end)

    async def read_back(self, key: str, *, before: int | None = None) -> AsyncIterator[Record]:
        """The records of a session before a position, or all, newest first."""
        await self._must_exist(key)
        end = None if before is None else Position(before)
        async for record in self._logs.read_back(session_key(key), before=end):
            yield record

    async def follow(self, key: str, *, after: int = -1) -> AsyncIterator[Record]:
        """Every record after a position, then each new one as it is appended; for ever."""
        await self._must_exist(key)
        async for record in self._logs.follow(session_key(key), after=Position(after)):
            yield record

    async def drafts(self, key: str) -> tuple[Drafted, ...]:
        """The pieces of a reply that streams now, or was streaming when its writer died."""
        return await self._logs.drafts(session_key(key))

    async def follow_draft(self, key: str) -> AsyncIterator[tuple[Drafted, ...]]:
        """The pieces of the reply that streams now, then each new one, of this reply and the next; for ever.

        Each names the earliest position its reply can have. They are for showing what is not in the log yet: pieces
        may be left out, and what the reply's entry says counts.
        """
        await self._must_exist(key)
        async for pieces in self._logs.follow_draft(session_key(key)):
            yield pieces

    async def get_blob(self, key: str, blob: str) -> bytes:
        """The content that a `Blob` part names."""
        return await self._logs.get_blob(session_key(key), BlobId(blob))

    async def list(
        self,
        *,
        limit: int = 50,
        cursor: str = "",
        archived: bool | None = False,
        tag: str = "",
        workspace: str = "",
        owner: str | None = None,
    ) -> Page:
        """Sessions, the most recently used first; all, or those with a tag, about one workspace, or of one owner."""
        return await self.page(
            Wanted(limit=limit, cursor=cursor, archived=archived, tag=tag, workspace=workspace, owner=owner)
        )

    async def page(self, wanted: Wanted) -> Page:
        """Sessions as `list` gives them, by everything that can be asked for."""
        _limit(wanted.limit)
        page = await self._catalog.page(wanted)
        return msgspec.structs.replace(page, sessions=await self._unforgotten.rows(page.sessions))

    async def changes(self) -> RowChanges:
        """Look for changes of the list from now on, whoever makes them; `Engine.changes` tells of them as they come."""
        return ShownChanges(await self._catalog.changes(), self._unforgotten)

    async def due(self, *, limit: int = 100, workspace: str = "", goals: bool | None = None) -> tuple[Due, ...]:
        """Sessions that are to be woken, the earliest first; of all workspaces, or of one.

        A session with an active goal is always due: it comes first, and with `goals` only those are given, or all but
        those.
        """
        return await self._catalog.due(limit=_limit(limit), workspace=workspace, goals=goals)

    async def search(self, text: str, *, limit: int = 10, key: str | None = None, owner: str | None = None) -> Hits:
        """The best finds for some words, a "phrase in quotes" or a question, in all sessions, in one, or of one owner.

        Of a few words all are wanted. In a question (four words or more, or more than four characters without spaces)
        everything counts and nothing is required. Words that name a time, such as "last Tuesday", are relative to now.
        """
        within = None if key is None else session_key(key)
        # Days as the person's own clock has them: that is what words such as "yesterday" mean.
        now = at_time(self._clock.now_ns()).astimezone().replace(tzinfo=None)
        gone = await self._catalog.forgotten()
        more = min(len(gone), MOST_FORGOTTEN)
        hits = await self._catalog.search(text, limit=_limit(limit) + more, key=within, owner=owner, now=now)
        left = [each for each in hits if not gone or not await self._unforgotten.is_gone(each.key, each.pos, gone)]
        return Hits(left[:limit], waiting=hits.waiting)

    async def forgotten_in(self, key: str) -> frozenset[Position]:
        """The entries of a session that are shown to nobody any more: forgotten there, or in what it shares."""
        return await self._unforgotten.positions(session_key(key))

    async def memory(self, scope: Scope) -> ScopeFacts:
        """All that is remembered in a scope, with its history; `current` are the facts that hold."""
        return await self._catalog.memory(scope)

    async def core(self, scope: Scope, most: int) -> CoreFacts:
        """The facts of a scope that may stand in a system text, at most so many, best first."""
        return await self._catalog.core(scope, _limit(most))

    async def facts(self, scope: Scope, ids: Sequence[FactId]) -> tuple[MemoryFact, ...]:
        """Some facts of a scope by their ids, also those that hold no longer."""
        return await self._catalog.facts(scope, ids)

    async def note(self, scope: Scope, *entries: Consolidated | Forgotten) -> Position:
        """Write something about memory that was not said in a session to the log of a scope, durably.

        Another process that writes there just now is waited for.
        """
        if self._scopes is None:
            raise ReadOnly("This store keeps nothing about memory outside of sessions.", hint="Say it in a session.")
        name = SessionKey(scope.name)
        writer = await self._scopes.acquire(name, doing="remembering", wait=SCOPE_SECONDS)
        async with await open_session(self._scopes, writer, name) as log:
            position = await log.append(*entries)
            await log.commit()
            return position

    async def fork(self, key: str, target: str, *, at: int | None = None) -> None:
        """Make a session that begins as another one, up to a position or to where it is now."""
        name = session_key(target)
        if at is not None and at < 0:
            raise no_position(at)
        state = await self.state(key)
        if state.last < 0:
            raise NotThere(f"Nothing of {key!r} can be read, so it cannot be forked.", hint=DAMAGED)
        try:
            await self._logs.fork(session_key(key), name, at=state.last if at is None else Position(at))
        except BeyondEnd as error:
            if error.asked > state.last:
                raise
            raise NotThere(f"Position {error.asked} is damaged and cannot be forked at.", hint=DAMAGED) from error

    async def rewind(self, key: str, to: int) -> None:
        """Take a session back to a position, without opening it for longer."""
        async with self.session(key, create=False, doing="rewinding") as session:
            await session.rewind(to)

    async def delete(self, key: str, *, keep_memory: bool = False) -> None:
        """Remove a session for good: its log, attachments, and every trace in the catalog.

        Facts that came only from it are forgotten, unless they are to be kept; what they had replaced stays replaced.
        """
        await self._must_exist(key)
        async with self._keeping_facts(key, keep=keep_memory):
            await self._logs.delete(session_key(key))
            await self._catalog.forget(session_key(key))

    @asynccontextmanager
    async def _keeping_facts(self, key: str, *, keep: bool) -> AsyncIterator[None]:
        """Have the facts of a scope be as they were while a session goes, but for its own."""
        state = await self.state(key)
        scope = Scope(owner=state.owner)
        before = await self.memory(scope) if state.remembered else ScopeFacts()
        yield
        entry = settled(before, await self.memory(scope), keep=keep) if before.facts else None
        if entry is not None:
            await self.note(scope, entry)

    async def throw_away(self, key: str) -> None:
        """Move a session into the trash."""
        await self._must_exist(key)
        await self._logs.throw_away(session_key(key))
        # On a full disk the catalog cannot follow yet; its words are in the trash as well.
        with suppress(ReadOnly):
            await self._catalog.forget(session_key(key))

    async def trash(self) -> tuple[Trashed, ...]:
        """What lies in the trash, newest first."""
        return await self._logs.trash()

    async def bring_back(self, name: str) -> str:
        """Bring a session back from the trash, by its name there; gives its key."""
        return await self._logs.bring_back(name)

    async def empty_trash(self, name: str | None = None) -> int:
        """Remove what lies in the trash for good: one session, or all."""
        return await self._logs.empty_trash(name)

    async def outdated(self, days: float) -> tuple[Listed, ...]:
        """Sessions in which nothing happened for so many days, a number above 0."""
        # Whoever means "never" by 0 must not lose everything to the trash.
        if not days > 0:
            raise BadInput(f"Nothing can be idle for {days:g} days.", hint="Give a number above 0.")
        now, longest = at_time(self._clock.now_ns()), days * 86_400
        found: list[Listed] = []
        cursor = ""
        while True:
            page = await self._catalog.page(Wanted(limit=1000, cursor=cursor, archived=None))
            idle = [each for each in page.sessions if (now - each.updated).total_seconds() > longest]
            found += [
                each for each in idle if not page.waiting or (now - await self._used(each)).total_seconds() > longest
            ]
            cursor = page.cursor
            if not cursor:
                return tuple(found)

    async def _used(self, listed: Listed) -> datetime:
        """When a session was last used, as its log says: the catalog may be behind."""
        with suppress(LogError, NoSession):
            async for record in self._logs.read_back(listed.key):
                return max(listed.updated, record.at)
        return listed.updated

    async def retain(self, days: float) -> tuple[Listed, ...]:
        """Move sessions in which nothing happened for so many days into the trash; tell which."""
        moved = []
        for each in await self.outdated(days):
            # Open somewhere, so it is in use; not ours; no room; or removed by another process just now.
            with suppress(LogError, NoSession):
                async with self._keeping_facts(each.key, keep=True):
                    await self.throw_away(each.key)
                moved.append(each)
        return tuple(moved)

    async def verify(self, key: str) -> Verdict:
        """Check every byte of a session, changing nothing."""
        await self._must_exist(key)
        return await self._logs.verify(session_key(key))

    async def repair(self, key: str) -> Verdict:
        """Mend the end of a session's log, and keep a copy of every damaged stretch aside."""
        await self._must_exist(key)
        # What was indexed of damaged bytes may be wrong, so the session is read once more afterwards.
        verdict = await self._logs.repair(session_key(key))
        if verdict.damaged:
            await self._catalog.renew(session_key(key))
        return verdict

    async def keys(self) -> tuple[str, ...]:
        """Every key there is, in order."""
        return tuple(sorted([key async for key in self._logs.sessions()]))

    def catch_up(self) -> AsyncIterator[Progress]:
        """Let the catalog catch up with all sessions, saying how far it has come; it does so by itself, more slowly."""
        return self._catalog.catch_up()

    def reindex(self) -> AsyncIterator[Progress]:
        """Make the catalog anew from the logs, saying how far it has come."""
        return self._catalog.rebuild()

    async def close(self) -> None:
        """Let the catalog catch up, and release everything. Closing twice is once."""
        await self._catalog.close()
        await self._logs.close()
        if self._scopes is not None:
            await self._scopes.close()

    async def __aenter__(self) -> Self:
        """Use it for a block of code."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()
