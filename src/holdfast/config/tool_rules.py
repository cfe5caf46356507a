"""Patterns of rules that nothing their tool does can match.

A rule to deny that never matches lets run what it was to forbid, so it is refused, with how to write it.
"""

import re
from collections.abc import Iterable

from holdfast.agent.permissions import Rule, covers
from holdfast.config.origins import GivenValue
from holdfast.errors import BadSetting
from holdfast.tools.titles import VERBS

_FILES = frozenset({"edit_file", "find", "grep", "list_dir", "read_file", "write_file"})
_WEB = frozenset({"web_fetch"})
_SCHEME = re.compile(r"^(?:https?|http\*|\*)://", re.IGNORECASE)
_NO_PATH = re.compile(r"/|~/|\.\.?/|.*//|.*/\.\.?/|.*/$")


def misfit(rule: Rule) -> str:
    """How to write a rule whose pattern never matches; '' if it can."""
    named = {name for name in VERBS if covers(rule.tool, name)}
    if not named or rule.pattern == "*":
        return ""
    if named <= _FILES:
        return _path_hint(rule.pattern)
    return _page_hint(rule.pattern) if named <= _WEB else ""


def _path_hint(pattern: str) -> str:
    if not _NO_PATH.match(pattern):
        return ""
    return "Write the path from the workspace on, such as `notes.txt`, or `src/*` for all that is in a folder."


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
