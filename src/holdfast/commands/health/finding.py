"""What was found, and what to do about it."""

from collections.abc import Iterable
from typing import Literal

from holdfast.records.parts import Value

Level = Literal["ok", "warning", "problem"]
"""As it should be; works, and could be better; does not work."""


class Finding(Value, frozen=True, kw_only=True):
    """One thing that was looked at."""

    area: str
    level: Level = "ok"
    text: str
    mend: str = ""
    """What to do about it."""


def is_good(findings: Iterable[Finding]) -> bool:
    """Whether nothing is broken; a warning breaks nothing."""
    return all(each.level != "problem" for each in findings)
