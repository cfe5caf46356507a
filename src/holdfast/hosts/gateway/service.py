"""What everything in the gateway shares: the engine, who may come in, how much of anything, and who is there now."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeAlias

from holdfast.agent.conversation import Conversation
from holdfast.commands.answers import Answers
from holdfast.engine.engine import Engine
from holdfast.errors import BadInput
from holdfast.hosts.gateway.guard import Guard
from holdfast.hosts.gateway.journal import Journal
from holdfast.hosts.gateway.logins import Login, Logins
from holdfast.hosts.gateway.marks import Marks
from holdfast.hosts.gateway.own_sessions import OwnSessions
from holdfast.hosts.gateway.presence import Presence
from holdfast.records.parts import Value

CommandRunner: TypeAlias = Callable[[Conversation, str], Awaitable[Answers]]
"""Runs a slash command in a conversation."""


class GatewayLimits(Value, frozen=True, kw_only=True):
    """How much anybody may ask of the gateway."""

    burst: int = 300
    """Requests that one address may make at once."""
    each_second: float = 100.0
    """And how many each second after that."""
    body_bytes: int = 4_000_000
    """The longest body of a request, uploads not counted."""
    head_bytes: int = 16_384
    """The longest head of a request."""
    sockets: int = 10_000
    """Open sockets of all."""
    sockets_before_login: int = 200
    """Sockets whose first frame has not come."""
    login_seconds: float = 10.0
    """How long the first frame of a socket may take."""
    frames_burst: int = 200
    """Frames that one socket may send at once."""
    frames_each_second: float = 50.0
    """And how many each second after that."""
    attached: int = 64
    """Sessions that one socket may watch."""
    waiting_bytes: int = 500_000
    """About so many bytes of events may wait for one socket and session."""


LOCAL = Login(id="local", kind="token", person="", hashed="", created=datetime(1970, 1, 1, tzinfo=UTC))
"""Whoever reaches the socket in the user's own folder: it is the user's own program."""


class GatewayService:
    """The sessions of one engine, for those who are let in."""

    def __init__(
        self,
        engine: Engine,
        logins: Logins,
        guard: Guard,
        *,
        limits: GatewayLimits | None = None,
        workspaces: Callable[[str], str] = lambda _person: "",
        commands: CommandRunner | None = None,
    ) -> None:
        """Join them; `workspaces` gives the identity of the workspace for new sessions of a person.

        `commands` runs a slash command in a conversation; without it there are none.
        """
        self.engine, self.logins, self.guard = engine, logins, guard
        self.limits = limits or GatewayLimits()
        self.journal = Journal()
        self.run = secrets.token_hex(6)
        """Names this process."""
        self.draining = False
        """Whether no new turns are begun because the gateway stops."""
        self.stopping = asyncio.Event()
        """Set when what is open is to end."""
        self.sockets = 0
        """How many sockets are open."""
        self.marks = Marks(logins.folder)
        self.presence = Presence()
        self._workspaces, self._commands = workspaces, commands

    def own(self, person: str) -> OwnSessions:
        """What a person may see and do."""
        return OwnSessions(self.engine, self.marks, person, workspace=self._workspaces(person))

    def counts(self, login: Login) -> bool:
        """Whether a login counts still."""
        return login is LOCAL or self.logins.counts(login)

    async def command(self, conversation: Conversation, line: str) -> Answers:
        """What a slash command gives back. Raises `BadInput` for one that cannot be run here."""
        if self._commands is None:
            raise BadInput("This gateway runs no commands.")
        return await self._commands(conversation, line)

    async def drain(self, seconds: float) -> None:
        """Begin no more turns, and let those that run end within so many seconds; then stop them."""
        self.draining = True
        await self.engine.finish(seconds)
