"""Facts, in the past tense: all that a log can say.

Nothing is ever edited; a correction is another fact. A kind that this version
does not know is kept as `Unknown`, with all its fields. Applications may write
kinds of their own as `Unknown`; put a dot into the name ("acme.vote") and it will
never clash with one of ours.
"""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec

from holdfast.ids import BlobId, CallId, ClientId, Position, SessionKey
from holdfast.records.facts import Consolidated, Forgotten, MemoryShown
from holdfast.records.parts import Blob, Part, Source, Usage, Value

Moment: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time that is the same everywhere."""


class Fork(Value, frozen=True, kw_only=True, tag_field="kind", tag="fork"):
    """The session began as another one, up to a position."""

    key: SessionKey
    pos: Position


class Import(Value, frozen=True, kw_only=True, tag_field="kind", tag="import"):
    """The session was read from a foreign file."""

    file: str
    format: str
    id: str = ""
    """What the session is called there."""


Origin: TypeAlias = Fork | Import


class Opened(Value, frozen=True, kw_only=True, tag_field="kind", tag="opened"):
    """The session began; in a fork, once more after what it shares."""

    key: SessionKey
    format: int = 1
    """The version of the log format."""
    origin: Origin | None = None


class UserSaid(Value, frozen=True, kw_only=True, tag_field="kind", tag="user_said"):
    """A person said something."""

    parts: tuple[Part, ...]
    source: Source | None = None
    client_id: ClientId | None = None
    enters: Literal["now", "step", "after"] = "now"
    """At once, at the next step of the running turn, or after it."""
    said_at: Moment | None = None
    """When it was said, if that is not when it was written: it came from elsewhere, or was imported."""


class ModelReplied(Value, frozen=True, kw_only=True, tag_field="kind", tag="model_replied"):
    """A model answered, or began to."""

    parts: tuple[Part, ...]
    model: str = ""
    usage: Usage | None = None
    stop: Literal["ended", "called", "length", "refused", "cancelled", "interrupted"] = "ended"
    """Why it stopped; cancelled and interrupted mean that the reply is a part of one."""
    asked_tokens: int = 0
    """How long we had counted its request to be; beside `usage`, it tells how wrong we count."""
    heard: Position | None = None
    """The last entry when it was asked: what was said after that, while it spoke, it did not hear. Without it, all."""
    said_at: Moment | None = None
    """When it was said, if that is not when it was written: it came from elsewhere, or was imported."""


class ToolStarted(Value, frozen=True, kw_only=True, tag_field="kind", tag="tool_started"):
    """A tool is about to run: whatever happens now, it may have run."""

    call: CallId
    name: str
    rule: str = ""
    """The rules that allowed it without asking, as they are written in settings; `mode edits` if the person accepted
    edits; '' if a person allowed it, or none was needed."""


class ToolFinished(Value, frozen=True, kw_only=True, tag_field="kind", tag="tool_finished"):
    """A tool ended, or was not run."""

    call: CallId
    name: str
    outcome: Literal["ok", "error", "denied", "interrupted"] = "ok"
    parts: tuple[Part, ...] = ()
    milliseconds: int = 0
    said_at: Moment | None = None
    """When it was said, if that is not when it was written: it came from elsewhere, or was imported."""


class FileChanged(Value, frozen=True, kw_only=True, tag_field="kind", tag="file_changed"):
    """A file of the workspace is about to get other content: whatever happens now, it may have it.

    Both contents are named, so the file itself tells whether it happened; one that holds neither was changed by
    somebody else.
    """

    path: str
    """From the workspace, with slashes."""
    call: CallId | None = None
    """The call that changes it; absent: a rewind does."""
    before: Blob | None = None
    """What it holds, kept beside the log; absent if it is not there."""
    after: BlobId | None = None
    """The hash of what it is to hold; absent if it is to be removed. The bytes are not kept: the file has them."""
    mode: int = 0
    """Its permission bits, or those it is made with; 0 where that is left to the system."""


class HookRan(Value, frozen=True, kw_only=True, tag_field="kind", tag="hook_ran"):
    """A hook of the user had something to say, or failed."""

    on: str
    """The occasion, such as `before_tool`."""
    hook: str
    """What the hook is called."""
    call: CallId | None = None
    """The call that it was about."""
    outcome: Literal["ok", "denied", "failed"] = "ok"
    text: str = ""
    """What it told the model, why it denied, or how it failed."""
    arguments: str = ""
    """What the tool was given instead; '' if that was not changed."""
    milliseconds: int = 0


class PermissionAsked(Value, frozen=True, kw_only=True, tag_field="kind", tag="permission_asked"):
    """A person was asked whether a call may run. It is there to be read, and grants nothing."""

    call: CallId
    question: str
    """The id of the question: `POSITION.NUMBER`, of the reply in the log and of the call in the reply."""
    tool: str
    title: str
    subjects: tuple[str, ...] = ()
    """What the call is about, as rules match it."""
    detail: str = ""
    """What would happen: the diff, the command, the address; without likely secrets, and cut where it is long."""
    form: Literal["text", "diff", "command"] = "text"
    """What the detail is."""


class PermissionDecided(Value, frozen=True, kw_only=True, tag_field="kind", tag="permission_decided"):
    """A person decided whether a call may run. It is there to be read, and grants nothing."""

    call: CallId
    question: str
    allowed: bool
    always: Literal["", "session", "workspace"] = ""
    """For how long calls like it are allowed: for this one, for the session in that process, for the workspace."""
    text: str = ""
    """What the person said to do instead."""
    by: Source | None = None
    """Who decided, and where; absent: not known."""


class QuestionAsked(Value, frozen=True, kw_only=True, tag_field="kind", tag="question_asked"):
    """A tool asked a person something that only they can say."""

    call: CallId
    question: str
    """The id of the question: that of the call, as in `permission_asked`, and how many it asked so far."""
    text: str
    """Without likely secrets."""
    options: tuple[str, ...] = ()
    """Answers to choose from; another may be given."""


class QuestionAnswered(Value, frozen=True, kw_only=True, tag_field="kind", tag="question_answered"):
    """A person answered what a tool asked; the result of the call says what came of it."""

    call: CallId
    question: str
    text: str
    """Without likely secrets."""
    by: Source | None = None
    """Who answered, and where; absent: not known."""


class TurnEnded(Value, frozen=True, kw_only=True, tag_field="kind", tag="turn_ended"):
    """The agent has nothing more to do for now."""

    why: Literal["answered", "cancelled", "failed", "limit", "interrupted"] = "answered"
    """Interrupted means that its process died, and that the next one did not go on with it."""
    note: str = ""
    """What failed, or which limit."""
    cause: str = ""
    """What is known beyond `why`, for programs: `refused` (the model would not answer), `cut` (a reply reached its
    greatest length), `limit` (a limit of the settings), `budget` (that of a goal) or `hook` (a hook stopped it); later
    versions may know more."""
    retry_after: int = 0
    """After how many seconds the model's service asked to be asked again; 0: it did not say."""
    milliseconds: int = 0
    usage: Usage | None = None
    """What the replies of this turn used; it repeats what they say."""


