"""What can be asked over HTTP, as data: one row a resource, in tables that `routes` joins.

A row says what it takes and gives, so that one place reads every body, checks every login, and can describe all of it.
A path is matched segment by segment as it was sent, so a session's key may have slashes in it.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import unquote_to_bytes

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from holdfast.hosts.gateway.logins import Login
from holdfast.hosts.gateway.own_sessions import OwnSessions
from holdfast.hosts.gateway.service import GatewayService
from holdfast.records.parts import Source

Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class Call(NamedTuple):
    """One request, checked and read."""

    service: GatewayService
    request: Request
    path: Mapping[str, str]
    """What stands in the place of `{name}` in the path."""
    body: Any
    """What was sent, as the resource's `body` has it; None where it takes nothing."""
    who: Login | None
    """None where no login is needed."""
    sessions: OwnSessions
    """What the person may see and do; of nobody where no login is needed."""

    @property
    def address(self) -> str:
        """The address that the request comes from."""
        return self.service.guard.address(_peer(self.request), self.request.headers)

    @property
    def secure(self) -> bool:
        """Whether the person's side of the connection is encrypted, as far as is known."""
        return self.service.guard.secure(self.request.scope["scheme"], _peer(self.request), self.request.headers)

    @property
    def source(self) -> Source:
        """Where what this request does comes from."""
        who = self.who
        return Source(host="web") if who is None else Source(host="web", sender=who.person, account=who.name)


Handler: TypeAlias = Callable[[Call], Awaitable[Response]]
"""Answers a request. What it raises becomes an error with a code."""


class Resource(NamedTuple):
    """One thing that can be asked."""

    method: Method
    path: str
    """With `{name}` for a segment that may be anything."""
    handler: Handler
    about: str
    """What it does, in one line."""
    body: type[msgspec.Struct] | None = None
    """What it takes, as JSON."""
    answer: type[msgspec.Struct] | None = None
    """What it gives, as JSON; None for something else, or nothing."""
    open: bool = False
    """Whether no login is needed."""
    raw: bool = False
    """Whether the handler reads the body itself: an upload. Such a request has the header `X-Holdfast-Upload`."""


class RouteMatch(NamedTuple):
    """A resource that a request asks for."""

    resource: Resource
    path: dict[str, str]
    """What stands in the place of `{name}`."""


class Routes:
    """All resources, found by method and path."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        """Join the tables of all groups."""
        self.resources = tuple(resources)
        self._patterns = [(each, each.path.strip("/").split("/")) for each in self.resources]

    def find(self, method: str, raw_path: bytes) -> RouteMatch | tuple[str, ...]:
        """The resource for a request; or the methods that the path has, if any."""
        segments = [_text(each) for each in raw_path.partition(b"?")[0].strip(b"/").split(b"/")]
        methods: list[str] = []
        for resource, pattern in self._patterns:
            named = _matched(pattern, segments)
            if named is not None and resource.method == ("GET" if method == "HEAD" else method):
                return RouteMatch(resource, named)
            if named is not None:
                methods.append(resource.method)
        return tuple(methods)


def _matched(pattern: list[str], segments: list[str]) -> dict[str, str] | None:
    if len(pattern) != len(segments):
        return None
    named: dict[str, str] = {}
    for wanted, found in zip(pattern, segments, strict=True):
        if wanted.startswith("{"):
            named[wanted[1:-1]] = found
        elif wanted != found:
            return None
    return named


def _peer(request: Request) -> str:
    return request.client.host if request.client is not None else "local"


def _text(segment: bytes) -> str:
    return unquote_to_bytes(segment).decode("utf-8", "replace")


def json(value: object, status: int = 200) -> Response:
    """A value as a JSON response."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")
