"""Servers of the real SDK, over input and output and over HTTP."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.agent.permissions import Permissions
from holdfast.agent.tool import said
from holdfast.errors import ToolFailed
from holdfast.records.parts import Blob, plain_text
from holdfast.tools.mcp.mcp_tools import McpTools
from holdfast.tools.mcp.offers import offered
from holdfast.tools.mcp.peer import UNGREETED
from holdfast.tools.mcp.remote import Remote
from holdfast.tools.mcp.results import output
from holdfast.tools.mcp.server import McpServer
from holdfast.tools.shell.processes import MARK
from tests.records.pictures import png
from tests.tools.mcp.calling import HERE, action, called, opened, program, until
from tests.tools.tool_context import NotedDesk
from tests.tools.waiting import within_turns

NAMES = ["add", "picture", "document", "fail", "wait", "environment", "grow"]


async def listening(*more: str) -> tuple[asyncio.subprocess.Process, str]:
    """The real server on a free port of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(HERE / "real.py"), str(port), *more), stderr=asyncio.subprocess.DEVNULL
    )
    async with asyncio.timeout(30):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                await writer.wait_closed()
                return process, f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(params=["program", "events", "json"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[McpServer]:
    """The same server, reached in each way there is."""
    if request.param == "program":
        yield program("real", "stdio", name="real")
        return
    process, url = await listening(*(["json"] if request.param == "json" else []))
    yield McpServer(name="real", url=url, seconds=30.0)
    process.kill()
    await process.wait()


async def test_the_tools_of_a_real_server_can_be_called(server: McpServer) -> None:
    """
    Its tools are listed under its name, and texts, pictures, documents and failures come back as what they are.
    """
    context = NotedDesk()
    async with opened(server) as tools:
        assert () == tools.notes
        assert [f"mcp_real_{name}" for name in NAMES] == [tool.spec.name for tool in tools.tools]
        assert "(from the server real) Add two numbers." == tools.tools[0].spec.description
        assert said("5") == await called(tools, "mcp_real_add", a=2, b=3)
        assert "see:\nmemo://one:\nthe memo" == plain_text((await called(tools, "mcp_real_document")).parts)
        assert said("it did not work", ok=False) == await called(tools, "mcp_real_fail")

        (picture,) = (await called(tools, "mcp_real_picture", context)).parts

    assert isinstance(picture, Blob)
    assert ("image/png", [png()]) == (picture.media_type, context.attached)


@pytest.mark.parametrize("server", ["events", "json"], indirect=True)
async def test_the_newer_way_of_talking_works_too(server: McpServer) -> None:
    """
    A server is also understood without a greeting, where each request says what it is written in.
    """
    peer = Remote(server, heard=print)
    peer.revision = UNGREETED
    try:
        offers, _ = await offered(peer, server)
        raw = await peer.ask("tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}})

        assert NAMES == [offer.name for offer in offers]
        assert said("5") == await output(raw, NotedDesk())
    finally:
        await peer.close()


async def test_wrong_arguments_are_for_the_server_to_refuse(server: McpServer) -> None:
    """
    What a server says to arguments it cannot use is shown to the model.
    """
    async with opened(server) as tools:
        output = await called(tools, "mcp_real_add", a="x")

    assert not output.ok
    assert plain_text(output.parts)


async def test_calls_run_at_the_same_time(server: McpServer) -> None:
    """
    Each answer finds its own call.
    """
    async with opened(server) as tools:
        outputs = await asyncio.gather(*(called(tools, "mcp_real_add", a=each, b=each) for each in range(10)))

    assert [said(str(2 * each)) for each in range(10)] == outputs


async def test_a_call_that_is_cancelled_is_called_off(server: McpServer, tmp_path: Path) -> None:
    """
    Cancelling takes effect here at once, the server is told, and goes on working for others.
    """
    async with opened(server) as tools:
        mark = tmp_path / "mark"
        task = asyncio.create_task(called(tools, "mcp_real_wait", marker=str(mark)))
        await until(mark.with_suffix(".begun").exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await within_turns(task)
        await until(mark.exists)
        assert said("2") == await called(tools, "mcp_real_add", a=1, b=1)


async def test_a_program_sees_only_what_the_settings_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Keys in the user's environment are not handed to every server.
    """
    monkeypatch.setenv("SECRET_KEY", "x")
    async with opened(program("real", "stdio", name="real", env={"GIVEN": "y"})) as tools:
        names = set(plain_text((await called(tools, "mcp_real_environment")).parts).split())

    assert {"GIVEN", "HOME", "PATH", MARK} == names - {"LC_CTYPE"}


async def test_tools_that_come_later_are_found() -> None:
    """
    A program that says its tools have changed is asked for them again.
    """
    async with opened(program("real", "stdio", name="real")) as tools:
        assert said("grown") == await called(tools, "mcp_real_grow")
        await until(lambda: len(tools.tools) > len(NAMES))

        assert said("new") == await called(tools, "mcp_real_grown")


async def test_only_the_tools_that_are_named_are_used() -> None:
    """
    A list in the settings leaves the others out, and a name the server does not have is said.
    """
    async with opened(program("real", "stdio", name="real", tools=("add", "gone"))) as tools:
        assert ["mcp_real_add"] == [tool.spec.name for tool in tools.tools]
        assert ("real has no tools named gone.",) == tools.notes


@pytest.mark.parametrize(("trusted", "expected"), [(False, ["ask", "ask"]), (True, ["allow", "ask"])])
async def test_every_call_is_asked_about(trusted: bool, expected: list[str]) -> None:
    """
    A server's word that a tool only reads counts where the settings trust it, and only for that tool.
    """
    async with opened(program("real", "stdio", name="real", trusted_reads=trusted)) as tools:
        asks = [(await action(tools, f"mcp_real_{name}", a=1)).ask for name in ("add", "picture")]

    assert expected == [Permissions().decide(ask) for ask in asks]
    assert ('add {"a":1}',) == asks[0].subjects
    assert ("call add of real", '{\n  "a": 1\n}') == (asks[0].title, asks[0].detail)


@pytest.mark.parametrize("sent", ["[]", "not json", '"x"', "{", "[" * 100_000])
async def test_arguments_that_are_no_object_are_refused(sent: str) -> None:
    """
    Nothing is sent that could not be shown.
    """
    async with opened(program("hostile", "fine")) as tools:
        with pytest.raises(ToolFailed, match="JSON object"):
            await tools.tools[0].understand(sent, NotedDesk())


async def test_without_servers_there_is_nothing() -> None:
    """
    Most people have no servers, and nothing happens.
    """
    tools = await McpTools.open((), folder=HERE)

    assert ((), ()) == (tools.tools, tools.notes)
    await tools.close()
