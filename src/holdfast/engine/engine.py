"""What every host calls: conversations with an agent in them, and everything there is to ask of them.

It joins a store and the setup of an agent. A session is opened once and shared by all who use it in this
process; another process that holds it is named in the error. Whoever watches attaches, wherever it is open.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from holdfast.agent.approval import Answer
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import ConversationClosed
from holdfast.agent.setup import AgentSetup
from holdfast.engine.attach import Attachment, Feed
from holdfast.engine.followed import FollowedSessions
from holdfast.errors import Closed, Fenced, Held
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.parts import Part, Source
from holdfast.session.store import Store

LOOK_SECONDS = 0.5
"""How often what is open is looked at: whether another process took it over, and whether anybody uses it."""
IDLE_SECONDS = 300.0
"""How long a conversation stays open that nobody uses."""
WAITING_BYTES = 1_000_000
"""About so many bytes of events may wait for one viewer."""


class Engine:
    """Conversations with an agent."""

    def __init__(self, store: Store, setup: AgentSetup, *, idle_seconds: float = IDLE_SECONDS) -> None:
        """Join a store and an agent; `holdfast.assembly` does it for you.

        A conversation that `send` opened is closed once nobody has watched it and nothing has run in it for
        `idle_seconds`; the next use opens it again. 0 keeps it open. What `open` gave out stays open until `leave`.
        """
        self.store, self.setup = store, setup
        self._idle_seconds = idle_seconds
        self._open: dict[str, Conversation] = {}
        self._kept: set[str] = set()
        """Keys of conversations that were given out."""
        self._used: dict[str, float] = {}
        """When each conversation was seen to be used last."""
        self._followed = FollowedSessions(store)
        self._looking: asyncio.Task[None] | None = None
        self._leaving: list[asyncio.Task[None]] = []
        self._closed = False
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each key that somebody opens or leaves right now: one at a time."""

    async def open(
        self, key: str, *, create: bool = True, doing: str = "", wait: float = 0.0, take_over: bool = False
    ) -> Conversation:
        """The conversation under a key, opened if it is not open yet; what was broken off in it is settled.

        It stays open until `leave`. Raises `Held` if another process has it, and `NoSession` if it does not exist and
        `create` is false.
        """
        async with self._door(key):
            known = self._open.get(key)
            if known is None or known.closed:
                if known is not None:
                    await known.close()
                session = await self.store.open(key, create=create, doing=doing, wait=wait, take_over=take_over)
                known = self._open[key] = await open_conversation(session, self.setup)
                await self._followed.leave(key)  # those who watch it go on with the open conversation
                self._watch_over()
            self._kept.add(key)
            return known

    async def send(self, key: str, said: str | tuple[Part, ...], *, client_id: str | None = None) -> Position:
        """Say something in a conversation; when this returns it is durable, and the agent is at work on it."""
        kept = key in self._kept
        conversation = await self.open(key)
        if not kept:
            self._kept.discard(key)
        return await conversation.send(said, client_id=client_id)

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

    def follow(self, key: str, *, after: int = -1) -> AsyncIterator[Record]:
        """Every entry of a conversation after a position, then each new one, whoever writes it."""
        return self.store.follow(key, after=after)

    async def attach(self, key: str, *, after: int = -1, drafted: int = 0, limit: int = WAITING_BYTES) -> Attachment:
        """Watch a session, wherever it is open: a snapshot, then every entry after a position, then what happens.

        `drafted` says how many characters the viewer has already of the reply that streams after `after`; `limit`,
        about how many bytes of events may wait for it. Events of a session that another process works in come from
        its log and its draft, so retries and the output of running tools are not among them. Raises `NoSession`, and
        `BeyondEnd` for a position that the log has not reached.
        """
        attachment = Attachment(self.store, key, self._feed, limit=limit)
        await attachment.begin(after, drafted)
        return attachment

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
        if conversation.used and await conversation.taken_over():
            return ConversationClosed(why="taken_over", holder=str(await self.store.holder(key) or ""))
        if conversation.used or key in self._kept or not self._idle_seconds:
            self._used[key] = now
        elif now - self._used.setdefault(key, now) >= self._idle_seconds:
            return ConversationClosed(why="idle")
        return None

    async def _let_go(self, key: str, why: ConversationClosed) -> None:
        with suppress(Fenced):  # there is nothing left to commit
            await self.leave(key, why)

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
        leaving, self._leaving = self._leaving, []
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.store.close)
            stack.push_async_callback(self.setup.speakers.close)
            stack.push_async_callback(self.setup.toolbox.close)
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
