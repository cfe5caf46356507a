"""`edit_file`: exact pieces of a file replaced by others, all at once.

Every piece is looked for in the file as it is, not as earlier edits would leave it. Edits that do not
fit change nothing: such a call only reads, and tells the model why.
"""

from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, ToolContext, ToolHelp, said
from holdfast.errors import ToolFailed
from holdfast.tools.files.atomic_replace import LARGEST, Before, look, replace
from holdfast.tools.files.diffs import diff
from holdfast.tools.files.match_edits import Edit, edited, too_long
from holdfast.tools.files.nearest import missing
from holdfast.tools.files.text import written
from holdfast.tools.files.workspace import ResolvedPath, WorkspaceFiles
from holdfast.tools.pages import MOST_BYTES, cut_to
from holdfast.tools.step import Step, Stop, in_thread
from holdfast.tools.titles import title

MOST_EDITS = 100
LONGEST_DIFF = MOST_BYTES - 1000
"""Bytes of the difference that are shown to the model."""


class EditArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `edit_file` takes."""

    path: Annotated[str, Meta(min_length=1, description="The file, relative to the workspace.")]
    edits: Annotated[
        tuple[Edit, ...], Meta(min_length=1, max_length=MOST_EDITS, description="What to replace, all at once.")
    ]


class EditFile:
    """Replaces pieces of a file."""

    spec = spec_of(
        "edit_file",
        "Replace exact pieces of a text file. Each `old` must stand in the file exactly once, unless `all` is true; "
        "give enough lines around it. Several edits are made at once or not at all. Returns the difference.",
        EditArguments,
    )
    help = ToolHelp(
        limits=(
            (
                f"Files up to {LARGEST // 1_000_000} MB, before and after, {MOST_EDITS} edits at once; the difference "
                f"is shown up to {LONGEST_DIFF:,} bytes."
            ),
            "Line ends, encoding, byte order mark, mode and owner stay as they are.",
            (
                "Asked about by default, with the difference. `.git`, `.holdfast` and Holdfast's own folders are never "
                "written to."
            ),
        ),
        errors=(
            "`old` is not in the file (the nearest lines are given), or is there more than once (the lines are given).",
            "Two edits overlap, or an edit changes nothing.",
            "The file is not there, binary or too large, or the path leads out of the workspace.",
            "The file changed between the question and the answer; nothing is written then.",
        ),
    )
    seconds = 60.0

    def __init__(self, workspace: WorkspaceFiles) -> None:
        """Edit files of a workspace."""
        self._workspace = workspace

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Fit the edits to the file, and say what would change."""
        wanted = parsed(arguments, EditArguments)
        return await in_thread(lambda _: self._plan(wanted, context))

    def _plan(self, wanted: EditArguments, context: ToolContext) -> Step:
        place = self._workspace.place(wanted.path)
        before = look(self._workspace, place)
        if before.data is None:
            raise missing(self._workspace, place.path)
        try:
            data, change = _changed(before.data, place.path, wanted.edits)
        except ToolFailed as failure:
            return self._misfit(place, failure)
        named = title(self.spec.name, place.path)
        ask = Ask(
            tool=self.spec.name,
            subjects=(place.path,),
            title=named,
            detail=change,
            form="diff",
            edits=not place.sensitive,
        )
        return Step(ask, partial(self._edit, before, data, change, context))

    def _misfit(self, place: ResolvedPath, failure: ToolFailed) -> Step:
        """A call that only tells what is in the way; as that tells of the file, permission is needed as for reading."""

        async def tell() -> Output:
            raise failure

        named = title(self.spec.name, place.path, "(it does not fit; this says why)")
        ask = Ask(tool=self.spec.name, subjects=(place.path,), title=named, reads_only=not place.sensitive)
        return Step(ask, tell)

    async def _edit(self, before: Before, data: bytes, change: str, context: ToolContext) -> Output:
        def write(stop: Stop) -> None:
            replace(self._workspace, before, data, stop)

        await context.keep_before(before.path, before.data, data, before.mode)
        await in_thread(write)
        shown = cut_to(change, LONGEST_DIFF)
        return said(f"Edited {before.path}.\n{shown}" + ("" if shown == change else "\n[the difference goes on]"))


def _changed(data: bytes, path: str, edits: tuple[Edit, ...]) -> tuple[bytes, str]:
    """The new content, and the difference."""
    found = written(data)
    if found is None:
        raise ToolFailed(f"{path} is a binary file; it is not edited.")
    after = edited(found.text, edits, path, most=LARGEST)
    made = found.bytes_of(after)
    if len(made) > LARGEST:
        raise too_long(path)
    return made, diff(found.text, after, path)
