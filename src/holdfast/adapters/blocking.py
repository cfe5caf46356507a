"""The same store for code without an event loop.

One thread runs the loop; each call here runs the coroutine of the same name there
and waits for it. There is no second implementation behind it.
"""

import asyncio
import builtins  # in the class `list` is its method
import threading
from collections.abc import AsyncIterator, Collection, Coroutine, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import AbstractAsyncContextManager, suppress
from os import PathLike
from types import TracebackType
from typing import Self, TypeVar

from holdfast.adapters.agent import Agent, Answers, open_agent
from holdfast.agent.tool import Tool
from holdfast.assembly import open_store
from holdfast.errors import BadInput, Closed, HoldfastError
from holdfast.ids import BlobId, Position
from holdfast.log.store import Ack, Durability, Verdict
from holdfast.model.protocol import Model
from holdfast.records.codec import Record
from holdfast.records.entries import Entry
from holdfast.records.parts import Blob, Part
from holdfast.session.catalog import Hits, Page
from holdfast.session.first_entries import Beginning
from holdfast.session.state import SessionState
from holdfast.session.store import Store
from holdfast.session.writer import Session

T = TypeVar("T")


class _Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._gate, self._open = threading.Lock(), True
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="holdfast-loop", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        # At its end the runner cancels what still waits, and closes what was not read to its end.
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.get_loop().run_forever()

    def run(self, work: Coroutine[object, object, T]) -> T:
        with self._gate:
            if not self._open or not self._thread.is_alive() or threading.current_thread() is self._thread:
                work.close()
                raise self._unusable()
            waiting = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return waiting.result()
        except CancelledError as error:
            raise self._unusable() from error

    def _unusable(self) -> HoldfastError:
        if not self._open:
            return Closed("The store was closed.", hint="Open it again.")
        if not self._thread.is_alive():  # a forked child has no threads of its parent
            return Closed("The store belongs to the parent of this process.", hint="Open it again here.")
        return BadInput("A coroutine cannot wait for its own event loop.", hint="Await the asynchronous store there.")

    def iterate(self, source: AsyncIterator[T]) -> Iterator[T]:
        try:
            while True:
                try:
                    yield self.run(_next(source))
                except StopAsyncIteration:
                    return
        finally:
            with suppress(Closed):
                self.run(_close(source))

    def stop(self) -> None:
        with self._gate:
            if self._open:
                self._open = False
                self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


async def _next(source: AsyncIterator[T]) -> T:
    return await anext(source)


async def _enter(opening: AbstractAsyncContextManager[T]) -> T:
    return await opening.__aenter__()


async def _leave(opened: AbstractAsyncContextManager[object]) -> None:
    await opened.__aexit__(None, None, None)


async def _close(source: AsyncIterator[T]) -> None:
    await source.aclose()  # type: ignore[attr-defined]


class BlockingSession:
    """A session opened for writing; see `Session`."""

    def __init__(self, loop: _Loop, session: Session) -> None:
        """Hold an open session; `BlockingStore.session` gives one."""
        self._loop, self._session = loop, session

    @property
    def asynchronous(self) -> Session:
        """The session behind this one; `BlockingStore.run` runs what is not offered here."""
        return self._session

    @property
    def state(self) -> SessionState:
        """What the log means so far."""
        return self._session.state

    def append(self, *entries: Entry) -> Position:
        """Write facts, all or none; see `Session.append`."""
        return self._loop.run(self._session.append(*entries))

    def say(self, text: str, *, client_id: str | None = None) -> Position:
        """Write down what a user said, and commit it."""
        return self._loop.run(self._session.say(text, client_id=client_id))

    def commit(self) -> Ack:
        """Wait until everything appended so far is durable."""
        return self._loop.run(self._session.commit())

    def read(self, *, start: int = 0, stop: int | None = None) -> Iterator[Record]:
        """Every record from `start` up to, not including, `stop`, oldest first."""
        return self._loop.iterate(self._session.read(start=start, stop=stop))

    def attach(self, data: bytes, *, media_type: str, name: str = "") -> Blob:
        """Keep content beside the log, and give the part that names it in an entry."""
        return self._loop.run(self._session.attach(data, media_type=media_type, name=name))

    def get_blob(self, blob: BlobId) -> bytes:
        """The content that a `Blob` part names."""
        return self._loop.run(self._session.get_blob(blob))

    def rewind(self, to: int) -> Position:
        """Go on from an earlier position."""
        return self._loop.run(self._session.rewind(to))

    def undo_rewind(self) -> Position:
        """Take the last rewind back."""
        return self._loop.run(self._session.undo_rewind())

    def close(self) -> None:
        """Commit and give the session back."""
        self._loop.run(self._session.close())

    def __enter__(self) -> Self:
        """Use it for a block of code."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()


class BlockingAgent:
    """A conversation with an agent; see `Agent`."""

    def __init__(self, loop: _Loop, opening: AbstractAsyncContextManager[Agent]) -> None:
        """Open it; `BlockingStore.agent` gives one."""
        self._loop, self._opened = loop, opening
        self._agent = loop.run(_enter(opening))

    @property
    def asynchronous(self) -> Agent:
        """The agent behind this one; `BlockingStore.run` runs what is not offered here."""
        return self._agent

    def ask(self, said: str | tuple[Part, ...], *, client_id: str | None = None) -> str:
        """Say something, wait while the agent works, and give its answer; see `Agent.ask`."""
        return self._loop.run(self._agent.ask(said, client_id=client_id))

    def resume(self) -> str | None:
        """Go on with the turn that was broken off, and give its answer; None if there is none."""
        return self._loop.run(self._agent.resume())

    def close(self) -> None:
        """Stop what runs, commit, and give the conversation back."""
        self._loop.run(_leave(self._opened))

    def __enter__(self) -> Self:
        """Use it for a block of code."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()


