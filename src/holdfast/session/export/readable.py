"""What a person sees of an entry, before it is known where: a terminal, Markdown or a page.

One match over every kind stands here, so that all views say the same; they differ
only in how they draw it.
"""

import json
from datetime import UTC
from typing import TypeAlias, assert_never

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
)
from holdfast.records.facts import Consolidated, Forgotten, MemoryShown, new_facts
from holdfast.records.parts import Blob, Part, Source, Text, Thinking, ToolCall, Value


class ReadableText(Value, frozen=True, kw_only=True):
    """Something said."""

    text: str


class ReadableDetail(Value, frozen=True, kw_only=True):
    """Something that need not be read to follow the conversation."""

    title: str
    text: str


class Attached(Value, frozen=True, kw_only=True):
    """Content that lies beside the log."""

    blob: Blob


Piece: TypeAlias = ReadableText | ReadableDetail | Attached


class ReadableMessage(Value, frozen=True, kw_only=True):
    """How an entry is shown."""

    who: str
    note: str = ""
    """The model, the outcome, the time taken: what stands beside the name."""
    pieces: tuple[Piece, ...] = ()
    """Nothing for an entry that is a remark on the timeline, and no message."""


def shown(entry: Entry) -> ReadableMessage | None:  # noqa: C901, PLR0912
    """How an entry is shown; None for what only the program needs."""
    # One arm per kind, so that a new kind breaks the build here and not a user later.
    match entry:
        case UserSaid():
            return ReadableMessage(who="You", note=_from(entry.source), pieces=_pieces(entry.parts))
        case ModelReplied():
            return ReadableMessage(who="Model", note=_reply(entry), pieces=_pieces(entry.parts))
        case ToolFinished():
            note = _joined(entry.outcome, f"{entry.milliseconds} ms" if entry.milliseconds else "")
            return ReadableMessage(who=f"Tool {entry.name}", note=note, pieces=_result(entry.parts))
        case Delivered():
            note = _joined("unasked", f"to {_from(entry.to)}" if entry.to else "")
            return ReadableMessage(who="Model", note=note, pieces=_pieces(entry.parts))
        case CommandRan():
            return ReadableMessage(who="Command", note=entry.command, pieces=_folded("output", entry.output))
        case Compacted():
            note = f"stands for {entry.first} to {entry.last}"
            return ReadableMessage(who="Summary", note=note, pieces=_folded("summary", entry.summary))
        case TurnEnded():
            return _ended(entry)
        case Opened():
            return ReadableMessage(who=_began(entry))
        case Described():
            return ReadableMessage(who=_described(entry))
        case Shortened():
            return ReadableMessage(who=f"Shown shorter to the model: {len(entry.entries)}")
        case WindowMoved():
            return ReadableMessage(who=f"The model sees from {entry.start} on")
        case CompactionUndone():
            return ReadableMessage(who=f"Compaction {entry.compaction} taken back")
        case TakenBack():
            return ReadableMessage(who=f"Taken back {entry.message}")
        case Pinned() | Unpinned():
            return ReadableMessage(who=f"{'Pinned' if isinstance(entry, Pinned) else 'Unpinned'} {entry.target}")
        case Rewound():
            return ReadableMessage(who=f"Went back to {entry.to}")
        case GoalSet():
            return ReadableMessage(who="Goal", pieces=(ReadableText(text=entry.objective),))
        case GoalAmended() | GoalStatusChanged() | GoalProgressed() | GoalVerified() | GoalEnded():
            return _goal(entry)
        case Consolidated() | Forgotten() | MemoryShown():
            return ReadableMessage(who=_remembered(entry))
        case Unknown():
            fields = json.dumps(entry.fields, ensure_ascii=False) if entry.fields else ""
            return ReadableMessage(who=f"Entry {entry.kind}", pieces=_folded("fields", fields))
        case ScheduleSet() | ScheduleFired() | ScheduleChanged():
            return _schedule(entry)
        case WakeSet():
            due = f"{entry.due.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
            return ReadableMessage(who=f"To be woken at {due}", note=_joined(entry.why, entry.text))
        case WakeEnded():
            return ReadableMessage(who="Woken" if entry.why == "due" else f"Not to be woken any more: {entry.wake}")
        case HookRan() | FileChanged():
            return _beside(entry)
        case PermissionAsked() | PermissionDecided() | QuestionAsked() | QuestionAnswered():
            return _question(entry)
        case Checkpointed() | Drafted() | ToolStarted():
            return None
        case _:
            assert_never(entry)


def _remembered(entry: Consolidated | Forgotten | MemoryShown) -> str:
    match entry:
        case Consolidated():
            texts = new_facts(entry)
            return f"Remembered: {'; '.join(texts)}" if texts else f"Remembered up to {entry.upto}"
        case Forgotten():
            return f"Forgotten: {len(entry.facts)} facts, {len(entry.words)} passages"
        case MemoryShown():
            return f"Memory shown to the model: {len(entry.core or entry.added)} facts"
        case _:
            assert_never(entry)


def _schedule(entry: ScheduleSet | ScheduleFired | ScheduleChanged) -> ReadableMessage:
    match entry:
        case ScheduleSet():
            due = f"from {entry.due.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
            return ReadableMessage(who="Scheduled", note=_joined(due, entry.text))
        case ScheduleFired():
            late = f"{entry.late} s late" if entry.late else ""
            return ReadableMessage(who=f"Schedule {entry.schedule} {entry.outcome}", note=late)
        case ScheduleChanged():
            return ReadableMessage(who=f"Schedule {entry.schedule} {entry.status}")
        case _:
            assert_never(entry)


