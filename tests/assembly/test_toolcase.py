"""All tools of a workspace: made once, also when a turn is stopped while they are made."""

import asyncio
import threading
from pathlib import Path

import pytest

from holdfast.tools.builtin import Builtin, built_in
from holdfast.tools.mcp.server import McpServer
from holdfast.tools.shell.sandbox import Sandbox
from holdfast.tools.toolset import MOST_TOOLS, WorkspaceTools
from tests.tools.mcp.calling import program


class Making:
    """Makes a kit, and counts how often; the first time it may be held up or fail."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.made = self.looked = 0
        self.begun, self.release = threading.Event(), threading.Event()
        self.fails = False

    def builtin(self) -> Builtin:
        self.made += 1
        self.begun.set()
        self.release.wait(10)
        if self.fails:
            self.fails = False
            raise OSError("no kit today")
        return built_in(self._root, sandbox=Sandbox(said="No sandbox."), environment={})

    def servers(self) -> list[McpServer]:
        self.looked += 1
        return []


async def test_a_stop_while_tools_are_made_starts_no_server_twice(tmp_path: Path) -> None:
    """
    Servers are processes: one that nobody knows of would be left behind.
    """
    making = Making(tmp_path)
    case = WorkspaceTools(making.builtin, making.servers, root=tmp_path, wanted=lambda name: name != "shell")
    first = asyncio.create_task(case.tools())
    await asyncio.to_thread(making.begun.wait)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert 0 == making.looked
    making.release.set()
    names = {tool.spec.name for tool in await case.tools()}
    await case.tools()

    assert (2, 1) == (making.made, making.looked)
    assert "read_file" in names
    assert "shell" not in names
    await case.close()
    await case.close()


async def test_what_cannot_be_made_is_told_and_tried_again(tmp_path: Path) -> None:
    """
    The next turn may have more luck.
    """
    making = Making(tmp_path)
    making.fails = True
    making.release.set()
    case = WorkspaceTools(making.builtin, making.servers, root=tmp_path, wanted=lambda _: True)
    with pytest.raises(OSError, match="no kit today"):
        await case.tools()

    assert () == case.notes
    assert await case.tools()
    assert "No sandbox" in " ".join(case.notes)
    await case.close()


async def test_more_tools_than_a_model_takes_are_left_out(tmp_path: Path) -> None:
    """
    One too many and some providers refuse every request; so the last ones are left out, which is said.
    """

    def builtin() -> Builtin:
        return built_in(tmp_path, sandbox=None, environment={})

    def servers() -> list[McpServer]:
        return [program("hostile", "many", name=name) for name in ("a", "b")]

    case = WorkspaceTools(builtin, servers, root=tmp_path, wanted=lambda _: True)
    names = [tool.spec.name for tool in await case.tools()]
    notes = case.notes
    await case.close()

    assert MOST_TOOLS == len(names)
    assert ["read_file", "mcp_a_tool0"] == [names[0], next(name for name in names if name.startswith("mcp_"))]
    (note,) = notes
    assert f"A model takes {MOST_TOOLS} tools at most, so" in note
    assert "mcp_b_tool" in note
