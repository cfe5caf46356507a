"""`list_dir`: what is in a folder."""

import os
from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, ToolContext, ToolHelp, said
from holdfast.errors import ToolFailed
from holdfast.tools.files.nearest import missing
from holdfast.tools.files.text import visible
from holdfast.tools.files.walk import WalkEntry, walk
from holdfast.tools.files.workspace import ResolvedPath, WorkspaceFiles
from holdfast.tools.pages import MOST_BYTES, PageRoom
from holdfast.tools.step import Step, Stop, in_thread
from holdfast.tools.titles import title

DEEPEST = 8
MOST_SECONDS = 10.0


class ListArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `list_dir` takes."""

    path: Annotated[str, Meta(description="The folder, relative to the workspace.")] = "."
    depth: Annotated[int, Meta(ge=1, le=DEEPEST, description="How many levels of folders to show.")] = 1


class ListDir:
    """Lists a folder."""

    spec = spec_of(
        "list_dir",
        "List a folder of the workspace, with sizes of files. Folders end in a slash; links show where they lead.",
        ListArguments,
    )
    help = ToolHelp(
        limits=(
            f"About {MOST_BYTES // 1000} kB and {MOST_SECONDS:g} seconds; {DEEPEST} levels.",
            (
                "`.git`, `node_modules`, `.venv`, caches and folders that `.gitignore` names are shown, not entered, "
                "unless they are what is listed. Links are not followed."
            ),
        ),
        errors=("The folder is not there: the nearest names are given.", "The path leads out of the workspace."),
    )
    seconds = 30.0

    def __init__(self, workspace: WorkspaceFiles, *, seconds: float = MOST_SECONDS) -> None:
        """List folders of a workspace."""
        self._workspace, self._limit = workspace, seconds

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Find the folder."""
        del context  # nothing of the session is needed
        wanted = parsed(arguments, ListArguments)
        place = await in_thread(lambda _: folder_at(self._workspace, wanted.path))
        name = self.spec.name
        ask = Ask(tool=name, subjects=(place.path,), title=title(name, place.path), reads_only=True)
        return Step(ask, partial(self._list, place.path, wanted.depth))

    async def _list(self, path: str, depth: int) -> Output:
        return said(await in_thread(partial(self._rows, path, depth), seconds=self._limit))

    def _rows(self, path: str, depth: int, stop: Stop) -> str:
        rows: list[str] = []
        room = PageRoom()
        above = 0 if path == "." else path.count("/") + 1
        for found in walk(self._workspace, path, depth=depth):
            row = "  " * (found.path.count("/") - above) + _row(found)
            if stop.over or not room.takes(row):
                why = "time is over" if stop.over else f"only {len(rows):,} are shown"
                rows.append(f"[there is more: {why}; list one of the folders, or `find` some by name]")
                break
            rows.append(row)
        return "\n".join(rows) or f"[{path} is empty]"


def folder_at(workspace: WorkspaceFiles, path: str) -> ResolvedPath:
    """The folder that a path leads to. Raises `ToolFailed` if it leads to none."""
    place = workspace.place(path)
    if place.kind == "missing":
        raise missing(workspace, place.path)
    if place.kind != "folder":
        raise ToolFailed(f"{place.path} is not a folder.", hint="`read_file` shows what is in a file.")
    return place


def _row(found: WalkEntry) -> str:
    name = visible(found.name)
    try:
        match found.kind:
            case "folder":
                return f"{name}/{' (not entered)' if found.skipped else ''}"
            case "link":
                return f"{name} -> {visible(os.readlink(found.name, dir_fd=found.folder))}"
            case "file":
                size = os.stat(found.name, dir_fd=found.folder, follow_symlinks=False).st_size
                return f"{name} ({size:,} bytes)"
            case "other":
                return f"{name} (device, pipe or socket)"
    except OSError:
        return f"{name} (gone, or changed just now)"
