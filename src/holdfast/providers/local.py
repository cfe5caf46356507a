"""The embedded model: a small one that runs in this process, without a key or a network.

It answers in a thread, one reply at a time, and its pieces come to the event loop in
their order. Whoever gives up a reply goes on at once; the thread sees it at its next
piece and stops, and the next reply waits for that. It is offered no tools, because
it picks the wrong one more often than not; calls of other models are told in words.
"""

import asyncio
import re
import threading
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from holdfast.context.legal import families
from holdfast.context.legal.rendered import Json
from holdfast.errors import Closed, Refused
from holdfast.ids import BlobId
from holdfast.model.protocol import Delta, Finished, Request, Target, TextDelta
from holdfast.providers.chat_chunks import ChatChunks
from holdfast.providers.failures import Endpoint
from holdfast.providers.serving import Serving
from holdfast.providers.weights import Progress, fetch
from holdfast.records.parts import Blob
from holdfast.session.export.content import is_text

TARGET = Target(family="openai-chat", model="smollm2-135m-instruct", provider="local")
"""The embedded model, as requests name it."""
WINDOW = 4096
"""Tokens that a conversation and its reply may take together."""

_ENDPOINT = Endpoint(title="The embedded model", url="", model=TARGET.model)
_SAMPLING: Json = {
    "temperature": 0.2,
    "top_p": 0.9,
    "repeat_penalty": 1.0,
    "dry_multiplier": 0.8,
    "dry_allowed_length": 8,
}
"""What its makers advise, and no sentence for ever; a penalty for words would keep those of the question away."""
_MARKS = re.compile(r"<(\|(?:im_start|im_end|endoftext)\|>)")
"""How its template tells who speaks; said by anybody, it could forge a message."""


class LocalModel:
    """Answers with a model in this process."""

    def __init__(
        self, *, cache: Path, progress: Progress | None = None, weights: Path | None = None, window: int = WINDOW
    ) -> None:
        """Prepare to load; the first request does.

        The weights are downloaded into the cache, unless there is a file with `weights`.
        `progress` is told of the download, in a thread.
        """
        self._cache, self._progress, self._weights, self._window = cache, progress, weights, window
        self._turn = threading.Lock()
        self._serving: Serving | None = None
        self._closed = threading.Event()

    @property
    def target(self) -> Target:
        """Which model this is."""
        return TARGET

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request; one after another, if there are several."""
        return self._reply(request, {})

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

    async def _reply(self, request: Request, more: Json) -> AsyncGenerator[Delta, None]:
        if request.target != TARGET:
            raise Refused(f"This is {TARGET.model!r}, and the request is for {request.target.model!r}.")
        body = msgspec.json.encode(_body(request) | more)
        chunks = ChatChunks(TARGET, _ENDPOINT)
        pieces = _Pieces(self._closed)
        threading.Thread(target=self._answer, args=(body, pieces), name="holdfast-local").start()
        try:
            while (piece := await pieces.next()) is not None:
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

    def _loaded(self) -> Serving:
        with self._turn:
            self._refuse_closed()
            if self._serving is None:
                weights = self._weights or fetch(self._cache, self._told)
                self._serving = Serving(weights, window=self._window)
            return self._serving

    def _told(self, come: int, of: int) -> None:
        """Pass on how far the download is; it goes on for the next reply, but not when the program ends."""
        self._refuse_closed()
        if self._progress:
            self._progress(come, of)

    def _refuse_closed(self) -> None:
        if self._closed.is_set() or not threading.main_thread().is_alive():
            raise Closed("The embedded model is closed.", hint="Make a new one.")

    def _unload(self) -> None:
        with self._turn:
            self._serving = None


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


def _body(request: Request) -> Json:
    texts = {blob: data for blob, data in request.media.items() if blob in set(_texts(request))}
    plain = msgspec.structs.replace(request, tools=(), media={})
    rendered = families.render(plain, texts)
    return {
        **_SAMPLING,
        "messages": _in_turns(msgspec.convert(rendered.body["messages"], list[_Said])),
        "max_tokens": max(1, request.max_output_tokens),
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,  # so that a reply can be given up while its prompt is read
    }


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
        turns[-1][1].append(_MARKS.sub(r"< \1", words))
    return [{"role": role, "content": "\n\n".join(words)} for role, words in turns]
