"""A server of tools, as the settings name it."""

from collections.abc import Mapping

from holdfast.records.parts import Value


class McpServer(Value, frozen=True, kw_only=True):
    """A program that is started here and talked to by its input and output, or a server reached by HTTP."""

    name: str
    """How the user calls it; its tools are named after it."""
    command: tuple[str, ...] = ()
    """The program and its arguments."""
    env: Mapping[str, str] = {}
    """Its environment, besides PATH, HOME and a mark by which what it started is found."""
    url: str = ""
    """Where it is, if it is not started here."""
    headers: Mapping[str, str] = {}
    """What is sent with each request, such as a key."""
    seconds: float = 60.0
    """How long it may take to start, and how long one call may take."""
    tools: tuple[str, ...] = ()
    """The tools that are used of it, by the server's own names; all of them if none is named."""
    trusted_reads: bool = False
    """Whether a tool that says it only reads is believed, and needs no permission."""