class Delivered(Value, frozen=True, kw_only=True, tag_field="kind", tag="delivered"):
    """The agent said something unasked."""

    parts: tuple[Part, ...]
    to: Source | None = None
    said_at: Moment | None = None
    """When it was said, if that is not when it was written: it came from elsewhere, or was imported."""


class CommandRan(Value, frozen=True, kw_only=True, tag_field="kind", tag="command_ran"):
    """A slash command and what it showed: on the timeline, hidden from the model."""

    command: str
    output: str = ""


class Described(Value, frozen=True, kw_only=True, tag_field="kind", tag="described"):
    """What is known about the session changed; a field that is not named stays."""

    title: str | None = None
    tags: tuple[str, ...] | None = None
    model: str | None = None
    archived: bool | None = None
    effort: Literal["", "low", "medium", "high"] | None = None
    """How long models may think; '' leaves it to them."""
    workspace: str | None = None
    """The folder the conversation is about, by its identity, so that it is found again after the folder was moved."""
    owner: str | None = None
    """Who the session belongs to; '' is the person of this machine."""
    memory: bool | None = None
    """Whether facts are remembered from the session and shown in it."""
    usage: Usage | None = None
    """What a model used that was asked about the session: for a title or tags, or for a summary that was no good."""


class Compacted(Value, frozen=True, kw_only=True, tag_field="kind", tag="compacted"):
    """A summary stands for a stretch of entries in what the model sees."""

    summary: str
    first: Position
    last: Position
    """The entries it stands for, both included."""
    verbatim_from: Position
    """From here on the model sees entries as they are."""
    usage: Usage | None = None


