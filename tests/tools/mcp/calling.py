"""What tests of servers share: opening one, and calling its tools."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.agent.tool import Action, Output
from holdfast.tools.mcp.mcp_tools import McpTools
from holdfast.tools.mcp.server import McpServer
from tests.tools.tool_context import NotedDesk

HERE = Path(__file__).parent


def program(script: str, *arguments: str, name: str = "peer", **more: object) -> McpServer:
    """A server that is a script of this folder."""
    command = (sys.executable, str(HERE / f"{script}.py"), *arguments)
    return McpServer(**{"name": name, "command": command, "seconds": 30.0, **more})  # type: ignore[arg-type]


@asynccontextmanager
async def opened(*servers: McpServer, seconds: float = 30.0) -> AsyncIterator[McpTools]:
    """Servers that are started, and closed at the end of the block."""
    tools = await McpTools.open(servers, folder=HERE, seconds=seconds)
    try:
        yield tools
    finally:
        await tools.close()


async def action(tools: McpTools, name: str, context: NotedDesk | None = None, **arguments: object) -> Action:
    """A call that was understood."""
    tool = next(each for each in tools.tools if each.spec.name == name)
    return await tool.understand(json.dumps(arguments), context or NotedDesk())


async def called(tools: McpTools, name: str, context: NotedDesk | None = None, **arguments: object) -> Output:
    """What came of a call."""
    return await (await action(tools, name, context, **arguments)).run()


async def until(true: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    for _ in range(1000):
        if true():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen within 20 seconds")
