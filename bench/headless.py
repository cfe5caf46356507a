"""How soon the request of a command leaves, and how much memory the command needs, against a model that is a stub.

The stub is a server on loopback that notes when a request arrives and answers it at once. The command is started by a
bare interpreter that does nothing else, because a process is charged for the memory of the one it came from.
Standard library alone: peers are measured with it too.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

_LAUNCH = """
import json, os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
began = time.monotonic()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, used = os.wait4(pid, 0)
print(json.dumps([status, began, used.ru_maxrss * 1024]))
"""
_BARE = """
import os, socket
host, port = os.environ["ADDRESS"].split("/")[2].split(":")
body = b'{"stream": true}'
with socket.create_connection((host, int(port))) as wire:
    wire.sendall(b"POST /v1 HTTP/1.1\\r\\nHost: stub\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
    wire.recv(65536)
"""
_CLIENT = """
import asyncio, os, ssl
import httpx2
async def ask():
    async with httpx2.AsyncClient(trust_env=False, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)) as client:
        await client.post(os.environ["ADDRESS"], json={"stream": True})
asyncio.run(ask())
"""
_WORD = "Done."

Figure = Literal["start", "memory"]
"""Seconds from the start to the request, or bytes of memory at the peak."""


class Stub(ThreadingHTTPServer):
    """Answers every chat completion, and remembers when it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.arrived: list[float] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        """Where it is asked, as programs take it."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Stub

    def do_POST(self) -> None:
        """Note the time, then answer with one word, streamed or whole."""
        self.server.arrived.append(time.monotonic())
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = _streamed() if asked.get("stream") else json.dumps(_completion("message")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if asked.get("stream") else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Say nothing of it."""


def _completion(field: Literal["delta", "message"]) -> dict[str, object]:
    said = {"index": 0, field: {"role": "assistant", "content": _WORD}, "finish_reason": "stop"}
    return {"id": "stub", "object": "chat.completion", "created": 0, "model": "stub", "choices": [said]}


def _streamed() -> bytes:
    return f"data: {json.dumps(_completion('delta'))}\n\ndata: [DONE]\n\n".encode()


class Headless:
    """Starts a command that asks the stub once, again and again."""

    def __init__(self, figure: Figure, command: Sequence[str], environment: Callable[[str], Mapping[str, str]]) -> None:
        """Give the command the environment that leads it to an address; start it once to warm its byte code."""
        self._figure, self._command = figure, list(command)
        self._stub = Stub()
        self._environment = environment(self._stub.address)
        self._start()

    def round(self, count: int, seconds: float) -> list[float]:
        """The figure of each start."""
        del seconds
        return [self._start() for _ in range(count)]

    def close(self) -> None:
        """Stop answering."""
        self._stub.shutdown()
        self._stub.server_close()

    def _start(self) -> float:
        self._stub.arrived.clear()
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, *self._command]
        done = subprocess.run(launch, check=True, stdout=subprocess.PIPE, text=True, env=dict(self._environment))
        status, began, memory = json.loads(done.stdout)
        if status != 0 or len(self._stub.arrived) != 1:
            raise RuntimeError(
                f"{' '.join(self._command)} ended with {status} after {len(self._stub.arrived)} requests"
            )
        return float(memory) if self._figure == "memory" else self._stub.arrived[0] - began


def _program(text: str, figure: Figure) -> Headless:
    environment = {"PATH": os.environ.get("PATH", os.defpath)}
    return Headless(figure, [sys.executable, "-c", text], lambda address: {**environment, "ADDRESS": address})


def bare(figure: Figure) -> Headless:
    """The floor: an interpreter, and a request through a bare socket."""
    return _program(_BARE, figure)


def client(figure: Figure) -> Headless:
    """An event loop and a client of httpx2, and nothing else."""
    return _program(_CLIENT, figure)
