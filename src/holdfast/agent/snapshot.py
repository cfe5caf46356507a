"""What a conversation is doing right now: what somebody who begins to watch in the middle of a turn has missed.

It follows the events as they are shown, so it says at any moment what those say who watched from the beginning.
"""

from typing import TypeAlias

from holdfast.agent.events import (
    Answered,
    Appended,
    Asked,
    CallStreamed,
    Event,
    StepBegan,
    TextStreamed,
    ThinkingStreamed,
    ToolBegan,
    ToolTold,
    TurnBegan,
    TurnOver,
)
from holdfast.agent.permissions import Question
from holdfast.ids import CallId, Position
from holdfast.records.entries import ModelReplied, ToolFinished
from holdfast.records.parts import Text, Thinking, Value
from holdfast.session.state import SessionState

Streamed: TypeAlias = TextStreamed | ThinkingStreamed


class RunningReply(Value, frozen=True, kw_only=True):
    """A reply that streams, as far as it was shown."""

    reply: Position
    """The earliest position that the finished reply can have."""
    offset: int = 0
    """How many characters of it stand before these parts: the viewer has them."""
    parts: tuple[Text | Thinking, ...] = ()

    @property
    def length(self) -> int:
        """How many characters of it were shown."""
        return self.offset + sum(len(part.text) for part in self.parts)

    def after(self, offset: int) -> "RunningReply":
        """What of it stands after so many characters."""
        left, parts = max(0, offset - self.offset), list[Text | Thinking]()
        for part in self.parts:
            if rest := part.text[left:]:
                parts.append(type(part)(text=rest))
            left = max(0, left - len(part.text))
        return RunningReply(reply=self.reply, offset=max(self.offset, offset), parts=tuple(parts))

    def streamed(self) -> tuple[Streamed, ...]:
        """The same as events."""
        events, offset = list[Streamed](), self.offset
        for part in self.parts:
            kind = TextStreamed if isinstance(part, Text) else ThinkingStreamed
            events.append(kind(text=part.text, reply=self.reply, offset=offset))
            offset += len(part.text)
        return tuple(events)


class Snapshot(Value, frozen=True, kw_only=True):
    """A conversation at one moment."""

    state: SessionState
    """What the log means up to `state.last`."""
    running: bool
    """Whether somebody works on a turn."""
    reply: RunningReply | None = None
    """The reply that streams."""
    questions: tuple[Question, ...] = ()
    """What waits for a person."""
    mode: str = ""
    """The permission mode; '' where another process works in it, which alone knows."""
    moments: tuple[Event, ...] = ()
    """Further events that still count, the oldest first: the step, calls that are being written, tools that run with
    the last line each of them told."""


class Present:
    """Follows the events of a conversation."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self._reply = Position(-1)
        self._streamed: list[Streamed] = []
        self._questions: dict[str, Question] = {}
        self._turn: TurnBegan | None = None
        self._step: StepBegan | None = None
        self._writing: dict[int, CallStreamed] = {}
        self._tools: dict[CallId, tuple[ToolBegan, ToolTold | None]] = {}

    def take(self, event: Event) -> None:
        """Take the next event."""
        match event:
            case TextStreamed() | ThinkingStreamed():
                if event.reply != self._reply:
                    self._reply = event.reply
                    self._streamed.clear()
                self._streamed.append(event)
            case CallStreamed():
                self._writing[event.index] = event
            case Appended():
                self._appended(event)
            case Asked():
                self._questions[event.question.id] = event.question
            case Answered():
                self._questions.pop(event.id, None)
            case _:
                self._went_on(event)

    def _went_on(self, event: Event) -> None:
        match event:
            case TurnBegan():
                self._turn = event
            case StepBegan():
                self._step = event
                self._writing.clear()
            case ToolBegan():
                self._tools[event.call] = event, None
            case ToolTold():
                began = self._tools.get(event.call)
                if began is not None:
                    self._tools[event.call] = began[0], event
            case TurnOver():
                self._turn = self._step = None
                self._writing.clear()
                self._tools.clear()
                self._streamed.clear()
            case _:
                pass

    def _appended(self, event: Appended) -> None:
        entry = event.record.entry
        if isinstance(entry, ModelReplied):
            self._streamed.clear()
            self._writing.clear()
        elif isinstance(entry, ToolFinished):
            # Its result is in the log, and stands there whole.
            self._tools.pop(entry.call, None)

    def snapshot(self, state: SessionState, *, running: bool, mode: str = "") -> Snapshot:
        """What there is now, beside what the log means so far."""
        tools = (each for pair in self._tools.values() for each in pair if each is not None)
        begun = (each for each in (self._turn, self._step) if each is not None)
        return Snapshot(
            state=state,
            running=running,
            mode=mode,
            reply=self._running_reply(),
            questions=tuple(self._questions.values()),
            moments=(*begun, *self._writing.values(), *tools),
        )

    def _running_reply(self) -> RunningReply | None:
        if not self._streamed:
            return None
        parts: list[Text | Thinking] = []
        texts: list[str] = []
        for event, after in zip(self._streamed, [*self._streamed[1:], None], strict=True):
            texts.append(event.text)
            # Neighbouring pieces of one kind are one part.
            if type(event) is not type(after):
                parts.append((Text if isinstance(event, TextStreamed) else Thinking)(text="".join(texts)))
                texts.clear()
        return RunningReply(reply=self._reply, parts=tuple(parts))
