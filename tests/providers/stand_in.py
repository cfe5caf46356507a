"""A service on loopback that gives the answers it was given, over real HTTP, piece by piece."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, TypeAlias

Json: TypeAlias = dict[str, Any]
Piece: TypeAlias = bytes | Literal["hang", "break"]
"""Bytes of a body; or silence until the other side goes; or an end in the middle."""


class Asked(NamedTuple):
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Json


class Answer(NamedTuple):
    """What is sent back."""

    pieces: Sequence[Piece]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/event-stream"),)


def said(status: int, body: Json, **headers: str) -> Answer:
    """An answer that is not a stream."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Answer([json.dumps(body).encode()], status, (("content-type", "application/json"), *named))


def data(*events: Json) -> bytes:
    """Events of a stream that have no names."""
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


class StandIn:
    """Answers requests in order, and remembers them."""

    def __init__(
        self, *answers: Answer, refuse: Callable[[Asked], Answer | None] = lambda _: None, port: int = 0
    ) -> None:
        """Take the answers, and what makes another of a request that is wrong."""
        self._answers, self._refuse, self.port = list(answers), refuse, port
        self.asked: list[Asked] = []
        self.hanging = asyncio.Event()
        """An answer has fallen silent."""
        self.left = asyncio.Event()
        """The other side closed its connection while an answer was silent."""
        self.left_at = 0.0
        self.connections = 0
        self._open: dict[asyncio.StreamWriter, asyncio.Task[object] | None] = {}

    @property
    def bodies(self) -> list[Json]:
        """What was asked."""
        return [each.body for each in self.asked]

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, with every connection."""
        self._server.close()
        tasks = [task for task in self._open.values() if task]
        for writer in self._open:
            writer.transport.abort()
        await asyncio.gather(*tasks)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open[writer] = asyncio.current_task()
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._answer(reader, writer):
                    pass
        finally:
            del self._open[writer]
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether another may follow on the same connection."""
        asked = await _read(reader)
        self.asked.append(asked)
        answer = self._refuse(asked) or self._answers.pop(0)
        ends = ("connection", "close") in answer.headers  # as for a client that speaks the old HTTP
        lines = [f"HTTP/1.1 {answer.status} -", *([] if ends else ["transfer-encoding: chunked"])]
        lines += [f"{name}: {value}" for name, value in answer.headers]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        for piece in answer.pieces:
            if piece == "hang":
                return await self._hang(reader)
            if piece == "break":
                await asyncio.sleep(0.02)  # what was sent arrives first
                writer.transport.abort()
                return False
            writer.write(piece if ends else b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
        if ends:
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _hang(self, reader: asyncio.StreamReader) -> bool:
        self.hanging.set()
        with suppress(ConnectionError):
            await reader.read()
        self.left_at = asyncio.get_running_loop().time()
        self.left.set()
        return False


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(first.split()[1], headers, json.loads(body or b"{}"))