class Shortened(Value, frozen=True, kw_only=True, tag_field="kind", tag="shortened"):
    """Some entries are shown to the model cut; the log has them whole."""

    entries: tuple[Position, ...]
    keep: int
    """How many characters of each are shown."""
    why: Literal["to_fit", "old"] = "to_fit"
    """A window would not have held them, or they are old results that compaction shortened, which a user may undo."""


class CompactionUndone(Value, frozen=True, kw_only=True, tag_field="kind", tag="compaction_undone"):
    """A summary no longer stands for anything, or what was shortened is shown whole again."""

    compaction: Position
    """Where the `compacted` or `shortened` entry stands."""


class WindowMoved(Value, frozen=True, kw_only=True, tag_field="kind", tag="window_moved"):
    """From now on the model sees entries from a later position on."""

    start: Position
    keep: tuple[Position, ...] = ()
    """Entries before it that are shown all the same: the first thing a user said, and the turn it begins in."""
    why: Literal["tokens", "messages"] = "tokens"
    """Which bound was reached."""


class Pinned(Value, frozen=True, kw_only=True, tag_field="kind", tag="pinned"):
    """An entry stays in what the model sees."""

    target: Position


class Unpinned(Value, frozen=True, kw_only=True, tag_field="kind", tag="unpinned"):
    """An entry need not stay any longer."""

    target: Position


class TakenBack(Value, frozen=True, kw_only=True, tag_field="kind", tag="taken_back"):
    """A message that waited for a running turn was taken back before the model heard it."""

    message: Position
    """Where it stands."""


class Rewound(Value, frozen=True, kw_only=True, tag_field="kind", tag="rewound"):
    """The conversation goes on from an earlier position; what came after stays as another branch."""

    to: Position


class WakeSet(Value, frozen=True, kw_only=True, tag_field="kind", tag="wake_set"):
    """The session is to be woken at a time."""

    due: Moment
    why: str = ""
    """What for, in words."""
    text: str = ""
    """What is said then; '' if only what comes next is asked for."""


class WakeEnded(Value, frozen=True, kw_only=True, tag_field="kind", tag="wake_ended"):
    """The session was woken, or is not to be woken any more."""

    wake: Position
    """Where the `wake_set` entry stands."""
    why: Literal["due", "cancelled"] = "due"


class ScheduleSet(Value, frozen=True, kw_only=True, tag_field="kind", tag="schedule_set"):
    """Something is to be said in the session at a time, or again and again."""

    text: str
    """What is said then; '' if only the goal is to be gone on with."""
    due: Moment
    """The first slot."""
    every: int = 0
    """Seconds between two slots; 0 for one slot, or where `cron` says it."""
    cron: str = ""
    """Minute, hour, day of the month, month and weekday, as cron has them."""
    zone: str = "UTC"
    """The IANA zone whose clock the slots of `cron` go by, and in which times are shown."""
    until: Moment | None = None
    """When it expires."""
    by: Source | None = None
    """Who set it, and where; absent: not known."""


