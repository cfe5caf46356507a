"""What a command works on: settings, a store, and in a chat the agent and the conversation that the person is in.

Nothing here is a terminal: a host gives a context, and does with the answers what it can.
"""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from holdfast.assembly import open_store
from holdfast.commands.command import EVERYTHING, Reach
from holdfast.commands.keys import line
from holdfast.config import Loaded, Settings
from holdfast.config.places import state_folder
from holdfast.config.workspace_identity import known_identity
from holdfast.errors import BadInput
from holdfast.ids import Position
from holdfast.log.store import Place, StoreAbout
from holdfast.records.entries import Described, FileChanged
from holdfast.session.state import SessionState
from holdfast.session.store import Store
from holdfast.session.writer import Session
from holdfast.stores.files.filesystems import refuse_circle

if TYPE_CHECKING:  # a command on the store alone loads no agent
    from holdfast.agent.conversation import Conversation
    from holdfast.assembly.agent import AgentRuntime

WAIT = 2.0
"""Seconds to wait for a process that is just finishing with a session."""


def _now() -> datetime:
    return datetime.now(UTC)


def _nothing() -> None:
    """There is nothing to forget where nothing is brought back."""


class WritableSession(Protocol):
    """A session that may be written: the conversation one is in, or one that is held for this command."""

    @property
    def state(self) -> SessionState:
        """What is known of it."""
        ...

    async def describe(self, described: Described) -> None:
        """Add what is known about it."""
        ...

    @property
    def session(self) -> Session:
        """The session itself, with its log and its attachments."""
        ...

    async def rewind(self, to: int, *changes: FileChanged) -> Position:
        """Go back to a position; `changes` say which files are about to be taken back with it."""
        ...

    async def undo_rewind(self, *changes: FileChanged) -> Position:
        """Take the last rewind back, and say which files are about to be taken back with it."""
        ...


class _WritableSession:
    """A session that is held for one command."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.rewind, self.undo_rewind = session.rewind, session.undo_rewind

    @property
    def state(self) -> SessionState:
        return self.session.state

    async def describe(self, described: Described) -> None:
        await self.session.append(described)
        await self.session.commit()


class CommandContext:
    """Settings and a store; what a shell has."""

    def __init__(
        self,
        read: Callable[[], Loaded],
        *,
        environment: Mapping[str, str] | None = None,
        reach: frozenset[Reach] = EVERYTHING,
        now: Callable[[], datetime] = _now,
        store_option: str = "",
    ) -> None:
        """Settings are read when they are first asked for; `reach` is what the host grants.

        `store_option` is what a shell needs to be told to find the same store.
        """
        self._read, self._store_option = read, store_option
        self._store: Store | None = None
        self.progress: Callable[[object], None] = lambda _: None
        """Is told how far a long command has come."""
        self.environment = os.environ if environment is None else environment
        """Where keys of services, and the user's own folder, are found."""
        self.reach, self.now = reach, now

    @cached_property
    def loaded(self) -> Loaded:
        """The settings with where they came from. Raises `BadSetting`."""
        return self._read()

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.loaded.settings

    @property
    def place(self) -> Place:
        """Where the sessions are."""
        return self.settings.store

    @property
    def identity(self) -> str:
        """The id of the workspace that the command is given in; '' if it has none yet."""
        return known_identity(self.loaded.root, state_folder(self.environment), trusted=self.loaded.trusted)

    async def opened(self) -> Store:
        """The store; it stays open until `close`."""
        if self._store is None:
            self.must_be_there()
            self._store = await open_store(self.place, durability=self.settings.durability).__aenter__()
        return self._store

    async def close(self) -> None:
        """Close the store, if it was opened."""
        if self._store is not None:
            store, self._store = self._store, None
            await store.close()

    @asynccontextmanager
    async def held(self, key: str, doing: str) -> AsyncIterator[WritableSession]:
        """A session to write to. Raises `WritableSession` of `errors` if another process has it."""
        store = await self.opened()
        async with store.session(key, create=False, doing=doing, wait=WAIT) as session:
            yield _WritableSession(session)

    def line(self, command: str, key: str, options: str = "") -> str:
        """A command about a session of this store, to be copied into a shell."""
        return line(command, key, " ".join(filter(None, (options, self._store_option))))

    def has_sessions(self) -> bool:
        """Whether anything was ever written there: looking at an empty place must not make it."""
        self.must_be_there()
        root = self.place.folder
        return root is None or (root / "sessions").is_dir() or (root / "trash").is_dir()

    def must_be_there(self) -> None:
        """Refuse a store that is a file, or whose links lead in a circle: it would look as if nothing were there."""
        root = self.place.folder
        for folder in (root, root / "sessions") if root is not None else ():
            refuse_circle(folder)
            if folder.exists() and not folder.is_dir():
                raise BadInput(f"{folder} is a file, not a folder with sessions.", hint="Give --store a folder.")

    def about(self, key: str | None = None) -> StoreAbout:
        """Where the store lies; with a key, where that session lies or would lie."""
        return (self._store or open_store(self.place)).about(key)

    def may(self, reach: Reach) -> bool:
        """Whether the host grants something."""
        return reach in self.reach


class ConversationContext(CommandContext):
    """An agent and the conversation that the person is in."""

    def __init__(
        self,
        *,
        agent: "AgentRuntime",
        conversation: "Conversation",
        environment: Mapping[str, str] | None = None,
        reach: frozenset[Reach] = EVERYTHING,
        now: Callable[[], datetime] = _now,
        forget_typed: Callable[[], None] = _nothing,
    ) -> None:
        """Join them; `forget_typed` has the host bring back nothing that was typed before."""
        super().__init__(lambda: agent.loaded, environment=environment, reach=reach, now=now)
        self.agent, self.conversation, self.forget_typed = agent, conversation, forget_typed

    @property
    def identity(self) -> str:
        """The id of the workspace."""
        return self.agent.identity

    @property
    def store(self) -> Store:
        """Where all sessions are."""
        return self.agent.engine.store

    @property
    def session(self) -> Session:
        """The session that the person is in."""
        return self.conversation.session

    def about(self, key: str | None = None) -> StoreAbout:
        """Where the store lies, or a session of it."""
        return self.store.about(key)

    async def opened(self) -> Store:
        """The store, which the host closes."""
        return self.store

    async def close(self) -> None:
        """Leave the store open."""

    @asynccontextmanager
    async def held(self, key: str, doing: str) -> AsyncIterator[WritableSession]:
        """The conversation itself, or with a key another session."""
        if key and key != self.conversation.key:
            async with super().held(key, doing) as session:
                yield session
        else:
            yield self.conversation

    def has_sessions(self) -> bool:
        """There is at least this one."""
        return True
