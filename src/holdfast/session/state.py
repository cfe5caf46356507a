"""What a log means: a fold over its entries, pure.

The state is small whatever the length of the log, because it is written into the
log now and then as a checkpoint. Facts that count only on the branch they were
said on (compactions, pins) are kept with their position, and `path` decides.
"""

from datetime import datetime
from typing import Literal, assert_never

import msgspec

from holdfast.ids import CallId, ClientId, Position, SessionKey
from holdfast.records.codec import Record
from holdfast.records.entries import (
    Checkpointed,
    CommandRan,
    Compacted,
    CompactionUndone,
    Delivered,
    Described,
    Drafted,
    Entry,
    FileChanged,
    Fork,
    GoalAmended,
    GoalEnded,
    GoalProgressed,
    GoalSet,
    GoalStatusChanged,
    GoalVerified,
    HookRan,
    ModelReplied,
    Opened,
    Origin,
    PermissionAsked,
    PermissionDecided,
    Pinned,
    QuestionAnswered,
    QuestionAsked,
    Rewound,
    ScheduleChanged,
    ScheduleFired,
    ScheduleSet,
    Shortened,
    TakenBack,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Unknown,
    Unpinned,
    UserSaid,
    WakeEnded,
    WakeSet,
    WindowMoved,
    usage_of,
)
from holdfast.records.facts import Consolidated, Forgotten, MemoryShown
from holdfast.records.parts import ToolCall, Usage, Value
from holdfast.session import goals, schedules
from holdfast.session.goals import Goal
from holdfast.session.schedules import Schedule, Wake
from holdfast.session.shown_facts import FactsShown, renewed, shown

ASKS = (PermissionAsked, QuestionAsked)
"""Kinds of entries that ask a person something."""
CLIENT_IDS = 64
"""How many of the newest client ids are remembered, to tell a resend."""
REMEMBERED = 64
"""How many of the newest summaries and window moves are; who rewinds further sees a window made anew."""
SMALLEST_RATIO, LARGEST_RATIO = 500, 3000
"""How far a provider may correct our counting of tokens, in thousandths."""


class Jump(Value, frozen=True, kw_only=True):
    """The conversation went on from an earlier position."""

    at: Position
    to: Position


class PositionSpan(Value, frozen=True, kw_only=True):
    """A stretch of a branch, both ends included."""

    first: Position
    last: Position


class OpenCall(Value, frozen=True, kw_only=True):
    """A tool call without a result."""

    call: CallId
    name: str
    started: bool = False


class OpenQuestion(Value, frozen=True, kw_only=True):
    """A call that waits for a person: for leave to run, or for an answer."""

    call: CallId
    pos: Position
    """Where it was asked."""


class Waiting(Value, frozen=True, kw_only=True):
    """Something that was said while a turn ran, and has not entered yet."""

    pos: Position
    enters: Literal["step", "after"]
    person: bool = True
    """Whether a person said it, and not Holdfast itself."""


class SaidMessage(Value, frozen=True, kw_only=True):
    """A client's own id, and where that message stands."""

    client_id: ClientId
    pos: Position


class Summary(Value, frozen=True, kw_only=True):
    """A compaction, and whether it was undone."""

    pos: Position
    first: Position
    last: Position
    verbatim_from: Position
    undone: tuple[Position, ...] = ()
    """Where it was undone, on whatever branch."""


class Pin(Value, frozen=True, kw_only=True):
    """An entry that stays in the window, from one fact on until another."""

    pos: Position
    target: Position
    unpinned: tuple[Position, ...] = ()


class Move(Value, frozen=True, kw_only=True):
    """Where the model's window began, from one fact on."""

    pos: Position
    start: Position
    keep: tuple[Position, ...] = ()