class BlockingStore:
    """Conversations that cannot be lost; see `Store`."""

    def __init__(self, store: Store) -> None:
        """Run a store in a thread of its own; `open_blocking` gives one."""
        self._loop, self._store = _Loop(), store

    @property
    def asynchronous(self) -> Store:
        """The store behind this one; `run` runs what is not offered here."""
        return self._store

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Run a coroutine of the asynchronous store, such as `store.asynchronous.trash()`, and wait for it."""
        return self._loop.run(work)

    def session(
        self,
        key: str,
        *,
        create: bool = True,
        begins: Beginning | None = None,
        wait: float = 0.0,
        take_over: bool = False,
    ) -> BlockingSession:
        """Open a session for writing; close it, or use it in a `with` block."""
        opened = self._loop.run(self._store.open(key, create=create, begins=begins, wait=wait, take_over=take_over))
        return BlockingSession(self._loop, opened)

    def agent(
        self,
        key: str = "main",
        *,
        model: str | Model,
        tools: Iterable[Tool] = (),
        instructions: str = "",
        answers: Answers | None = None,
    ) -> BlockingAgent:
        """A conversation of this store with an agent, to be closed or used in a `with` block; see `open_agent`."""
        opening = open_agent(
            key, model=model, tools=tools, instructions=instructions, store=self._store, answers=answers
        )
        return BlockingAgent(self._loop, opening)

    def read(
        self, key: str, *, start: int = 0, stop: int | None = None, kinds: Collection[str] = ()
    ) -> Iterator[Record]:
        """Every record of a session from `start` up to, not including, `stop`; with `kinds`, only those."""
        return self._loop.iterate(self._store.read(key, start=start, stop=stop, kinds=kinds))

    def last(self, key: str, kind: str) -> Record | None:
        """The newest entry of a kind; None if there is none."""
        return self._loop.run(self._store.last(key, kind))

    def branch(self, key: str) -> Iterator[Record]:
        """The records of the conversation as it is now, without opening it: what was rewound is left out."""
        return self._loop.iterate(self._store.branch(key))

    def read_back(self, key: str, *, before: int | None = None) -> Iterator[Record]:
        """The records of a session before a position, or all, newest first."""
        return self._loop.iterate(self._store.read_back(key, before=before))

    def load(self, key: str, *, start: int = 0, stop: int | None = None) -> builtins.list[Record]:
        """The records that `read` gives, all at once: quicker, and as much memory as they take."""
        return self._loop.run(self._store.load(key, start=start, stop=stop))

    def exists(self, key: str) -> bool:
        """Whether there is such a session."""
        return self._loop.run(self._store.exists(key))

    def follow(self, key: str, *, after: int = -1) -> Iterator[Record]:
        """Every record after a position, then each new one; for ever."""
        return self._loop.iterate(self._store.follow(key, after=after))

    def list(
        self,
        *,
        limit: int = 50,
        cursor: str = "",
        archived: bool | None = False,
        tag: str = "",
        owner: str | None = None,
    ) -> Page:
        """Sessions, the most recently used first; all, or those with a tag or of one owner."""
        return self._loop.run(self._store.list(limit=limit, cursor=cursor, archived=archived, tag=tag, owner=owner))

    def search(self, text: str, *, limit: int = 10, key: str | None = None, owner: str | None = None) -> Hits:
        """The best finds for some words, or a "phrase in quotes", in all sessions, in one, or of one owner."""
        return self._loop.run(self._store.search(text, limit=limit, key=key, owner=owner))

    def fork(self, key: str, target: str, *, at: int | None = None) -> None:
        """Make a session that begins as another one."""
        self._loop.run(self._store.fork(key, target, at=at))

    def rewind(self, key: str, to: int) -> None:
        """Take a session back to a position."""
        self._loop.run(self._store.rewind(key, to))

    def state(self, key: str) -> SessionState:
        """What a session's log means so far."""
        return self._loop.run(self._store.state(key))

    def verify(self, key: str) -> Verdict:
        """Check every byte of a session, changing nothing."""
        return self._loop.run(self._store.verify(key))

    def delete(self, key: str) -> None:
        """Remove a session for good."""
        self._loop.run(self._store.delete(key))

    def close(self) -> None:
        """Release everything and end the thread. Closing twice is once."""
        try:
            with suppress(Closed):
                self._loop.run(self._store.close())
        finally:
            self._loop.stop()

    def __enter__(self) -> Self:
        """Use it for a block of code."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()


def open_blocking(path: str | PathLike[str], *, durability: Durability = "always") -> BlockingStore:
    """The store below `path`, for code without an event loop."""
    return BlockingStore(open_store(path, durability=durability))
