"""Rules about tools: names and patterns that cannot match are refused.

A rule to deny that never matches lets run what it was to forbid, so it is refused, with how to write it.
"""

import re
from collections.abc import Iterable

from holdfast.agent.permissions import Rule, covers
from holdfast.config.setting_names import nearest
from holdfast.config.values import GivenValue
from holdfast.errors import BadSetting
from holdfast.tools.titles import VERBS

_FILES = frozenset({"edit_file", "find", "grep", "list_dir", "read_file", "write_file"})
_WEB = frozenset({"web_fetch"})
_SCHEME = re.compile(r"^(?:https?|http\*|\*)://", re.IGNORECASE)
_NO_PATH = re.compile(r"/|~/|\.\.?/|.*//|.*/\.\.?/|.*/$")
PATH_HINT = "Write the path from the workspace on, such as `notes.txt`, or `src/*` for all that is in a folder."


def misfit(rule: Rule) -> str:
    """How to write a rule whose pattern never matches; '' if it can."""
    named = {name for name in VERBS if covers(rule.tool, name)}
    if not named or rule.pattern == "*":
        return ""
    if named <= _FILES:
        return PATH_HINT if _NO_PATH.match(rule.pattern) else ""
    return _page_hint(rule.pattern) if named <= _WEB else ""


def _page_hint(pattern: str) -> str:
    bare = _SCHEME.sub("", pattern, count=1)
    host, slash, rest = bare.partition("/")
    written = f"{host.lower()}{slash}{rest}" if slash or bare.endswith("*") else f"{bare.lower()}/*"
    return "" if written == pattern else f"Write `{written}`: the host in small letters, then the path."


def refuse_misfits(given: Iterable[GivenValue]) -> None:
    """Raise `BadSetting` for the first rule that never matches."""
    for each in given:
        for rule in each.value if each.key == "permissions" and isinstance(each.value, tuple) else ():
            if hint := misfit(rule):
                raise BadSetting(
                    f"{each.origin.naming(each.key)} has the pattern {rule.pattern!r}, which matches nothing that "
                    f"`{rule.tool}` does.",
                    hint=hint,
                )


# A name that no tool can have is a slip, and a slip in a denial allows what it was to forbid, so it is refused. What
# servers bring is not known before they are started; whatever begins as their tools do may be one of those.
SERVED = "mcp_"
"""How the names of all tools of servers begin."""
_NAMING = frozenset({"permissions", "tools.enabled", "tools.disabled"})
_WILD = re.compile(r"[*?\[]")


def unknown_tool(pattern: str) -> str:
    """What to do about a name, or a pattern of names, that no tool can have; '' if one can."""
    head = _WILD.split(pattern, maxsplit=1)[0]
    served = head.startswith(SERVED) or (head != pattern and SERVED.startswith(head))
    if served or any(covers(pattern, name) for name in VERBS):
        return ""
    if near := nearest(pattern, VERBS):
        return f"Did you mean `{near}`?"
    return f"There are {', '.join(VERBS)}; those of servers are called {SERVED}SERVER_TOOL."


def refuse_unknown_tools(given: Iterable[GivenValue]) -> None:
    """Raise `BadSetting` for the first name of a tool that there cannot be."""
    for each in given:
        named = each.value if each.key in _NAMING and isinstance(each.value, tuple) else ()
        for one in named:
            name = one.tool if isinstance(one, Rule) else str(one)
            if hint := unknown_tool(name):
                raise BadSetting(
                    f"{each.origin.naming(each.key)} names {name!r}, and there is no such tool.", hint=hint
                )