class ScheduleFired(Value, frozen=True, kw_only=True, tag_field="kind", tag="schedule_fired"):
    """A slot of a schedule came. It stands in one append with what is said then, so each slot counts once."""

    schedule: Position
    """Where the `schedule_set` entry stands."""
    slot: Moment
    outcome: Literal["said", "skipped"] = "said"
    late: int = 0
    """How many seconds after the slot."""
    next: Moment | None = None
    """The next slot; absent: there is none."""


class ScheduleChanged(Value, frozen=True, kw_only=True, tag_field="kind", tag="schedule_changed"):
    """A schedule was paused, resumed, deleted, or expired."""

    schedule: Position
    """Where the `schedule_set` entry stands."""
    status: Literal["active", "paused", "deleted", "expired"]
    next: Moment | None = None
    """The next slot, if it is active."""
    by: Source | None = None


class GoalItem(Value, frozen=True, kw_only=True):
    """One part of a long goal."""

    text: str
    check: str = ""
    """The command that shows whether it is met."""


class GoalSet(Value, frozen=True, kw_only=True, tag_field="kind", tag="goal_set"):
    """The agent was given something to work towards."""

    objective: str
    title: str = ""
    """In a few words."""
    token_budget: int | None = None
    turn_budget: int | None = None
    """How many goal steps it may take."""
    seconds_budget: int | None = None
    """How long it may work; waiting is not counted."""
    cost_budget: int | None = None
    """Millionths of a US dollar that it may cost."""
    checks: tuple[str, ...] = ()
    """Commands that must succeed before it counts as reached."""
    items: tuple[GoalItem, ...] = ()
    by: Source | None = None
    """Who set it, and where; absent: not known."""


class GoalAmended(Value, frozen=True, kw_only=True, tag_field="kind", tag="goal_amended"):
    """Something was added to the goal; its objective stays as it was."""

    text: str = ""
    """What is wanted besides, or instead."""
    check: str = ""
    """A command that must succeed, too."""
    without: str = ""
    """A check that does not count any more."""
    tokens: int = 0
    turns: int = 0
    seconds: int = 0
    cost: int = 0
    """How much its budgets grew; the cost in millionths of a US dollar."""
    by: Source | None = None
    """Who amended it, and where; absent: not known."""


class GoalStatusChanged(Value, frozen=True, kw_only=True, tag_field="kind", tag="goal_status_changed"):
    """The agent goes on with the goal, waits, or does not go on with it by itself any more."""

    status: Literal["active", "waiting", "paused", "blocked"]
    why: str = ""
    """In one word, for programs: `user`, `stopped`, `budget`, `guard`, `failed`, `crashed`, `refused`, `unjudged`,
    `impossible`, `needs`, `late`; later versions may know more."""
    note: str = ""
    """The same for a person."""
    on: Literal["", "time", "command", "file", "message"] = ""
    """What it waits for."""
    subject: str = ""
    """The name of the command or the path of the file that it waits for."""
    until: Moment | None = None
    """When it goes on at the latest."""
    by: Source | None = None
    """Who changed it, and where; absent: the agent or Holdfast itself."""


class GoalProgressed(Value, frozen=True, kw_only=True, tag_field="kind", tag="goal_progressed"):
    """A step towards the goal, with what the next step needs to know."""

    notes: str
    usage: Usage | None = None
    """What the replies of this step used; it repeats what they say."""
    files: tuple[str, ...] = ()
    """Files that were made or changed."""
    verified: str = ""
    """How that was checked."""
    next_step: str = ""


class CheckRun(Value, frozen=True, kw_only=True):
    """How a check of a goal went."""

    command: str
    passed: bool
    note: str = ""
    """Its exit code, or why it could not be run."""
    output: str = ""
    """The SHA-256 hash of what it wrote."""
    milliseconds: int = 0


