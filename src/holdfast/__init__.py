"""Holdfast: durable conversations for agents.

Importing this package loads nothing else; each name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.adapters.blocking import BlockingSession, BlockingStore, open_blocking
    from holdfast.agent.arguments import parsed, spec_of
    from holdfast.agent.broadcast import Subscription
    from holdfast.agent.conversation import Conversation, open_conversation
    from holdfast.agent.events import (
        Answered,
        Appended,
        Asked,
        CallStreamed,
        Compacting,
        ConversationClosed,
        Event,
        FellBack,
        Noticed,
        Resync,
        Retrying,
        StepBegan,
        TextStreamed,
        ThinkingStreamed,
        ToolBegan,
        ToolTold,
        TurnBegan,
        TurnOver,
        WindowCompacted,
    )
    from holdfast.agent.models import ChatModel, Models
    from holdfast.agent.permissions import Answer, Permissions, Question, Rule
    from holdfast.agent.redact import Redactor
    from holdfast.agent.setup import AgentSetup, Limits, RetryPolicy, Setups
    from holdfast.agent.snapshot import RunningReply, Snapshot
    from holdfast.agent.tool import Action, Ask, FixedTools, Output, Tool, Toolbox, ToolContext, ToolHelp
    from holdfast.agent.unfinished import UnfinishedTurn
    from holdfast.assembly.stores import open_store, open_volatile
    from holdfast.clock import Clock, ManualClock, SystemClock
    from holdfast.context.breakdown import Share
    from holdfast.context.budget import Budget
    from holdfast.context.compact.compact import Compaction, Compactor, undo_compaction
    from holdfast.context.compact.compaction_settings import CompactionSettings
    from holdfast.context.compact.triggers import Trigger, overflowed
    from holdfast.context.legal.rendered import Dropped
    from holdfast.context.prepare import Prepared, fixed_tokens, open_view, prepare
    from holdfast.context.system_text import Briefing
    from holdfast.context.view import View
    from holdfast.context.window import LeftOut, Window
    from holdfast.engine.attach import Attachment
    from holdfast.engine.engine import Engine
    from holdfast.errors import (
        AlreadyThere,
        BadEntry,
        BadInput,
        BadKey,
        BadLine,
        BadSetting,
        BeyondEnd,
        CatalogBusy,
        Closed,
        CompactionStuck,
        Conflict,
        ContextError,
        Fenced,
        Held,
        HoldfastError,
        LaterFormat,
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
        ToolFailed,
        TooSmall,
        Unavailable,
        Unreadable,
    )
    from holdfast.ids import BlobId, CallId, ClientId, Position, SessionKey
    from holdfast.log.lease import Holder
    from holdfast.log.store import Ack, Damaged, Durability, LogStore, LogWriter, Repeated, Trashed, Verdict
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
    from holdfast.providers.scripted.model import Scripted, ScriptedModel
    from holdfast.records.codec import Record
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
        PermissionAsked,
        PermissionDecided,
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
    from holdfast.records.parts import Blob, Part, Source, Text, Thinking, ToolCall, Usage
    from holdfast.session.branch import Branch, branches
    from holdfast.session.catalog import Hit, Hits, Listed, Page, Progress
    from holdfast.session.goals import Goal
    from holdfast.session.state import SessionState
    from holdfast.session.store import Store
    from holdfast.session.writer import Session

__all__ = [
    "Ack",
    "Action",
    "AgentSetup",
    "AlreadyThere",
    "Answer",
    "Answered",
    "Appended",
    "Ask",
    "Asked",
    "AssistantMessage",
    "Attachment",
    "BadEntry",
    "BadInput",
    "BadKey",
    "BadLine",
    "BadSetting",
    "BeyondEnd",
    "Blob",
    "BlobId",
    "BlockingSession",
    "BlockingStore",
    "Branch",
    "Briefing",
    "Budget",
    "CallDelta",
    "CallId",
    "CallStreamed",
    "CatalogBusy",
    "ChatModel",
    "Checkpointed",
    "ClientId",
    "Clock",
    "Closed",
    "CommandRan",
    "Compacted",
    "Compacting",
    "Compaction",
    "CompactionSettings",
    "CompactionStuck",
    "CompactionUndone",
    "Compactor",
    "Conflict",
    "Consolidated",
    "ContextError",
    "Conversation",
    "ConversationClosed",
    "Damaged",
    "Delivered",
    "Delta",
    "Described",
    "Drafted",
    "Dropped",
    "Durability",
    "Engine",
    "Entry",
    "Event",
    "Family",
    "FellBack",
    "Fenced",
    "Finished",
    "FixedTools",
    "Fork",
    "Goal",
    "GoalEnded",
    "GoalProgressed",
    "GoalSet",
    "Held",
    "Hit",
    "Hits",
    "Holder",
    "HoldfastError",
    "Import",
    "LaterFormat",
    "LeftOut",
    "Limits",
    "Listed",
    "LogError",
    "LogStore",
    "LogWriter",
    "ManualClock",
    "Message",
    "Model",
    "ModelError",
    "ModelReplied",
    "Models",
    "NoBlob",
    "NoSession",
    "NotDurable",
    "NotThere",
    "NotWritten",
    "Noticed",
    "Opened",
    "Output",
    "Overflow",
    "Page",
    "Part",
    "PermissionAsked",
    "PermissionDecided",
    "Permissions",
    "Pinned",
    "Position",
    "Prepared",
    "Progress",
    "Question",
    "ReadOnly",
    "Record",
    "Redactor",
    "Refused",
    "Repeated",
    "Request",
    "Resync",
    "RetryPolicy",
    "Retrying",
    "Rewound",
    "Rule",
    "RunningReply",
    "Scripted",
    "ScriptedModel",
    "Session",
    "SessionKey",
    "SessionState",
    "Setups",
    "Share",
    "Shortened",
    "Snapshot",
    "Source",
    "StepBegan",
    "Store",
    "Subscription",
    "SystemClock",
    "Target",
    "Text",
    "TextDelta",
    "TextStreamed",
    "Thinking",
    "ThinkingDelta",
    "ThinkingStreamed",
    "TooSmall",
    "Tool",
    "ToolBegan",
    "ToolCall",
    "ToolContext",
    "ToolFailed",
    "ToolFinished",
    "ToolHelp",
    "ToolMessage",
    "ToolSpec",
    "ToolStarted",
    "ToolTold",
    "Toolbox",
    "Trashed",
    "Trigger",
    "TurnBegan",
    "TurnEnded",
    "TurnOver",
    "Unavailable",
    "UnfinishedTurn",
    "Unknown",
    "Unpinned",
    "Unreadable",
    "Usage",
    "UserMessage",
    "UserSaid",
    "Verdict",
    "View",
    "Window",
    "WindowCompacted",
    "WindowMoved",
    "branches",
    "fixed_tokens",
    "open_blocking",
    "open_conversation",
    "open_store",
    "open_view",
    "open_volatile",
    "overflowed",
    "parsed",
    "prepare",
    "spec_of",
    "undo_compaction",
]

_HOMES = {
    "adapters.blocking": "BlockingSession BlockingStore open_blocking",
    "agent.arguments": "parsed spec_of",
    "agent.broadcast": "Subscription",
    "agent.conversation": "Conversation open_conversation",
    "agent.events": (
        "Answered Appended Asked CallStreamed Compacting ConversationClosed Event FellBack Noticed Resync Retrying "
        "StepBegan TextStreamed ThinkingStreamed ToolBegan ToolTold TurnBegan TurnOver WindowCompacted"
    ),
    "agent.models": "ChatModel Models",
    "agent.permissions": "Answer Permissions Question Rule",
    "agent.redact": "Redactor",
    "agent.setup": "AgentSetup Limits RetryPolicy Setups",
    "agent.snapshot": "RunningReply Snapshot",
    "agent.tool": "Action Ask FixedTools Output Tool ToolContext ToolHelp Toolbox",
    "agent.unfinished": "UnfinishedTurn",
    "assembly.stores": "open_store open_volatile",
    "clock": "Clock ManualClock SystemClock",
    "context.breakdown": "Share",
    "context.budget": "Budget",
    "context.compact.compact": "Compaction Compactor undo_compaction",
    "context.compact.compaction_settings": "CompactionSettings",
    "context.compact.triggers": "Trigger overflowed",
    "context.legal.rendered": "Dropped",
    "context.prepare": "Prepared fixed_tokens open_view prepare",
    "context.system_text": "Briefing",
    "context.view": "View",
    "context.window": "LeftOut Window",
    "engine.attach": "Attachment",
    "engine.engine": "Engine",
    "errors": (
        "AlreadyThere BadEntry BadInput BadKey BadLine BadSetting BeyondEnd CatalogBusy Closed CompactionStuck "
        "Conflict ContextError Fenced Held HoldfastError LaterFormat LogError ModelError NoBlob NoSession "
        "NotDurable NotThere NotWritten Overflow ReadOnly Refused TooSmall ToolFailed Unavailable Unreadable"
    ),
    "ids": "BlobId CallId ClientId Position SessionKey",
    "log.lease": "Holder",
    "log.store": "Ack Damaged Durability LogStore LogWriter Repeated Trashed Verdict",
    "model.protocol": (
        "AssistantMessage CallDelta Delta Family Finished Message Model Request Target TextDelta ThinkingDelta "
        "ToolMessage ToolSpec UserMessage"
    ),
    "providers.scripted.model": "Scripted ScriptedModel",
    "records.codec": "Record",
    "records.entries": (
        "Checkpointed CommandRan Compacted CompactionUndone Consolidated Delivered Described Drafted Entry Fork "
        "GoalEnded GoalProgressed GoalSet Import ModelReplied Opened PermissionAsked PermissionDecided Pinned "
        "Rewound Shortened ToolFinished ToolStarted TurnEnded Unknown Unpinned UserSaid WindowMoved"
    ),
    "records.parts": "Blob Part Source Text Thinking ToolCall Usage",
    "session.branch": "Branch branches",
    "session.catalog": "Hit Hits Listed Page Progress",
    "session.goals": "Goal",
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
