"""`write_file`: a whole file, new or in the place of another."""

from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, ToolContext, ToolHelp, said
from holdfast.errors import ToolFailed
from holdfast.tools.files.atomic_replace import LARGEST, Before, look, replace
from holdfast.tools.files.diffs import diff
from holdfast.tools.files.text import DecodedText, lines_of, written
from holdfast.tools.files.workspace import WorkspaceFiles
from holdfast.tools.step import Step, Stop, in_thread
from holdfast.tools.titles import title


class WriteArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `write_file` takes."""

    path: Annotated[str, Meta(min_length=1, description="The file, relative to the workspace.")]
    content: Annotated[str, Meta(description="All that the file is to hold.")]


class WriteFile:
    """Writes a file."""

    spec = spec_of(
        "write_file",
        "Write a whole file of the workspace; what it held before is replaced, and missing folders are made. "
        "To change parts of a file, use edit_file.",
        WriteArguments,
    )
    help = ToolHelp(
        limits=(
            f"Files up to {LARGEST // 1_000_000} MB, written as UTF-8; the mode and owner of a file stay.",
            "The file is replaced in one step: a crash leaves the old content or the new.",
            (
                "Asked about by default, with the difference. `.git`, `.holdfast` and Holdfast's own folders are never "
                "written to."
            ),
        ),
        errors=(
            "The path leads out of the workspace, to a folder, or to one that is kept from file tools.",
            "The file changed between the question and the answer; nothing is written then.",
            "The file is marked as not to be written, or the disk is full.",
        ),
    )
    seconds = 60.0

    def __init__(self, workspace: WorkspaceFiles) -> None:
        """Write files of a workspace."""
        self._workspace = workspace

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Look at what is there, and say what would change."""
        wanted = parsed(arguments, WriteArguments)
        return await in_thread(lambda _: self._plan(wanted, context))

    def _plan(self, wanted: WriteArguments, context: ToolContext) -> Step:
        data = DecodedText("").bytes_of(wanted.content)
        if len(data) > LARGEST:
            raise ToolFailed(
                f"The content is longer than {LARGEST // 1_000_000} MB.", hint="Write less, or use a command."
            )
        place = self._workspace.place(wanted.path)
        before = look(self._workspace, place)
        ask = Ask(
            tool=self.spec.name,
            subjects=(before.path,),
            title=title(self.spec.name, before.path, "(new)" if before.data is None else "(over what is there)"),
            detail=_detail(before, wanted.content),
            form="diff",
            edits=not place.sensitive,
        )
        return Step(ask, partial(self._write, before, data, context))

    async def _write(self, before: Before, data: bytes, context: ToolContext) -> Output:
        def write(stop: Stop) -> None:
            replace(self._workspace, before, data, stop)

        await context.keep_before(before.path, before.data, data, before.mode)
        await in_thread(write)
        done = "Created" if before.data is None else "Replaced"
        return said(f"{done} {before.path}: {len(lines_of(data.decode())):,} lines, {len(data):,} bytes.")


def _detail(before: Before, content: str) -> str:
    """What would change; a binary file is said to be replaced, not shown."""
    old = written(before.data) if before.data is not None else None
    if before.data is not None and old is None:
        return f"replaces a binary file of {len(before.data):,} bytes\n{diff(None, content, before.path)}"
    return diff(old.text if old else None, content, before.path) or "(no difference)"
