"""What the first token of Claude costs: processor time of a whole program that asks and leaves when it hears a word.

Most of it is loading what talks to the service and making it, so the same program is measured through pydantic-ai,
which we used before. The service is a server on loopback that answers at once.
"""

import json
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from bench.child import Job, Task
from bench.command_time import CommandTime
from bench.turn_rows import PYDANTIC

_PROGRAM = """
import asyncio, sys
from holdfast.model.protocol import Request, TextDelta, UserMessage
from holdfast.records.parts import Text
{made}
async def ask():
    request = Request(target=model.target, messages=(UserMessage(parts=(Text(text="Hello"),)),))
    stream = model.stream(request)
    assert TextDelta(text="Done.") == await anext(stream)
    await stream.aclose()
    await model.close()
asyncio.run(ask())
"""
_OURS = """
from holdfast.providers.anthropic import AnthropicModel
model = AnthropicModel("claude-opus-5-5", base_url=sys.argv[1], key="none")
"""
_PYDANTIC = """
from holdfast.providers.pydantic_ai import PydanticModel
model = PydanticModel("anthropic", "claude-opus-5-5", base_url=sys.argv[1], key="none")
"""
_MESSAGE: Mapping[str, object] = {
    "id": "msg_stub",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
_EVENTS: tuple[Mapping[str, object], ...] = (
    {"type": "message_start", "message": _MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
)
_STREAM = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _EVENTS).encode()


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer with one word."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(_STREAM)))
        self.end_headers()
        self.wfile.write(_STREAM)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Say nothing of it."""


class FirstToken:
    """Starts the program again and again; once before, to warm its byte code."""

    def __init__(self, made: str) -> None:
        """Give the lines that make the model."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{self._server.server_port}"
        self._time = CommandTime([sys.executable, "-c", _PROGRAM.format(made=made), address])

    def round(self, count: int, seconds: float) -> list[float]:
        """Processor seconds of each start."""
        return self._time.round(count, seconds)

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()


def _task(made: str) -> Callable[[Job], Task]:
    return lambda _: FirstToken(made)


TASKS: Mapping[str, Callable[[Job], Task]] = {
    "first_token": _task(_OURS),
    f"first_token {PYDANTIC}": _task(_PYDANTIC),
}
"""Each by its name."""
