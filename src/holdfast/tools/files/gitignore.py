"""What `.gitignore` files name, as git reads them: comments, `!`, escapes, folders only, `*`, `?`, `**`, `[…]`.

Brackets with a slash in them and git's other lists are not read. Lines that mean the same, one after
the other, are looked at as one: there may be hundreds of them, and each file is held against them.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from holdfast.tools.files.globs import PathPattern

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
        if "/" not in self.pattern:
            return 0
        pieces = self.pattern.removeprefix("/").split("/")
        return -1 if "**" in pieces else len(pieces)


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
    written = _as_bytes(text.removeprefix("\ufeff")).split("\n")[:MOST_LINES]
    lines = [found for line in written if (found := _line(line)) is not None]
    below = "" if folder in {"", "."} else f"{_as_bytes(folder)}/"
    files = _together(line for line in lines if not line.folders_only)
    return (Ignored(below, files, _together(lines)),) if lines else ()


def _as_bytes(text: str) -> str:
    """Each byte as a character: git matches bytes, so `?` is one byte of a character that has several."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _line(line: str) -> _Line | None:
    pattern = _without_blanks(line.removesuffix("\r"))
    if not pattern or pattern.startswith("#"):
        return None
    back = pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    if pattern.startswith("**/") and pattern.count("/") == 1:
        pattern = pattern.removeprefix("**/")  # a name, in any folder
    # Git holds a line with an unclosed bracket or a lone escape against nothing.
    valid = all(_name_regex(piece) is not None for piece in pattern.split("/"))
    return _Line(pattern, folders_only, back) if pattern and valid else None


def _without_blanks(line: str) -> str:
    """The line without blanks at its end; an escaped one stays."""
    stripped = line.rstrip(" ")
    escapes = len(stripped) - len(stripped.rstrip("\\"))
    return line[: len(stripped) + 1] if escapes % 2 and len(stripped) < len(line) else stripped


def _together(lines: Iterable[_Line]) -> tuple[_Lines, ...]:
    grouped = [(back, list(group)) for back, group in groupby(lines, key=lambda line: line.back)]
    return tuple(_lines(group, back=back) for back, group in reversed(grouped))


def _lines(lines: list[_Line], *, back: bool) -> _Lines:
    depths = {line.depth for line in lines} - {-1}
    by_depth = {
        depth: re.compile("|".join(_path_regex(line.pattern) for line in lines if line.depth == depth), re.DOTALL)
        for depth in depths
    }
    return _Lines(back, by_depth, tuple(PathPattern(each.pattern, _name_pattern) for each in lines if each.depth < 0))


def _path_regex(pattern: str) -> str:
    return "/".join(_name_regex(piece) or "" for piece in pattern.removeprefix("/").split("/"))


@lru_cache(maxsize=1024)
def _name_pattern(piece: str) -> re.Pattern[str]:
    return re.compile(_name_regex(piece) or "", re.DOTALL)


@lru_cache(maxsize=1024)
def _name_regex(piece: str) -> str | None:
    """A regular expression for one name of a path; None if git holds the pattern against nothing."""
    fixed, at = [""], 0
    while at < len(piece):
        char = piece[at]
        at += 1
        if char == "*":
            fixed.append("")
        elif char == "?":
            fixed[-1] += "[^/]"
        elif char == "[":
            found = _bracket(piece, at)
            if found is None:
                return None
            fixed[-1] += found[0]
            at = found[1]
        elif char == "\\":
            if at == len(piece):
                return None
            fixed[-1] += re.escape(piece[at])
            at += 1
        else:
            fixed[-1] += re.escape(char)
    if len(fixed) == 1:
        return fixed[0]
    # What stands between two stars is found where it first fits and never looked for again, so no pattern is slow.
    between = "".join(f"(?>[^/]*?{each})" for each in fixed[1:-1] if each)
    return f"{fixed[0]}{between}[^/]*{fixed[-1]}"


_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


def _bracket(piece: str, at: int) -> tuple[str, int] | None:
    """A set of characters from behind its bracket on, and where it ends; None if it is never closed, or not valid."""
    negated = piece[at : at + 1] in {"!", "^"}
    at += negated
    sets, before, first = "", "", True
    while first or piece[at : at + 1] != "]":
        first = False
        if piece.startswith("[:", at) and (end := piece.find("]", at + 2)) > 0 and piece[end - 1] == ":":
            if (known := _CLASSES.get(piece[at + 2 : end - 1])) is None:
                return None
            sets, before, at = sets + known, "", end + 1
        elif piece[at : at + 1] == "-" and before and piece[at + 1 : at + 2] not in {"", "]"}:
            at += 2 if piece[at + 1] == "\\" else 1
            last = piece[at : at + 1]
            if not last:
                return None
            sets += f"{re.escape(before)}-{re.escape(last)}" if before <= last else ""
            before, at = "", at + 1
        else:
            at += piece[at : at + 1] == "\\"
            before = piece[at : at + 1]
            if not before:
                return None
            sets += re.escape(before)
            at += 1
    any_of = f"[{'^' if negated else ''}{sets}]" if sets else "." if negated else "(?!)"
    return f"(?!/){any_of}", at + 1


def is_ignored(lines: tuple[Ignored, ...], path: str, *, folder: bool) -> bool:
    """Whether a path is ignored: the last line about it decides."""
    if folder and path.rpartition("/")[2] in ALWAYS:
        return True
    path = _as_bytes(path)
    told = (each.names(path, folder=folder) for each in reversed(lines))
    return next((each for each in told if each is not None), False)
