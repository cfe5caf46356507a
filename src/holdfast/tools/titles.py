"""What a call of a tool is about, in one line.

While it runs, the tool itself says it, with all it knows. Of a call of the past, and of one that never ran, only the
name and the arguments are known. Both are said in the words of one table, so that a call reads the same later.
"""

import msgspec

from holdfast.records.parts import ToolCall
from holdfast.records.printable import printable_line

LONGEST = 120
"""Characters of what it is about."""
VERBS = {
    "ask_user": "ask:",
    "block_goal": "need the person:",
    "complete_goal": "see whether the goal is reached:",
    "edit_file": "edit",
    "find": "find",
    "grep": "search for",
    "list_dir": "list",
    "read_file": "read",
    "read_output": "read on in",
    "read_skill": "read skill",
    "recall": "look for what was said about",
    "remember": "remember",
    "report_progress": "report",
    "retract": "remember no longer",
    "schedule": "schedule",
    "set_goal": "work on a goal until it is reached:",
    "shell": "run",
    "shell_read": "read the output of",
    "shell_stop": "stop",
    "todo": "note what is to be done",
    "wait_for": "wait for",
    "web_fetch": "fetch",
    "write_file": "write",
}
"""Our tools by name, and what each does; one that comes from elsewhere goes by its name."""


def title(tool: str, about: str = "", more: str = "") -> str:
    """What a call does, what it is about, and what else is known of it."""
    words = (VERBS.get(tool, tool), printable_line(about, LONGEST), printable_line(more, LONGEST))
    return " ".join(word for word in words if word)


def call_title(call: ToolCall) -> str:
    """What a call of the past was about, as far as its arguments say: their first text."""
    try:
        arguments = msgspec.json.decode(call.arguments or "{}", type=dict[str, object])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return title(call.name)
    first = next((value for value in arguments.values() if isinstance(value, str) and value.strip()), "")
    return title(call.name, first)
