"""What every host calls: conversations with an agent in them, and everything there is to ask of them.

It joins a store and the setup of an agent. A session is opened once and shared by all who use it in this
process; another process that holds it is named in the error. Whoever watches attaches, wherever it is open.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from functools import partial
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from holdfast.agent.conversation import Conversation, Enters, open_conversation
from holdfast.agent.events import ConversationClosed
from holdfast.agent.permissions import Answer
from holdfast.agent.setup import AgentSetup, Setups
from holdfast.clock import at_time
from holdfast.engine.attach import Attachment, Feed
from holdfast.engine.changes import ListChanges, ListWatch, SessionChanged
from holdfast.engine.followed import FollowedSessions
from holdfast.engine.wake import run_wakes, woken
from holdfast.errors import AlreadyThere, Closed, Fenced, Held
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import Described
from holdfast.records.parts import Part, Source
from holdfast.session.catalog import Due, Listed
from holdfast.session.first_entries import Beginning
from holdfast.session.goals import ALWAYS
from holdfast.session.state import SessionState
from holdfast.session.store import Store
from holdfast.session.writer import Session

LOOK_SECONDS = 0.5
"""How often what is open is looked at: whether another process took it over, and whether anybody uses it."""
IDLE_SECONDS = 300.0
"""How long a conversation stays open that nobody uses."""
WAITING_BYTES = 1_000_000
"""About so many bytes of events may wait for one viewer."""
WAITING_ROWS = 1_000
"""So many changed rows of the list may wait for one viewer."""


class Engine:
    """Conversations with an agent."""

    def __init__(
        self, store: Store, setup: AgentSetup, *, setups: Setups | None = None, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        """Join a store and an agent; `holdfast.assembly` does it for you.

        With `setups`, they say which agent works in each session, and `setup` is for what is asked of none.

        A conversation that `send` opened is closed once nobody has watched it and nothing has run in it for
        `idle_seconds`; the next use opens it again. 0 keeps it open. What `open` gave out stays open until `leave`.
        """
        self.store, self.setup, self._setups = store, setup, setups
        self._idle_seconds = idle_seconds
        self._open: dict[str, Conversation] = {}
        self._kept: set[str] = set()
        """Keys of conversations that were given out."""
        self._used: dict[str, float] = {}
        """When each conversation was seen to be used last."""
        self._followed = FollowedSessions(store)
        self._list = ListWatch(store, self._open)
        self._looking: asyncio.Task[None] | None = None
        self._leaving: list[asyncio.Task[None]] = []
        self._closed = False
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each key that somebody opens or leaves right now: one at a time."""

    async def open(
        self,
        key: str,
        *,
        create: bool = True,
        begins: Beginning | None = None,
        doing: str = "",
        wait: float = 0.0,
        take_over: bool = False,
    ) -> Conversation:
        """The conversation under a key, opened if it is not open yet; what was broken off in it is settled.

        It stays open until `leave`. Raises `Held` if another process has it, and `NoSession` if it does not exist and
        `create` is false. One that does not exist says `begins` of itself from the start.
        """
        async with self._door(key):
            known = await self._known(key)
            if known is None:
                session = await self.store.open(
                    key, create=create, begins=begins, doing=doing, wait=wait, take_over=take_over
                )
                known = await self._put_to_work(session, None)
            self._kept.add(key)
            return known

    async def begin(
        self, key: str, begins: Described, *, source: Source | None = None, doing: str = "", keep: bool = True
    ) -> Conversation:
        """Begin a session whose log says from the start what it is about and who it belongs to, and open it.

        It stays open until `leave`; without `keep`, until nobody uses it. Raises `AlreadyThere` if there is such a
        session.
        """
        async with self._door(key):
            if await self.store.exists(key):
                raise AlreadyThere(f"There is already a session {key!r}.", hint="Open it, or choose another key.")
            session = await self.store.open(key, begins=Beginning(about=begins), doing=doing)
            conversation = await self._put_to_work(session, source)
            if keep:
                self._kept.add(key)
            return conversation

    async def _known(self, key: str) -> Conversation | None:
        """The conversation, if it is open."""
        known = self._open.get(key)
        if known is not None and known.closed:
            await known.close()
            return None
        return known

    async def _put_to_work(self, session: Session, source: Source | None) -> Conversation:
        try:
            setup = self.setup if self._setups is None else self._setups.of(session.state, source)
        except BaseException:  # whatever it is, nobody else would give the session back
            await session.close()
            raise
        conversation = self._open[session.key] = await open_conversation(session, setup)
        await self._followed.leave(session.key)  # those who watch it go on with the open conversation
        self._watch_over()
        return conversation

    async def use(self, key: str, *, create: bool = True, source: Source | None = None) -> Conversation:
        """The conversation under a key, opened if it is not open yet, and closed again once nobody uses it.

        Raises `Held` if another process has it, and `NoSession` if it does not exist and `create` is false.
        """
        async with self._door(key):
            known = await self._known(key)
            return known or await self._put_to_work(await self.store.open(key, create=create), source)

    async def send(
        self,
        key: str,
        said: str | tuple[Part, ...],
        *,
        enters: Enters = "step",
        client_id: str | None = None,
        source: Source | None = None,
        continues: int | None = None,
    ) -> Position:
        """Say something in a conversation, as `Conversation.send` does; it is opened if it is not open yet."""
        conversation = await self.use(key, source=source)
        return await conversation.send(said, enters=enters, client_id=client_id, source=source, continues=continues)

    async def state(self, key: str) -> SessionState:
        """What the log of a session means so far. Raises `NoSession`."""
        conversation = self._open.get(key)
        if conversation is not None and not conversation.closed:
            return conversation.state
        return await self.store.state(key)

    async def cancel(self, key: str) -> bool:
        """Stop the turn that runs in a conversation; whether one ran."""
        conversation = self._open.get(key)
        return conversation is not None and await conversation.cancel()

    async def answer(self, key: str, question: str, answer: Answer, by: Source | None = None) -> bool:
        """Answer a question that a turn here waits on; whether it was still open.

        An id never means another question, so one that comes late allows nothing. Raises `Held` if another process
        works in the session.
        """
        conversation = self._open.get(key)
        if conversation is None:
            holder = await self.store.holder(key)
            if holder is not None:
                raise Held(key, str(holder))
        return conversation is not None and conversation.answer(question, answer, by)

    async def wake(self, key: str) -> bool:
        """Wake a session that is due; whether it was. Raises `Held` if another process works in it."""
        conversation = await self.use(key, create=False)
        due = partial(woken, now=at_time(self.setup.clock.now_ns()), slots=conversation.setup.slots)
        return await conversation.wake(lambda session: due(session, busy=conversation.busy))

    async def go_on(self, key: str) -> None:
        """Have it asked what comes next in a session, as after a turn. Raises `Held` if another process works in it."""
        await (await self.use(key, create=False)).go_on()

    async def run_wakes(self, workspace: str = "", *, goals: bool = True) -> None:
        """Wake every session of the store that is due, until cancelled; with a workspace, only those about it.

        With `goals` it also goes on with active goals that nobody works on. What is open here is woken anyway.
        """
        await run_wakes(self.store, self.wake, self.setup.clock, workspace, goals=goals, here=self._due_here)

    def _due_here(self) -> list[Due]:
        """What is due in open conversations with a goal, which the catalog lists as always due."""
        open_ = [each for each in self._open.values() if not each.closed and each.state.goal is not None]
        times = [(each.key, wake.at) for each in open_ for wake in each.state.wakes if wake.at != ALWAYS]
        return [Due(key=key, at=at) for key, at in times]

    def follow(self, key: str, *, after: int = -1) -> AsyncIterator[Record]:
        """Every entry of a conversation after a position, then each new one, whoever writes it."""
        return self.store.follow(key, after=after)

    async def attach(
        self, key: str, *, after: int = -1, drafted: int = 0, of: int | None = None, limit: int = WAITING_BYTES
    ) -> Attachment:
        """Watch a session, wherever it is open: a snapshot, then every entry after a position, then what happens.

        `drafted` says how many characters the viewer has already of the reply that streams after `after`; with `of`,
        they count only where that is the reply, so a viewer with a cursor from elsewhere need not know that it ended.
        About `limit` bytes of events may wait for the viewer; 0 is no bound. Events of a session that another process
        works in come from its log and its draft, so retries and the output of running tools are not among them. Raises
        `NoSession`, and `BeyondEnd` for a position that the log has not reached.
        """
        attachment = Attachment(self.store, key, self._feed, limit=limit)
        await attachment.begin(after, drafted, of)
        return attachment

    async def changes(self, *, limit: int = WAITING_ROWS) -> ListChanges:
        """Rows of the list as they change from now on, whichever process of the store changes them.

        List the sessions after this returned, and no change is missed; `row` says what happens in them now. Of a
        session that changes more often than the viewer looks, only the newest row waits; where more than `limit`
        sessions wait, all that wait is left out, and `ListResync` says to list again.
        """
        return await self._list.subscribe(limit)

    async def row(self, listed: Listed) -> SessionChanged:
        """A row of the list with what happens in that session now, here or in another process."""
        return await self._list.row(listed)

    async def _feed(self, key: str) -> Feed:
        """Where the events of a session come from now."""
        if self._closed:
            raise Closed("The engine is closed.", hint="Open it again.")
        conversation = self._open.get(key)
        if conversation is not None and not conversation.closed:
            return conversation
        self._watch_over()
        # If it is opened here meanwhile, this one ends at once, and the viewer asks again.
        return await self._followed.follow(key)

    def _watch_over(self) -> None:
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Look at what is open, for as long as anything is."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self._open and not self._followed.any:
                self._looking = None
                return
            self._followed.tidy()
            for key, conversation in list(self._open.items()):
                why = await self._end_of(key, conversation)
                if why is not None:
                    self._leaving.append(asyncio.create_task(self._let_go(key, why)))
            # What failed is raised when the engine is closed.
            self._leaving = [each for each in self._leaving if not each.done() or each.exception()]

    async def _end_of(self, key: str, conversation: Conversation) -> ConversationClosed | None:
        """Why a conversation is to be closed now, if it is."""
        now = asyncio.get_running_loop().time()
        if conversation.closed:
            return None
        # Looking costs a system call. What nobody uses finds out when it is used again.
        if conversation.used and await conversation.taken_over():
            holder = str(await self.store.holder(key) or "")
            return ConversationClosed(why="taken_over", holder=holder, last=conversation.session.acknowledged)
        if conversation.used or key in self._kept or not self._idle_seconds:
            self._used[key] = now
        elif now - self._used.setdefault(key, now) >= self._idle_seconds:
            return ConversationClosed(why="idle")
        return None

    async def _let_go(self, key: str, why: ConversationClosed) -> None:
        with suppress(Fenced):  # there is nothing left to commit
            await self.leave(key, why)

    async def finish(self, seconds: float) -> None:
        """Let the turns that run end by themselves for so many seconds, and stop those that do not."""
        async with asyncio.TaskGroup() as ending:
            for conversation in list(self._open.values()):
                ending.create_task(conversation.finish(seconds))

    async def leave(self, key: str, why: ConversationClosed | None = None) -> None:
        """Close one conversation; its turn is stopped, and another process may have it. Who watches is told why."""
        async with self._door(key):
            conversation = self._open.pop(key, None)
            self._kept.discard(key)
            self._used.pop(key, None)
            if conversation is not None:
                await conversation.close(why)

    def _door(self, key: str) -> asyncio.Lock:
        return self._doors.setdefault(key, asyncio.Lock())

    async def close(self) -> None:
        """Close every conversation, the tools, the models and the store, whatever fails on the way.

        Closing twice is once.
        """
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()
        self._followed.close()
        self._list.close()
        leaving, self._leaving = self._leaving, []
        async with AsyncExitStack() as stack:
            # A stack closes what came last first: conversations need tools and models, and all of them the store.
            stack.push_async_callback(self.store.close)
            if self.setup.memory is not None:
                stack.push_async_callback(self.setup.memory.close)
            stack.push_async_callback(self.setup.models.close)
            stack.push_async_callback(self.setup.toolbox.close)
            if self._setups is not None:
                stack.push_async_callback(self._setups.close)
            stack.push_async_callback(_ended, *leaving)
            for key in list(self._open):
                stack.push_async_callback(self.leave, key)

    async def __aenter__(self) -> Self:
        """Use it for a block of code."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()


async def _ended(*work: asyncio.Task[None]) -> None:
    """Wait for the end of tasks; raises what one of them raised."""
    await asyncio.gather(*work)
