"""One server over the life of a session: starting it, asking it, starting it once more.

Nothing a server does breaks a turn. One that does not start has no tools and leaves a note; one
that stops is started again once, when it is next asked for something. A call it stopped in is not
repeated, because it may have been done.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from holdfast.errors import ToolFailed
from holdfast.tools.mcp.json_rpc import McpFailed
from holdfast.tools.mcp.offers import Offer, offered
from holdfast.tools.mcp.peer import Peer, greet
from holdfast.tools.mcp.program import started
from holdfast.tools.mcp.server import McpServer

_CHANGED = "notifications/tools/list_changed"


class Served:
    """A server of the settings, started or not."""

    def __init__(self, server: McpServer, folder: Path) -> None:
        """Begin without starting it; `folder` is where its program works."""
        self.server = server
        self.offers: tuple[Offer, ...] = ()
        self.notes: tuple[str, ...] = (f"{server.name} is still starting.",)
        self._folder = folder
        self._peer: Peer | None = None
        self._again = True
        self._one_at_a_time = asyncio.Lock()
        self._listing: asyncio.Task[None] | None = None
        self._changed = False
        self._closing: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Connect and list the tools; what goes wrong becomes a note."""
        try:
            async with self._one_at_a_time:
                await self._connect()
        except ToolFailed as error:
            self.offers, self.notes = (), (f"The tools of {self.server.name} cannot be used: {error}",)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> msgspec.Raw:
        """What a tool answers. Raises `ToolFailed`."""
        async with self._one_at_a_time:
            peer = await self._alive()
        return await peer.ask("tools/call", {"name": tool, "arguments": arguments})

    async def close(self) -> None:
        """End it."""
        self._again = False
        if self._listing:
            self._listing.cancel()
            with suppress(asyncio.CancelledError):
                await self._listing
        if self._peer:
            self._let_go(self._peer)
        await asyncio.gather(*self._closing)

    async def _alive(self) -> Peer:
        """The connection, made anew once if it was lost."""
        if self._peer and not self._peer.lost:
            return self._peer
        if not self._again or self._peer is None:
            why = self._peer.lost if self._peer else "It did not start."
            raise McpFailed(f"{self.server.name} cannot be asked: {why}", hint="Do without its tools, and say so.")
        self._again = False
        self._let_go(self._peer)
        return await self._connect()

    async def _connect(self) -> Peer:
        peer = await self._reached()
        try:
            async with asyncio.timeout(self.server.seconds):
                await greet(peer)
                self.offers, self.notes = await offered(peer, self.server)
        except TimeoutError as error:
            self._let_go(peer)
            raise McpFailed(f"It did not answer within {self.server.seconds:g} seconds.") from error
        except BaseException:
            self._let_go(peer)
            raise
        self._peer = peer
        return peer

    def _let_go(self, peer: Peer) -> None:
        """End a connection that is of no use, without waiting: whoever asked may have been cancelled."""
        self._closing.append(asyncio.create_task(peer.close()))

    async def _reached(self) -> Peer:
        if self.server.command:
            return await started(self.server, self._folder, self._hear)
        if self.server.url.startswith(("http://", "https://")):
            from holdfast.tools.mcp.remote import Remote

            return Remote(self.server, self._hear)
        raise McpFailed("It has neither a `command` nor a `url` that begins with http:// or https://.")

    def _hear(self, method: str) -> None:
        if method == _CHANGED and self._peer:
            self._changed = True
            if self._listing is None or self._listing.done():
                self._listing = asyncio.create_task(self._list_again())

    async def _list_again(self) -> None:
        try:
            # What changes while it is told may not be in it, so it is asked for once more; a server that says so
            # whenever it is asked would never come to an end.
            for _ in range(2):
                self._changed = False
                async with self._one_at_a_time, asyncio.timeout(self.server.seconds):
                    self.offers, self.notes = await offered(await self._alive(), self.server)
                if not self._changed:
                    return
        except (ToolFailed, TimeoutError) as error:
            self.notes = (f"{self.server.name} changed its tools and did not say to what: {error}",)
