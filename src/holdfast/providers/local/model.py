"""A model that runs in this process, without a key or a network: the built-in demo model, or a GGUF file.

It answers in a thread, one reply at a time, and its pieces come to the event loop in
their order. Whoever gives up a reply goes on at once; the thread sees it at its next
piece and stops, and the next reply waits for that. The demo model is offered no tools, because
it picks the wrong one more often than not; calls of other models are told in words.
"""

import asyncio
import re
import threading
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing, suppress
from pathlib import Path

import msgspec

from holdfast.context.legal import families
from holdfast.context.legal.rendered import Json
from holdfast.errors import Closed, Refused
from holdfast.ids import BlobId
from holdfast.model.context_sizes import ModelSize
from holdfast.model.protocol import Delta, Finished, Request, Target, TextDelta
from holdfast.providers.http.failures import Endpoint
from holdfast.providers.local.demo_limits import REPLY, Unrepeated, refusal
from holdfast.providers.local.gguf import Gguf
from holdfast.providers.local.llama import LlamaServer, load_library
from holdfast.providers.local.weights import Progress, fetch
from holdfast.providers.openai.chat import ChatChunks
from holdfast.records.parts import Blob, Usage
from holdfast.session.export.content import is_text

TARGET = Target(family="openai-chat", model="smollm2-135m-instruct", provider="local")
"""The built-in demo model, as requests name it."""
WINDOW = 4096
"""Tokens that a conversation and its reply may take together."""

DEMO = "The built-in demo model"
"""What errors call it."""
_SAMPLING: Json = {
    "temperature": 0.2,
    "top_p": 0.9,
    "repeat_penalty": 1.0,
    "dry_multiplier": 0.8,
    "dry_allowed_length": 8,
}
"""What its makers advise, and no sentence for ever; a penalty for words would keep those of the question away."""
_CONTROL = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
"""How its template tells who speaks; said by anybody, it could forge a message."""


