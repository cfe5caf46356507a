"""A gateway in this process on a port of loopback, and clients of it: real sockets, scripted models."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from holdfast import Engine
from holdfast.hosts.gateway.gateway import Gateway
from holdfast.hosts.gateway.guard import Guard, Rates
from holdfast.hosts.gateway.logins import Logins
from holdfast.hosts.gateway.routes import all_routes
from holdfast.hosts.gateway.server import GatewayServer, bound
from holdfast.hosts.gateway.service import CommandRunner, GatewayLimits, GatewayService
from holdfast.remote.wire import PROTOCOL

PATIENCE = 30.0
LIMITS = GatewayLimits(burst=10_000, each_second=10_000.0, frames_burst=10_000, frames_each_second=10_000.0)

Frame = dict[str, Any]


class Running(NamedTuple):
    """A gateway that runs."""

    service: GatewayService
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def token(self, person: str = "", name: str = "test") -> str:
        return self.service.logins.token(person, name)

    def http(self, token: str = "", **headers: str) -> httpx2.AsyncClient:
        """A client of its HTTP resources."""
        return http_client(self.port, token, **headers)

    async def client(self, person: str = "", *, token: str = "", name: str = "test") -> "Client":
        """A client that has connected."""
        made = await Client.open(self.port, token or self.token(person, f"{person}-{name}"))
        await made.send(frame="connect", protocol=PROTOCOL, client=name)
        assert "hello" == (await made.next())["frame"]
        return made


def http_client(port: int, token: str, **headers: str) -> httpx2.AsyncClient:
    """A client of the HTTP resources of a gateway on a port."""
    known = {"authorization": f"Bearer {token}"} if token else {}
    return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers={**known, **headers}, trust_env=False)


class Client:
    """A plain client of the socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.ids = 0

    @classmethod
    async def open(cls, port: int, token: str, **headers: str) -> Self:
        known = {"authorization": f"Bearer {token}"} if token else {}
        url = f"ws://127.0.0.1:{port}/socket"
        return cls(await connect(url, additional_headers={**known, **headers}, proxy=None, max_size=None))

    async def send(self, **frame: object) -> None:
        await self._socket.send(json.dumps(frame))

    async def raw(self, data: str | bytes) -> None:
        await self._socket.send(data)

    async def next(self) -> Frame:
        async with asyncio.timeout(PATIENCE):
            frame: Frame = json.loads(await self._socket.recv())
        return frame

    async def until(self, wanted: Callable[[Frame], object]) -> list[Frame]:
        """The frames up to one that is wanted, that one included."""
        seen = [await self.next()]
        while not wanted(seen[-1]):
            seen.append(await self.next())
        return seen

    async def ask(self, **frame: object) -> list[Frame]:
        """Send a frame with an id; gives what comes up to its answer, the answer last."""
        self.ids += 1
        number = str(frame.pop("id", f"q{self.ids}"))
        await self.send(**frame, id=number)
        return await self.until(lambda each: each["frame"] in {"done", "error"} and each["id"] == number)

    async def attach(self, session: str, **frame: object) -> Frame:
        """Attach; gives the snapshot."""
        answered = (await self.ask(frame="attach", session=session, **frame))[-1]
        assert "done" == answered["frame"], answered
        return (await self.until(lambda each: each["frame"] == "snapshot"))[-1]

    async def closed(self) -> int:
        """Wait until the gateway has closed the socket; gives its code."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    await self._socket.recv()
        except ConnectionClosed as error:
            return error.rcvd.code if error.rcvd is not None else 0

    async def cut(self) -> None:
        """Break the connection off, without a word."""
        self._socket.transport.abort()
        await self._socket.wait_closed()

    async def close(self) -> None:
        await self._socket.close()


@asynccontextmanager
async def running(
    engine: Engine, folder: Path, limits: GatewayLimits = LIMITS, commands: CommandRunner | None = None
) -> AsyncIterator[Running]:
    """A gateway of an engine, for a block of code."""
    guard = Guard(["gateway.test"], Rates(limits.burst, limits.each_second), proxies=["10.0.0.1"])
    service = GatewayService(engine, Logins(folder), guard, limits=limits, commands=commands)
    listening = bound("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = GatewayServer(Gateway(service, all_routes()), [listening])
    await server.start()
    try:
        yield Running(service, port)
    finally:
        await server.stop()


def said(text: str) -> list[dict[str, str]]:
    """The parts of a message."""
    return [{"kind": "text", "text": text}]
