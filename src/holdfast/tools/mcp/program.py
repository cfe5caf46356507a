"""A server that is a program of this machine, talked to through its input and output.

It has a group of processes of its own and a mark in its environment, so that closing leaves nothing of
it behind; else that environment holds only what the settings give. Each line is a message. What it writes to its
error output is read, so that it never waits for us, and the end of it says why it stopped.
"""

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from holdfast.records.printable import printable_line
from holdfast.tools.mcp.json_rpc import Incoming, McpFailed, incoming, notification, reply, request
from holdfast.tools.mcp.peer import Heard, complete
from holdfast.tools.mcp.server import McpServer
from holdfast.tools.shell.processes import MARK, signal_all

MOST_BYTES = 16_000_000
"""The longest line; a longer one is dropped, and whoever waits for an answer is told."""
_PATIENCE = 0.5
"""Seconds that a program has to end by itself, and again after it was told to."""
_MOST_COMPLAINTS = 2000


class Program(asyncio.SubprocessProtocol):
    """A program that was started, as a peer."""

    def __init__(self, heard: Heard, mark: str) -> None:
        """Begin before there is a process; `started` makes one, with the mark in its environment."""
        self._mark, self._leader = mark, 0
        self.revision = ""
        self.lost = ""
        self._heard = heard
        self._transport: asyncio.SubprocessTransport | None = None
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._numbers = 0
        self._rest = bytearray()
        self._dropping = False
        self._complaints = b""
        self._ended = asyncio.Event()

    async def ask(self, method: str, params: Mapping[str, Any]) -> msgspec.Raw:
        """Send a request and wait for its result."""
        self._numbers += 1
        number = self._numbers
        # Written first: if that fails, nobody waits, and the loop would report an answer that nobody looks at.
        self._write(request(number, method, complete(params, self.revision)))
        answer: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            return await answer
        except asyncio.CancelledError:
            if method != "initialize":  # the greeting must not be called off
                with suppress(McpFailed):
                    self._write(notification("notifications/cancelled", {"requestId": number}))
            raise
        finally:
            self._waiting.pop(number, None)

    async def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        self._write(notification(method, params))

    async def close(self) -> None:
        """End the program: ask it to, then make it, and whatever it started."""
        transport, self._transport = self._transport, None
        if transport is None:
            return
        self.lost = self.lost or "It was closed."
        if pipe := transport.get_pipe_transport(0):
            pipe.close()
        try:
            for force in (signal.SIGTERM, signal.SIGKILL):
                await self._ending()
                self._signal(force)
        finally:
            self._signal(signal.SIGKILL)
            transport.close()
        await self._ending()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what ends the process."""
        if isinstance(transport, asyncio.SubprocessTransport):
            self._transport, self._leader = transport, transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take in what the program wrote."""
        if fd == 1:
            self._take(data)
        else:
            self._complaints = (self._complaints + data)[-_MOST_COMPLAINTS:]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Without its output, or if what is sent does not arrive, nothing more can be answered."""
        if fd == 1 or exc is not None:
            self._lose()

    def process_exited(self) -> None:
        """Remember that it ended, and end what it left behind."""
        self._signal(signal.SIGKILL)
        self._lose()
        self._ended.set()

    def _signal(self, number: signal.Signals) -> None:
        if not self._ended.is_set():  # after that, its number may be another program's
            signal_all(self._leader, self._mark, confined=False, number=number)

    def _take(self, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        for line in lines:
            if not self._dropping:
                self._hear(bytes(self._rest + line))
            self._rest.clear()
            self._dropping = False
        if not self._dropping:
            self._rest += rest
        if len(self._rest) > MOST_BYTES:
            self._rest.clear()
            self._dropping = True
            self._fail(f"The server sent a line longer than {MOST_BYTES // 1_000_000} MB.")

    def _hear(self, line: bytes) -> None:
        for message in incoming(line):
            if not message.method:
                self._settle(message)
            elif message.id is None:
                self._heard(message.method)
            else:
                with suppress(McpFailed):
                    self._write(reply(message))

    def _settle(self, message: Incoming) -> None:
        """Give an answer to whoever waits for it; one that nobody waits for, or a second one, is nothing."""
        answer = self._waiting.pop(message.id, None) if isinstance(message.id, int) else None
        if answer is None or answer.done():
            return
        if message.error is not None:
            answer.set_exception(message.error.failure())
        else:
            answer.set_result(msgspec.Raw(bytes(message.result)))

    def _write(self, message: bytes) -> None:
        pipe = self._transport.get_pipe_transport(0) if self._transport else None
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            self._lose()  # it went away, and the loop has only heard that nobody listens any more
        if self.lost or not isinstance(pipe, asyncio.WriteTransport):
            raise McpFailed(self.lost)
        if pipe.get_write_buffer_size() > MOST_BYTES:
            raise McpFailed("The server does not read what it is sent.")
        pipe.write(message + b"\n")

    def _lose(self) -> None:
        last = self._complaints.decode(errors="replace").strip().rpartition("\n")[2]
        self.lost = self.lost or f"The server stopped. {printable_line(last, 300)}".strip()
        self._fail(self.lost)

    def _fail(self, why: str) -> None:
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(McpFailed(why))
        self._waiting.clear()

    async def _ending(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await self._ended.wait()


async def started(server: McpServer, folder: Path, heard: Heard) -> Program:
    """Start the program of a server. Raises `McpFailed` if it cannot be."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    loop = asyncio.get_running_loop()
    mark = uuid4().hex
    try:
        _, program = await loop.subprocess_exec(
            lambda: Program(heard, mark),
            *server.command,
            env={**kept, **server.env, MARK: mark},
            cwd=folder,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise McpFailed(
            f"{server.command[0]} cannot be started: {error}.", hint="Check `command` in the settings."
        ) from error
    return program
