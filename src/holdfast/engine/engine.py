"""What every host calls: conversations with an agent in them, and everything there is to ask of them.

It joins a store and the setup of an agent. A session is opened once and shared by all who use it in this
process; another process that holds it is named in the error.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self
from weakref import WeakValueDictionary

from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.setup import AgentSetup
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.parts import Part
from holdfast.session.store import Store


class Engine:
    """Conversations with an agent."""

    def __init__(self, store: Store, setup: AgentSetup) -> None:
        """Join a store and an agent; `holdfast.assembly` does it for you."""
        self.store, self.setup = store, setup
        self._open: dict[str, Conversation] = {}
        self._doors: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """One for each key that somebody opens or leaves right now: one at a time."""

    async def open(
        self, key: str, *, create: bool = True, doing: str = "", wait: float = 0.0, take_over: bool = False
    ) -> Conversation:
        """The conversation under a key, opened if it is not open yet; what was broken off in it is settled.

        Raises `Held` if another process has it, and `NoSession` if it does not exist and `create` is false.
        """
        async with self._door(key):
            known = self._open.get(key)
            if known is not None and not known.closed:
                return known
            if known is not None:
                await known.close()
            session = await self.store.open(key, create=create, doing=doing, wait=wait, take_over=take_over)
            opened = self._open[key] = await open_conversation(session, self.setup)
            return opened

    async def send(self, key: str, said: str | tuple[Part, ...], *, client_id: str | None = None) -> Position:
        """Say something in a conversation; when this returns it is durable, and the agent is at work on it."""
        return await (await self.open(key)).send(said, client_id=client_id)

    async def cancel(self, key: str) -> bool:
        """Stop the turn that runs in a conversation; whether one ran."""
        conversation = self._open.get(key)
        return conversation is not None and await conversation.cancel()

    def follow(self, key: str, *, after: int = -1) -> AsyncIterator[Record]:
        """Every entry of a conversation after a position, then each new one, whoever writes it."""
        return self.store.follow(key, after=after)

    async def leave(self, key: str) -> None:
        """Close one conversation; its turn is stopped, and another process may have it."""
        async with self._door(key):
            conversation = self._open.pop(key, None)
            if conversation is not None:
                await conversation.close()

    def _door(self, key: str) -> asyncio.Lock:
        return self._doors.setdefault(key, asyncio.Lock())

    async def close(self) -> None:
        """Close every conversation, the tools, the models and the store, whatever fails on the way.

        Closing twice is once.
        """
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.store.close)
            stack.push_async_callback(self.setup.speakers.close)
            stack.push_async_callback(self.setup.toolbox.close)
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
