"""The list of sessions as it changes: one task looks for all who watch, and each has a queue with a bound.

What a row says comes from the catalog, so changes of other processes are seen too. Whether a turn runs comes from the
open conversation, or from the log and the lease of another process.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Self, TypeAlias

from holdfast.agent.conversation import Conversation
from holdfast.errors import Closed, HoldfastError
from holdfast.ids import Position, SessionKey
from holdfast.records.parts import Value
from holdfast.session.catalog import Listed, RowChanges
from holdfast.session.state import SessionState
from holdfast.session.store import Store

LOOK_SECONDS = 0.5
"""How often the list is looked at while somebody watches it."""
AT_ONCE = 100
"""So many rows are looked at together."""


class SessionChanged(Value, frozen=True, kw_only=True):
    """A row of the list that is new, or not what it was."""

    listed: Listed
    running: bool = False
    """Whether a turn runs in it now, here or in another process."""
    since: datetime | None = None
    """When what that turn works on was said."""
    questions: int = 0
    """How many questions wait for a person."""
    last: Position = Position(-1)
    """The last position of its log."""


class SessionRemoved(Value, frozen=True, kw_only=True):
    """A session was deleted, or moved into the trash."""

    key: SessionKey


class ListResync(Value, frozen=True, kw_only=True):
    """Changes are missing here: the viewer fell behind, or the catalog was made anew. Read the list again."""


ListChange: TypeAlias = SessionChanged | SessionRemoved | ListResync
"""What `Engine.changes` gives."""


class ListChanges:
    """One viewer of the list: iterate over it."""

    def __init__(self, watch: "ListWatch", limit: int) -> None:
        """Use `Engine.changes`."""
        self._watch, self._limit = watch, limit
        self._waiting: dict[SessionKey, SessionChanged | SessionRemoved] = {}
        self._lost = self._over = False
        self._error: HoldfastError | None = None
        self._news = asyncio.Event()

    @property
    def waiting(self) -> int:
        """How many changed rows wait for the viewer."""
        return len(self._waiting)

    def put(self, key: SessionKey, change: SessionChanged | SessionRemoved) -> None:
        """Take a change in, in place of an earlier one of the same session."""
        # Taken out first, so that it stands at the end: rows are told in the order in which they changed last.
        self._waiting.pop(key, None)
        self._waiting[key] = change
        if len(self._waiting) > self._limit:
            self.lose()
        self._news.set()

    def lose(self) -> None:
        """Leave out what waits, and say so; what comes from now on is given again."""
        self._waiting.clear()
        self._lost = True
        self._news.set()

    def end(self, error: HoldfastError | None = None) -> None:
        """There will be no more changes."""
        self._over, self._error = True, error
        self._news.set()

    def close(self) -> None:
        """Watch no longer."""
        self._watch.unsubscribe(self)
        self.end()

    def __aiter__(self) -> Self:
        """Iterate over changes as they come; it ends when the engine is closed."""
        return self

    async def __anext__(self) -> ListChange:
        """The next change. Raises what kept the list from being read."""
        while True:
            if self._lost:
                self._lost = False
                return ListResync()
            if self._waiting:
                return self._waiting.pop(next(iter(self._waiting)))
            if self._error is not None:
                raise self._error
            if self._over:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()

    async def __aenter__(self) -> Self:
        """Watch for a block of code."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Watch no longer."""
        self.close()


class ListWatch:
    """All who watch the list of one store."""

    def __init__(self, store: Store, opened: Mapping[str, Conversation]) -> None:
        """Look at nothing yet; `opened` are the conversations of this process."""
        self._store, self._opened = store, opened
        self._viewers: list[ListChanges] = []
        self._at_work: dict[SessionKey, SessionChanged] = {}
        """Rows in which something may change that the catalog does not know: a turn runs, or a question waits."""
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    async def subscribe(self, limit: int) -> ListChanges:
        """Begin to watch."""
        changes = await self._store.changes()
        if self._closed:
            raise Closed("The engine is closed.", hint="Open it again.")
        viewer = ListChanges(self, limit)
        self._viewers.append(viewer)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(changes))
        return viewer

    async def row(self, listed: Listed) -> SessionChanged:
        """A row of the list with what happens in that session now. Who watches is told when that ends."""
        row = await self._row(listed)
        if self._viewers:
            self._note(row)
        return row

    def unsubscribe(self, viewer: ListChanges) -> None:
        """End a watch; with the last one, nothing is looked at any more."""
        if viewer in self._viewers:
            self._viewers.remove(viewer)
        if not self._viewers:
            self._stop()

    def close(self, error: HoldfastError | None = None) -> None:
        """End every watch."""
        self._closed = error is None
        viewers, self._viewers = self._viewers, []
        for viewer in viewers:
            viewer.end(error)
        self._stop()

    def _stop(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self._looking = None
        self._at_work.clear()

    async def _look(self, changes: RowChanges) -> None:
        try:
            while True:
                more = await self._look_once(changes)
                # Looking again and again is what works for other processes too; where nobody watches, nobody looks.
                await asyncio.sleep(0 if more else LOOK_SECONDS)
        except HoldfastError as error:
            self.close(error)

    async def _look_once(self, changes: RowChanges) -> bool:
        """Tell what changed; whether there is more."""
        found = await changes.take(AT_ONCE)
        if found.lost:
            for viewer in self._viewers:
                viewer.lose()
        for listed in found.rows:
            self._told(await self._row(listed))
        # A row that is made anew is removed first; its session is there all the same.
        for key in [each for each in found.removed if not await self._store.exists(each)]:
            self._at_work.pop(key, None)
            self._publish(key, SessionRemoved(key=key))
        changed = {listed.key for listed in found.rows}
        for key, before in list(self._at_work.items()):
            if key not in changed and (now := await self._row(before.listed)) != before:
                self._told(now)
        return found.more

    async def _row(self, listed: Listed) -> SessionChanged:
        conversation = self._opened.get(listed.key)
        if conversation is not None and not conversation.closed:
            here = conversation.snapshot()
            return SessionChanged(
                listed=listed,
                running=here.running,
                since=here.state.since if here.running else None,
                questions=len(here.questions),
                last=here.state.last,
            )
        state, held = SessionState(), False
        with suppress(HoldfastError):  # it cannot be read, or was removed just now: the list has it all the same
            state = await self._store.state(listed.key)
            held = state.in_turn and await self._store.holder(listed.key) is not None
        since = state.since if held else None
        return SessionChanged(listed=listed, running=held, since=since, questions=len(state.questions), last=state.last)

    def _told(self, row: SessionChanged) -> None:
        self._note(row)
        self._publish(row.listed.key, row)

    def _note(self, row: SessionChanged) -> None:
        if row.running or row.questions:
            self._at_work[row.listed.key] = row
        else:
            self._at_work.pop(row.listed.key, None)

    def _publish(self, key: SessionKey, change: SessionChanged | SessionRemoved) -> None:
        for viewer in self._viewers:
            viewer.put(key, change)
