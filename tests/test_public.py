"""The public surface: a pinned list, and an import without surprises."""

import ast
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import holdfast
import holdfast.contracts
import holdfast.entries
import holdfast.errors
import holdfast.events
from docs.generate import stubs
from holdfast.records.entries import KINDS, Unknown

PACKAGE = Path(holdfast.__file__).parent
MODULES = ("holdfast", "holdfast.entries", "holdfast.events", "holdfast.contracts")
PLANNED = {"channels", "importers"}
"""Packages that the layers name and that do not exist yet."""
PUBLIC = [
    "Account",
    "Ack",
    "Action",
    "AddFact",
    "AfterTurn",
    "Agent",
    "AgentSetup",
    "AlreadyThere",
    "AnotherStep",
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
    "BeforeCompaction",
    "Beginning",
    "BeyondEnd",
    "Blob",
    "BlobId",
    "BlockingAgent",
    "BlockingSession",
    "BlockingStore",
    "Branch",
    "Briefing",
    "Budget",
    "CallDelta",
    "CallId",
    "CallStreamed",
    "Catalog",
    "CatalogBusy",
    "ChangedRows",
    "ChatModel",
    "CheckRun",
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
    "ConfirmFact",
    "Conflict",
    "Consolidated",
    "ContextError",
    "Conversation",
    "ConversationClosed",
    "CoreFacts",
    "Damaged",
    "DayLine",
    "DayUsage",
    "Delivered",
    "Delta",
    "Described",
    "Drafted",
    "Dropped",
    "Due",
    "Durability",
    "Engine",
    "EnginePort",
    "Entry",
    "Event",
    "FactId",
    "FactOperation",
    "Family",
    "FellBack",
    "Fenced",
    "FileChanged",
    "Finished",
    "FixedModels",
    "FixedTools",
    "Forgotten",
    "ForgottenWords",
    "Fork",
    "FunctionTool",
    "Goal",
    "GoalAmended",
    "GoalEnded",
    "GoalItem",
    "GoalProgressed",
    "GoalSet",
    "GoalStatusChanged",
    "GoalVerified",
    "Happening",
    "Held",
    "Hit",
    "Hits",
    "Holder",
    "HoldfastError",
    "HookAnswer",
    "HookRan",
    "Import",
    "LaterFormat",
    "LeftOut",
    "Limits",
    "ListChange",
    "ListChanges",
    "ListResync",
    "Listed",
    "LogError",
    "LogStore",
    "LogWriter",
    "Made",
    "ManualClock",
    "MemoryFact",
    "MemoryShown",
    "Message",
    "Model",
    "ModelError",
    "ModelReplied",
    "Models",
    "NextStep",
    "NoAnswer",
    "NoBlob",
    "NoSession",
    "NotDurable",
    "NotThere",
    "NotWritten",
    "Noticed",
    "Opened",
    "Output",
    "OverBudget",
    "Overflow",
    "Page",
    "Part",
    "PermissionAsked",
    "PermissionDecided",
    "Permissions",
    "Pinned",
    "Place",
    "Position",
    "Prepared",
    "Progress",
    "Question",
    "QuestionAnswered",
    "QuestionAsked",
    "ReadOnly",
    "Record",
    "Redactor",
    "Refusal",
    "Refused",
    "RefusedFact",
    "Repeated",
    "ReplaceFact",
    "Request",
    "ResumeTurn",
    "Resync",
    "RetractFact",
    "RetryPolicy",
    "Retrying",
    "Rewound",
    "RowChanges",
    "Rule",
    "RunningReply",
    "ScheduleChanged",
    "ScheduleFired",
    "ScheduleSet",
    "Scope",
    "ScopeFacts",
    "Scripted",
    "ScriptedModel",
    "Section",
    "Session",
    "SessionChanged",
    "SessionKey",
    "SessionRemoved",
    "SessionState",
    "Setups",
    "Share",
    "Shortened",
    "Snapshot",
    "Source",
    "StepBegan",
    "Store",
    "StoreAbout",
    "Subscription",
    "SystemClock",
    "TakenBack",
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
    "TurnShare",
    "Unavailable",
    "UnfinishedTurn",
    "Unknown",
    "Unpinned",
    "Unreadable",
    "Usage",
    "UserHook",
    "UserMessage",
    "UserSaid",
    "Verdict",
    "View",
    "WaitUntil",
    "WakeEnded",
    "WakeSet",
    "Wanted",
    "Window",
    "WindowCompacted",
    "WindowMoved",
    "branches",
    "fixed_tokens",
    "open_agent",
    "open_blocking",
    "open_conversation",
    "open_store",
    "open_view",
    "open_volatile",
    "overflowed",
    "parsed",
    "prepare",
    "spec_of",
    "tool",
    "undo_compaction",
]
PRIVATE = {
    "Prefix": "what `View` keeps in front of a window: only `prepare` reads it",
    "Timeline": "the units of a `View`: only `prepare` reads it",
    "Unit": "what `View.whole` gives to `prepare`",
    "AgentMemory": "what assembly makes for `AgentSetup`",
    "FactsShown": "as `Jump`",
    "Jump": "a part of `SessionState`, which programs read and never make",
    "Move": "as `Jump`",
    "OpenCall": "as `Jump`",
    "OpenQuestion": "as `Jump`",
    "Pin": "as `Jump`",
    "GoalStep": "the steps of a `Goal`, which programs read and never make",
    "GoalAmendment": "as `GoalStep`",
    "GoalStatus": "as `GoalStep`",
    "SaidMessage": "as `Jump`",
    "Schedule": "as `Jump`",
    "PositionSpan": "as `Jump`",
    "Summary": "as `Jump`",
    "Waiting": "as `Jump`",
    "Wake": "as `Jump`",
}
"""Types in the signatures of public classes that are not public, and why."""
IMPORTED = """
import json, sys
before = set(sys.modules)
{code}
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter loads for some code."""
    script = IMPORTED.format(code=code)
    ran = subprocess.run([sys.executable, "-I", "-c", script], check=True, capture_output=True, text=True)
    assert "" == ran.stderr
    return set(json.loads(ran.stdout))


