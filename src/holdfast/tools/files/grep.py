"""`grep`: lines of files by what is in them."""

import asyncio
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, ToolContext, ToolHelp, said
from holdfast.errors import ToolFailed
from holdfast.tools.files.grep_process import LARGEST_FILE, LONGEST_LINE, MOST_MATCHES, MOST_SECONDS
from holdfast.tools.files.nearest import missing
from holdfast.tools.files.workspace import ResolvedPath, WorkspaceFiles
from holdfast.tools.pages import MOST_BYTES, PageRoom
from holdfast.tools.shell.child import child
from holdfast.tools.step import Step, in_thread
from holdfast.tools.titles import title

LONGEST_PATTERN = 2000
MOST_CONTEXT = 10


class GrepArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `grep` takes."""

    pattern: Annotated[
        str, Meta(min_length=1, max_length=LONGEST_PATTERN, description="A regular expression of Python, for one line.")
    ]
    path: Annotated[str, Meta(description="The file or folder to search, relative to the workspace.")] = "."
    glob: Annotated[
        str, Meta(max_length=500, description="Only files whose name or path matches, such as `*.py` or `src/**/*.py`.")
    ] = ""
    literal: Annotated[bool, Meta(description="Look for the pattern as it is, not as a regular expression.")] = False
    ignore_case: Annotated[bool, Meta(description="Take capitals and small letters for the same.")] = False
    context: Annotated[int, Meta(ge=0, le=MOST_CONTEXT, description="Lines to show before and after each match.")] = 0


class Grep:
    """Searches files."""

    spec = spec_of(
        "grep",
        "Search the files of the workspace, line by line. Shows each file with the numbers of the lines that match; "
        "lines around them are marked with a dash.",
        GrepArguments,
    )
    help = ToolHelp(
        limits=(
            (
                f"{MOST_MATCHES} lines that match, about {MOST_BYTES // 1000} kB, {MOST_SECONDS:g} seconds; lines "
                f"are cut at {LONGEST_LINE} characters. What takes longer is stopped, and what was found is shown."
            ),
            (
                f"Binary files and files over {LARGEST_FILE >> 20} MiB are left out; so are `.git`, `node_modules`, "
                "`.venv`, caches and what `.gitignore` names, unless `path` is in such a folder. No link is followed."
            ),
            "Files that look as if they held secrets are left out, which is said; naming one in `path` asks first.",
        ),
        errors=(
            "The pattern is not a regular expression.",
            "The file or folder is not there: the nearest names are given.",
            "The path leads out of the workspace.",
        ),
    )
    seconds = MOST_SECONDS + 10

    def __init__(self, workspace: WorkspaceFiles, *, seconds: float = MOST_SECONDS) -> None:
        """Search a workspace."""
        self._workspace, self._limit = workspace, seconds

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Find what is to be searched."""
        del context  # nothing of the session is needed
        wanted = parsed(arguments, GrepArguments)
        place = await in_thread(lambda _: self._find(wanted.path))
        ask = Ask(
            tool=self.spec.name,
            subjects=(place.path,),
            title=title(self.spec.name, wanted.pattern, f"in {place.path}"),
            reads_only=not place.sensitive,
        )
        return Step(ask, partial(self._search, place, wanted))

    def _find(self, path: str) -> ResolvedPath:
        place = self._workspace.place(path)
        if place.kind == "missing":
            raise missing(self._workspace, place.path)
        if place.kind == "other":
            raise ToolFailed(f"{place.path} is a device, pipe or socket; it is not searched.")
        return place

    async def _search(self, place: ResolvedPath, wanted: GrepArguments) -> Output:
        job = {
            **msgspec.structs.asdict(wanted),
            "root": str(self._workspace.root),
            "path": place.path,
            "kind": place.kind,
            "folders": [str(folder) for folder in self._workspace.folders],
            "private": self._workspace.private,
            "secrets": place.sensitive,
        }
        rows = _Rows()
        try:
            async with asyncio.timeout(self._limit), child("holdfast.tools.files.grep_process", job) as answers:
                async for each in answers:
                    rows.take(each)
                    if rows.full:
                        break
        except TimeoutError:
            rows.end(f"the search was stopped after {self._limit:g} seconds; give a simpler pattern or a folder")
        return said(rows.text(wanted.pattern, place.path))


class _Rows:
    """What is shown, as the answers come."""

    def __init__(self) -> None:
        self._rows: list[str] = []
        self._notes: list[str] = []
        self._room = PageRoom()
        self._path, self._last = "", 0
        self._ended = False

    @property
    def full(self) -> bool:
        return self._ended

    def end(self, why: str) -> None:
        self._ended = True
        self._notes.append(f"[{why}]")

    def take(self, line: dict[str, Any]) -> None:
        if "failed" in line:
            raise ToolFailed(line["failed"])
        if "done" in line:
            self._finish(line)
            return
        if line["path"] != self._path:
            self._path, self._last = line["path"], line["number"] - 1
            self._rows.append(self._path)
            self._room.takes(self._path)
        if line["number"] > self._last + 1:
            self._rows.append("  …")
        self._last = line["number"]
        row = f"{line['number']:>6}{':' if line['hit'] else '-'} {line['text']}"
        if self._room.takes(row):
            self._rows.append(row)
        else:
            self.end("there is more; give a narrower pattern, a glob or a folder")

    def _finish(self, line: dict[str, Any]) -> None:
        if line["secret"]:
            many = f"{line['secret']} files" if line["secret"] > 1 else "1 file"
            self._notes.append(f"[not searched: {many} that may hold secrets; name one as `path` to ask for it]")
        if line["large"]:
            self._notes.append(f"[not searched: {line['large']} over {LARGEST_FILE >> 20} MiB]")
        self._ended = True
        if line["full"]:
            self.end(f"only {MOST_MATCHES} matches are shown; give a narrower pattern, a glob or a folder")

    def text(self, pattern: str, path: str) -> str:
        if not self._ended:
            raise ToolFailed("The search broke down.", hint="Try a simpler pattern or a smaller folder.")
        return "\n".join((self._rows or [f"Nothing in {path} matches {pattern}."]) + self._notes)
