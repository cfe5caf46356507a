"""Holdfast: durable conversations for agents.

Importing this package loads nothing else; each name is loaded when it is first used. Entries, events, errors and
contracts are also in public modules of their own, such as `holdfast.events`.
"""

from importlib import import_module

_NAMES = {
    "": {
        "adapters.agent": "Agent open_agent",
        "adapters.blocking": "BlockingAgent BlockingSession BlockingStore open_blocking",
        "agent.conversation": "Conversation open_conversation",
        "agent.function_tool": "FunctionTool tool",
        "agent.limits": "Limits RetryPolicy",
        "agent.models": "ChatModel FixedModels Models",
        "agent.permissions": "Answer Permissions Question Rule",
        "agent.redact": "Redactor",
        "agent.setup": "AgentSetup Setups",
        "agent.unfinished": "UnfinishedTurn",
        "assembly.stores": "open_store open_volatile",
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
        "engine.changes": "ListChange ListChanges ListResync SessionChanged SessionRemoved",
        "engine.engine": "Engine",
        "engine.port": "EnginePort",
        "providers.scripted.model": "Scripted ScriptedModel",
        "session.first_entries": "Beginning",
        "session.branch": "Branch branches",
        "session.facts": "CoreFacts DayLine DayUsage MemoryFact Refusal Scope ScopeFacts",
        "session.goals": "Goal",
        "session.state": "SessionState",
        "session.store": "Store",
        "session.writer": "Session",
    },
    "entries": {
        "ids": "BlobId CallId ClientId FactId Position SessionKey",
        "records.codec": "Record",
        "records.entries": (
            "CheckRun Checkpointed CommandRan Compacted CompactionUndone Delivered Described Drafted Entry "
            "FileChanged Fork GoalAmended GoalEnded GoalItem GoalProgressed GoalSet GoalStatusChanged GoalVerified "
            "HookRan Import ModelReplied Opened PermissionAsked PermissionDecided Pinned QuestionAnswered "
            "QuestionAsked Rewound ScheduleChanged ScheduleFired ScheduleSet Shortened TakenBack ToolFinished "
            "ToolStarted TurnEnded Unknown Unpinned UserSaid WakeEnded WakeSet WindowMoved"
        ),
        "records.facts": (
            "AddFact ConfirmFact Consolidated FactOperation Forgotten ForgottenWords Made MemoryShown RefusedFact "
            "ReplaceFact RetractFact Section"
        ),
        "records.parts": "Blob Part Source Text Thinking ToolCall Usage",
    },
    "events": {
        "agent.broadcast": "Subscription",
        "agent.events": (
            "Answered Appended Asked CallStreamed Compacting ConversationClosed Event FellBack Noticed Resync Retrying "
            "StepBegan TextStreamed ThinkingStreamed ToolBegan ToolTold TurnBegan TurnOver WindowCompacted"
        ),
        "agent.snapshot": "RunningReply Snapshot",
    },
    "errors": {
        "errors": (
            "AlreadyThere BadEntry BadInput BadKey BadLine BadSetting BeyondEnd CatalogBusy Closed CompactionStuck "
            "Conflict ContextError Fenced Held HoldfastError LaterFormat LogError ModelError NoAnswer NoBlob NoSession "
            "NotDurable NotThere NotWritten OverBudget Overflow ReadOnly Refused TooSmall ToolFailed Unavailable "
            "Unreadable"
        ),
    },
    "contracts": {
        "agent.arguments": "parsed spec_of",
        "agent.tool": "Action Ask FixedTools Output Tool ToolContext ToolHelp Toolbox",
        "agent.user_hooks": "Happening HookAnswer UserHook",
        "clock": "Clock ManualClock SystemClock",
        "log.lease": "Holder",
        "log.store": "Ack Damaged Durability LogStore LogWriter Place Repeated StoreAbout Trashed Verdict",
        "model.protocol": (
            "AssistantMessage CallDelta Delta Family Finished Message Model Request Target TextDelta ThinkingDelta "
            "ToolMessage ToolSpec UserMessage"
        ),
        "session.catalog": "Catalog ChangedRows Due Hit Hits Listed Page Progress RowChanges Wanted",
        "session.hooks": "Account AfterTurn AnotherStep BeforeCompaction NextStep ResumeTurn TurnShare WaitUntil",
    },
}
"""Every public name, once: which public module has it besides `holdfast` ('' for none), which module defines it.

`make docs` writes the stubs for type checkers and the reference of the library from this table.
"""


def _homes(*modules: str) -> dict[str, str]:
    """Each name of these public modules, with the module that defines it."""
    found = {name: home for each in modules for home, names in _NAMES[each].items() for name in names.split()}
    return dict(sorted(found.items()))


def _load(module: str, homes: dict[str, str], name: str) -> object:
    """What a public module calls `name`."""
    if name not in homes:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"holdfast.{homes[name]}"), name)
    return value


_HOMES = _homes(*_NAMES)
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    value = globals()[name] = _load("holdfast", _HOMES, name)  # the next use finds it without coming here
    return value


def __dir__() -> list[str]:
    return __all__
