"""Walks a folder in order of names, without following links.

Each folder is opened in the one above it, so that a walk cannot be led out of the workspace. What
`.gitignore` names is mentioned and not entered.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal, NamedTuple

from holdfast.errors import ToolFailed
from holdfast.tools.files.gitignore import FILE, MOST_BYTES, Ignored, ignored_by, is_ignored
from holdfast.tools.files.workspace import WorkspaceFiles, open_file

DEEPEST = 64
"""Folders within folders that are entered."""


class WalkEntry(NamedTuple):
    """Something in a folder."""

    path: str
    """From the workspace, with slashes."""
    name: str
    kind: Literal["file", "folder", "link", "other"]
    folder: int
    """The open folder it is in; only until the walk goes on."""
    skipped: bool = False
    """Whether `.gitignore` or the list of folders that are not entered names it."""


def walk(workspace: WorkspaceFiles, base: str, *, depth: int = DEEPEST) -> Iterator[WalkEntry]:
    """Everything below a folder by a path of `WorkspaceFiles.place`."""
    lines: tuple[Ignored, ...] = ()
    above = "" if base == "." else base
    names = above.split("/") if above else []
    for at in range(len(names)):
        lines += _lines(workspace, "/".join(names[:at]))
        if is_ignored(lines, "/".join(names[: at + 1]), folder=True):
            lines = ()  # asked for by name, so what hides it does not count
            break
    with workspace.folder(base) as here:
        yield from _below(here, above, lines, depth)


def _lines(workspace: WorkspaceFiles, folder: str) -> tuple[Ignored, ...]:
    with workspace.folder(folder) as here:
        return _lines_in(here, folder)


def _lines_in(here: int, path: str) -> tuple[Ignored, ...]:
    try:
        with open_file(FILE, here) as opened:
            return ignored_by(opened.read(MOST_BYTES).decode(errors="replace"), path)
    except (OSError, ToolFailed):
        return ()


def _below(above: int, path: str, lines: tuple[Ignored, ...], depth: int) -> Iterator[WalkEntry]:
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=above)
    try:
        lines += _lines_in(here, path)
        with os.scandir(here) as entries:
            inside = sorted((_found(entry, here, path, lines) for entry in entries), key=lambda each: each.name)
        for each in inside:
            yield each
            if each.kind == "folder" and not each.skipped and depth > 1:
                yield from _entered(each, lines, depth - 1)
    finally:
        os.close(here)


def _entered(found: WalkEntry, lines: tuple[Ignored, ...], depth: int) -> Iterator[WalkEntry]:
    """What lies below a folder; nothing if it cannot be opened, or is none any more."""
    with suppress(OSError):
        inner = os.open(found.name, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=found.folder)
        try:
            yield from _below(inner, found.path, lines, depth)
        finally:
            os.close(inner)


def _found(entry: "os.DirEntry[str]", here: int, path: str, lines: tuple[Ignored, ...]) -> WalkEntry:
    whole = f"{path}/{entry.name}" if path else entry.name
    if entry.is_symlink():
        return WalkEntry(whole, entry.name, "link", here)
    folder = entry.is_dir(follow_symlinks=False)
    kind: Literal["file", "other"] = "file" if entry.is_file(follow_symlinks=False) else "other"
    return WalkEntry(whole, entry.name, "folder" if folder else kind, here, is_ignored(lines, whole, folder=folder))
