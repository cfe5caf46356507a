"""Colours by role: what a piece of text is, not how it looks, is said everywhere else.

Only the sixteen colours of the terminal's own palette are used, so that what a person chose for their terminal
holds here too. Without colours (`NO_COLOR`, a dumb terminal, the setting `none`) no sequence is written at all.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

Role: TypeAlias = Literal[
    "user",
    "model",
    "thinking",
    "tool",
    "good",
    "added",
    "removed",
    "hunk",
    "warning",
    "error",
    "dim",
    "status",
    "chosen",
    "heading",
    "title",
    "strong",
    "emphasis",
    "struck",
    "code",
    "link",
    "mark",
    "keyword",
    "name",
    "string",
    "number",
    "comment",
]
"""What a piece of text is."""

Wanted: TypeAlias = Literal["auto", "light", "dark", "none"]
"""Which colours a person asks for."""

RESET = "\x1b[0m"

_ALWAYS = {
    "model": "",
    "thinking": "2;3",
    "tool": "",
    "dim": "2",
    "status": "2",
    "chosen": "7",
    "title": "1;4",
    "heading": "1",
    "strong": "1",
    "emphasis": "3",
    "struck": "9",
    "mark": "2",
    "comment": "2;3",
    "added": "32",
    "removed": "31",
    "error": "31",
    "good": "32",
    "string": "32",
}
_DARK = {
    "user": "1;36",
    "hunk": "36",
    "warning": "33",
    "code": "36",
    "link": "4;36",
    "keyword": "95",
    "name": "94",
    "number": "33",
}
_LIGHT = {
    "user": "1;34",
    "hunk": "34",
    "warning": "35",
    "code": "34",
    "link": "4;34",
    "keyword": "35",
    "name": "34",
    "number": "31",
}
_LIGHT_GROUNDS = frozenset({"7", "15"})


class Theme(msgspec.Struct, frozen=True, kw_only=True):
    """How each role looks."""

    name: Literal["light", "dark", "none"]
    codes: Mapping[str, str] = {}
    """What selects the look of a role, by role; a role without one is plain."""

    @property
    def plain(self) -> bool:
        """Whether nothing is coloured."""
        return not self.codes

    def painted(self, text: str, *roles: Role) -> str:
        """The text in the look of its roles together; it must be safe to show, and on one line."""
        codes = ";".join(code for role in roles if (code := self.codes.get(role)))
        return f"\x1b[{codes}m{text}{RESET}" if codes and text else text


NONE = Theme(name="none")
DARK = Theme(name="dark", codes=_ALWAYS | _DARK)
LIGHT = Theme(name="light", codes=_ALWAYS | _LIGHT)


def is_dumb(environment: Mapping[str, str]) -> bool:
    """Whether the terminal can only print line after line."""
    return environment.get("TERM", "") in {"", "dumb"}


def theme_for(wanted: Wanted, environment: Mapping[str, str]) -> Theme:
    """The colours for a terminal; `auto` looks for its ground, and takes it for dark where it does not say."""
    if wanted == "none" or environment.get("NO_COLOR") or is_dumb(environment):
        return NONE
    if wanted == "auto":
        ground = environment.get("COLORFGBG", "").rpartition(";")[2]
        return LIGHT if ground in _LIGHT_GROUNDS else DARK
    return LIGHT if wanted == "light" else DARK
