"""How soon a turn stops wherever it is, and how soon what was shown would survive a kill.

A stop is measured on real files, with a real command in its sandbox, a real thread and a real connection. A draft is
measured from outside: the command prints what it shows, and its draft is read while it does.
"""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

import holdfast
from bench.child import Job, Task
from bench.turn_rows import STREAM, THREAD
from bench.turns import PATH, WORKSPACE, Alone, agent_setup
from holdfast.agent.arguments import spec_of
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import TextStreamed, ToolBegan
from holdfast.agent.permissions import Rule
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tool import Ask, FixedTools, Output, ToolContext, ToolHelp, said
from holdfast.model.protocol import CallDelta, Delta, Finished, Model, Request, Target
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.parts import Value
from holdfast.stores.files.drafts import read_drafts

Place = Literal["command", "thread", "stream"]
"""Where a turn is when it is stopped."""

_TARGET = Target(family="openai-chat", model="calling", provider="bench")
_BEGUN = "begun"
_STUBBORN = f"trap '' TERM; touch {_BEGUN}; sleep 300; sleep 300"
_SHOWN = 'data: {"choices":[{"index":0,"delta":{"content":"By "},"finish_reason":null}]}\n\n'
_TICK = 0.001
_SESSION = "s"
_PIECES, _PIECE, _PACE = 200, 24, 0.01


class Calling:
    """A model that calls a tool, whatever is said to it."""

    target = _TARGET

    def __init__(self, tool: str, **arguments: str) -> None:
        self._tool, self._arguments = tool, json.dumps(arguments)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Call it."""
        del request
        yield CallDelta(index=0, id="call", name=self._tool, arguments=self._arguments)
        yield Finished(stop="called")


class _Nothing(Value, frozen=True):
    """No arguments."""


class Silent:
    """A tool that sits in a thread and says nothing until it is released."""

    seconds = 600.0
    help = ToolHelp()

    def __init__(self) -> None:
        self.spec = spec_of("silent", "Says nothing.", _Nothing)
        self.ask = Ask(tool="silent", subjects=(), title="say nothing", reads_only=True)
        self.released = threading.Event()

    async def understand(self, arguments: str, context: ToolContext) -> "Silent":
        """There is nothing to understand."""
        del arguments, context
        return self

    async def run(self) -> Output:
        """Say nothing."""
        await asyncio.to_thread(self.released.wait)
        return said("")


class _Hanging(BaseHTTPRequestHandler):
    """Begins to answer, and falls silent until the other side leaves."""

    def do_POST(self) -> None:
        """Answer with one word and no end."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(_SHOWN.encode())
        self.rfile.read(1)

    def log_message(self, *_: object) -> None:
        """Say nothing of it."""


class Cancel:
    """Turns that are stopped in one kind of place, each in a session of its own."""

    def __init__(self, job: Job, place: Place) -> None:
        self._runner = asyncio.Runner()
        self._begun = job.path(WORKSPACE) / _BEGUN
        self._silent, self._place = Silent(), place
        self._service = ThreadingHTTPServer(("127.0.0.1", 0), _Hanging)
        threading.Thread(target=self._service.serve_forever, daemon=True).start()
        self._store = holdfast.open_store(job.path("store"))
        self._setup = self._made(job)
        self._one()  # looks for the sandbox, and loads what is loaded when it is used

    def _made(self, job: Job) -> AgentSetup:
        models: dict[Place, Callable[[], Model]] = {
            "command": lambda: Calling("shell", command=_STUBBORN),
            "thread": lambda: Calling("silent"),
            "stream": lambda: OpenAICompatible(_TARGET, base_url=f"http://127.0.0.1:{self._service.server_port}/v1"),
        }
        made = agent_setup(job, Alone(models[self._place]()), Rule(tool="shell", decision="allow"))
        return replace(made, toolbox=FixedTools([self._silent])) if self._place == "thread" else made

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds from each stop until the turn is over, its end in the log."""
        end = time.perf_counter() + seconds
        samples = [self._one()]
        while len(samples) < count and time.perf_counter() < end:
            samples.append(self._one())
        return samples

    def close(self) -> None:
        """Let the thread go, and end what runs."""
        self._silent.released.set()
        self._runner.run(self._setup.toolbox.close())
        self._runner.run(self._store.close())
        self._runner.close()
        self._service.shutdown()
        self._service.server_close()

    def _one(self) -> float:
        return self._runner.run(self._stop())

    async def _stop(self) -> float:
        self._begun.unlink(missing_ok=True)
        self._silent.released.clear()
        session = await self._store.open(f"{self._place} {time.time_ns()}")
        async with await open_conversation(session, self._setup) as conversation:
            await self._at_work(conversation)
            before = time.perf_counter()
            await conversation.cancel()
            took = time.perf_counter() - before
            ended = await conversation.idle()
            if ended is None or ended.why != "cancelled":
                raise LookupError(f"the turn was not stopped: {ended}")
        self._silent.released.set()
        return took

    async def _at_work(self, conversation: Conversation) -> None:
        """Come back when the turn is in its place."""
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, ToolBegan | TextStreamed):
                    break
        while self._place == "command" and not self._begun.exists():
            await asyncio.sleep(_TICK)


class DraftLag:
    """The real command with a script of one long reply, looked at from outside while it speaks."""

    def __init__(self, job: Job) -> None:
        self._job, self._number = job, 0
        script = job.path("script.jsonl")
        words = "".join(f"{number:>{_PIECE - 1}} " for number in range(_PIECES))
        script.write_text(json.dumps([{"say": words}, {"delay": _PACE}]), encoding="utf-8")
        command = str(Path(sys.executable).with_name("holdfast"))
        self._command = [command, "-p", "go", "--model", f"scripted:{script}", "--output", "stream-json"]
        self._measure()

    def round(self, count: int, seconds: float) -> list[float]:
        """The longest of each reply."""
        del seconds
        return [self._measure() for _ in range(count)]

    def close(self) -> None:
        """Nothing is held."""

    def _measure(self) -> float:
        self._number += 1
        store = self._job.path(f"store {self._number}")
        folder = store / "sessions" / _SESSION
        environment = {"HOME": self._job.folder, "PATH": PATH, "HOLDFAST_STORE": str(store)}
        shown: list[float] = []
        kept: list[float] = []
        with subprocess.Popen(
            [*self._command, "--session", _SESSION],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            reading = threading.Thread(target=_note_shown, args=(process, shown))
            reading.start()
            while reading.is_alive():
                pieces = sum(len(each.text) for each in read_drafts(folder)) // _PIECE
                kept += [time.perf_counter()] * (pieces - len(kept))
                time.sleep(_TICK)
            reading.join()
        if len(shown) != _PIECES or not kept:
            raise LookupError(f"{len(shown)} pieces were shown, and {len(kept)} seen in the draft")
        # The last pieces need no draft: the reply itself is written at once.
        return max(at - before for before, at in zip(shown, kept, strict=False))


def _note_shown(process: "subprocess.Popen[str]", shown: list[float]) -> None:
    """When each piece of the reply was printed."""
    shown.extend(time.perf_counter() for line in process.stdout or () if "text_streamed" in line)


def _cancel(place: Place) -> Callable[[Job], Task]:
    return lambda job: Cancel(job, place)


TASKS: dict[str, Callable[[Job], Task]] = {
    "cancel": _cancel("command"),
    f"cancel {THREAD}": _cancel("thread"),
    f"cancel {STREAM}": _cancel("stream"),
    "draft_lag": DraftLag,
}
"""Each by its name."""