def _goal(entry: GoalAmended | GoalStatusChanged | GoalProgressed | GoalVerified | GoalEnded) -> ReadableMessage:
    match entry:
        case GoalAmended():
            what = entry.text or entry.check or entry.without
            return ReadableMessage(who="Goal", note="amended", pieces=_folded("amendment", what))
        case GoalStatusChanged():
            return ReadableMessage(who=f"Goal {entry.status}", note=entry.note or entry.why)
        case GoalProgressed():
            return ReadableMessage(who="Goal", note="progress", pieces=_folded("notes", entry.notes))
        case GoalVerified():
            note = entry.verdict.replace("_", " ")
            return ReadableMessage(who="Goal looked at", note=note, pieces=_folded("why", entry.why))
        case GoalEnded():
            verdict = entry.verdict.replace("_", " ")
            return ReadableMessage(who="Goal", note=verdict, pieces=_folded("notes", entry.notes))
        case _:
            assert_never(entry)


def _reply(reply: ModelReplied) -> str:
    """Which model replied, and why it stopped if that is not the usual end."""
    return _joined(reply.model, "" if reply.stop in {"ended", "called"} else reply.stop)


def _joined(*notes: str) -> str:
    return ", ".join(note for note in notes if note)


def _from(source: Source | None) -> str:
    if source is None:
        return ""
    return f"{source.host} {source.sender}".strip()


def _beside(entry: HookRan | FileChanged) -> ReadableMessage:
    """What happens around a call."""
    if isinstance(entry, HookRan):
        note = _joined(entry.on, "" if entry.outcome == "ok" else entry.outcome)
        pieces = (*_folded("said", entry.text), *_folded("arguments", entry.arguments))
        return ReadableMessage(who=f"Hook {entry.hook}", note=note, pieces=pieces)
    verb = "Created" if entry.before is None else "Removed" if entry.after is None else "Changed"
    return ReadableMessage(who=f"{verb} {entry.path}", note="" if entry.call else "by a rewind")


def _question(entry: PermissionAsked | PermissionDecided | QuestionAsked | QuestionAnswered) -> ReadableMessage:
    """What a person was asked, or said to it."""
    if isinstance(entry, PermissionAsked | QuestionAsked):
        return ReadableMessage(who="Asked", note=entry.title if isinstance(entry, PermissionAsked) else entry.text)
    who, always = "Answered", ""
    if isinstance(entry, PermissionDecided):
        who, always = "Allowed" if entry.allowed else "Not allowed", _ALWAYS[entry.always]
    return ReadableMessage(who=who, note=_joined(always, f"by {_from(entry.by)}" if entry.by else "", entry.text))


_ALWAYS = {"": "", "session": "for this session", "workspace": "for the workspace"}


def _ended(entry: TurnEnded) -> ReadableMessage | None:
    if entry.why == "answered":
        return None
    return ReadableMessage(who=f"Turn ended: {entry.why}", note=entry.note)


def _began(entry: Opened) -> str:
    if entry.origin is None:
        return "Began"
    if isinstance(entry.origin, Fork):
        return f"Forked from {entry.origin.key} at {entry.origin.pos}"
    return f"Imported from {entry.origin.file} ({entry.origin.format})"


def _described(entry: Described) -> str:
    said = []
    if entry.title is not None:
        said.append(f"Renamed to {entry.title}" if entry.title else "Title taken away")
    if entry.tags is not None:
        said.append(f"Tagged {', '.join(entry.tags)}" if entry.tags else "Tags taken away")
    if entry.model is not None:
        said.append(f"Model set to {entry.model}")
    if entry.effort is not None:
        said.append(f"Thinking set to {entry.effort}" if entry.effort else "Thinking left to the model")
    if entry.archived is not None:
        said.append("Archived" if entry.archived else "Back from the archive")
    if entry.workspace is not None:
        said.append("Belongs to a workspace" if entry.workspace else "Belongs to no workspace")
    if entry.owner is not None:
        said.append(f"Belongs to {entry.owner or 'the person of this machine'}")
    if entry.memory is not None:
        said.append(f"Memory {'on' if entry.memory else 'off'}")
    return "; ".join(said) or "Described"


def _folded(title: str, text: str) -> tuple[Piece, ...]:
    return (ReadableDetail(title=title, text=text),) if text else ()


def _pieces(parts: tuple[Part, ...]) -> tuple[Piece, ...]:
    return tuple(_piece(part) for part in parts)


def _piece(part: Part) -> Piece:
    match part:
        case Text():
            return ReadableText(text=part.text)
        case Thinking():
            return ReadableDetail(title="thinking", text=part.text)
        case ToolCall():
            return ReadableDetail(title=f"calls {part.name}", text=part.arguments)
        case Blob():
            return Attached(blob=part)
        case _:
            assert_never(part)


def _result(parts: tuple[Part, ...]) -> tuple[Piece, ...]:
    """What a tool gave is for the model first, so it is folded away."""
    return tuple(
        ReadableDetail(title="result", text=piece.text) if isinstance(piece, ReadableText) else piece
        for piece in _pieces(parts)
    )


def blobs_of(entry: Entry) -> tuple[Blob, ...]:
    """The attachments an entry names."""
    seen = shown(entry)
    return () if seen is None else tuple(each.blob for each in seen.pieces if isinstance(each, Attached))
