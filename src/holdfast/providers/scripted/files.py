"""A model whose lines are in a file: for demonstrations, and for tests of the whole program.

Each line of the file is JSON and is one answer, an object or a list of them: words,
thinking, calls, a failure, a pace. Lines are said in order; when they are over, the
answer is `…`, so that a chat can go on and nothing repeats what it did. A line with
`when` is said, as often as need be, to requests that hold its text, and to no others:
so titles and summaries, which are asked for in the background, take no line away.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from holdfast.errors import BadInput, ModelError, Refused, Unavailable
from holdfast.ids import CallId
from holdfast.model.protocol import Delta, Finished, Request, Target, UserMessage
from holdfast.providers.scripted.model import Failure, Scripted, ScriptedModel
from holdfast.records.parts import Part, Text, Thinking, ToolCall, Value, plain_text

OVER = "…"
"""What is said when the script is over."""
TARGET = Target(family="openai-chat", model="scripted", provider="scripted")
_PIECE = 24
_FORM = 'A line is one like {"say": "Hello."}, or a list of such.'


class _Called(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    arguments: dict[str, object] | str = {}


class _Item(msgspec.Struct, forbid_unknown_fields=True):
    """One object of a line."""

    say: str = ""
    think: str = ""
    call: _Called | None = None
    fail: Literal["unavailable", "refused", "silence"] | None = None
    after: Annotated[int, msgspec.Meta(ge=0)] | None = None
    delay: Annotated[float, msgspec.Meta(ge=0, le=60)] | None = None
    when: str = ""


class ScriptLine(Value, frozen=True, kw_only=True):
    """One answer of a script."""

    answer: Scripted
    delay: float = 0
    """Seconds before each delta."""
    when: str = ""
    """What a request holds that this is said to; nothing if it is said in its turn."""


class ScriptModel:
    """Says the lines of a file."""

    def __init__(self, path: Path) -> None:
        """Read the script. Raises `BadInput` if it cannot be read."""
        lines = read_script(path)
        self._turns = iter([line for line in lines if not line.when])
        self._always = [line for line in lines if line.when]

    @property
    def target(self) -> Target:
        """The script."""
        return TARGET

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Say the next line, at its pace."""
        line = self._line(request)
        async with aclosing(ScriptedModel(TARGET, line.answer, piece=_PIECE).stream(request)) as deltas:
            async for delta in deltas:
                if line.delay and not isinstance(delta, Finished):
                    await asyncio.sleep(line.delay)
                yield delta

    def _line(self, request: Request) -> ScriptLine:
        newest = next((each for each in reversed(request.messages) if isinstance(each, UserMessage)), None)
        held = f"{request.system}\n{plain_text(newest.parts) if newest else ''}"
        if told := next((line for line in self._always if line.when in held), None):
            return told
        return next(self._turns, ScriptLine(answer=Scripted(parts=(Text(text=OVER),))))


def read_script(path: Path) -> tuple[ScriptLine, ...]:
    """The lines of a script. Empty lines and those that begin with # are for the reader of the file."""
    try:
        written = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"The script {str(path)!r} cannot be read: {error}.", hint="Name it as scripted:PATH."
        ) from error
    lines: list[ScriptLine] = []
    pace = 0.0
    for number, text in enumerate(written, start=1):
        if not text.strip() or text.startswith("#"):
            continue
        items = _items(path, number, text)
        first = items[0] if items else _Item()
        if len(items) == 1 and first.delay is not None and first == _Item(delay=first.delay):
            pace = first.delay
        else:
            lines.append(_line(items, number, pace))
    return tuple(lines)


def _items(path: Path, number: int, text: str) -> Sequence[_Item]:
    try:
        if text.lstrip().startswith("["):
            return msgspec.json.decode(text, type=list[_Item])
        return [msgspec.json.decode(text, type=_Item)]
    except msgspec.DecodeError as error:
        raise BadInput(f"{path}, line {number}: {error}.", hint=_FORM) from error


def _line(items: Sequence[_Item], number: int, pace: float) -> ScriptLine:
    parts: list[Part] = []
    after: int | None = None
    failure: Failure | None = None
    for item in items:
        if item.think:
            parts.append(Thinking(text=item.think))
        if item.say:
            parts.append(Text(text=item.say))
        if item.call:
            parts.append(_call(item.call, f"call_{number}_{len(parts)}"))
        if item.fail:
            after = _deltas(parts) if item.after is None else item.after
            failure = _failure(item.fail)
    delay = next((item.delay for item in items if item.delay is not None), pace)
    when = next((item.when for item in items if item.when), "")
    return ScriptLine(answer=Scripted(parts=tuple(parts), after=after, failure=failure), delay=delay, when=when)


def _call(called: _Called, call_id: str) -> ToolCall:
    arguments = called.arguments
    text = arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()
    return ToolCall(id=CallId(call_id), name=called.name, arguments=text)


def _deltas(parts: Sequence[Part]) -> int:
    """How many deltas the parts make, so that a failure comes right after what was said before it."""
    counts = [
        1 - (-len(part.arguments) // _PIECE) if isinstance(part, ToolCall) else -(-len(part.text) // _PIECE)
        for part in parts
        if isinstance(part, ToolCall | Text | Thinking)
    ]
    return sum(counts)


def _failure(kind: Literal["unavailable", "refused", "silence"]) -> Failure:
    if kind == "silence":
        return "silence"
    errors: dict[str, ModelError] = {
        "unavailable": Unavailable("The script says that the service is unavailable."),
        "refused": Refused("The script says that the request is refused."),
    }
    return errors[kind]
