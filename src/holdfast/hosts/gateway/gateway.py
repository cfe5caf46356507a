"""The gateway as an ASGI application: everything that comes is checked here, in one order, and handed on.

First the guard (rate, host, origin), then the size and kind of what is sent, then who it is, then the route.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias

import msgspec
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from holdfast.errors import HoldfastError
from holdfast.hosts.gateway.failures import failure, refused
from holdfast.hosts.gateway.guard import HttpRefusal
from holdfast.hosts.gateway.logins import Login, page_secret_fits
from holdfast.hosts.gateway.resource import Call, Resource, RouteMatch, Routes
from holdfast.hosts.gateway.service import LOCAL, GatewayService
from holdfast.hosts.gateway.socket import Socket
from holdfast.remote.wire import HEARTBEAT

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

COOKIE = "holdfast"
PAGE_HEADER = "x-holdfast-secret"
"""The secret of the page, without which its cookie opens nothing."""
UPLOAD_HEADER = "x-holdfast-upload"
"""What no form of another page can send."""
SOCKET_PATH = "/socket"
NOT_LOGGED_IN = HttpRefusal(401, "not_logged_in", "You are not logged in.", "`holdfast serve --login` gives a link.")
STOPPING = HttpRefusal(503, "stopping", "The gateway stops.", "Try again in a moment.")
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self';"
        " connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none';"
        " form-action 'none'; require-trusted-types-for 'script'; trusted-types holdfast"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every response has, unless it says something else itself."""


