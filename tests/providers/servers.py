"""A real HTTP server on loopback that plays the bytes it is told to, however wrong they are."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Literal

from holdfast.records.parts import Value

SSE = "text/event-stream"


class Played(Value, frozen=True, kw_only=True):
    """One answer."""

    chunks: tuple[bytes, ...] = ()
    """The body, each piece in a write of its own."""
    status: int = 200
    kind: str = SSE
    """Which type it says it is of."""
    headers: Mapping[str, str] = {}
    ends: Literal["whole", "dropped", "hanging"] = "whole"
    """How the body ends: as it should, with the connection cut, or never."""
    plain: bool = False
    """Whether the body ends with the connection, as in the old HTTP, and not by chunks."""
    silent: bool = False
    """Whether not even a status comes."""


class Asked(Value, frozen=True, kw_only=True):
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        """What was asked."""
        decoded: dict[str, object] = json.loads(self.body)
        return decoded


class Server:
    """Plays its answers in order, and the last one for ever."""

    def __init__(self, answers: Sequence[Played]) -> None:
        self._answers = list(answers)
        self.asked: list[Asked] = []
        self.connections = 0
        self.heard = asyncio.Event()
        """Set when a request came."""
        self.left = asyncio.Event()
        """Set when a client went away."""
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        self.connections += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._one(reader, writer):
                    pass
        finally:
            self.left.set()
            writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.asked.append(Asked(path=head[0].split()[1], headers=headers, body=body))
        self.heard.set()
        played = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if played.silent:
            await reader.read()
            return False
        named = {"Content-Type": played.kind, **played.headers}
        given = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        cut = "" if played.plain else "Transfer-Encoding: chunked\r\n"
        writer.write(f"HTTP/1.1 {played.status} Said\r\n{given}{cut}\r\n".encode())
        for chunk in played.chunks:
            writer.write(chunk if played.plain else b"%x\r\n%s\r\n" % (len(chunk), chunk))
            await writer.drain()
            await asyncio.sleep(0)
        if played.ends == "hanging":
            await reader.read()
        if played.plain and played.ends == "whole":
            writer.close()
            await writer.wait_closed()
        if played.plain or played.ends != "whole":
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


@asynccontextmanager
async def serving(*answers: Played) -> AsyncIterator[Server]:
    """A server for the time of a test."""
    server = Server(answers)
    running: set[asyncio.Task[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running.add(asyncio.create_task(server.answer(reader, writer)))

    listening = await asyncio.start_server(begin, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        listening.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def sse(*chunks: object, done: bool = True) -> bytes:
    """Objects as a stream of events."""
    said = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*said, "data: [DONE]\n\n"] if done else said).encode()


def piece(content: str | None = None, *, stop: str | None = None, **more: object) -> dict[str, object]:
    """A chunk with one choice."""
    delta = {**({} if content is None else {"content": content}), **more}
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": stop}]}