class LocalModel:
    """Answers with a model in this process."""

    def __init__(
        self,
        *,
        cache: Path,
        progress: Progress | None = None,
        weights: Path | None = None,
        window: int = WINDOW,
        gguf: Gguf | None = None,
    ) -> None:
        """Prepare to load; the first request does.

        Without `gguf` it is the demo model: its weights are downloaded into the cache, unless there is a file
        with `weights`. With it, `weights` holds that model. `progress` is told of the download, in a thread.
        """
        self._cache, self._progress, self._weights, self._gguf = cache, progress, weights, gguf
        self._window = gguf.window if gguf else window
        self._target = Target(family=TARGET.family, model=gguf.name, provider=TARGET.provider) if gguf else TARGET
        self._title = gguf.name if gguf else DEMO
        self._marks = re.compile("|".join(map(re.escape, gguf.control if gguf else _CONTROL)) or r"(?!)")
        self._turn = threading.Lock()
        self._serving: LlamaServer | None = None
        self._closed = threading.Event()

    @property
    def target(self) -> Target:
        """Which model this is."""
        return self._target

    @property
    def size(self) -> ModelSize:
        """How much it takes, and how much it answers."""
        return ModelSize(window=self._window, output=self._window // 4 if self._gguf else REPLY)

    @property
    def takes_tools(self) -> bool:
        """Whether it can be offered tools."""
        return self._gguf is not None and self._gguf.takes_tools

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request; one after another, if there are several."""
        return self._reply(request, {}) if self._gguf else self._demo(request)

    async def _demo(self, request: Request) -> AsyncGenerator[Delta, None]:
        """A reply of the demo model, which ends early rather than repeat itself."""
        if line := refusal(request):
            yield TextDelta(text=line)
            yield Finished()
            return
        words, told = Unrepeated(), _Timed()
        bounded = msgspec.structs.replace(request, max_output_tokens=min(REPLY, request.max_output_tokens or REPLY))
        async with aclosing(self._reply(bounded, {"timings_per_token": True}, told)) as deltas:
            async for delta in deltas:
                if isinstance(delta, TextDelta):
                    shown = words.take(delta.text)
                else:
                    shown = words.rest() if isinstance(delta, Finished) else ""
                if shown:
                    yield TextDelta(text=shown)
                if words.over:
                    yield Finished(usage=told.usage)
                    return
                if not isinstance(delta, TextDelta):
                    yield delta

    async def complete_json(self, request: Request, schema: str) -> str:
        """Answer with JSON that keeps to a schema, whatever the model thinks of it."""
        words: list[str] = []
        async for delta in self._reply(request, {"json_schema": msgspec.Raw(schema.encode())}):
            if isinstance(delta, TextDelta):
                words.append(delta.text)
            elif isinstance(delta, Finished) and delta.stop == "length":
                raise Refused("The reply ended before its JSON did.", hint="Allow more `max_output_tokens`.")
        return "".join(words)

    async def endpoint(self) -> tuple[str, str]:
        """Base URL and key under which it answers on loopback, as OpenAI does, until it is closed."""
        serving = await asyncio.to_thread(self._loaded)
        return serving.address, serving.key

    async def close(self) -> None:
        """Break off the reply that is on the way, and unload."""
        self._closed.set()
        await asyncio.to_thread(self._unload)

    async def _reply(self, request: Request, more: Json, told: "_Timed | None" = None) -> AsyncGenerator[Delta, None]:
        if request.target != self._target:
            raise Refused(f"This is {self._target.model!r}, and the request is for {request.target.model!r}.")
        body = msgspec.json.encode(self._body(request) | more)
        chunks = ChatChunks(self._target, Endpoint(title=self._title, url="", model=self._target.model))
        pieces = _Pieces(self._closed)
        threading.Thread(target=self._answer, args=(body, pieces), name="holdfast-local").start()
        try:
            while (piece := await pieces.next()) is not None:
                if told is not None:
                    told.take(piece)
                for delta in chunks.take(piece):
                    yield delta
            yield chunks.finish()
        finally:
            pieces.unwanted.set()

    def _answer(self, body: bytes, pieces: "_Pieces") -> None:
        try:
            serving = self._loaded()
            with self._turn:
                if not pieces.given_up():
                    serving.answer(body, pieces.put)
        except BaseException as error:  # noqa: BLE001 - boundary: raised where the reply is waited for
            pieces.end(error)
        else:
            pieces.end()

    def _loaded(self) -> LlamaServer:
        with self._turn:
            self._refuse_closed()
            if self._serving is None:
                load_library(self._title)  # nothing is downloaded for a library that is not there
                weights = self._weights or fetch(self._cache, self._told)
                self._serving = LlamaServer(weights, window=self._window, title=self._title, small=self._gguf is None)
            return self._serving

    def _told(self, come: int, of: int) -> None:
        """Pass on how far the download is; it goes on for the next reply, but not when the program ends."""
        self._refuse_closed()
        if self._progress:
            self._progress(come, of)

    def _refuse_closed(self) -> None:
        if self._closed.is_set() or not threading.main_thread().is_alive():
            raise Closed(f"{self._title} is closed.", hint="Make a new one.")

    def _unload(self) -> None:
        with self._turn:
            self._serving = None

    def _body(self, request: Request) -> Json:
        texts = {blob: data for blob, data in request.media.items() if blob in set(_texts(request))}
        plain = msgspec.structs.replace(request, media={}, **({} if self.takes_tools else {"tools": ()}))
        rendered = families.render(plain, texts).body
        if self.takes_tools:
            said: object = self._unmarked(rendered["messages"])
        else:
            said = self._unmarked(_in_turns(msgspec.convert(rendered["messages"], list[_Said])))
        return {
            **({} if self._gguf else _SAMPLING),
            **({"tools": rendered["tools"]} if rendered.get("tools") else {}),
            "messages": said,
            **({"max_tokens": request.max_output_tokens} if request.max_output_tokens else {}),
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,  # so that a reply can be given up while its prompt is read
        }

    def _unmarked(self, value: object) -> object:
        """Texts of a request in which nobody but the template tells who speaks."""
        match value:
            case str():
                return self._marks.sub(lambda found: f"{found[0][0]} {found[0][1:]}", value)
            case list():
                return [self._unmarked(each) for each in value]
            case dict():
                return {name: self._unmarked(each) for name, each in value.items()}
            case _:
                return value


class _Timings(msgspec.Struct, frozen=True):
    cache_n: int = 0
    prompt_n: int = 0
    predicted_n: int = 0


class _Timed(msgspec.Struct):
    """How many tokens a reply took so far, by its last piece that tells."""

    timings: _Timings = _Timings()

    def take(self, piece: bytes) -> None:
        """Look at a piece of the reply."""
        if b'"timings"' in piece:
            self.timings = msgspec.json.decode(piece, type=_Timed).timings

    @property
    def usage(self) -> Usage:
        """As the whole reply would tell it."""
        told = self.timings
        return Usage(
            input_tokens=told.cache_n + told.prompt_n, cached_tokens=told.cache_n, output_tokens=told.predicted_n
        )


class _Pieces:
    """The pieces of one reply, on their way from a thread to the event loop."""

    def __init__(self, closed: threading.Event) -> None:
        self.unwanted = threading.Event()
        self._closed, self._loop = closed, asyncio.get_running_loop()
        self._waiting: deque[bytes | BaseException | None] = deque()
        self._there = asyncio.Event()
        self._woken = False

    def given_up(self) -> bool:
        """Whether nobody waits any more; a program that ends waits for its threads, and for nothing else."""
        return self.unwanted.is_set() or self._closed.is_set() or not threading.main_thread().is_alive()

    def put(self, piece: bytes) -> bool:
        """Hand over a piece, in the thread; True if nobody wants more."""
        if self.given_up():
            return True
        self._waiting.append(piece)
        return self._wake()

    def end(self, error: BaseException | None = None) -> None:
        """Say in the thread that nothing more comes, and why."""
        self._waiting.append(error)
        self._wake()

    async def next(self) -> bytes | None:
        """The next piece, or None at the end."""
        while not self._waiting:
            self._there.clear()
            await self._there.wait()
        piece = self._waiting.popleft()
        if isinstance(piece, BaseException):
            raise piece
        return piece

    def _wake(self) -> bool:
        # One call is enough for all pieces that come before the loop gets to it.
        if not self._woken:
            self._woken = True
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._awake)
                return False
            return True  # the loop is closed
        return False

    def _awake(self) -> None:
        self._woken = False  # before the pieces are looked at, so that none comes unseen
        self._there.set()


class _Function(msgspec.Struct):
    name: str
    arguments: str


class _Call(msgspec.Struct):
    function: _Function


class _Said(msgspec.Struct):
    """A message as chat completions have it; this model is shown words only."""

    role: str
    content: str | None = None
    tool_calls: tuple[_Call, ...] = ()

    def in_words(self) -> tuple[str, str]:
        """Who speaks, of the three that its template knows, and what."""
        if self.role == "tool":
            return "user", f"[The tool gave:]\n{self.content}"
        calls = [f"[I called the tool {call.function.name} with {call.function.arguments}]" for call in self.tool_calls]
        return self.role, "\n".join([self.content, *calls] if self.content else calls)


def _texts(request: Request) -> Iterable[BlobId]:
    """The attachments that can be read; of the others it is told the names."""
    parts = (part for message in request.messages for part in message.parts)
    return (part.blob for part in parts if isinstance(part, Blob) and is_text(part))


def _in_turns(said: Iterable[_Said]) -> list[Json]:
    """The messages with one speaker after another, as the model has learned them."""
    turns: list[tuple[str, list[str]]] = []
    for each in said:
        role, words = each.in_words()
        if not turns or turns[-1][0] != role:
            turns.append((role, []))
        turns[-1][1].append(words)
    return [{"role": role, "content": "\n\n".join(words)} for role, words in turns]
