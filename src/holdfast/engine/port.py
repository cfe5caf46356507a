"""What tools may use of the engine: search, read other sessions, begin a child session, set a wake.

The engine is made of an agent's setup, and the setup has the tools, so neither can be given to the other when it is
made. Assembly makes a port, gives it to the tools that need it, and connects it to the engine. Every call names the
context of the tool call it works for, and reaches only sessions of the same owner.
"""

from datetime import datetime

from msgspec.structs import replace

from holdfast.agent.conversation import Conversation
from holdfast.agent.tool import ToolContext
from holdfast.engine.engine import Engine
from holdfast.errors import Closed, NoSession
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import Described, WakeSet
from holdfast.records.parts import Source
from holdfast.session.catalog import Hits
from holdfast.session.state import SessionState


class EnginePort:
    """The engine, as far as tools may use it."""

    def __init__(self) -> None:
        """Lead nowhere yet; `connect` it once the engine is made."""
        self._engine: Engine | None = None

    def connect(self, engine: Engine) -> None:
        """Lead to this engine from now on."""
        self._engine = engine

    @property
    def _connected(self) -> Engine:
        if self._engine is None:
            raise Closed("This tool is connected to no engine.", hint="Call `connect` of the port it was made with.")
        return self._engine

    async def search(self, caller: ToolContext, text: str, *, limit: int = 10, key: str | None = None) -> Hits:
        """The best finds in the sessions of the caller's owner, or in one of them; as `Store.search`."""
        return await self._connected.store.search(text, limit=limit, key=key, owner=caller.state.owner)

    async def load(self, caller: ToolContext, key: str, *, start: int = 0, stop: int | None = None) -> list[Record]:
        """Entries of a session of the caller's owner. Raises `NoSession`, for a session of somebody else too."""
        await self._must_be_of(caller, key)
        return await self._connected.store.load(key, start=start, stop=stop)

    async def forgotten_in(self, caller: ToolContext, key: str) -> frozenset[Position]:
        """The entries of a session of the caller's owner that were forgotten. Raises `NoSession`, as `load` does."""
        await self._must_be_of(caller, key)
        return await self._connected.store.forgotten_in(key)

    async def title(self, caller: ToolContext, key: str) -> str:
        """What a session of the caller's owner is called, or ''. Raises `NoSession`, for one of somebody else too."""
        return (await self._must_be_of(caller, key)).title

    async def begin(
        self, caller: ToolContext, key: str, begins: Described | None = None, *, source: Source | None = None
    ) -> Conversation:
        """Begin a child: a session of its own with the caller's owner and workspace, open until it is left.

        Raises `AlreadyThere` if there is such a session. Which agent works in it is said by the engine's `Setups`.
        """
        state = caller.state
        begins = replace(begins or Described(), owner=state.owner, workspace=state.workspace)
        return await self._connected.begin(key, begins, source=source, doing=f"a task of {caller.key}")

    async def open(self, caller: ToolContext, key: str) -> Conversation:
        """Open a session of the caller's owner that is there, such as a child from before a restart.

        Raises `Held` if another process works in it, and `NoSession` for a session of somebody else too.
        """
        await self._must_be_of(caller, key)
        return await self._connected.open(key, create=False, doing=f"a task of {caller.key}")

    async def leave(self, caller: ToolContext, key: str) -> None:
        """Close a child that was begun or opened; what runs in it is stopped."""
        if key != caller.key:
            await self._connected.leave(key)

    async def wake_at(self, caller: ToolContext, due: datetime, *, why: str = "", text: str = "") -> Position:
        """Have the caller's own session woken at a time; `text` is said then. Durable when this returns.

        It wakes also after a restart, in whatever process runs `Engine.run_wakes` for it. Gives where it stands.
        """
        return await caller.write(WakeSet(due=due, why=why, text=text))

    async def go_on(self, caller: ToolContext) -> None:
        """Have `NextStep` asked now what comes next in the caller's own session: what it waits for has happened.

        It may be called long after the call has ended; the session is opened where it has to be.
        """
        await self._connected.go_on(caller.key)

    async def _must_be_of(self, caller: ToolContext, key: str) -> SessionState:
        state = await self._connected.store.state(key)
        if state.owner != caller.state.owner:
            raise NoSession(key)  # that it is there is nothing the caller may know
        return state
