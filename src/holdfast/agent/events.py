"""What a host can show of a conversation, while a turn runs and around it.

Entries are the truth and come as `Appended`, each once and in order. Everything else is of the moment: pieces of a
reply as they stream, waits, questions. A host that missed some of it has missed nothing that the log does not have.
"""

from typing import Literal, TypeAlias

from holdfast.agent.permissions import Question
from holdfast.ids import CallId, Position
from holdfast.records.codec import Record
from holdfast.records.entries import TurnEnded
from holdfast.records.parts import Value


class TurnBegan(Value, frozen=True, kw_only=True):
    """The agent begins to work on what was said, or goes on with what was broken off."""

    model: str


class StepBegan(Value, frozen=True, kw_only=True):
    """The model is asked."""

    step: int
    """Counted from 1 in each turn."""
    model: str
    tokens: int
    """How long the request is, counted as the provider does as far as it told."""
    room: int
    """How long it may be."""
    notes: tuple[str, ...] = ()
    """What is not in the request, and why, one line each."""


class TextStreamed(Value, frozen=True, kw_only=True):
    """More words of the reply."""

    text: str
    reply: Position = Position(-1)
    """The earliest position that the finished reply can have; it names the reply while it streams."""
    offset: int = 0
    """How many characters of the reply, thinking and words together, were shown before these."""


class ThinkingStreamed(Value, frozen=True, kw_only=True):
    """More thinking."""

    text: str
    reply: Position = Position(-1)
    """As in `TextStreamed`."""
    offset: int = 0
    """As in `TextStreamed`."""


class CallStreamed(Value, frozen=True, kw_only=True):
    """The model is writing a call; its arguments are still coming."""

    index: int
    name: str
    characters: int
    """How many characters of arguments there are so far."""


class Retrying(Value, frozen=True, kw_only=True):
    """The model failed and will be asked again."""

    attempt: int
    """Which attempt failed, counted from 1."""
    attempts: int
    seconds: float
    why: str


class FellBack(Value, frozen=True, kw_only=True):
    """Another model is asked from now on, for this turn."""

    model: str
    why: str


class Compacting(Value, frozen=True, kw_only=True):
    """The window is being made smaller."""

    why: str


class WindowCompacted(Value, frozen=True, kw_only=True):
    """The window was made smaller, or could not be."""

    stage: str
    """results, summary or truncation; '' if nothing was done."""
    before: int
    after: int
    failure: str = ""


class Appended(Value, frozen=True, kw_only=True):
    """An entry was written."""

    record: Record


class ToolBegan(Value, frozen=True, kw_only=True):
    """A call runs now."""

    call: CallId
    name: str
    title: str
    """What it does, in one line."""
    detail: str = ""
    form: str = "text"
    """What the detail is: text, diff or command."""


class ToolTold(Value, frozen=True, kw_only=True):
    """A line of what a running tool does."""

    call: CallId
    text: str


class Asked(Value, frozen=True, kw_only=True):
    """The turn waits for a person."""

    question: Question


class Answered(Value, frozen=True, kw_only=True):
    """A question needs no answer any more: it has one, or the turn ended."""

    id: str


class Noticed(Value, frozen=True, kw_only=True):
    """Something a person should know, such as a server whose tools cannot be used."""

    text: str


class TurnOver(Value, frozen=True, kw_only=True):
    """The agent has nothing more to do for now; everything is committed."""

    ended: TurnEnded
    denied: bool = False
    """Whether a call of the turn was not allowed."""


class ConversationClosed(Value, frozen=True, kw_only=True):
    """The conversation is not open in this process any more; the session goes on, here or elsewhere."""

    why: Literal["left", "idle", "taken_over"]
    """Somebody here closed it, nobody used it, or another process took it over."""
    holder: str = ""
    """Who took it over, in words."""
    last: Position | None = None
    """Where it was taken over, the last entry that is sure to count. What was shown after it, a running reply too, may
    have been written too late; an attachment goes back to it, and gives what counts."""


class Resync(Value, frozen=True, kw_only=True):
    """Moments were left out, because the watcher was too slow or the conversation changed hands.

    Every entry after the position follows; whoever has later ones leaves them out. Then comes the rest of the reply
    that streams, and what else still counts: questions that are open are asked again.
    """

    position: Position


Event: TypeAlias = (
    TurnBegan
    | StepBegan
    | TextStreamed
    | ThinkingStreamed
    | CallStreamed
    | Retrying
    | FellBack
    | Compacting
    | WindowCompacted
    | Appended
    | ToolBegan
    | ToolTold
    | Asked
    | Answered
    | Noticed
    | TurnOver
    | ConversationClosed
    | Resync
)
"""One thing that happened."""
