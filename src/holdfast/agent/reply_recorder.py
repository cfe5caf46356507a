"""Records a streamed reply: drafts it while it streams, and writes its entry.

What streams is shown at once and drafted every 50 ms, so that a killed process loses no more than that. The task
that reads the stream does both, because waking up another task for each piece costs more than the piece itself.
Whatever ends the reply early, what was shown of it is written down before anything else happens.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, assert_never

from msgspec.structs import replace

from holdfast.agent.events import CallStreamed, Event, TextStreamed, ThinkingStreamed
from holdfast.agent.stream_task import StreamTask
from holdfast.agent.tasks import shielded
from holdfast.errors import HoldfastError, ModelError, NotWritten, Refused, Unavailable
from holdfast.ids import Position
from holdfast.model.prices import priced
from holdfast.model.protocol import CallDelta, Delta, Finished, Model, Request, TextDelta, ThinkingDelta
from holdfast.model.stream import Accumulator, Reply
from holdfast.records.entries import Drafted, ModelReplied, ToolFinished
from holdfast.records.parts import Part, Text, Thinking, ToolCall
from holdfast.session.recovery import joined
from holdfast.session.writer import Session

DRAFT_SECONDS = 0.05
"""How long a piece that was shown may wait to be drafted."""
BETWEEN_DRAFTS = 0.8 * DRAFT_SECONDS
"""A piece that comes so long after the last draft is drafted at once: that costs less than a timer."""

BOUND = "context.output"
"""The setting of how long a reply may be."""

Words: TypeAlias = TextDelta | ThinkingDelta
"""What is shown of a reply as it is."""

Emit = Callable[[Event], None]
"""Takes an event to whoever watches."""

Ending = Literal["ended", "called", "length", "refused", "cancelled", "interrupted"]
"""Why a reply stopped."""


class ReplyRecorder:
    """Records one reply."""

    def __init__(self, session: Session, model: Model, emit: Emit, idle: float) -> None:
        """Give up on the model after `idle` seconds without a sign of life; 0 is never."""
        self._session, self._model, self._emit = session, model, emit
        self._idle = idle
        self._before = self._heard = session.state.last
        self._place = Position(self._before + 1)
        """The earliest position that the reply can have."""
        self.position = Position(-1)
        """Where the reply stands in the log, once it does."""
        self._pieces = Accumulator(model.target)
        self._draft: list[tuple[type[Words], str]] = []
        """What was shown and not drafted yet."""
        self._drafted = False
        self._loop = asyncio.get_running_loop()
        self._next_draft = 0.0
        """From when on a piece is drafted at once."""
        self._timer: asyncio.TimerHandle | None = None
        self._drafting = False
        """Whether a piece is being drafted, which another task may wait for."""
        self._waiting: asyncio.Future[None] | None = None
        self._shown = 0
        self._held: dict[type[Words], str] = {}
        self._calls: dict[int, CallStreamed] = {}
        self._tokens = 0

    async def record(self, request: Request, tokens: int) -> Reply:
        """Ask, and give the whole reply once it is in the log.

        It is committed if there was time to draft any of it; if not, by what follows it: the start of its calls,
        the next request, or the end of the turn. Raises what the model raised, and `Unavailable` if the stream
        falls silent, breaks off or says nothing; what was shown until then is in the log as an interrupted reply.
        Cancelling leaves a cancelled one.
        """
        self._tokens, self._limit = tokens, request.max_output_tokens
        self._pieces = Accumulator(self._model.target, limit=self._limit)
        # Words that came while the request waited for the disk are not in it, and so not heard.
        self._heard = next((each.pos for each in reversed(request.messages) if each.pos >= 0), self._before)
        self._next_draft = self._loop.time() + BETWEEN_DRAFTS
        self._stream_task = stream_task = StreamTask(self._model.stream(request), self._take, self._idle)
        try:
            await self._listen(stream_task)
        except asyncio.CancelledError:
            await self._write_part("cancelled")
            raise
        except HoldfastError:
            await self._write_part("interrupted")
            raise
        reply = self._pieces.reply()
        if not stream_task.finished:
            await self._write_part("interrupted")
            raise Unavailable("The reply broke off.")
        if not reply.parts and not reply.cut:
            raise _nothing(reply)
        entry = self._entry(reply, reply.stop or "ended")
        # A draft may go only when its reply is durable. Without one, a second wait for the disk would protect nothing.
        await self._write(entry, *self._results(reply), commit=self._drafted)
        return reply

    def _results(self, reply: Reply) -> list[ToolFinished]:
        """What the model is told of each call that was cut."""
        if reply.stop == "length":
            tokens = reply.usage.output_tokens if reply.usage and reply.usage.output_tokens else self._limit
            where = f" at {tokens:,} tokens" if tokens else " at the longest reply you can give"
            told = f"[not run: your call was cut{where}; write in parts: a shorter call now, the rest in further calls]"
        else:
            told = "[not run: your call has no name; call again, with the name of a tool]"
        return [
            ToolFinished(call=call.id, name=call.name, outcome="error", parts=(Text(text=told),)) for call in reply.cut
        ]

    async def _listen(self, stream_task: StreamTask) -> None:
        """Wait for the end of the stream, and draft what its task left to the timer."""
        try:
            while await stream_task.goes_on():
                await self._write_draft(self._loop.time())
        finally:
            stream_task.leave()
            self._cancel_timer()

    async def _take(self, delta: Delta) -> None:
        """Show and remember a delta, and have it drafted in time."""
        self._pieces.add(delta)
        match delta:
            case TextDelta() | ThinkingDelta():
                if delta.text:
                    self._show(delta)
                    now = self._stream_task.spoke
                    if now >= self._next_draft:
                        await self._write_draft(now)
                    elif self._timer is None:
                        self._timer = self._loop.call_at(now + DRAFT_SECONDS, self._stream_task.wake)
            case CallDelta():
                self._emit(self._called(delta))
            case Finished():
                pass
            case _:
                assert_never(delta)

    def _show(self, delta: Words) -> None:
        """Show words, and remember them for the draft."""
        kind, text = type(delta), delta.text
        if self._held or not self._shown or "\ud800" <= text[-1] <= "\udbff":
            text = self._whole(kind, text)
            if not text:
                return
        streamed = TextStreamed if kind is TextDelta else ThinkingStreamed
        self._emit(streamed(text=text, reply=self._place, offset=self._shown))
        self._shown += len(text)
        self._draft.append((kind, text))

    def _whole(self, kind: type[Words], text: str) -> str:
        """What can be shown of words: half a character waits for its other half.

        White space at the beginning of a reply waits for words: alone it says nothing and is not written down, and a
        reply that is asked for again would begin behind it.
        """
        text = joined((self._held.pop(kind, ""), text))
        if not self._shown and not text.strip():
            self._held[kind] = text
            return ""
        if "\ud800" <= text[-1] <= "\udbff":
            self._held[kind], text = text[-1], text[:-1]
        return text

    def _called(self, delta: CallDelta) -> CallStreamed:
        known = self._calls.get(delta.index)
        name, characters = (known.name, known.characters) if known else ("", 0)
        call = CallStreamed(index=delta.index, name=name or delta.name, characters=characters + len(delta.arguments))
        self._calls[delta.index] = call
        return call

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _write_draft(self, now: float) -> None:
        """Draft what was shown and is not drafted yet, if there is any; one who drafts goes on with what comes."""
        if self._timer is not None:
            self._cancel_timer()
        if self._drafting:
            return
        self._drafting, self._next_draft = True, now + BETWEEN_DRAFTS
        try:
            while self._draft:
                for piece in self._drafted_pieces():
                    await self._session.draft(piece)
        finally:
            self._drafting = False
            if self._waiting is not None:
                self._waiting.set_result(None)

    def _drafted_pieces(self) -> list[Drafted]:
        # A piece says its thinking before its words, so that a draft is read in the order in which it was shown.
        pieces: list[Drafted] = []
        thinking = text = ""
        reply, heard = self._place, self._heard
        for kind, words in self._draft:
            if kind is TextDelta:
                text += words
                continue
            if text:
                pieces.append(Drafted(reply=reply, text=text, thinking=thinking, heard=heard))
                thinking = text = ""
            thinking += words
        pieces.append(Drafted(reply=reply, text=text, thinking=thinking, heard=heard))
        self._draft.clear()
        self._drafted = True
        return pieces

    async def _write_part(self, stop: Literal["cancelled", "interrupted"]) -> None:
        """Write down what was shown of a reply that ended early; its calls, which were not run, are not part of it."""
        reply = self._pieces.reply()
        parts = _shown(reply.parts)
        if parts:
            await self._write(self._entry(Reply(parts=parts, usage=reply.usage), stop), commit=True)

    async def _write(self, entry: ModelReplied, *results: ToolFinished, commit: bool) -> None:
        """Write a reply down; what the log has no room for now goes before whatever comes next."""
        before = self._session.state.last
        try:
            self.position = Position(await shielded(self._put(entry, *results, commit=commit)) - len(results))
        except NotWritten:
            since = self._session.recent(before) or ()
            there = any(record.entry == entry for record in since)  # and only its draft could not be removed
            if not there and (parts := _shown(entry.parts)):
                stop: Ending = "cancelled" if entry.stop == "cancelled" else "interrupted"
                self._session.owe(replace(entry, parts=parts, stop=stop))
            raise

    async def _put(self, entry: ModelReplied, *results: ToolFinished, commit: bool) -> Position:
        append = self._session.finish if commit else self._session.append
        if self._drafting:  # a piece that is drafted after its reply would stay
            self._waiting = self._loop.create_future()
            await self._waiting
        return await append(entry, *results)

    def _entry(self, reply: Reply, stop: Ending) -> ModelReplied:
        # A call that was cut is written down as far as it came: it was paid for, and the model can go on from it.
        cut = (ToolCall(id=each.id, name=each.name, arguments=each.arguments) for each in reply.cut)
        return ModelReplied(
            parts=(*reply.parts, *cut),
            model=self._model.target.model,
            usage=None if reply.usage is None else priced(self._model.target.model, reply.usage),
            stop=stop,
            asked_tokens=self._tokens,
            heard=self._heard,
        )


def _shown(parts: Sequence[Part]) -> tuple[Part, ...]:
    """What a person saw of a reply: all but its calls."""
    return tuple(part for part in parts if isinstance(part, Text | Thinking))


def _nothing(reply: Reply) -> ModelError:
    """What it means that a model said nothing; of what it meant to do, it would do the same again."""
    match reply.stop:
        case "refused":
            return Refused("The model refused to answer.", hint="Say it in other words, or ask another model.")
        case "length":
            why = "The model thought to the bound of its reply, and said nothing."
            return Refused(why, hint=f"Give replies more room ({BOUND}), or ask another model.")
        case _:
            return Unavailable("The model said nothing.")
