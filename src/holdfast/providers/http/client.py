"""An HTTP client for one service: it keeps a connection, and cuts it when a response is given up.

h11 knows the protocol, asyncio the network. httpx2 would do all of this as well, and more that is not needed here;
but loading it takes as long as everything else between starting the command and its first request.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress

import h11

from holdfast.errors import BadInput
from holdfast.providers.http.address import Address, proxy_for, trusted

_CONNECT_SECONDS = 10
"""How long connecting may take, and shaking hands again."""
_NEXT_ADDRESS = 0.25
"""Seconds after which the next address of a host is tried beside the first, as RFC 8305 has it."""
_KEPT_SECONDS = 5
"""How long a connection is kept that nobody uses: services close theirs soon, and the next request would meet that."""
_HEAD_BYTES = 100 * 1024
_READ_BYTES = 64 * 1024
_OK = 200


class WireError(Exception):
    """The connection failed, or what came over it was no HTTP."""


class NotConnected(WireError):
    """There is no connection."""


class NotTrusted(NotConnected):
    """Who is there does not prove to be who was meant."""


class ProxyFailed(WireError):
    """The proxy on the way does not let the connection through."""


class HttpClient:
    """The connections to one service."""

    def __init__(self, address: Address) -> None:
        """Know where it is; nothing is opened yet."""
        self._address = address
        self._idle: list[tuple[float, _Connection]] = []
        self._trust: ssl.SSLContext | None = None

    async def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> "HttpResponse":
        """Ask, and come back when the answer begins; it is to be closed."""
        address = self._address
        connection = self._kept() or await self._opened()
        target = f"{address.path}/{path}"
        if address.query:
            target += f"{'&' if '?' in path else '?'}{address.query}"
        own = {"Host": address.place, "User-Agent": "holdfast", "Accept-Encoding": "identity", **headers}
        own |= {"Content-Length": str(len(body))} | ({"Authorization": address.basic} if address.basic else {})
        if connection.relayed is not None:
            target = f"http://{address.place}{target}"
            own |= connection.relayed
        try:
            return HttpResponse(connection, await connection.ask("POST", target, own, body), self._keep)
        except BaseException:  # cancelled as well: half a request is worth nothing
            connection.cut()
            raise

    async def close(self) -> None:
        """Close what is kept; the next request opens a connection again."""
        idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.cut()
            if connection.is_of_this_loop:
                await connection.gone()

    def _kept(self) -> "_Connection | None":
        while self._idle:
            since, connection = self._idle.pop()
            if connection.is_of_this_loop and connection.usable and time.monotonic() - since < _KEPT_SECONDS:
                return connection
            connection.cut()
        return None

    def _keep(self, connection: "_Connection") -> None:
        self._idle.append((time.monotonic(), connection))

    async def _opened(self) -> "_Connection":
        try:
            proxy = proxy_for(self._address)
        except BadInput as error:
            raise ProxyFailed("the environment names one that does not speak HTTP") from error
        if proxy is None:
            return await self._connected(self._address)
        if self._address.scheme == "https":
            return await self._tunnelled(proxy)
        connection = await self._connected(proxy)
        connection.relayed = {"Proxy-Authorization": proxy.basic} if proxy.basic else {}
        return connection

    async def _connected(self, to: Address) -> "_Connection":
        context = await self._trusted() if to.scheme == "https" else None
        shaking = _CONNECT_SECONDS if context else None
        try:
            async with asyncio.timeout(2 * _CONNECT_SECONDS if context else _CONNECT_SECONDS):
                reader, writer = await asyncio.open_connection(
                    to.host, to.port, ssl=context, happy_eyeballs_delay=_NEXT_ADDRESS, ssl_handshake_timeout=shaking
                )
        except TimeoutError as error:
            raise NotConnected(f"no answer within {_CONNECT_SECONDS} seconds") from error
        except (OSError, UnicodeError) as error:
            raise _not_connected(error) from error
        return _Connection(reader, writer)

    async def _tunnelled(self, proxy: Address) -> "_Connection":
        """A connection through a proxy, which sees where it leads and nothing else."""
        to = self._address
        place = f"[{to.host}]:{to.port}" if ":" in to.host else f"{to.host}:{to.port}"
        own = {"Host": place} | ({"Proxy-Authorization": proxy.basic} if proxy.basic else {})
        connection = await self._connected(proxy)
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                said = await connection.ask("CONNECT", place, own, b"")
            _check_tunnel(said)
            return await connection.secured(await self._trusted(), to.host)
        except TimeoutError as error:
            connection.cut()
            raise ProxyFailed(f"no answer within {_CONNECT_SECONDS} seconds") from error
        except BaseException:  # cancelled as well: nobody else knows of the connection
            connection.cut()
            raise

    async def _trusted(self) -> ssl.SSLContext:
        if self._trust is None:
            self._trust = await asyncio.to_thread(trusted)  # may have some hundred certificates to read
        return self._trust


class HttpResponse:
    """What a service answers."""

    def __init__(self, connection: "_Connection", head: h11.Response, keep: "Callable[[_Connection], None]") -> None:
        """Have read the head."""
        self._connection, self._keep = connection, keep
        self.status = head.status_code
        self.headers: dict[str, str] = {}
        for name, value in head.headers:
            field, text = name.decode("ascii"), value.decode("utf-8", "replace")
            self.headers[field] = f"{self.headers[field]}, {text}" if field in self.headers else text

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body, as it comes."""
        unpack, rest = _unpacking(self.headers.get("content-encoding", ""))
        while isinstance(event := await self._connection.event(), h11.Data):
            if chunk := unpack(bytes(event.data)):
                yield chunk
        if last := rest():
            yield last

    def close(self) -> None:
        """Keep the connection if the answer was read to its end, and cut it if not."""
        if self._connection.renewed():
            self._keep(self._connection)
        else:
            self._connection.cut()


