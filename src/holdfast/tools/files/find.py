"""`find`: files and folders by name."""

from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, ToolContext, ToolHelp, said
from holdfast.tools.files.globs import matches
from holdfast.tools.files.list import folder_at
from holdfast.tools.files.text import visible
from holdfast.tools.files.walk import DEEPEST, walk
from holdfast.tools.files.workspace import WorkspaceFiles
from holdfast.tools.pages import MOST_BYTES, PageRoom
from holdfast.tools.step import Step, Stop, in_thread
from holdfast.tools.titles import title

MOST_SECONDS = 15.0
LONGEST_PATTERN = 500


class FindArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `find` takes."""

    pattern: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=LONGEST_PATTERN,
            description="`*.py` for names in any folder, `src/**/test_*.py` for paths; also `?`, `[a-z]`, `{a,b}`.",
        ),
    ]
    path: Annotated[str, Meta(description="The folder to look in, relative to the workspace.")] = "."


class Find:
    """Finds files and folders."""

    spec = spec_of(
        "find",
        "Find files and folders by name. Folders end in a slash. To look into files, use grep.",
        FindArguments,
    )
    help = ToolHelp(
        limits=(
            f"About {MOST_BYTES // 1000} kB and {MOST_SECONDS:g} seconds; {DEEPEST} levels of folders.",
            (
                "`.git`, `node_modules`, `.venv`, caches and what `.gitignore` names are left out, unless `path` is in "
                "such a folder. Links are not followed."
            ),
        ),
        errors=("The folder is not there: the nearest names are given.", "The path leads out of the workspace."),
    )
    seconds = 30.0

    def __init__(self, workspace: WorkspaceFiles, *, seconds: float = MOST_SECONDS) -> None:
        """Look in a workspace."""
        self._workspace, self._limit = workspace, seconds

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Find the folder to look in."""
        del context  # nothing of the session is needed
        wanted = parsed(arguments, FindArguments)
        place = await in_thread(lambda _: folder_at(self._workspace, wanted.path))
        named = title(self.spec.name, wanted.pattern, f"in {place.path}")
        ask = Ask(tool=self.spec.name, subjects=(place.path,), title=named, reads_only=True)
        return Step(ask, partial(self._find, place.path, wanted.pattern))

    async def _find(self, path: str, pattern: str) -> Output:
        return said(await in_thread(partial(self._rows, path, pattern), seconds=self._limit))

    def _rows(self, path: str, pattern: str, stop: Stop) -> str:
        rows: list[str] = []
        room = PageRoom()
        above = 0 if path == "." else len(path) + 1
        for found in walk(self._workspace, path):
            row = visible(found.path) + ("/" if found.kind == "folder" else "")
            fits = not found.skipped and matches(pattern, found.path[above:])
            if stop.over or (fits and not room.takes(row)):
                why = "time is over" if stop.over else f"only {len(rows):,} are shown"
                rows.append(f"[there may be more: {why}; give a narrower pattern or a folder]")
                break
            rows += [row] if fits else []
        return "\n".join(rows) or f"Nothing in {path} matches {pattern}."
