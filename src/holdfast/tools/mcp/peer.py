"""The other side of a connection, and what is said to it first.

A peer takes requests and answers each. Servers since 2026-07-28 know no greeting: every request
says which revision it is written in. Most servers still expect one, so it is tried first, and
a server that does not know it is talked to in the newer way.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from holdfast.tools.mcp.json_rpc import METHOD_NOT_FOUND, McpFailed

T = TypeVar("T")

GREETED = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that begin with a greeting, the newest first."""
UNGREETED = "2026-07-28"
"""The revision in which every request stands by itself."""

_UNSUPPORTED_REVISION = -32022
_NO_GREETING = frozenset({METHOD_NOT_FOUND, _UNSUPPORTED_REVISION})
_CLIENT = {"name": "holdfast", "version": "0.1"}

Heard = Callable[[str], None]
"""Told the method of each notification that a server sends."""


class Peer(Protocol):
    """A server that is connected."""

    revision: str
    """The revision that was agreed on, empty before that."""

    @property
    def lost(self) -> str:
        """Why it can no longer be talked to, empty while it can."""
        ...

    async def ask(self, method: str, params: Mapping[str, Any]) -> msgspec.Raw:
        """Send a request and wait for its result. Raises `McpFailed`; cancelling tells the server to stop."""
        ...

    async def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        ...

    async def close(self) -> None:
        """End the connection, and the program if it was started here."""
        ...


class _Greeting(msgspec.Struct, frozen=True):
    protocolVersion: str = ""  # noqa: N815 - as the protocol writes it


async def greet(peer: Peer) -> None:
    """Agree on a revision. Raises `McpFailed` if there is none."""
    offer = {"protocolVersion": GREETED[0], "capabilities": {}, "clientInfo": _CLIENT}
    try:
        answer = understood(await peer.ask("initialize", offer), _Greeting)
    except McpFailed as error:
        if error.code not in _NO_GREETING:
            raise
        peer.revision = UNGREETED
        return
    if answer.protocolVersion not in GREETED:
        raise McpFailed(
            f"The server speaks revision {answer.protocolVersion[:40]!r} of the protocol, which is not known here."
        )
    peer.revision = answer.protocolVersion
    await peer.tell("notifications/initialized", {})


def complete(params: Mapping[str, Any], revision: str) -> Mapping[str, Any]:
    """The parameters of a request with what the revision wants in each."""
    if revision != UNGREETED:
        return params
    prefix = "io.modelcontextprotocol/"
    about = {f"{prefix}protocolVersion": revision, f"{prefix}clientInfo": _CLIENT, f"{prefix}clientCapabilities": {}}
    return {**params, "_meta": about}


def understood(raw: msgspec.Raw, kind: type[T]) -> T:
    """A result in the shape it must have. Raises `McpFailed` if it has another."""
    try:
        return msgspec.json.decode(raw or b"null", type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise McpFailed(f"The server's answer cannot be used: {error}.") from error
