"""Where a value came from, in words for a person."""

from pathlib import Path
from typing import Literal

from holdfast.records.parts import Value

Level = Literal["default", "user", "project", "environment", "flag"]
"""Who said it, the weakest first."""


class Origin(Value, frozen=True, kw_only=True):
    """Where a value came from."""

    level: Level
    place: str = ""
    """The file, the variable, or the flag."""
    line: int = 0
    """The line of the file, counted from 1."""

    @property
    def said(self) -> str:
        """As a person would look it up."""
        return f"{self.place}:{self.line}" if self.line else self.place or "default"

    def naming(self, key: str) -> str:
        """A setting as it is called where this value stands."""
        return f"{self.said}: `{key}`" if self.level in {"user", "project"} else self.place or f"`{key}`"


DEFAULT = Origin(level="default")


def in_file(path: Path, line: int, *, project: bool) -> Origin:
    """A line of a file."""
    return Origin(level="project" if project else "user", place=str(path), line=line)


class GivenValue(Value, frozen=True, kw_only=True):
    """A value that somebody gave for a setting."""

    key: str
    value: object
    origin: Origin