def exported(stub: Path) -> dict[str, str]:
    """What a type checker takes a public module for: each name, and where it is imported from."""
    imports = [node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom)]
    return {name.name: str(node.module) for node in imports for name in node.names}


def test_public_names_change_only_on_purpose() -> None:
    """
    A name added to or dropped from the package is a decision, so it shows here.
    """
    assert PUBLIC == holdfast.__all__
    assert sorted(PUBLIC) == PUBLIC
    assert PUBLIC == dir(holdfast)


def test_the_stubs_for_type_checkers_are_up_to_date() -> None:
    """
    They say what the table in the package says; `make docs` writes them anew.
    """
    assert stubs() == {path: path.read_text() for path in PACKAGE.glob("*.pyi")}


@pytest.mark.parametrize("module", MODULES)
def test_a_name_is_what_a_type_checker_takes_it_for(module: str) -> None:
    """
    What a public module loads when a name is first used is what its stub imports, and it loads no other names.
    """
    found = import_module(module)
    stub = exported(Path(str(found.__file__)).with_suffix(".pyi"))

    assert sorted(stub) == found.__all__ == dir(found)
    assert [] == [name for name, home in stub.items() if getattr(import_module(home), name) is not getattr(found, name)]


@pytest.mark.parametrize("module", MODULES)
def test_a_public_module_has_no_names_of_its_own(module: str) -> None:
    """
    All that a public module has can be imported from the package too, and is the same thing there.
    """
    found = import_module(module)

    assert [] == [name for name in dir(found) if getattr(holdfast, name) is not getattr(found, name)]


def test_all_errors_are_public() -> None:
    """
    What is raised can be caught: the module of errors has no class that the package has not.
    """
    defined = {name for name, each in vars(holdfast.errors).items() if inspect.isclass(each)}

    assert defined == {name for name in PUBLIC if getattr(holdfast, name).__module__ == "holdfast.errors"}