class GoalVerified(Value, frozen=True, kw_only=True, tag_field="kind", tag="goal_verified"):
    """It was looked at whether the goal is reached."""

    verdict: Literal["met", "not_met", "impossible", "unjudged"]
    why: str = ""
    evidence: tuple[Position, ...] = ()
    """What the agent named as evidence, by position."""
    checks: tuple[CheckRun, ...] = ()
    usage: Usage | None = None
    """What the requests of the verification used."""


class GoalEnded(Value, frozen=True, kw_only=True, tag_field="kind", tag="goal_ended"):
    """The goal is over."""

    verdict: Literal["reached", "given_up", "stopped", "budget"]
    notes: str = ""


class Checkpointed(Value, frozen=True, kw_only=True, tag_field="kind", tag="checkpointed"):
    """The folded state so far, so that opening reads only what came after."""

    format: int
    """Which version of the fold wrote it; another version folds from the start."""
    state: msgspec.Raw


class Drafted(Value, frozen=True, kw_only=True, tag_field="kind", tag="drafted"):
    """A piece of a reply that is still streaming; only ever in a draft."""

    reply: Position
    """The earliest position the finished reply can have."""
    text: str = ""
    thinking: str = ""
    heard: Position | None = None
    """As in `model_replied`, for the reply that this becomes if it is never finished."""


class Unknown(msgspec.Struct, frozen=True, kw_only=True):
    """A kind this version does not know, or an application's own."""

    kind: str
    fields: dict[str, object] = {}
    """Everything else it says, as JSON values."""


Known: TypeAlias = (
    Opened
    | UserSaid
    | ModelReplied
    | ToolStarted
    | ToolFinished
    | FileChanged
    | HookRan
    | PermissionAsked
    | PermissionDecided
    | QuestionAsked
    | QuestionAnswered
    | TurnEnded
    | Delivered
    | CommandRan
    | Described
    | Compacted
    | Shortened
    | CompactionUndone
    | WindowMoved
    | Pinned
    | Unpinned
    | TakenBack
    | Rewound
    | WakeSet
    | WakeEnded
    | ScheduleSet
    | ScheduleFired
    | ScheduleChanged
    | GoalSet
    | GoalAmended
    | GoalStatusChanged
    | GoalProgressed
    | GoalVerified
    | GoalEnded
    | Consolidated
    | Forgotten
    | MemoryShown
    | Checkpointed
    | Drafted
)

Entry: TypeAlias = Known | Unknown
"""One fact."""

KINDS: dict[str, type[Known]] = {str(each.__struct_config__.tag): each for each in get_args(Known)}
"""Every kind we write, by the name it has in the log."""


def kind_of(entry: Entry) -> str:
    """The name an entry's kind has in the log."""
    return entry.kind if isinstance(entry, Unknown) else str(entry.__struct_config__.tag)


def usage_of(entry: Entry) -> Usage | None:
    """What a model used for an entry, counted once.

    The usage of `turn_ended` and `goal_progressed` repeats what the replies of the turn or step say, so it is not
    counted again.
    """
    match entry:
        case ModelReplied() | Described() | Compacted() | Consolidated() | GoalVerified():
            return entry.usage
        case _:
            return None


def attached(entry: Entry) -> tuple[Blob, ...]:
    """The content beside the log that an entry names."""
    match entry:
        case UserSaid() | ModelReplied() | ToolFinished() | Delivered():
            return tuple(part for part in entry.parts if isinstance(part, Blob))
        case FileChanged(before=Blob() as before):
            return (before,)
        case _:
            return ()


def said_at(entry: Entry) -> datetime | None:
    """When an entry was said, if that is not when it was written."""
    match entry:
        case UserSaid() | ModelReplied() | ToolFinished() | Delivered():
            return entry.said_at
        case _:
            return None