class _Connection:
    """One connection, with where it stands in the protocol."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._loop = asyncio.get_running_loop()
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES)
        self.relayed: dict[str, str] | None = None
        """What a proxy is told that passes requests on; None where none does."""

    @property
    def is_of_this_loop(self) -> bool:
        """Whether it was opened in the event loop that runs now; a model may move to another, a connection cannot."""
        return self._loop is asyncio.get_running_loop()

    @property
    def usable(self) -> bool:
        """Whether the other side has not hung up meanwhile."""
        return not (self._writer.is_closing() or self._reader.at_eof())

    async def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> h11.Response:
        """Send a request; gives the head of its answer."""
        parts = (h11.Request(method=method, target=target, headers=list(headers.items())), h11.Data(data=body))
        for part in (*parts, h11.EndOfMessage()):
            self._writer.write(self._http.send(part) or b"")
        with suppress(OSError):  # a service may answer and hang up before it has heard all; then it is heard
            await self._writer.drain()
        while not isinstance(event := await self.event(), h11.Response):
            if not isinstance(event, h11.InformationalResponse):
                raise WireError("the answer has no head")
        return event

    async def event(self) -> object:
        """What comes next."""
        began, data = self._http.their_state is h11.SEND_BODY, b"?"
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                data = await self._reader.read(_READ_BYTES)
                self._http.receive_data(data)
        except OSError as error:
            raise WireError(_why(error)) from error
        except h11.RemoteProtocolError as error:
            ended = f"it was closed {'within the' if began else 'without an'} answer"
            raise WireError("what came is no HTTP" if data else ended) from error
        return event

    async def secured(self, context: ssl.SSLContext, host: str) -> "_Connection":
        """The same connection with TLS inside, from the first byte on."""
        try:
            await self._writer.start_tls(context, server_hostname=host, ssl_handshake_timeout=_CONNECT_SECONDS)
        except OSError as error:
            raise _not_connected(error) from error
        return _Connection(self._reader, self._writer)

    def renewed(self) -> bool:
        """Whether another request can follow; the answer must have been read to its end."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE or not self.usable:
            return False
        self._http.start_next_cycle()
        return True

    def cut(self) -> None:
        """Hang up, now."""
        with suppress(RuntimeError):  # the event loop that it was opened in is closed, and the line with it
            self._writer.transport.abort()

    async def gone(self) -> None:
        """Come back when nothing is left of it."""
        with suppress(OSError):
            await self._writer.wait_closed()


def _check_tunnel(said: h11.Response) -> None:
    if said.status_code != _OK:
        raise ProxyFailed(f"{said.status_code} {bytes(said.reason).decode('ascii', 'replace')}".strip())


def _not_connected(error: Exception) -> NotConnected:
    if isinstance(error, ssl.SSLCertVerificationError):
        return NotTrusted(error.verify_message)
    return NotConnected(_why(error))


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__


def _unpacking(how: str) -> tuple[Callable[[bytes], bytes], Callable[[], bytes]]:
    """What unpacks a body piece by piece, and what gives its end: none is asked for packed, and some come so."""
    if how.lower() in {"", "identity"}:
        return (lambda data: data), bytes
    if how.lower() not in {"gzip", "x-gzip", "deflate"}:
        raise WireError(f"the answer is packed with {how}, which was not asked for")
    import zlib

    packed = zlib.decompressobj(zlib.MAX_WBITS | 32)  # either of the two, as its first bytes say

    def unpack(data: bytes) -> bytes:
        try:
            return packed.decompress(data)
        except zlib.error as error:
            raise WireError(_why(error)) from error

    return unpack, packed.flush
