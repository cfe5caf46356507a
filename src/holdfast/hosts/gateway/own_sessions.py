"""The sessions of one person: the only way from a route or a socket to the engine.

Whose a session is, is checked here and nowhere else: a session of somebody else is one that does not exist, in the
same words. So no route can forget it.
"""

from msgspec.structs import replace

from holdfast.agent.conversation import Conversation, Enters
from holdfast.agent.permissions import Answer
from holdfast.engine.attach import Attachment
from holdfast.engine.changes import ListChange, ListChanges, SessionChanged
from holdfast.engine.engine import Engine
from holdfast.errors import BadInput, BeyondEnd, NoSession
from holdfast.hosts.gateway.marks import Marks
from holdfast.hosts.gateway.rows import row_of
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import Described
from holdfast.records.parts import Part, Source
from holdfast.remote.server_frames import Row
from holdfast.session.catalog import Hits, Listed, Page
from holdfast.session.state import SessionState

FIRST = 16
"""Among so many entries, a session says whose it is."""


class OwnSessions:
    """What one person may see and do."""

    def __init__(self, engine: Engine, marks: Marks, person: str, *, workspace: str = "") -> None:
        """Join the engine and a person; '' is the person of the machine. New sessions are about a workspace."""
        self._engine, self._marks, self.person, self._workspace = engine, marks, person, workspace

    async def must_own(self, key: str) -> SessionState:
        """The state of a session. Raises `NoSession` where it is not this person's."""
        try:
            state = await self._engine.state(key)
        except NoSession:
            state = None
        if state is None or state.owner != self.person:
            raise NoSession(key)
        return state

    def owns(self, change: ListChange) -> bool:
        """Whether a change of the list is about a session of this person."""
        return not isinstance(change, SessionChanged) or change.listed.owner == self.person

    async def begin(self, key: str, described: Described | None = None) -> None:
        """Begin a session. Raises `AlreadyThere`, also where somebody else has one of that name."""
        begins = replace(described or Described(), owner=self.person, workspace=self._workspace)
        await self._engine.begin(key, begins, keep=False)

    async def fork(self, key: str, target: str, *, at: int | None = None) -> None:
        """Begin a session as another one. Raises `BadInput` at a position before the one that says whose it is."""
        await self.must_own(key)
        if self.person and at is not None:
            shared = await self.load(key, stop=max(0, min(at, FIRST)) + 1)
            if not any(isinstance(each.entry, Described) and each.entry.owner == self.person for each in shared):
                raise BadInput("So early, the session does not say yet whose it is.", hint="Fork it further on.")
        await self._engine.store.fork(key, target, at=at)

    async def attach(self, key: str, *, after: int, drafted: int, of: int | None, limit: int) -> Attachment:
        """Watch a session, as `Engine.attach` does."""
        try:
            attachment = await self._engine.attach(key, after=after, drafted=drafted, of=of, limit=limit)
        except (NoSession, BeyondEnd):
            await self.must_own(key)
            raise
        if attachment.snapshot.state.owner != self.person:
            attachment.close()
            raise NoSession(key)
        return attachment

    async def send(
        self,
        key: str,
        said: tuple[Part, ...],
        *,
        enters: Enters = "step",
        client_id: str | None = None,
        source: Source,
        continues: int | None = None,
    ) -> Position:
        """Say something, as `Engine.send` does, in a session that is there."""
        conversation = await self.use(key, source)
        return await conversation.send(said, enters=enters, client_id=client_id, source=source, continues=continues)

    async def use(self, key: str, source: Source) -> Conversation:
        """The conversation of a session that is there, opened if it is not, as `Engine.use` does."""
        await self.must_own(key)
        return await self._engine.use(key, create=False, source=source)

    async def see(self, key: str, position: int) -> None:
        """Take note that the person has seen a session up to a position."""
        state = await self.must_own(key)
        self._marks.see(self.person, key, min(position, state.last))

    async def pin(self, key: str, *, pinned: bool) -> None:
        """Pin a session for this person, or take that back."""
        await self.must_own(key)
        self._marks.pin(self.person, key, pinned=pinned)

    async def cancel(self, key: str) -> bool:
        """Stop the turn that runs; whether one ran."""
        await self.must_own(key)
        return await self._engine.cancel(key)

    async def answer(self, key: str, question: str, answer: Answer, by: Source) -> bool:
        """Answer a question; whether it was still open."""
        await self.must_own(key)
        return await self._engine.answer(key, question, answer, by)

    async def load(self, key: str, *, start: int = 0, stop: int | None = None) -> list[Record]:
        """Records of a session."""
        await self.must_own(key)
        return await self._engine.store.load(key, start=start, stop=stop)

    async def page(self, *, limit: int = 50, cursor: str = "", archived: bool | None = False, tag: str = "") -> Page:
        """The sessions of this person, the most recently used first."""
        return await self._engine.store.list(limit=limit, cursor=cursor, archived=archived, tag=tag, owner=self.person)

    async def search(self, text: str, *, limit: int = 10, key: str | None = None) -> Hits:
        """The best finds for some words in the sessions of this person, or in one of them."""
        if key is not None:
            await self.must_own(key)
        return await self._engine.store.search(text, limit=limit, key=key, owner=self.person)

    async def changes(self) -> ListChanges:
        """Rows of the list as they change, those of other people among them: ask `owns` before one is told."""
        return await self._engine.changes()

    async def row(self, listed: Listed) -> Row:
        """A row of the list with what happens in that session now, and what this person has seen of it."""
        return self.row_of(await self._engine.row(listed))

    def row_of(self, change: SessionChanged) -> Row:
        """A row that changed, with what this person has seen of it."""
        return row_of(change, self._marks.of(self.person, change.listed.key))
