"""What a call of a tool was about, in one line.

While it runs, the tool itself says it. Of a call of the past, and of one that never ran, only the name and the
arguments are known; they are said in the same words.
"""

import msgspec

from holdfast.records.parts import ToolCall
from holdfast.records.safe import safe_line

LONGEST = 120
"""Characters of what it was about."""
_VERBS = {
    "ask_user": "ask:",
    "edit_file": "edit",
    "find": "find",
    "grep": "search for",
    "list_dir": "list",
    "read_file": "read",
    "read_output": "read on in",
    "read_skill": "read skill",
    "shell": "run",
    "shell_read": "read the output of",
    "shell_stop": "stop",
    "todo": "note what is to be done",
    "web_fetch": "fetch",
    "write_file": "write",
}
"""What each of our tools does; one that comes from elsewhere goes by its name."""


def call_title(call: ToolCall) -> str:
    """What a call was about, as far as its arguments say: what the tool does, and its first text."""
    verb = _VERBS.get(call.name, call.name)
    try:
        arguments = msgspec.json.decode(call.arguments or "{}", type=dict[str, object])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return verb
    first = next((value for value in arguments.values() if isinstance(value, str) and value.strip()), "")
    return f"{verb} {safe_line(first, LONGEST)}".strip()
