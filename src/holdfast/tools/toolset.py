"""The toolset of an agent: the built-in tools, and those of servers that the settings name.

Nothing is started before a turn needs it, so that a prompt is there at once.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.agent.tool import Tool
from holdfast.errors import ToolFailed
from holdfast.records.printable import printable_line
from holdfast.tools.mcp.server import McpServer

if TYPE_CHECKING:
    from holdfast.tools.builtin import Builtin
    from holdfast.tools.mcp.mcp_tools import McpTools

MOST_TOOLS = 128
"""Some providers refuse every request with more, and a conversation may go on with any of them."""


class WorkspaceTools:
    """The tools of a workspace, made when they are first needed."""

    def __init__(
        self,
        make: "Callable[[], Builtin]",
        servers: Callable[[], Sequence[McpServer]],
        *,
        root: Path,
        wanted: Callable[[str], bool],
    ) -> None:
        """Offer what is `wanted`, by name."""
        self._make, self._servers, self._root, self._wanted = make, servers, root, wanted
        self._builtin: Builtin | None = None
        self._mcp: McpTools | None = None
        self._found: tuple[Sequence[Tool], Sequence[Tool]] = (), ()
        self._offered: tuple[Tool, ...] = ()
        self._left_out: tuple[Tool, ...] = ()
        self._opening = asyncio.Lock()

    async def tools(self) -> tuple[Tool, ...]:
        """The tools there are now."""
        async with self._opening:
            # One after the other, so that a turn that is stopped on the way starts nothing twice.
            if self._builtin is None:
                self._builtin = await asyncio.to_thread(self._make)
            if self._mcp is None:
                from holdfast.tools.mcp.mcp_tools import McpTools

                self._mcp = await McpTools.open(self._servers(), folder=self._root)
            builtin, further = self._builtin, self._mcp.tools
        found = builtin.tools, further
        if found != self._found:  # each request and each call asks
            self._found = found
            offered = tuple(tool for tool in (*builtin.tools, *further) if self._wanted(tool.spec.name))
            self._offered, self._left_out = offered[:MOST_TOOLS], offered[MOST_TOOLS:]
        return self._offered

    async def ended(self, job: str) -> str:
        """Wait for the end of a command in the background, and tell how it ended."""
        jobs = None if self._builtin is None else self._builtin.jobs
        try:
            found = None if jobs is None else jobs.find(job)
        except ToolFailed:
            found = None
        if found is None:
            return f"{job} is not there any more: it ended with the process that ran it, or its output was read."
        await found.ended.wait()
        return f"{job} has ended; shell_read gives its output."

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of them."""
        return (
            *(self._builtin.notes if self._builtin else ()),
            *(self._mcp.notes if self._mcp else ()),
            *self._too_many(),
        )

    def _too_many(self) -> tuple[str, ...]:
        if not self._left_out:
            return ()
        names = printable_line(", ".join(tool.spec.name for tool in self._left_out), 200)
        note = f"A model takes {MOST_TOOLS} tools at most, so {len(self._left_out)} are left out: {names}."
        return (f"{note} Name those you want of each server with `tools`, or take others away with `tools.disabled`.",)

    async def close(self) -> None:
        """End what was started."""
        async with self._opening:
            builtin, mcp, self._builtin, self._mcp = self._builtin, self._mcp, None, None
        if mcp is not None:
            await mcp.close()
        if builtin is not None:
            await builtin.close()
