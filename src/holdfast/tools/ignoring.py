"""What `.gitignore` files name: comments, `!`, folders only, paths from where the file is, `*`, `?`, `**`, `[…]`.

Escapes within a pattern and git's other lists of what to ignore are not read. Lines that mean the same, one after the
other, are looked at as one: there may be hundreds of them, and each file is held against them.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from holdfast.tools.globs import PathPattern, names_like

ALWAYS = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"})
"""Folders that are never entered unless they are named."""

FILE = ".gitignore"
MOST_BYTES = 100_000
MOST_LINES = 2000
"""Of one such file; what is beyond is not read."""


class _Line(NamedTuple):
    pattern: str
    folders_only: bool
    back: bool
    """Whether it takes back what an earlier line named."""

    @property
    def depth(self) -> int:
        """How many names a path has that it is about; 0 for any number, where it is about the last; -1 for others."""
        return 0 if "/" not in self.pattern else -1 if "**" in self.pattern else self.pattern.strip("/").count("/") + 1


class _Lines(NamedTuple):
    """Lines between which the order does not matter."""

    back: bool
    by_depth: dict[int, re.Pattern[str]]
    """With as many slashes as the path has, each slash is itself, so that names need not be matched one by one."""
    paths: tuple[PathPattern, ...]

    def name(self, path: str, names: list[str]) -> bool:
        """Whether one of them is about this path."""
        anywhere, here = self.by_depth.get(0), self.by_depth.get(len(names))
        if (anywhere and anywhere.fullmatch(names[-1])) or (here and here.fullmatch(path)):
            return True
        return any(each.matches(names) for each in self.paths)


class Ignored(NamedTuple):
    """What one `.gitignore` names."""

    below: str
    """Its folder, with a slash at the end; empty for the workspace."""
    files: tuple[_Lines, ...]
    folders: tuple[_Lines, ...]
    """The last lines first."""

    def names(self, path: str, *, folder: bool) -> bool | None:
        """Whether it names a path, or takes it back; None if it is not about it."""
        if not path.startswith(self.below):
            return None
        path = path[len(self.below) :]
        names = path.split("/")
        lines = self.folders if folder else self.files
        return next((not each.back for each in lines if each.name(path, names)), None)


@lru_cache(maxsize=64)
def ignored_by(text: str, folder: str) -> tuple[Ignored, ...]:
    """What a `.gitignore` in a folder names, if anything."""
    lines = [found for line in text.splitlines()[:MOST_LINES] if (found := _line(line)) is not None]
    below = "" if folder in {"", "."} else f"{folder}/"
    files = _together(line for line in lines if not line.folders_only)
    return (Ignored(below, files, _together(lines)),) if lines else ()


def _line(line: str) -> _Line | None:
    pattern = line.rstrip()
    if not pattern or pattern.startswith("#"):
        return None
    back = pattern.startswith("!")
    pattern = pattern.removeprefix("!").removeprefix("\\")
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if pattern.startswith("**/") and pattern.count("/") == 1:
        pattern = pattern.removeprefix("**/")  # a name, in any folder
    return _Line(pattern, folders_only, back) if pattern else None


def _together(lines: Iterable[_Line]) -> tuple[_Lines, ...]:
    grouped = [(back, list(group)) for back, group in groupby(lines, key=lambda line: line.back)]
    return tuple(_lines(group, back=back) for back, group in reversed(grouped))


def _lines(lines: list[_Line], *, back: bool) -> _Lines:
    depths = {line.depth for line in lines} - {-1}
    by_depth = {depth: names_like(line.pattern.strip("/") for line in lines if line.depth == depth) for depth in depths}
    return _Lines(back, by_depth, tuple(PathPattern(line.pattern) for line in lines if line.depth < 0))


def is_ignored(lines: tuple[Ignored, ...], path: str, *, folder: bool) -> bool:
    """Whether a path is ignored: the last line about it decides."""
    if folder and path.rpartition("/")[2] in ALWAYS:
        return True
    told = (each.names(path, folder=folder) for each in reversed(lines))
    return next((each for each in told if each is not None), False)
