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
    from holdfast.errors import (
        AlreadyThere,
        BadEntry,
        BadInput,
        BadKey,
        BadLine,
        BeyondEnd,
        CatalogBusy,
        Closed,
        Conflict,
        Fenced,
        Held,
        HoldfastError,
        LogError,
        NoBlob,
        NoSession,
        NotDurable,
        NotThere,
        NotWritten,
        ReadOnly,
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
        ToolFinished,
        ToolStarted,
        TurnEnded,
        Unknown,
        Unpinned,
        UserSaid,
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
    "CallId",
    "CatalogBusy",
    "Checkpointed",
    "ClientId",
    "Clock",
    "Closed",
    "CommandRan",
    "Compacted",
    "CompactionUndone",
    "Conflict",
    "Consolidated",
    "Damaged",
    "Delivered",
    "Described",
    "Drafted",
    "Durability",
    "Entry",
    "Fenced",
    "Fork",
    "GoalEnded",
    "GoalProgressed",
    "GoalSet",
    "Held",
    "Hit",
    "Holder",
    "HoldfastError",
    "Import",
    "Listed",
    "LogError",
    "LogStore",
    "LogWriter",
    "ManualClock",
    "ModelReplied",
    "NoBlob",
    "NoSession",
    "NotDurable",
    "NotThere",
    "NotWritten",
    "Opened",
    "Page",
    "Part",
    "Pinned",
    "Position",
    "Progress",
    "ReadOnly",
    "Record",
    "Rewound",
    "Session",
    "SessionKey",
    "SessionState",
    "Source",
    "Store",
    "SystemClock",
    "Text",
    "Thinking",
    "ToolCall",
    "ToolFinished",
    "ToolStarted",
    "Trashed",
    "TurnEnded",
    "Unknown",
    "Unpinned",
    "Unreadable",
    "Usage",
    "UserSaid",
    "Verdict",
    "branches",
    "open_blocking",
    "open_store",
    "open_volatile",
]

_HOMES = {
    "adapters.blocking": (
        "BlockingSession",
        "BlockingStore",
        "open_blocking",
    ),
    "assembly": (
        "open_store",
        "open_volatile",
    ),
    "clock": (
        "Clock",
        "ManualClock",
        "SystemClock",
    ),
    "errors": (
        "AlreadyThere",
        "BadEntry",
        "BadInput",
        "BadKey",
        "BadLine",
        "BeyondEnd",
        "CatalogBusy",
        "Closed",
        "Conflict",
        "Fenced",
        "Held",
        "HoldfastError",
        "LogError",
        "NoBlob",
        "NoSession",
        "NotDurable",
        "NotThere",
        "NotWritten",
        "ReadOnly",
        "Unreadable",
    ),
    "ids": (
        "BlobId",
        "CallId",
        "ClientId",
        "Position",
        "SessionKey",
    ),
    "log.lease": ("Holder",),
    "log.store": (
        "Ack",
        "Damaged",
        "Durability",
        "LogStore",
        "LogWriter",
        "Trashed",
        "Verdict",
    ),
    "records.codec": ("Record",),
    "records.entries": (
        "Checkpointed",
        "CommandRan",
        "Compacted",
        "CompactionUndone",
        "Consolidated",
        "Delivered",
        "Described",
        "Drafted",
        "Entry",
        "Fork",
        "GoalEnded",
        "GoalProgressed",
        "GoalSet",
        "Import",
        "ModelReplied",
        "Opened",
        "Pinned",
        "Rewound",
        "ToolFinished",
        "ToolStarted",
        "TurnEnded",
        "Unknown",
        "Unpinned",
        "UserSaid",
    ),
    "records.parts": (
        "Blob",
        "Part",
        "Source",
        "Text",
        "Thinking",
        "ToolCall",
        "Usage",
    ),
    "session.branch": (
        "Branch",
        "branches",
    ),
    "session.catalog": (
        "Hit",
        "Listed",
        "Page",
        "Progress",
    ),
    "session.state": ("SessionState",),
    "session.store": ("Store",),
    "session.writer": ("Session",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    value: object = getattr(import_module(f"holdfast.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
