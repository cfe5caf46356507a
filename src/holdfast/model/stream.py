"""Deltas to a reply.

Pieces of text and thinking are put together in the order they came; pieces of a
call are put together by its index, because parallel calls arrive in turns. The
arguments stay the text that the model sent, unless that is nearly an object and means
only one (`mending`). A stream that broke off leaves what
was said up to there; a call that may have been cut is never among it, because
running half of what a model asked for is worse than not running it. It is kept
beside it, so that the log has its text and the model can be told.
"""

from typing import TypeAlias, assert_never

from holdfast.errors import BadInput
from holdfast.ids import CallId
from holdfast.model.argument_repair import is_object, mended
from holdfast.model.protocol import (
    CallDelta,
    Delta,
    Finished,
    Model,
    Request,
    Stop,
    Target,
    TextDelta,
    ThinkingDelta,
)
from holdfast.records.parts import Part, Text, Thinking, ToolCall, Usage, Value


class CutCall(Value, frozen=True, kw_only=True):
    """A call that must not be run: it has no name, or its arguments may go on."""

    index: int
    id: CallId
    """Unique in its reply, as the ids of whole calls are."""
    name: str
    arguments: str
    """What had come of them."""


class Reply(Value, frozen=True, kw_only=True):
    """What a stream of deltas came to."""

    parts: tuple[Part, ...] = ()
    stop: Stop | None = None
    """Why the model stopped; None if the stream broke off."""
    usage: Usage | None = None
    cut: tuple[CutCall, ...] = ()
    """Calls that are not among the parts."""


class _Words:
    """Text or thinking in the making."""

    def __init__(self, *, thinking: bool, form: str) -> None:
        self.thinking, self.form, self.pieces, self.signature = thinking, form, list[str](), ""


class _Call:
    """A call in the making."""

    def __init__(self, index: int) -> None:
        self.index, self.id, self.name, self.pieces = index, "", "", list[str]()

    @property
    def arguments(self) -> str:
        return mended("".join(self.pieces))


_Piece: TypeAlias = _Words | _Call


class Accumulator:
    """Takes the deltas of one reply."""

    def __init__(self, target: Target, *, limit: int = 0) -> None:
        """Signatures will name the target; `limit` is how many tokens the reply may have, where that is known."""
        self._target, self._limit = target, limit
        self._pieces: list[_Piece] = []
        self._calls: dict[int, _Call] = {}
        self._text: list[str] | None = None
        """Where the next piece of text goes, while nothing else comes between."""
        self._finished: Finished | None = None

    def add(self, delta: Delta) -> None:
        """Take the next delta."""
        if type(delta) is TextDelta and self._text is not None:  # most are
            self._text.append(delta.text)
            return
        if self._finished:
            raise BadInput("A reply goes on after it was finished.", hint="Take a new accumulator for each reply.")
        self._text = None
        match delta:
            case TextDelta(text=text):
                self._text = self._words(thinking=False).pieces
                self._text.append(text)
            case ThinkingDelta(text=text, signature=signature, form=form, before=before):
                if before:
                    self._were_thinking(form)
                words = self._words(thinking=True, form=form)
                words.pieces.append(text)
                words.signature += signature
            case CallDelta():
                self._add_call(delta)
            case Finished():
                self._finished = self._corrected(delta)
            case _:
                assert_never(delta)

    def reply(self) -> Reply:
        """What has been said so far; complete once the stream has finished."""
        # Only a stream that was finished says that nothing is missing at the end of its last call.
        whole = self._finished is not None and self._finished.stop != "length"
        ids: set[str] = set()
        parts: list[Part] = []
        cut: list[CutCall] = []
        for piece in self._pieces:
            if isinstance(piece, _Call) and (not piece.name or not (whole or is_object(piece.arguments))):
                call = _id(piece, ids)
                cut.append(CutCall(index=piece.index, id=call, name=piece.name, arguments=piece.arguments))
            elif (part := self._part(piece, ids)) is not None:
                parts.append(part)
        return Reply(
            parts=tuple(parts),
            stop=self._stop(calls=len(self._calls) > len(cut)),
            usage=self._finished.usage if self._finished else None,
            cut=tuple(cut),
        )

    def _corrected(self, end: Finished) -> Finished:
        """The end, as a cut where it was one: some services call a reply ended that used up its limit in a call."""
        used = end.usage.output_tokens if end.usage else 0
        open_call = any(call.arguments and not is_object(call.arguments) for call in self._calls.values())
        if end.stop in {"ended", "called"} and open_call and 0 < self._limit <= used:
            return Finished(stop="length", usage=end.usage)
        return end

    def _words(self, *, thinking: bool, form: str = "") -> _Words:
        """The words that go on; a signature ends thinking, and another kind of piece ends both."""
        last = self._pieces[-1] if self._pieces else None
        if isinstance(last, _Words) and last.thinking is thinking and last.form == form and not last.signature:
            return last
        words = _Words(thinking=thinking, form=form)
        self._pieces.append(words)
        return words

    def _were_thinking(self, form: str) -> None:
        """Take the text so far for thinking: only its end was marked."""
        for piece in self._pieces:
            if isinstance(piece, _Words) and not (piece.form or piece.signature):
                piece.thinking, piece.form = True, form

    def _add_call(self, delta: CallDelta) -> None:
        call = self._calls.get(delta.index)
        if call is None:
            call = self._calls[delta.index] = _Call(delta.index)
            self._pieces.append(call)
        # Some providers repeat id and name with every piece, so they are not put together.
        call.id, call.name = call.id or delta.id, call.name or delta.name
        call.pieces.append(delta.arguments)

    def _part(self, piece: _Piece, ids: set[str]) -> Part | None:
        if isinstance(piece, _Call):
            # A tool without arguments is called with no piece of them.
            return ToolCall(id=_id(piece, ids), name=piece.name, arguments=piece.arguments or "{}")
        text = "".join(piece.pieces)
        if piece.signature or (piece.form and text.strip()):
            by, form = self._target, piece.form
            return Thinking(text=text, signature=piece.signature, provider=by.provider, model=by.model, form=form)
        if not text.strip():  # white space alone says nothing
            return None
        return Thinking(text=text) if piece.thinking else Text(text=text)

    def _stop(self, *, calls: bool) -> Stop | None:
        """Why the model stopped; providers differ in what they say of a reply with calls, the calls do not."""
        if self._finished is None or self._finished.stop in {"length", "refused"}:
            return self._finished.stop if self._finished else None
        return "called" if calls else "ended"


async def collected(model: Model, request: Request) -> Reply:
    """The whole reply to a request, for whoever does not watch it stream."""
    pieces = Accumulator(request.target)
    async for delta in model.stream(request):
        pieces.add(delta)
    return pieces.reply()


def _id(call: _Call, ids: set[str]) -> CallId:
    """The id of a call, unlike those given so far."""
    name = call.id or f"call_{call.index}"
    # Some providers give parallel calls one id, and a result must name the one it belongs to.
    while name in ids:
        name += f"_{call.index}"
    ids.add(name)
    return CallId(name)
