"""A web server on this machine that says exactly the bytes it is given."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from ipaddress import IPv4Network
from ssl import SSLContext

from holdfast.tools.web.addresses import Resolve

LOOPBACK = (IPv4Network("127.0.0.1/32"),)
"""What a test must allow before anything here can be fetched."""

Answer = Callable[[str, dict[str, str]], bytes]
"""The path and headers of a request, with what it sent as `:body`, to the bytes that answer it."""


class Site:
    """A server that is listening, and what it was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[tuple[str, dict[str, str]]] = []

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"


def leading_to(*addresses: str) -> Resolve:
    """Every name leads to these addresses."""

    async def resolve(*_: object) -> Sequence[str]:
        return addresses

    return resolve


def page(body: str | bytes, content_type: str = "text/html; charset=utf-8", **headers: str) -> bytes:
    """A page that is there."""
    return answer(200, body, **{"Content-Type": content_type, **headers})


def answer(status: int, body: str | bytes = b"", **headers: str) -> bytes:
    """Any answer, with its length."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(data)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


@asynccontextmanager
async def site(said: Answer | bytes, *, tls: SSLContext | None = None, hold: bool = False) -> AsyncIterator[Site]:
    """Answer every request until the end of the block; with `hold`, never end an answer."""
    here = Site()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            headers[":body"] = (await reader.readexactly(int(headers.get("content-length", "0")))).decode()
            here.asked.append((first.split(" ")[1], headers))
            writer.write(said if isinstance(said, bytes) else said(first.split(" ")[1], headers))
            await writer.drain()
            if hold:
                await reader.read()
        except (OSError, asyncio.IncompleteReadError):
            pass  # whoever asked has gone
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    here.port = server.sockets[0].getsockname()[1]
    async with server:
        yield here
