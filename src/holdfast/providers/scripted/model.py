"""A model that follows a script: for tests, demos and trying things out without a key.

It answers as a provider does and is as strict as one: a request that breaks a rule of
its family is refused with the rules it breaks, and one that is longer than the window
overflows. It fails on command, in every way a provider can: at once, in the middle of
a reply, or by falling silent. A script that runs out is an error in the script.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from typing import Literal, TypeAlias, assert_never

from holdfast.context.legal import families
from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.ids import BlobId
from holdfast.model.protocol import (
    AssistantMessage,
    CallDelta,
    Delta,
    Finished,
    Request,
    Stop,
    Target,
    TextDelta,
    ThinkingDelta,
)
from holdfast.model.tokens import Counter, count_message, count_request, counter_for
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall, Usage, Value

Failure: TypeAlias = ModelError | Literal["silence"]
"""What goes wrong: an error, or nothing more until whoever waits gives up."""


class Scripted(Value, frozen=True, kw_only=True):
    """What the model says, and how that ends."""

    parts: tuple[Part, ...] = ()
    """Texts, thinking and calls."""
    stop: Stop | None = None
    """Why it stops; without it, for its calls if it has any."""
    usage: Usage | None = None
    """What it reports to have used; without it, what the model counts."""
    after: int | None = None
    """After how many deltas it fails, and 0 is at once; without it, it does not fail."""
    failure: Failure | None = None
    """How; without it, the stream breaks off."""


Line: TypeAlias = str | Scripted | ModelError
"""One line of a script: words, an answer, or an error instead of one."""

Cue: TypeAlias = Line | Callable[[Request], Line]
"""A line, or what makes one of the request."""


class ScriptedModel:
    """Says the next line of its script to every request."""

    def __init__(
        self,
        target: Target,
        *script: Cue,
        then: Callable[[Request], Line] | None = None,
        window: int = 200_000,
        piece: int = 24,
        media: Mapping[BlobId, bytes] | None = None,
    ) -> None:
        """Learn the script.

        `then` answers when the script is over. `window` is the most tokens that request
        and reply may take together, `piece` how many characters a delta carries, and
        `media` holds the bytes of attachments.
        """
        self.requests: list[Request] = []
        """Every request it was asked, refused ones too."""
        self.given_up = 0
        """How many replies were cancelled before they ended."""
        self._target, self._script, self._then = target, iter(script), then
        self._window, self._piece, self._media = window, piece, media or {}
        self._counter: Counter = counter_for(target.model)

    @property
    def target(self) -> Target:
        """Which model it plays."""
        return self._target

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Say the next line, in pieces."""
        self.requests.append(request)
        self._refuse_illegal(request)
        asked = self._refuse_long(request)
        answer = self._answer(request)
        whole = False
        try:
            if answer.after == 0:
                await _fail(answer.failure)
            for number, delta in enumerate(self._deltas(answer, asked), start=1):
                await asyncio.sleep(0)  # as a stream does, it lets others run between two pieces
                whole = isinstance(delta, Finished)
                yield delta
                if number == answer.after:
                    await _fail(answer.failure)
        except (GeneratorExit, asyncio.CancelledError):
            self.given_up += not whole
            raise

    def _refuse_illegal(self, request: Request) -> None:
        if request.target != self._target:
            raise Refused(f"This is {self._target.model!r}, and the request is for {request.target.model!r}.")
        rendered = families.render(request, {**self._media, **request.media})
        if violations := families.check(request.target.family, rendered.body):
            broken = "; ".join(f"{each.rule} at {each.where}: {each.why}" for each in violations)
            raise Refused(f"The request is not legal for {request.target.family}: {broken}.")

    def _refuse_long(self, request: Request) -> int:
        asked = count_request(request, self._counter)
        room = self._window - request.max_output_tokens
        if asked > room:
            raise Overflow(
                f"The request takes {asked} tokens, and the window of {self._window} has room for {room}.",
                limit=room,
                asked=asked,
            )
        return asked

    def _answer(self, request: Request) -> Scripted:
        cue = next(self._script, self._then)
        if cue is None:
            raise AssertionError(f"The script ran out: nothing is left to say to request {len(self.requests)}.")
        line = cue(request) if callable(cue) else cue
        if isinstance(line, ModelError):
            raise line
        return Scripted(parts=(Text(text=line),)) if isinstance(line, str) else line

    def _deltas(self, answer: Scripted, asked: int) -> Iterator[Delta]:
        calls = 0
        for part in answer.parts:
            match part:
                case Text(text=text):
                    yield from (TextDelta(text=piece) for piece in self._cut(text))
                case Thinking(text=text, signature=signature):
                    yield from (ThinkingDelta(text=piece) for piece in self._cut(text))
                    if signature:
                        yield ThinkingDelta(signature=signature)
                case ToolCall():
                    yield CallDelta(index=calls, id=part.id, name=part.name)
                    yield from (CallDelta(index=calls, arguments=piece) for piece in self._cut(part.arguments))
                    calls += 1
                case Blob():
                    raise AssertionError("A model says no attachments: the script is wrong.")
                case _:
                    assert_never(part)
        said = count_message(AssistantMessage(parts=answer.parts), self._counter)
        usage = answer.usage or Usage(input_tokens=asked, output_tokens=said)
        yield Finished(stop=answer.stop or ("called" if calls else "ended"), usage=usage)

    def _cut(self, text: str) -> Iterator[str]:
        return (text[at : at + self._piece] for at in range(0, len(text), self._piece))


async def _fail(failure: Failure | None) -> None:
    if failure == "silence":
        await asyncio.Event().wait()
    else:
        raise failure or Unavailable("The stream broke off.")