class Gateway:
    """The application: every request and every socket."""

    def __init__(self, service: GatewayService, routes: Routes) -> None:
        """Serve what is shared, with these routes."""
        self.service, self.routes = service, routes
        self._sockets: set[Socket] = set()
        self._beating: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or serve one socket."""
        if scope["type"] == "http":
            await self._request(Request(scope, receive, send), send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)

    def _checked(self, scope: Scope) -> tuple[str, HttpRefusal | None]:
        """The address that something comes from, and why it is not let in."""
        headers = Headers(scope=scope)
        address = self.service.guard.address((scope.get("client") or ("local", 0))[0], headers)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > self.service.limits.head_bytes:
            return address, HttpRefusal(431, "too_long", "The head of the request is too long.")
        if local(scope):  # whoever reaches the socket in the user's own folder is the user
            return address, None
        return address, self.service.guard.refusal(address, headers.getlist("host"), headers.getlist("origin"))

    def login_of(self, scope: Scope) -> Login | None:
        """Who comes, by the one credential that counts: a bearer token, or else a cookie."""
        if local(scope):
            return LOCAL
        headers = Headers(scope=scope)
        kind, _, token = headers.get("authorization", "").partition(" ")
        if "authorization" in headers:
            return self.service.logins.of_token(token.strip()) if kind.lower() == "bearer" else None
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return None
        return self.service.logins.of_cookie(cookie.value) if cookie is not None else None

    async def _request(self, request: Request, send: Send) -> None:
        address, refusal = self._checked(request.scope)
        if refusal is not None:
            response = refused(refusal)
        else:
            try:
                response = await self._answer(request, address)
            except ClientDisconnect:
                return
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        await response(request.scope, request.receive, send)

    async def _answer(self, request: Request, address: str) -> Response:
        found = self.routes.find(request.method, request.scope["raw_path"])
        if not isinstance(found, RouteMatch):
            return self._no_route(found)
        resource = found.resource
        who = self.login_of(request.scope)
        if who is not None and not page_secret_fits(who, request.headers.get(PAGE_HEADER, "")):
            who = None
        if who is None and not resource.open:
            self.service.guard.failed(address)
            return refused(NOT_LOGGED_IN)
        if self.service.draining and request.method not in {"GET", "HEAD"}:
            return refused(STOPPING)
        try:
            body = await self._body(request, resource)
            if isinstance(body, HttpRefusal):
                return refused(body)
            sessions = self.service.own(NOBODY if who is None else who.person)
            call = Call(service=self.service, request=request, path=found.path, body=body, who=who, sessions=sessions)
            return await resource.handler(call)
        except HoldfastError as error:
            return failure(error)
        except OSError as error:
            self.service.journal.note("failed", method=resource.method, path=resource.path, error=error)
            return refused(HttpRefusal(500, "failed", f"The machine does not do that: {error.strerror or error}."))

    def _no_route(self, methods: Iterable[str]) -> Response:
        allowed = ", ".join(methods)
        if not allowed:
            return refused(HttpRefusal(404, "not_found", "There is nothing here."))
        response = refused(HttpRefusal(405, "wrong_method", f"This takes {allowed}."))
        response.headers["allow"] = allowed
        return response

    async def _body(self, request: Request, resource: Resource) -> object:
        """What was sent, read within its limit; or why it is refused."""
        if resource.raw:
            if UPLOAD_HEADER not in request.headers:
                return HttpRefusal(400, "no_upload_header", f"An upload has the header {UPLOAD_HEADER}.")
            return None
        data = bytearray()
        async for piece in request.stream():
            data += piece
            if len(data) > self.service.limits.body_bytes:
                return HttpRefusal(413, "too_long", f"A body has at most {self.service.limits.body_bytes:,} bytes.")
        if request.method in {"GET", "HEAD", "DELETE"} and not data and resource.body is None:
            return None
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            return HttpRefusal(415, "not_json", "The body must be JSON.", "Send `Content-Type: application/json`.")
        if resource.body is None:
            return None
        try:
            return msgspec.json.decode(bytes(data), type=resource.body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            return HttpRefusal(400, "bad_body", f"The body is not what this takes: {error}.")

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address, refusal = self._checked(scope)
        who = None if refusal else self.login_of(scope)
        if refusal is None and scope["raw_path"].partition(b"?")[0] != SOCKET_PATH.encode():
            refusal = HttpRefusal(404, "not_found", "There is nothing here.")
        if refusal is None and who is None:
            self.service.guard.failed(address)
            refusal = NOT_LOGGED_IN
        if refusal is None and (full := self._full()):
            refusal = HttpRefusal(503, "too_many_sockets", full)
        if refusal is not None or who is None:
            await receive()
            await refused(refusal or NOT_LOGGED_IN)(scope, receive, send)
            return
        socket = Socket(self.service, who, address, receive, send)
        self._sockets.add(socket)
        self.service.sockets = len(self._sockets)
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())
        try:
            await socket.serve()
        finally:
            self._sockets.discard(socket)
            self.service.sockets = len(self._sockets)

    def _full(self) -> str:
        if len(self._sockets) >= self.service.limits.sockets:
            return "There are too many sockets."
        if sum(not each.connected for each in self._sockets) >= self.service.limits.sockets_before_login:
            return "Too many sockets have not sent their first frame."
        return ""

    async def _beat(self) -> None:
        """Let each socket say that it is alive, and end those whose login counts no longer."""
        while True:
            for _ in range(BEAT_LOOKS):
                await asyncio.sleep(HEARTBEAT / 2 / BEAT_LOOKS)
                for socket in [each for each in self._sockets if not self.service.counts(each.who)]:
                    socket.end("logged_out")
            for socket in list(self._sockets):
                socket.beat()

    async def close(self) -> None:
        """Tell every client that the gateway stops, and end the sockets."""
        self.service.draining = True
        self.service.stopping.set()
        if self._beating is not None:
            self._beating.cancel()
        for socket in list(self._sockets):
            socket.end("stopping")
        ending = [each.ended.wait() for each in list(self._sockets)]
        if ending:
            await asyncio.wait([asyncio.ensure_future(each) for each in ending], timeout=CLOSE_SECONDS)


BEAT_LOOKS = 5
"""So often, between two beats, it is looked whether a login was taken away: each second."""
CLOSE_SECONDS = 2.0
NOBODY = "\0"
"""No person has this name."""


def local(scope: Scope) -> bool:
    """Whether something comes through the Unix socket."""
    return scope.get("client") is None and (scope.get("server") or ("", 0))[1] is None
