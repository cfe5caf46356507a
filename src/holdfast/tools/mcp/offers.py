"""The tools a server says it has, made fit to be told to a model.

What a server writes about its tools goes to the model with every request, so it is bounded, and
characters that are not seen are made visible: a description is data, and nothing hides in it. Names
become ones that every provider takes, and no two are the same.
"""

import hashlib
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import msgspec

from holdfast.context.legal.calls import can_be_sent
from holdfast.model.protocol import ToolSpec
from holdfast.records.printable import printable, printable_line
from holdfast.tools.mcp.json_rpc import McpFailed
from holdfast.tools.mcp.peer import Peer, understood
from holdfast.tools.mcp.server import McpServer

MOST_TOOLS = 128
MOST_PAGES = 64
MOST_WORDS = 2000
"""How many characters of a description are told."""
MOST_SCHEMA = 32_000
"""The longest description of arguments, in characters."""
LONGEST_NAME = 64

_OTHER = re.compile(r"[^A-Za-z0-9_-]")


class Hints(msgspec.Struct, frozen=True):
    """What a tool says of itself; only believed where the settings say so."""

    readOnlyHint: bool = False  # noqa: N815 - as the protocol writes it


class Offer(msgspec.Struct, frozen=True):
    """A tool as a server describes it."""

    name: str
    description: str | None = None
    inputSchema: dict[str, Any] = {}  # noqa: N815 - as the protocol writes it
    annotations: Hints | None = None

    @property
    def reads_only(self) -> bool:
        """Whether it says that it changes nothing."""
        return self.annotations is not None and self.annotations.readOnlyHint


class _Page(msgspec.Struct, frozen=True):
    tools: list[msgspec.Raw] = []
    nextCursor: str | None = None  # noqa: N815 - as the protocol writes it


async def offered(peer: Peer, server: McpServer) -> tuple[tuple[Offer, ...], tuple[str, ...]]:
    """The tools of a server that are used, and what the user should know of the others."""
    found: dict[str, Offer] = {}
    broken = 0
    cursor = ""
    for _ in range(MOST_PAGES):
        page = understood(await peer.ask("tools/list", {"cursor": cursor} if cursor else {}), _Page)
        for raw in page.tools:
            try:
                offer = _usable(understood(raw, Offer))
            except McpFailed:
                broken += 1
            else:
                found.setdefault(offer.name, offer)
        cursor = page.nextCursor or ""
        if not cursor or len(found) > MOST_TOOLS:
            break
    return _chosen(found, server, broken)


def _usable(offer: Offer) -> Offer:
    """A tool that can be told to a model. Raises `McpFailed`, also for a schema in which things stand too deep."""
    with suppress(RecursionError):
        if can_be_sent(_schema(offer)):
            return offer
    raise McpFailed("The arguments of a tool are described in a way that no model takes.")


def _chosen(found: dict[str, Offer], server: McpServer, broken: int) -> tuple[tuple[Offer, ...], tuple[str, ...]]:
    notes = [f"{broken} tools of {server.name} are described in a way that cannot be used."] if broken else []
    missing = [name for name in server.tools if name not in found]
    if missing:
        notes.append(f"{server.name} has no tools named {', '.join(missing)}.")
    chosen = [offer for offer in found.values() if not server.tools or offer.name in server.tools]
    if len(chosen) > MOST_TOOLS:
        notes.append(f"{server.name} has more than {MOST_TOOLS} tools; name those you want with `tools`.")
    large = [offer.name for offer in chosen if len(_schema(offer)) > MOST_SCHEMA]
    if large:
        notes.append(
            f"Tools of {server.name} with too long a schema are left out: {printable_line(', '.join(large), 200)}."
        )
    return tuple(offer for offer in chosen[:MOST_TOOLS] if offer.name not in large), tuple(notes)


def spec(server: McpServer, offer: Offer, taken: Iterable[str]) -> ToolSpec:
    """How the model is told of a tool, under a name that is not taken."""
    words = printable((offer.description or "").strip()[: MOST_WORDS + 1])
    if len(words) > MOST_WORDS:
        words = f"{words[: MOST_WORDS - 1]}…"
    return ToolSpec(
        name=tool_name(server.name, offer.name, taken),
        description=f"(from the server {printable_line(server.name, 40)}) {words}".strip(),
        schema=_schema(offer),
    )


def tool_name(server: str, tool: str, taken: Iterable[str] = ()) -> str:
    """A name that every provider takes and nothing else has."""
    plain = f"mcp_{server}_{tool}"
    name = _OTHER.sub("_", plain)
    if len(name) <= LONGEST_NAME and name not in taken:
        return name
    mark = hashlib.sha256(f"{server}\0{tool}".encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - 9]}_{mark}"


def _schema(offer: Offer) -> str:
    schema = {"type": "object", "properties": {}, **_visible(offer.inputSchema)}
    return msgspec.json.encode(schema).decode()


def _visible(value: Any) -> Any:  # noqa: ANN401
    """A schema without characters that are not seen; the names of arguments stay what they are."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_visible(each) for each in value]
    if isinstance(value, dict):
        return {name: _visible(each) for name, each in value.items()}
    return value
