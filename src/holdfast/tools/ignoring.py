"""What `.gitignore` files name: comments, `!`, folders only, paths from where the file is, `*`, `?`, `**`, `[…]`.

Escapes within a pattern and git's other lists of what to ignore are not read.
"""

from typing import NamedTuple

from holdfast.tools.globs import matches

ALWAYS = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"})
"""Folders that are never entered unless they are named."""

FILE = ".gitignore"
MOST_BYTES = 100_000
"""Of one such file; what is beyond is not read."""


class Ignored(NamedTuple):
    """One line of a `.gitignore`."""

    pattern: str
    """Matched against the path from the folder of the file; without a slash, against the name."""
    below: str
    """The folder of the file, with a slash at the end; empty for the workspace."""
    folders_only: bool
    back: bool
    """Whether it takes back what an earlier line named."""

    def names(self, path: str, *, folder: bool) -> bool:
        """Whether it is about this path."""
        if not path.startswith(self.below) or (self.folders_only and not folder):
            return False
        return matches(self.pattern, path[len(self.below) :])


def ignored_by(text: str, folder: str) -> tuple[Ignored, ...]:
    """The lines of a `.gitignore` in a folder."""
    return tuple(found for line in text.splitlines() if (found := _ignored(line, folder)) is not None)


def _ignored(line: str, folder: str) -> Ignored | None:
    pattern = line.rstrip()
    if not pattern or pattern.startswith("#"):
        return None
    back = pattern.startswith("!")
    pattern = pattern.removeprefix("!").removeprefix("\\")
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if "/" in pattern and not pattern.startswith("**/"):
        pattern = f"./{pattern.lstrip('/')}"  # a slash ties it to this folder
    below = "" if folder in {"", "."} else f"{folder}/"
    return Ignored(pattern, below, folders_only, back) if pattern else None


def is_ignored(lines: tuple[Ignored, ...], path: str, *, folder: bool) -> bool:
    """Whether a path is ignored: the last line about it decides."""
    if folder and path.rpartition("/")[2] in ALWAYS:
        return True
    return next((not line.back for line in reversed(lines) if line.names(path, folder=folder)), False)
