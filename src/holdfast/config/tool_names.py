"""Names of tools in rules and lists.

A name that no tool can have is a slip, and a slip in a denial allows what it was to forbid, so it is refused.
What servers bring is not known before they are started; whatever begins as their tools do may be one of those.
"""

import re
from collections.abc import Iterable

from holdfast.agent.permissions import Rule, covers
from holdfast.config.origins import GivenValue
from holdfast.config.setting_names import nearest
from holdfast.errors import BadSetting
from holdfast.tools.titles import VERBS

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