class SessionState(Value, frozen=True, kw_only=True):
    """Everything about a session that is not its entries."""

    key: SessionKey = SessionKey("")
    origin: Origin | None = None
    created: datetime | None = None
    last: Position = Position(-1)
    """The last position of the log."""
    head: Position = Position(-1)
    """The position the next entry follows; behind `last` only right after a rewind."""
    jumps: tuple[Jump, ...] = ()
    title: str = ""
    tags: tuple[str, ...] = ()
    model: str = ""
    archived: bool = False
    effort: Literal["", "low", "medium", "high"] = ""
    workspace: str = ""
    owner: str = ""
    """Who it belongs to; '' is the person of this machine."""
    messages: int = 0
    """What was said: by users, the model, and unasked."""
    turns: int = 0
    usage: Usage = Usage()
    in_turn: bool = False
    """Whether something was said that the agent has not ended its turn about."""
    since: datetime | None = None
    """When what the agent works on was said; None while `in_turn` is false."""
    by_person: bool = False
    """Whether the turn was begun by what a person said, and not by Holdfast itself."""
    steps: int = 0
    """Replies in the turn so far."""
    open_calls: tuple[OpenCall, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    """Calls that wait for a person."""
    queued: tuple[Waiting, ...] = ()
    """What was said while a turn ran and has not entered yet."""
    said: tuple[SaidMessage, ...] = ()
    compactions: tuple[Summary, ...] = ()
    pins: tuple[Pin, ...] = ()
    moves: tuple[Move, ...] = ()
    firsts: tuple[Position, ...] = ()
    """The first thing a user said, on each branch that has one of its own."""
    ratio: int = 1000
    """Tokens as the provider of the last reply counts them, in thousandths of ours."""
    goals: tuple[Goal, ...] = ()
    """On all branches; `goal` is the one that counts."""
    drawn: tuple[Jump, ...] = ()
    """Where facts were drawn, and from all entries up to where, on whatever branch."""
    memory: bool = True
    """Whether facts are remembered from the session and shown in it."""
    shown: FactsShown | None = None
    """The facts that the model is told of; None if that was never settled."""
    schedules: tuple[Schedule, ...] = ()
    """What is to be said at times, on whatever branch that was set."""
    wakes: tuple[Wake, ...] = ()
    """When it is to be woken, on whatever branch that was said."""

    @property
    def path(self) -> tuple[PositionSpan, ...]:
        """The stretches of the log that make up the conversation as it is now, oldest first."""
        return path_to(self.head, self.jumps)

    @property
    def consolidated(self) -> Position:
        """Up to where facts were drawn, on the branch as it is now."""
        path = self.path
        return max((each.to for each in self.drawn if on_path(each.at, path)), default=Position(-1))

    @property
    def remembered(self) -> bool:
        """Whether facts were drawn from it, or written down in it."""
        return bool(self.drawn)

    @property
    def goal(self) -> Goal | None:
        """The goal of the conversation as it is now, with what was said of it on this branch."""
        if not self.goals:
            return None
        path = self.path
        here = [goal for goal in self.goals if on_path(goal.pos, path)]
        if not here or any(on_path(end, path) for end in here[-1].ended):
            return None
        said = goals.positions(here[-1])
        return goals.on_branch(here[-1], frozenset(pos for pos in said if on_path(pos, path)))


def path_to(head: Position, jumps: tuple[Jump, ...]) -> tuple[PositionSpan, ...]:
    """The branch that ends at a position."""
    spans: list[PositionSpan] = []
    for jump in reversed(jumps):
        if jump.at <= head:
            if jump.at < head:
                spans.append(PositionSpan(first=Position(jump.at + 1), last=head))
            head = jump.to
    if head >= 0:
        spans.append(PositionSpan(first=Position(0), last=head))
    return tuple(reversed(spans))


def on_path(position: Position, spans: tuple[PositionSpan, ...]) -> bool:
    """Whether an entry belongs to a branch."""
    return any(span.first <= position <= span.last for span in spans)


def fold(state: SessionState, record: Record) -> SessionState:
    """The state after one more record."""
    entry, pos = record.entry, record.pos
    changes = _changes(state, pos, entry)
    if (usage := usage_of(entry)) is not None:
        changes["usage"] = state.usage.plus(usage)
    if state.goals or isinstance(entry, GoalSet):
        changes.setdefault("goals", goals.folded(state.goals, state.goal, record)[-REMEMBERED:])
    changes["last"] = pos
    changes["head"] = entry.to if isinstance(entry, Rewound) else pos
    if state.created is None:
        changes["created"] = record.at
    if not changes.get("in_turn", state.in_turn):
        changes["since"] = None
    elif not state.in_turn or isinstance(entry, TurnEnded):
        changes["since"] = record.at
    return msgspec.structs.replace(state, **changes)


def _changes(state: SessionState, pos: Position, entry: Entry) -> dict[str, object]:  # noqa: C901, PLR0912
    """What an entry changes, by field."""
    # One arm per kind, so that a new kind breaks the build here and not a user later.
    match entry:
        case UserSaid():
            return _user_said(state, pos, entry)
        case ModelReplied():
            calls = tuple(OpenCall(call=p.id, name=p.name) for p in entry.parts if isinstance(p, ToolCall))
            changes: dict[str, object] = {"messages": state.messages + 1, "open_calls": calls, "in_turn": True}
            waiting = tuple(each for each in state.queued if unheard(each, entry))
            changes |= {"steps": state.steps + 1, "queued": waiting}
            return changes | _counted(state, entry)
        case ToolStarted():
            return {"open_calls": _started(state.open_calls, entry)}
        case ToolFinished():
            return {
                "open_calls": tuple(each for each in state.open_calls if each.call != entry.call),
                "questions": _asked(state, entry, pos),
            }
        case PermissionAsked() | PermissionDecided() | QuestionAsked() | QuestionAnswered():
            return {"questions": _asked(state, entry, pos)}
        case TurnEnded():
            # What waited for the end of the turn begins the next one.
            asked = any(each.person for each in state.queued)
            return {"turns": state.turns + 1, "in_turn": bool(state.queued), "by_person": asked} | _NOTHING_OPEN
        case Opened():
            # A fork works towards nothing by itself, and nobody wakes it: its original does and is.
            opened: dict[str, object] = {"key": entry.key, "origin": entry.origin, "wakes": (), "schedules": ()}
            return opened | (_of_fork(state) if isinstance(entry.origin, Fork) else {})
        case WakeSet() | WakeEnded():
            return {"wakes": _wakes(state.wakes, entry, pos)}
        case Described():
            named = {name: getattr(entry, name) for name in _DESCRIBED}
            return {field: value for field, value in named.items() if value is not None}
        case Delivered():
            return {"messages": state.messages + 1}
        case MemoryShown():
            return {"shown": shown(state.shown, entry)}
        case Compacted():
            summary = Summary(pos=pos, first=entry.first, last=entry.last, verbatim_from=entry.verbatim_from)
            return {
                "compactions": (*state.compactions, summary)[-REMEMBERED:],
                "shown": renewed(state.shown),
            }
        case CompactionUndone():
            return {"compactions": _undone(state.compactions, entry.compaction, pos)}
        case WindowMoved():
            move = Move(pos=pos, start=entry.start, keep=entry.keep)
            return {"moves": (*state.moves, move)[-REMEMBERED:]}
        case Pinned() | Unpinned():
            return {"pins": _pins(state.pins, entry, pos)}
        case TakenBack():
            return {"queued": tuple(each for each in state.queued if each.pos != entry.message)}
        case Rewound():
            return _rewound(state, pos, entry) | _NOTHING_OPEN
        case ScheduleSet() | ScheduleFired() | ScheduleChanged():
            return schedules.changes(state.wakes, state.schedules, entry, pos)
        case GoalSet() | GoalStatusChanged() | GoalEnded():
            return {"wakes": _kept_awake(state.wakes, entry, pos)}
        case Consolidated():
            return {"drawn": (*state.drawn, Jump(at=pos, to=entry.upto))[-REMEMBERED:]}
        case GoalAmended() | GoalProgressed() | GoalVerified():
            return {}
        case (
            Shortened()
            | Forgotten()
            | Checkpointed()
            | CommandRan()
            | FileChanged()
            | HookRan()
            | Drafted()
            | Unknown()
        ):
            return {}
        case _:
            assert_never(entry)


def _of_fork(state: SessionState) -> dict[str, object]:
    return {"goals": goals.paused(state.goals), "title": forked(state.title)}


_FORK = " (fork)"


def forked(title: str) -> str:
    """The title of a fork of a session with this title."""
    return f"{title}{_FORK}" if title and not title.endswith(_FORK) else title


_DESCRIBED = ("title", "tags", "model", "effort", "archived", "workspace", "owner", "memory")
_NOTHING_OPEN: dict[str, object] = {"steps": 0, "open_calls": (), "questions": (), "queued": ()}
"""What holds between two turns."""


def _asked(
    state: SessionState,
    entry: ToolFinished | PermissionAsked | PermissionDecided | QuestionAsked | QuestionAnswered,
    pos: Position,
) -> tuple[OpenQuestion, ...]:
    """The questions after one was asked, or needs no answer any more; a call asks one at a time."""
    others = tuple(each for each in state.questions if each.call != entry.call)
    return (*others, OpenQuestion(call=entry.call, pos=pos)) if isinstance(entry, ASKS) else others


def _rewound(state: SessionState, pos: Position, entry: Rewound) -> dict[str, object]:
    jumps = (*state.jumps, Jump(at=pos, to=entry.to))
    return {"jumps": jumps, "shown": renewed(state.shown), "in_turn": False, "goals": goals.left(state.goals)}


def _user_said(state: SessionState, pos: Position, entry: UserSaid) -> dict[str, object]:
    queued: tuple[Waiting, ...] = ()
    person = entry.source is None or not entry.source.is_engine
    if entry.enters != "now" and state.in_turn:
        queued = (*state.queued, Waiting(pos=pos, enters=entry.enters, person=person))
        person = state.by_person
    changes: dict[str, object] = {"messages": state.messages + 1, "in_turn": True, "queued": queued}
    changes["by_person"] = person
    if entry.client_id is not None:
        changes["said"] = (*state.said, SaidMessage(client_id=entry.client_id, pos=pos))[-CLIENT_IDS:]
    if not state.firsts or (state.jumps and not any(on_path(first, state.path) for first in state.firsts)):
        changes["firsts"] = (*state.firsts, pos)
    return changes


def unheard(waiting: Waiting, reply: ModelReplied) -> bool:
    """Whether words still wait after a reply: for the end of the turn, or because they were said while it spoke."""
    return waiting.enters == "after" or (reply.heard is not None and waiting.pos > reply.heard)


def _counted(state: SessionState, entry: ModelReplied) -> dict[str, object]:
    """How the provider's count of a request compares with ours; the newest weighs half."""
    if not entry.asked_tokens or entry.usage is None or not entry.usage.input_tokens:
        return {}
    seen = entry.usage.input_tokens * 1000 // entry.asked_tokens
    return {"ratio": min(LARGEST_RATIO, max(SMALLEST_RATIO, (state.ratio + seen) // 2))}


def _started(calls: tuple[OpenCall, ...], entry: ToolStarted) -> tuple[OpenCall, ...]:
    return tuple(msgspec.structs.replace(each, started=True) if each.call == entry.call else each for each in calls)


def _wakes(wakes: tuple[Wake, ...], entry: WakeSet | WakeEnded, pos: Position) -> tuple[Wake, ...]:
    if isinstance(entry, WakeSet):
        return (*wakes, Wake(pos=pos, at=entry.due))
    return tuple(each for each in wakes if each.pos != entry.wake)


def _kept_awake(
    wakes: tuple[Wake, ...], entry: GoalSet | GoalStatusChanged | GoalEnded, pos: Position
) -> tuple[Wake, ...]:
    """A session with an active goal is always due, so that whichever process may go on with it finds it."""
    others = tuple(each for each in wakes if each.at != goals.ALWAYS)
    active = isinstance(entry, GoalSet) or (isinstance(entry, GoalStatusChanged) and entry.status == "active")
    return (*others, Wake(pos=pos, at=goals.ALWAYS)) if active else others


def _undone(summaries: tuple[Summary, ...], target: Position, at: Position) -> tuple[Summary, ...]:
    return tuple(
        msgspec.structs.replace(each, undone=(*each.undone, at)) if each.pos == target else each for each in summaries
    )


def _pins(pins: tuple[Pin, ...], entry: Pinned | Unpinned, at: Position) -> tuple[Pin, ...]:
    if isinstance(entry, Pinned):
        return (*pins, Pin(pos=at, target=entry.target))
    return tuple(
        msgspec.structs.replace(each, unpinned=(*each.unpinned, at)) if each.target == entry.target else each
        for each in pins
    )
