"""Messages of JSON-RPC 2.0: what is sent, and what comes in.

What comes in is a stranger's. A line that is not a message is nothing; it is not an error, because
many programs print a greeting where only messages should be.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from holdfast.errors import ToolFailed

METHOD_NOT_FOUND = -32601

Id = int | str


class McpFailed(ToolFailed):
    """A server did not do what was asked; its code, where it gave one."""

    code = 0


class Problem(msgspec.Struct, frozen=True):
    """Why a request was not done."""

    code: int = 0
    message: str = ""

    def failure(self) -> McpFailed:
        """It, to be raised."""
        error = McpFailed(f"The server answered with error {self.code}: {self.message[:2000]}")
        error.code = self.code
        return error


class Incoming(msgspec.Struct, frozen=True):
    """A message that came in: a request or notification if it has a method, else an answer."""

    id: Id | None = None
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"")
    result: msgspec.Raw = msgspec.Raw(b"")
    error: Problem | None = None


def request(number: int, method: str, params: Mapping[str, Any]) -> bytes:
    """Something to be done, and answered."""
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def notification(method: str, params: Mapping[str, Any]) -> bytes:
    """Something to be known."""
    return msgspec.json.encode({"jsonrpc": "2.0", "method": method, "params": params})


def reply(incoming: Incoming) -> bytes:
    """What we say to a request of the server: that we are here, or that we do not do such things."""
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": incoming.id}
    if incoming.method == "ping":
        return msgspec.json.encode({**answer, "result": {}})
    return msgspec.json.encode({**answer, "error": {"code": METHOD_NOT_FOUND, "message": "Not supported here"}})


def incoming(line: bytes | str) -> tuple[Incoming, ...]:
    """The messages in a line, none if it is something else."""
    try:
        found = msgspec.json.decode(line, type=Incoming | list[Incoming])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ()
    return tuple(found) if isinstance(found, list) else (found,)
