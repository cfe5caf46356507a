"""The server of a gateway: its ports, and stopping in good order."""

import asyncio
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from uvicorn import Config, Server
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from holdfast.errors import BadInput
from holdfast.hosts.gateway.gateway import Gateway
from holdfast.remote.wire import FRAME_BYTES, PATIENCE
from holdfast.stores.files.disk import make_folder

SOCKET = "socket"
"""What the Unix socket is called in the folder of its gateway."""
GRACE = 3
"""Seconds for requests that are being answered when the gateway stops."""
HEADER_BYTES = 32_768
"""The longest head of a request."""


class _SocketProtocol(WebSocketsSansIOProtocol):
    """Sockets whose connection ends when their client is gone, also while there is something left to send to it."""

    def keepalive_timeout(self) -> None:
        """End the connection of a client that answers no ping."""
        super().keepalive_timeout()
        self.transport.abort()


class _QuietServer(Server):
    """A server that leaves signals to whoever runs it."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say so when it listens."""
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Catch none."""
        yield


class GatewayServer:
    """A gateway on its sockets, from `start` to `stop`."""

    def __init__(self, gateway: Gateway, listening: Sequence[socket.socket]) -> None:
        """Serve on sockets that are bound."""
        config = Config(
            gateway,
            http="h11",
            ws=_SocketProtocol,
            ws_per_message_deflate=False,
            ws_max_size=FRAME_BYTES,
            ws_ping_interval=PATIENCE,
            ws_ping_timeout=PATIENCE,
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
            h11_max_incomplete_event_size=HEADER_BYTES,
        )
        self._gateway, self._listening = gateway, list(listening)
        self._server = _QuietServer(config)
        self._task: asyncio.Task[Any] | None = None

    async def start(self) -> None:
        """Take requests from now on."""
        self._task = asyncio.create_task(self._server.serve(sockets=self._listening))
        ready = asyncio.create_task(self._server.ready.wait())
        await asyncio.wait([ready, self._task], return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            ready.cancel()
            await self._task

    async def stop(self) -> None:
        """Tell clients, end their sockets, and take no more requests."""
        await self._gateway.close()
        self._server.should_exit = True
        if self._task is not None:
            await self._task


def bound_in(folder: Path) -> socket.socket:
    """A Unix socket in a folder, both for their owner alone. Raises `BadInput` where that cannot be."""
    make_folder(folder)
    folder.chmod(0o700)
    place = folder / SOCKET
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
            tried.connect(os.fspath(place))
    except (FileNotFoundError, ConnectionRefusedError):
        place.unlink(missing_ok=True)  # of a gateway that was killed
    except OSError as error:
        raise BadInput(f"{place} cannot be used: {error}.", hint="Leave --unix out.") from error
    else:
        raise BadInput("Another gateway serves this store.", hint="End it first, or use it.")
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        made.bind(os.fspath(place))
    finally:
        os.umask(before)
    return made


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises `BadInput` where that cannot be."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, number)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as error:
        raise BadInput(
            f"{host} port {port} cannot be listened on: {error.strerror or error}.",
            hint="Choose another with --port, or end the program that has it.",
        ) from error
    made.set_inheritable(False)
    return made
