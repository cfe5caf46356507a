"""What a gateway sends to its clients: one JSON object a frame, told apart by `frame`.

Everything a client shows comes from `entry`, by position, and from the running draft: the reply in `snapshot` and
each `delta` after it. A client ignores frames and fields that it does not know. No frame carries code.
"""

from typing import Literal, TypeAlias

import msgspec

from holdfast.ids import CallId, Position
from holdfast.records.parts import Usage


class Shown(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A value within a frame: every field is written, also where it has its usual value."""


class ServerFrame(Shown, frozen=True, kw_only=True, tag_field="frame"):
    """What all of them have."""


class SessionFrame(ServerFrame, frozen=True, kw_only=True):
    """What those about a session have."""

    session: str


class HelloFrame(ServerFrame, frozen=True, kw_only=True, tag="hello"):
    """The answer to `connect`."""

    protocol: int
    version: str
    """Of the gateway's program."""
    run: str
    """Of this process: what a client has of a draft counts only within it."""
    person: str
    """Who is logged in; '' is the person of the machine."""
    heartbeat: float
    """A `beat` comes at least every so many seconds."""
    patience: float
    """After so many seconds without a frame, the client connects again."""
    frame_bytes: int
    """The longest frame that a client may send."""


class BeatFrame(ServerFrame, frozen=True, kw_only=True, tag="beat"):
    """The connection is alive."""


class ByeFrame(ServerFrame, frozen=True, kw_only=True, tag="bye"):
    """The gateway ends the connection."""

    why: Literal["stopping", "logged_out", "too_slow"]
    hint: str


class DoneFrame(ServerFrame, frozen=True, kw_only=True, tag="done"):
    """What a frame with an id asked for was done, and is durable."""

    id: str
    position: Position | None = None
    """Where a message stands."""
    changed: bool = True
    """Whether there was anything to do: a turn to stop, a question that was open."""


class ErrorFrame(ServerFrame, frozen=True, kw_only=True, tag="error"):
    """What a frame asked for was not done."""

    code: str
    message: str
    hint: str = ""
    id: str = ""
    """Of the frame."""
    session: str = ""


class SpanShown(Shown, frozen=True, kw_only=True):
    """A stretch of positions, both ends included."""

    first: Position
    last: Position


class DraftPart(Shown, frozen=True, kw_only=True):
    """A piece of a reply that streams."""

    kind: Literal["text", "thinking"]
    text: str


class DraftShown(Shown, frozen=True, kw_only=True):
    """A reply that streams, as far as it is known."""

    reply: Position
    """Names it while it streams: the earliest position that the finished reply can have. The first `model_replied` at
    that position or behind it is that reply; entries before it say nothing about it."""
    offset: int
    """How many characters stand before these parts: the client has them."""
    parts: tuple[DraftPart, ...]


class QuestionShown(Shown, frozen=True, kw_only=True):
    """Something only a person can answer."""

    id: str
    text: str = ""
    """What a tool asks; '' where a call wants to run."""
    options: tuple[str, ...] = ()
    tool: str = ""
    title: str = ""
    """What the call would do, in one line."""
    detail: str = ""
    """Exactly what would happen."""
    form: Literal["text", "diff", "command"] = "text"
    """What the detail is."""
    subjects: tuple[str, ...] = ()
    """What the call is about, as rules match it."""
    can_always: bool = True
    """Whether calls like it can be allowed for longer."""


class BranchShown(Shown, frozen=True, kw_only=True):
    """A place at which the conversation went on from an earlier position."""

    at: Position
    to: Position


class GoalShown(Shown, frozen=True, kw_only=True):
    """The goal of a session: what it is, how far it is, what is left of its budgets."""

    position: int
    """Where it was set."""
    title: str
    objective: str
    """Its first words."""
    status: str
    """active, waiting, paused or blocked."""
    why: str = ""
    """In one word, as in the log."""
    reason: str = ""
    """The same in words."""
    waits_until: str | None = None
    step: int = 0
    """The goal step that runs, or the last one."""
    running: bool = False
    """Whether a goal step runs now."""
    started: str | None = None
    """When the last goal step began."""
    since: str | None = None
    """When the goal was set."""
    report: str = ""
    """The first words of the last report."""
    next_step: str = ""
    checks: tuple[str, ...] = ()
    items: int = 0
    items_met: int = 0
    verdict: str = ""
    verdict_why: str = ""
    tokens: int = 0
    cost_micros: int = 0
    seconds: float = 0.0
    """How long it worked."""
    tokens_left: int | None = None
    steps_left: int | None = None
    seconds_left: float | None = None
    cost_left_micros: int | None = None
    """What is left of its budgets; null where there is no bound."""


class SnapshotFrame(SessionFrame, frozen=True, kw_only=True, tag="snapshot"):
    """A session at the moment of attaching; its entries after `after` follow, then what happens."""

    epoch: str
    """Names the log. With another epoch than before, a client drops what it has of the session."""
    after: Position
    """The entries that follow begin behind it."""
    last: Position
    """The last position of the log."""
    head: Position
    """What the next entry follows."""
    path: tuple[SpanShown, ...]
    """The stretches of the log that make up the conversation as it is now."""
    branches: tuple[BranchShown, ...]
    """Where it went back."""
    title: str
    tags: tuple[str, ...]
    archived: bool
    workspace: str
    model: str
    mode: str
    """The permission mode: ask, edits or plan; '' where another process has the session."""
    messages: int
    turns: int
    usage: Usage
    running: bool
    since: str | None
    """When the turn that runs began."""
    draft: DraftShown | None
    questions: tuple[QuestionShown, ...]
    queued: tuple[Position, ...]
    """Messages that wait for the turn that runs."""
    wakes_at: str | None
    """When the session is to be woken next."""
    goal: str
    """What the agent works towards; '' for nothing."""
    goal_state: GoalShown | None
    """How far that is."""


class EntryFrame(SessionFrame, frozen=True, kw_only=True, tag="entry"):
    """An entry of the log."""

    position: Position
    entry: msgspec.Raw
    """Its line, as it stands in the log."""


class DeltaFrame(SessionFrame, frozen=True, kw_only=True, tag="delta"):
    """More of a reply that streams."""

    reply: Position
    offset: int
    """How many characters of the reply stand before these."""
    kind: Literal["text", "thinking"]
    text: str


class CallFrame(SessionFrame, frozen=True, kw_only=True, tag="call"):
    """The model is writing a call."""

    index: int
    name: str
    characters: int
    """How many characters of arguments there are so far."""


class ToolFrame(SessionFrame, frozen=True, kw_only=True, tag="tool"):
    """A call runs now."""

    call: CallId
    name: str
    title: str
    detail: str
    form: str


class ToolOutputFrame(SessionFrame, frozen=True, kw_only=True, tag="tool_output"):
    """A line of what a running tool does."""

    call: CallId
    text: str


class StepFrame(SessionFrame, frozen=True, kw_only=True, tag="step"):
    """The model is asked."""

    step: int
    model: str
    tokens: int
    """How long the request is."""
    room: int
    """How long it may be."""
    notes: tuple[str, ...]
    """What is not in it, and why."""


class RetryFrame(SessionFrame, frozen=True, kw_only=True, tag="retry"):
    """The model failed and will be asked again."""

    attempt: int
    attempts: int
    seconds: float
    why: str


class FallbackFrame(SessionFrame, frozen=True, kw_only=True, tag="fallback"):
    """Another model is asked for the rest of the turn."""

    model: str
    why: str


class CompactingFrame(SessionFrame, frozen=True, kw_only=True, tag="compacting"):
    """The window is being made smaller."""

    why: str


class CompactionFrame(SessionFrame, frozen=True, kw_only=True, tag="compaction"):
    """The window was made smaller, or could not be."""

    stage: str
    before: int
    after: int
    failure: str


class NoticeFrame(SessionFrame, frozen=True, kw_only=True, tag="notice"):
    """Something a person should know."""

    text: str


class TurnBeganFrame(SessionFrame, frozen=True, kw_only=True, tag="turn_began"):
    """The agent begins to work."""

    model: str


class TurnEndedFrame(SessionFrame, frozen=True, kw_only=True, tag="turn_ended"):
    """The agent has nothing more to do for now; the log says the same."""

    why: str
    note: str
    cause: str
    milliseconds: int
    usage: Usage | None
    denied: bool
    """Whether a call of the turn was not allowed."""


class RunStatusFrame(SessionFrame, frozen=True, kw_only=True, tag="run_status"):
    """Whether a turn runs, since when, and what it waits for."""

    running: bool
    since: str | None
    questions: int
    """How many questions wait for a person."""
    wakes_at: str | None
    goal_state: GoalShown | None
    """The goal, if there is one; every change of it is told so."""


class QuestionFrame(SessionFrame, frozen=True, kw_only=True, tag="question"):
    """The turn waits for a person."""

    question: QuestionShown


class AnsweredFrame(SessionFrame, frozen=True, kw_only=True, tag="answered"):
    """A question needs no answer any more. The entry `permission_decided` says who decided, and where."""

    question: str


class Viewer(Shown, frozen=True, kw_only=True):
    """Somebody who watches a session."""

    person: str
    client: str


class PresenceFrame(SessionFrame, frozen=True, kw_only=True, tag="presence"):
    """Who watches the session through this gateway."""

    viewers: tuple[Viewer, ...]


class ResyncFrame(SessionFrame, frozen=True, kw_only=True, tag="resync"):
    """Moments were left out because the client was too slow, or the session changed hands.

    Nothing of what a client keeps is wrong: the entries after the position follow, then the rest of the reply that
    streams. Calls, running tools and questions are told again, so a client drops those it shows.
    """

    position: Position


class DetachedFrame(SessionFrame, frozen=True, kw_only=True, tag="detached"):
    """The session is watched no longer: it was removed, or cannot be read."""

    why: str


class AnswersFrame(SessionFrame, frozen=True, kw_only=True, tag="answers"):
    """What a slash command gave back, in order; each answer has its `kind`."""

    id: str
    answers: msgspec.Raw


class Row(Shown, frozen=True, kw_only=True):
    """A session in the list."""

    session: str
    title: str
    preview: str
    created: str
    updated: str
    messages: int
    turns: int
    tags: tuple[str, ...]
    archived: bool
    pinned: bool
    """By this person."""
    workspace: str
    running: bool
    since: str | None
    """When the turn that runs began."""
    questions: int
    last: Position
    seen: Position
    """Up to where this person has seen it, on whatever device; -1 for nothing."""
    due: str | None


class RowFrame(ServerFrame, frozen=True, kw_only=True, tag="row"):
    """A session of the list that is new, or not what it was."""

    row: Row


class RowRemovedFrame(ServerFrame, frozen=True, kw_only=True, tag="row_removed"):
    """A session is not in the list any more."""

    session: str


class MarkFrame(SessionFrame, frozen=True, kw_only=True, tag="mark"):
    """The person saw more of a session, or pinned it, on this device or another."""

    seen: Position
    pinned: bool


class ListResyncFrame(ServerFrame, frozen=True, kw_only=True, tag="list_resync"):
    """Changes of the list were left out: the rows of `watch_list` follow again."""


FromServer: TypeAlias = (
    HelloFrame
    | BeatFrame
    | ByeFrame
    | DoneFrame
    | ErrorFrame
    | SnapshotFrame
    | EntryFrame
    | DeltaFrame
    | CallFrame
    | ToolFrame
    | ToolOutputFrame
    | StepFrame
    | RetryFrame
    | FallbackFrame
    | CompactingFrame
    | CompactionFrame
    | NoticeFrame
    | TurnBeganFrame
    | TurnEndedFrame
    | RunStatusFrame
    | QuestionFrame
    | AnsweredFrame
    | PresenceFrame
    | ResyncFrame
    | DetachedFrame
    | AnswersFrame
    | RowFrame
    | RowRemovedFrame
    | MarkFrame
    | ListResyncFrame
)
"""Every frame of a gateway."""