def test_all_kinds_of_entries_are_public() -> None:
    """
    What a log holds can be named by whoever reads it.
    """
    missing = {each.__name__ for each in (*KINDS.values(), Unknown)} - set(holdfast.entries.__all__)

    assert set() == missing, "add them to the table in src/holdfast/__init__.py"


def test_no_public_name_is_the_name_of_a_module() -> None:
    """
    A module or package that is imported becomes an attribute of the package, and would take the place of the name.
    """
    modules = {path.stem for path in PACKAGE.iterdir()} | PLANNED

    assert set() == modules & set(PUBLIC)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """
    As with any other module, and `hasattr` works.
    """
    for module in MODULES:
        with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'Missing'"):
            import_module(module).Missing  # noqa: B018
    assert not hasattr(holdfast, "__wrapped__")
    assert not hasattr(holdfast.entries, "Engine")


def test_every_public_class_and_function_is_documented() -> None:
    """
    Who asks for help gets some.
    """
    found = {name: getattr(holdfast, name) for name in PUBLIC}
    ours = {name for name, each in found.items() if inspect.isclass(each) or inspect.isfunction(each)}

    assert set() == {name for name in ours if not found[name].__doc__}


def test_what_public_classes_take_and_give_is_public() -> None:
    """
    Whoever names the type of an argument, a field or a result imports it from the package.
    """
    hidden = {name for each in PUBLIC for name in hidden_types(getattr(holdfast, each))}

    assert sorted(PRIVATE) == sorted(hidden)


def hidden_types(thing: object) -> set[str]:
    """The types of ours in the signatures of a public class that are not public themselves."""
    if not inspect.isclass(thing):
        return set()
    public = {getattr(holdfast, name) for name in PUBLIC if inspect.isclass(getattr(holdfast, name))}
    found = {each for hints in signatures(thing) for hint in hints.values() for each in classes_in(hint)}
    return {each.__name__ for each in found - public if each.__module__.startswith("holdfast.")}


def signatures(thing: type) -> Iterator[dict[str, object]]:
    """The types of its fields, and of what its public methods take and give."""
    yield get_type_hints(thing)
    for name, member in vars(thing).items():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(function) and not name.startswith("_"):
            yield get_type_hints(function)


def classes_in(hint: object) -> Iterator[type]:
    """The classes that a type is made of."""
    parts = get_args(hint) if not isinstance(hint, list) else hint
    if isinstance(hint, type) and not parts:
        yield hint
    for part in parts:
        yield from classes_in(part)


def test_importing_the_package_loads_nothing_else() -> None:
    """
    No event loop, no database, no third-party package, no thread and no file before something is used.
    """
    found = loaded_by(f"import {', '.join(MODULES)}")

    assert set(MODULES) == {name for name in found if name.partition(".")[0] == "holdfast"}
    assert set() == found & {"asyncio", "sqlite3", "msgspec", "ssl", "socket", "threading", "logging", "email"}
    assert set() == {name.partition(".")[0] for name in found} - sys.stdlib_module_names - {"holdfast"}


def test_values_need_neither_an_event_loop_nor_a_database() -> None:
    """
    A program that only builds entries pays for entries.
    """
    found = loaded_by("from holdfast import Text, UserSaid, HoldfastError; UserSaid(parts=(Text(text='x'),))")

    assert set() == found & {"asyncio", "sqlite3"}


def test_all_of_it_stands_on_msgspec_alone() -> None:
    """
    Whatever is used, one package besides the standard library is needed; `isal` is used where it is installed.
    """
    without = "import sys; sys.modules['isal'] = None; "
    found = loaded_by(f"{without}from holdfast import *") - loaded_by(f"{without}import msgspec")

    assert {"holdfast"} == {name.partition(".")[0] for name in found} - sys.stdlib_module_names - {"msgspec"}


def test_importing_starts_nothing() -> None:
    """
    All public names can be loaded without a thread, a file, or a word on the terminal.
    """
    code = "from holdfast import *; import threading; assert threading.active_count() == 1"

    assert "holdfast.assembly" in loaded_by(code)
