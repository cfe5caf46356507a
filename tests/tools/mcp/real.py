"""A server made with the real SDK, as other people's servers are; run with `stdio`, or with a port for HTTP."""

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.types import CallToolResult, EmbeddedResource, TextContent, TextResourceContents, ToolAnnotations

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000"
    "040001f61738550000000049454e44ae426082"
)

server = MCPServer("real")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def picture() -> Image:
    """A picture."""
    return Image(data=PNG, format="png")


@server.tool()
def document() -> CallToolResult:
    """A text with an address."""
    resource = TextResourceContents(uri="memo://one", text="the memo", mime_type="text/plain")
    return CallToolResult(content=[TextContent(text="see:"), EmbeddedResource(resource=resource)])


@server.tool()
def fail() -> CallToolResult:
    """Fails."""
    return CallToolResult(content=[TextContent(text="it did not work")], is_error=True)


@server.tool()
async def wait(marker: str) -> str:
    """Waits until it is called off, and then leaves a mark."""
    Path(marker).with_suffix(".begun").touch()
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        Path(marker).touch()
        raise
    return "too late"


@server.tool()
def environment() -> str:
    """The names in its environment."""
    return " ".join(sorted(os.environ))


@server.tool()
async def grow(ctx: Context) -> str:
    """Adds a tool, and says that the list has changed."""
    server.add_tool(lambda: "new", name="grown", description="Came later.")
    await ctx.session.send_tool_list_changed()
    return "grown"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run()
    else:
        server.run("streamable-http", port=int(sys.argv[1]), json_response=sys.argv[2:] == ["json"])
