"""The text of an entry that the search index holds."""

from typing import assert_never

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
from holdfast.records.facts import Consolidated, Forgotten, MemoryShown
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall, Value


class SearchText(Value, frozen=True, kw_only=True):
    """Who said what."""

    role: str
    """user, model, tool, delivered, command, title, summary, goal or schedule."""
    text: str
    speaker: str = ""
    """The name of the person who said it, where the host knows one."""


def words(entry: Entry) -> SearchText | None:
    """The words of an entry; None for those that say nothing."""
    role, text, speaker = "", "", ""
    match entry:
        case UserSaid():
            role, text = "user", _joined(entry.parts)
            speaker = entry.source.sender if entry.source else ""
        case ModelReplied() | ToolFinished() | Delivered():
            role, text = _SAID_BY[type(entry)], _joined(entry.parts)
        case CommandRan():
            role, text = "command", f"{entry.command}\n{entry.output}"
        case Described():
            role, text = "title", entry.title or ""
        case Compacted():
            role, text = "summary", entry.summary
        case GoalSet():
            role, text = "goal", entry.objective
        case GoalProgressed() | GoalEnded():
            role, text = "goal", entry.notes
        case GoalAmended() | ScheduleSet():
            role, text = "goal" if isinstance(entry, GoalAmended) else "schedule", entry.text
        # All others by name, so that whoever adds a kind decides whether it can be found.
        case (
            Checkpointed()
            | CompactionUndone()
            | Consolidated()
            | Drafted()
            | FileChanged()
            | HookRan()
            | Forgotten()
            | MemoryShown()
            | GoalStatusChanged()
            | GoalVerified()
            | Opened()
            | PermissionAsked()
            | PermissionDecided()
            | Pinned()
            | QuestionAsked()  # the call and its result have the words
            | QuestionAnswered()
            | Rewound()
            | ScheduleChanged()
            | ScheduleFired()
            | Shortened()
            | ToolStarted()
            | TurnEnded()
            | Unknown()
            | Unpinned()
            | TakenBack()
            | WakeEnded()
            | WakeSet()
            | WindowMoved()
        ):
            pass
        case _:
            assert_never(entry)
    return SearchText(role=role, text=text, speaker=speaker) if text.strip() else None


_SAID_BY = {ModelReplied: "model", ToolFinished: "tool", Delivered: "delivered"}


def _joined(parts: tuple[Part, ...]) -> str:
    return "\n".join(_part(part) for part in parts)


def _part(part: Part) -> str:
    match part:
        case Text() | Thinking():
            return part.text
        case ToolCall():
            return f"{part.name} {part.arguments}"
        case Blob():
            return f"{part.name} {part.preview}".strip()
        case _:
            assert_never(part)
