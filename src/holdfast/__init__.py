"""Holdfast: durable conversations for agents.

Importing this package loads nothing else; each name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.adapters.blocking import (
        BlockingSession,
        BlockingStore,
        open_blocking,
    )
    from holdfast.assembly import (
        open_store,
        open_volatile,
    )
    from holdfast.clock import (
        Clock,
        ManualClock,
        SystemClock,
    )
    from holdfast.context.budget import (
        Budget,
    )
    from holdfast.context.compact.compact import (
        Compaction,
        Compactor,
    )
    from holdfast.context.compact.settings import (
        CompactionSettings,
    )
    from holdfast.context.compact.triggers import (
        Trigger,
        overflowed,
    )
    from holdfast.context.compact.undo import (
        undo_compaction,
    )
    from holdfast.context.legal.rendered import (
        Dropped,
    )
    from holdfast.context.prepare import (
        Prepared,
        fixed_tokens,
        open_view,
        prepare,
    )
    from holdfast.context.view import (
        View,
    )
    from holdfast.context.window import (
        LeftOut,
        Window,
    )
    from holdfast.errors import (
        AlreadyThere,
        BadEntry,
        BadInput,
        BadKey,
        BadLine,
        BeyondEnd,
        CatalogBusy,
        Closed,
        CompactionStuck,
        Conflict,
        ContextError,
        Fenced,
        Held,
        HoldfastError,
        LogError,
        ModelError,
        NoBlob,
        NoSession,
        NotDurable,
        NotThere,
        NotWritten,
        Overflow,
        ReadOnly,
        Refused,
        TooSmall,
        Unavailable,
        Unreadable,
    )
    from holdfast.ids import (
        BlobId,
        CallId,
        ClientId,
        Position,
        SessionKey,
    )
    from holdfast.log.lease import (
        Holder,
    )
    from holdfast.log.store import (
        Ack,
        Damaged,
        Durability,
        LogStore,
        LogWriter,
        Trashed,
        Verdict,
    )
    from holdfast.model.protocol import (
        AssistantMessage,
        CallDelta,
        Delta,
        Family,
        Finished,
        Message,
        Model,
        Request,
        Target,
        TextDelta,
        ThinkingDelta,
        ToolMessage,
        ToolSpec,
        UserMessage,
    )
    from holdfast.providers.scripted import (
        Answer,
        ScriptedModel,
    )
    from holdfast.records.codec import (
        Record,
    )
    from holdfast.records.entries import (
        Checkpointed,
        CommandRan,
        Compacted,
        CompactionUndone,
        Consolidated,
        Delivered,
        Described,
        Drafted,
        Entry,
        Fork,
        GoalEnded,
        GoalProgressed,
        GoalSet,
        Import,
        ModelReplied,
        Opened,
        Pinned,
        Rewound,
        Shortened,
        ToolFinished,
        ToolStarted,
        TurnEnded,
        Unknown,
        Unpinned,
        UserSaid,
        WindowMoved,
    )
    from holdfast.records.parts import (
        Blob,
        Part,
        Source,
        Text,
        Thinking,
        ToolCall,
        Usage,
    )
    from holdfast.session.branch import (
        Branch,
        branches,
    )
    from holdfast.session.catalog import (
        Hit,
        Listed,
        Page,
        Progress,
    )
    from holdfast.session.state import (
        SessionState,
    )
    from holdfast.session.store import (
        Store,
    )
    from holdfast.session.writer import (
        Session,
    )

__all__ = [
    "Ack",
    "AlreadyThere",
    "Answer",
    "AssistantMessage",
    "BadEntry",
    "BadInput",
    "BadKey",
    "BadLine",
    "BeyondEnd",
    "Blob",
    "BlobId",
    "BlockingSession",
    "BlockingStore",
    "Branch",
    "Budget",
    "CallDelta",
    "CallId",
    "CatalogBusy",
    "Checkpointed",
    "ClientId",
    "Clock",
    "Closed",
    "CommandRan",
    "Compacted",
    "Compaction",
    "CompactionSettings",
    "CompactionStuck",
    "CompactionUndone",
    "Compactor",
    "Conflict",
    "Consolidated",
    "ContextError",
    "Damaged",
    "Delivered",
    "Delta",
    "Described",
    "Drafted",
    "Dropped",
    "Durability",
    "Entry",
    "Family",
    "Fenced",
    "Finished",
    "Fork",
    "GoalEnded",
    "GoalProgressed",
    "GoalSet",
    "Held",
    "Hit",
    "Holder",
    "HoldfastError",
    "Import",
    "LeftOut",
    "Listed",
    "LogError",
    "LogStore",
    "LogWriter",
    "ManualClock",
    "Message",
    "Model",
    "ModelError",
    "ModelReplied",
    "NoBlob",
    "NoSession",
    "NotDurable",
    "NotThere",
    "NotWritten",
    "Opened",
    "Overflow",
    "Page",
    "Part",
    "Pinned",
    "Position",
    "Prepared",
    "Progress",
    "ReadOnly",
    "Record",
    "Refused",
    "Request",
    "Rewound",
    "ScriptedModel",
    "Session",
    "SessionKey",
    "SessionState",
    "Shortened",
    "Source",
    "Store",
    "SystemClock",
    "Target",
    "Text",
    "TextDelta",
    "Thinking",
    "ThinkingDelta",
    "TooSmall",
    "ToolCall",
    "ToolFinished",
    "ToolMessage",
    "ToolSpec",
    "ToolStarted",
    "Trashed",
    "Trigger",
    "TurnEnded",
    "Unavailable",
    "Unknown",
    "Unpinned",
    "Unreadable",
    "Usage",
    "UserMessage",
    "UserSaid",
    "Verdict",
    "View",
    "Window",
    "WindowMoved",
    "branches",
    "fixed_tokens",
    "open_blocking",
    "open_store",
    "open_view",
    "open_volatile",
    "overflowed",
    "prepare",
    "undo_compaction",
]

_HOMES = {
    "adapters.blocking": "BlockingSession BlockingStore open_blocking",
    "assembly": "open_store open_volatile",
    "clock": "Clock ManualClock SystemClock",
    "context.budget": "Budget",
    "context.compact.compact": "Compaction Compactor",
    "context.compact.settings": "CompactionSettings",
    "context.compact.triggers": "Trigger overflowed",
    "context.compact.undo": "undo_compaction",
    "context.legal.rendered": "Dropped",
    "context.prepare": "Prepared fixed_tokens open_view prepare",
    "context.view": "View",
    "context.window": "LeftOut Window",
    "errors": (
        "AlreadyThere BadEntry BadInput BadKey BadLine BeyondEnd CatalogBusy Closed CompactionStuck Conflict "
        "ContextError Fenced Held HoldfastError LogError ModelError NoBlob NoSession NotDurable NotThere NotWritten "
        "Overflow ReadOnly Refused TooSmall Unavailable Unreadable"
    ),
    "ids": "BlobId CallId ClientId Position SessionKey",
    "log.lease": "Holder",
    "log.store": "Ack Damaged Durability LogStore LogWriter Trashed Verdict",
    "model.protocol": (
        "AssistantMessage CallDelta Delta Family Finished Message Model Request Target TextDelta ThinkingDelta "
        "ToolMessage ToolSpec UserMessage"
    ),
    "providers.scripted": "Answer ScriptedModel",
    "records.codec": "Record",
    "records.entries": (
        "Checkpointed CommandRan Compacted CompactionUndone Consolidated Delivered Described Drafted Entry Fork "
        "GoalEnded GoalProgressed GoalSet Import ModelReplied Opened Pinned Rewound Shortened ToolFinished "
        "ToolStarted TurnEnded Unknown Unpinned UserSaid WindowMoved"
    ),
    "records.parts": "Blob Part Source Text Thinking ToolCall Usage",
    "session.branch": "Branch branches",
    "session.catalog": "Hit Listed Page Progress",
    "session.state": "SessionState",
    "session.store": "Store",
    "session.writer": "Session",
}
"""Which module each name comes from."""
_MODULES = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    value: object = getattr(import_module(f"holdfast.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
