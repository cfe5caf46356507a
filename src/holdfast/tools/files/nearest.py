"""A file that is not there: which names are near, so that the next try is right."""

import os
from collections.abc import Iterator
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice

from holdfast.errors import ToolFailed
from holdfast.tools.files.text import visible
from holdfast.tools.files.walk import walk
from holdfast.tools.files.workspace import WorkspaceFiles

MOST_NAMES = 5
MOST_LOOKED_AT = 5000
"""Entries of the workspace that are looked at for a file of the same name."""


def missing(workspace: WorkspaceFiles, path: str) -> ToolFailed:
    """Say that a path of `WorkspaceFiles.place` is missing, and what is near."""
    near = list(dict.fromkeys([*_beside(workspace, path), *_elsewhere(workspace, path)]))[:MOST_NAMES]
    hint = f"Did you mean {', '.join(near)}?" if near else "`list_dir` and `find` show what there is."
    return ToolFailed(f"There is no {path} in the workspace.", hint=hint)


def _beside(workspace: WorkspaceFiles, path: str) -> list[str]:
    """Like names in the folder where it should be."""
    folder, _, name = path.rpartition("/")
    with suppress(ToolFailed), workspace.folder(folder) as here:
        opened = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=here)
        try:
            names = [visible(each) for each in islice(_names(opened), MOST_LOOKED_AT)]
        finally:
            os.close(opened)
        alike = {each.casefold(): each for each in names}
        found = get_close_matches(name.casefold(), alike, n=MOST_NAMES)
        return [f"{folder}/{alike[each]}" if folder else alike[each] for each in found]
    return []


def _names(folder: int) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry.name


def _elsewhere(workspace: WorkspaceFiles, path: str) -> list[str]:
    """Files of the same name in other folders."""
    name = path.rpartition("/")[2].casefold()
    looked_at = islice(walk(workspace, "."), MOST_LOOKED_AT)
    return [visible(each.path) for each in looked_at if each.name.casefold() == name and not each.skipped]
