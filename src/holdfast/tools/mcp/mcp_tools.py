"""The tools of all servers, as tools of the agent.

A server's words about its tools decide nothing: each call is asked about, unless the settings
trust the server's own word that a tool only reads. A call is sent exactly as it was shown.
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from holdfast.agent.tool import Action, Ask, Output, ToolContext, ToolHelp
from holdfast.errors import ToolFailed
from holdfast.model.protocol import ToolSpec
from holdfast.records.printable import printable_line
from holdfast.tools.mcp.connection import Served
from holdfast.tools.mcp.offers import Offer, spec
from holdfast.tools.mcp.results import MOST_CHARACTERS, output
from holdfast.tools.mcp.server import McpServer

READY_SECONDS = 5.0
"""How long a turn waits for servers to start; those that take longer join when they are ready."""


class McpTools:
    """The servers of a session and their tools."""

    def __init__(self, servers: Iterable[McpServer], folder: Path) -> None:
        """Begin without starting any; `open` does."""
        self._served = tuple(Served(server, folder) for server in servers)
        self._starting: set[asyncio.Task[None]] = set()
        self._offered: tuple[tuple[Offer, ...], ...] = ()
        self._tools: tuple[McpTool, ...] = ()

    @classmethod
    async def open(cls, servers: Iterable[McpServer], *, folder: Path, seconds: float = READY_SECONDS) -> "McpTools":
        """Start all servers at the same time, and wait for them no longer than this; it never fails."""
        opened = cls(servers, folder)
        opened._starting = {asyncio.create_task(served.start()) for served in opened._served}
        if opened._starting:
            try:
                await asyncio.wait(opened._starting, timeout=seconds)
            except asyncio.CancelledError:
                await opened.close()
                raise
        return opened

    @property
    def tools(self) -> tuple["McpTool", ...]:
        """The tools that can be used now; more may come, or go, while servers start and change."""
        offered = tuple(served.offers for served in self._served)
        if offered != self._offered:  # each request and each call asks, and a hundred of them take a while to describe
            self._offered, self._tools = offered, self._described()
        return self._tools

    def _described(self) -> "tuple[McpTool, ...]":
        found: dict[str, McpTool] = {}
        for served in self._served:
            for offer in served.offers:
                tool = McpTool(served, offer, spec(served.server, offer, found))
                found.setdefault(tool.spec.name, tool)
        return tuple(found.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know: servers that did not start, tools that are left out."""
        return tuple(note for served in self._served for note in served.notes)

    async def close(self) -> None:
        """End all servers at the same time; nothing of them is left running."""
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(served.close() for served in self._served))


class McpTool:
    """A tool of a server."""

    def __init__(self, served: Served, offer: Offer, told: ToolSpec) -> None:
        """Begin with what the server offers and how the model is told of it."""
        self.spec = told
        self.help = ToolHelp(
            limits=(f"{served.server.seconds:g} seconds, {MOST_CHARACTERS:,} characters.",),
            errors=("The server stopped, or does not answer.",),
        )
        self.seconds = served.server.seconds
        self._served, self._offer = served, offer

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse the arguments; whether they are right is for the server to say."""
        try:
            found = msgspec.json.decode(arguments or "{}", type=dict[str, Any])
            compact = msgspec.json.encode(found).decode()
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise ToolFailed(f"The arguments cannot be used: {error}.", hint="Send a JSON object.") from error
        ask = Ask(
            tool=self.spec.name,
            subjects=(f"{self._offer.name} {compact}",),
            title=f"call {printable_line(self._offer.name, 60)} of {printable_line(self._served.server.name, 40)}",
            detail=msgspec.json.format(compact, indent=2),
            reads_only=self._served.server.trusted_reads and self._offer.reads_only,
        )
        return _Call(ask, self._served, self._offer.name, found, context)


class _Call:
    """A call to be sent to a server."""

    def __init__(self, ask: Ask, served: Served, tool: str, arguments: dict[str, Any], context: ToolContext) -> None:
        self.ask = ask
        self._served, self._tool, self._arguments, self._context = served, tool, arguments, context

    async def run(self) -> Output:
        """Send it, and give what came of it."""
        return await output(await self._served.call(self._tool, self._arguments), self._context)
