"""Servers that are reached by HTTP and behave badly."""

import json
from collections.abc import Callable

import pytest

from holdfast.agent.tool import said
from holdfast.errors import ToolFailed
from holdfast.tools.mcp.server import McpServer
from tests.tools.loopback import Site, answer, page, site
from tests.tools.mcp.calling import called, opened

TOOL = "mcp_far_tool"
LIST = {"tools": [{"name": "tool", "inputSchema": {"type": "object"}}]}
FINE = {"content": [{"type": "text", "text": "fine"}]}

Said = Callable[[int], bytes]
"""The id of a call to what the server says to it."""


def result(number: int, fields: object) -> str:
    """An answer that is a success."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": fields})


def fine(number: int) -> bytes:
    """What a tool says when all is well."""
    return page(result(number, FINE), "application/json")


def serving(said_to_calls: Said, *, session: str = "s1") -> Callable[[str, dict[str, str]], bytes]:
    """A server that greets and lists well, and says something of its own to calls."""

    def said_to(_: str, headers: dict[str, str]) -> bytes:
        message = json.loads(headers[":body"] or "{}")
        match message.get("method"):
            case "initialize":
                more = {"mcp-session-id": session} if session else {}
                greeting = {"protocolVersion": "2025-06-18", "capabilities": {}}
                return page(result(message["id"], greeting), "application/json", **more)
            case "tools/list":
                return page(result(message["id"], LIST), "application/json")
            case "tools/call":
                return said_to_calls(message["id"])
            case _:
                return answer(202)

    return said_to


def far(server: Site, **headers: str) -> McpServer:
    """The server as the settings name it."""
    return McpServer(name="far", url=server.url("/mcp"), headers=headers, seconds=10.0)


async def test_every_request_names_session_and_revision() -> None:
    """
    What the server opened and what was agreed on is sent with all that follows, and so are the user's headers.
    """
    async with site(serving(fine)) as server:
        async with opened(far(server, Authorization="Bearer key")) as tools:
            assert said("fine") == await called(tools, TOOL)

        sent = [headers for _, headers in server.asked]
    assert {"Bearer key"} == {headers["authorization"] for headers in sent}
    assert [None, "s1", "s1", "s1", "s1"] == [headers.get("mcp-session-id") for headers in sent]
    assert [None, *["2025-06-18"] * 4] == [headers.get("mcp-protocol-version") for headers in sent]


async def test_an_answer_may_come_as_events() -> None:
    """
    Comments, garbage, other people's answers and notifications in a stream do not stand in the way.
    """

    def events(number: int) -> bytes:
        lines = [": hello", "data: not json", f"data: {result(999, {})}"]
        lines += ['data: {"jsonrpc":"2.0","method":"notifications/progress"}', 'data: {"id":"q","method":"ping"}']
        return page("\n\n".join([*lines, f"data: {result(number, FINE)}", ""]), "text/event-stream")

    async with site(serving(events)) as server, opened(far(server)) as tools:
        assert said("fine") == await called(tools, TOOL)


@pytest.mark.parametrize(
    ("say", "why"),
    [
        (lambda _: answer(500), "status 500"),
        (lambda _: answer(401), "Check `headers`"),
        (lambda _: answer(307, location="http://127.0.0.1:9/"), "without a result"),
        (lambda _: page("garbage", "application/json"), "without a result"),
        (lambda _: page("data: garbage\n\n", "text/event-stream"), "without a result"),
        (lambda _: page(" " * 17_000_000, "application/json"), "longer than 16 MB"),
        (lambda _: page("data: " + "x" * 17_000_000, "text/event-stream"), "cannot be reached"),
        (lambda _: b"garbage", "cannot be reached"),
        (lambda number: answer(400, json.dumps({"id": number, "error": {"code": 1, "message": "no"}})), "error 1: no"),
    ],
)
async def test_a_bad_answer_says_why(say: Said, why: str) -> None:
    """
    The model reads what happened; a redirect is not followed with the user's keys.
    """
    async with site(serving(say)) as server, opened(far(server)) as tools:
        with pytest.raises(ToolFailed, match=why):
            await called(tools, TOOL)


async def test_what_cannot_be_sent_is_a_note() -> None:
    """
    Whatever fails below is said, and the server is not waited for any longer.
    """
    async with site(serving(fine)) as server, opened(far(server, **{"Content-Length": "5"})) as tools:
        assert ("The tools of far cannot be used: The server cannot be reached: LocalProtocolError.",) == tools.notes


async def test_a_session_that_ended_is_opened_anew_once() -> None:
    """
    The call that found it ended fails, the next one begins a new session.
    """
    answers = [answer(404)]
    serve = serving(lambda number: answers.pop() if answers else fine(number))
    async with site(serve) as server, opened(far(server)) as tools:
        with pytest.raises(ToolFailed, match="has ended the session"):
            await called(tools, TOOL)

        assert said("fine") == await called(tools, TOOL)
