"""`read_file`: text with numbered lines, images as attachments, the words of PDF files."""

from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, ToolContext, ToolHelp, said
from holdfast.errors import ToolFailed
from holdfast.records.images import image_type, is_half
from holdfast.records.parts import Text
from holdfast.tools.files.nearest import missing
from holdfast.tools.files.text import lines_of, written
from holdfast.tools.files.workspace import ResolvedPath, WorkspaceFiles
from holdfast.tools.pages import LONGEST_LINE, MOST_BYTES, MOST_LINES, paged
from holdfast.tools.step import Step, in_thread
from holdfast.tools.titles import title
from holdfast.tools.web.pdf import MOST_PAGES, MOST_SECONDS, is_pdf, words_of

LARGEST_FILE = 32 << 20
"""Bytes of a file that can be read."""
LARGEST_IMAGE = 5 << 20
"""Bytes of an image; more is more than providers take."""


class ReadArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `read_file` takes."""

    path: Annotated[str, Meta(min_length=1, description="The file, relative to the workspace.")]
    start: Annotated[int, Meta(ge=1, description="The first line to show, or the first page of a PDF.")] = 1
    count: Annotated[int, Meta(ge=1, le=MOST_LINES, description="How many lines to show, or pages of a PDF.")] = (
        MOST_LINES
    )


class ReadFile:
    """Reads a file."""

    spec = spec_of(
        "read_file",
        "Read a file of the workspace: text with line numbers, an image (png, jpeg, gif, webp), or the words of a PDF. "
        "Long files are shown in pieces; the last line says how to go on.",
        ReadArguments,
    )
    help = ToolHelp(
        limits=(
            (
                f"{MOST_LINES:,} lines and about {MOST_BYTES // 1000} kB at a time; lines are cut at {LONGEST_LINE:,} "
                "characters."
            ),
            f"Files up to {LARGEST_FILE >> 20} MiB, images up to {LARGEST_IMAGE >> 20} MiB.",
            f"{MOST_PAGES} pages of a PDF at a time, within {MOST_SECONDS:g} seconds; needs the extra `pdf`.",
            "Text is UTF-8, or UTF-16 with its mark; anything else is shown as latin-1, which is said.",
            "Files that look as if they held secrets (`.env`, keys, `.ssh`, …) are read only after asking.",
        ),
        errors=(
            "The file is not there: the nearest names are given.",
            "The path leads out of the workspace, or to a folder, device or pipe.",
            "The file is binary, too large, an image that is cut off, or a PDF that cannot be read.",
            "`start` is beyond the end: the number of lines is given.",
        ),
    )
    seconds = 60.0

    def __init__(self, workspace: WorkspaceFiles) -> None:
        """Read files of a workspace."""
        self._workspace = workspace

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Find the file; it is opened when the call is run."""
        wanted = parsed(arguments, ReadArguments)
        place = await in_thread(lambda _: self._find(wanted.path))
        ask = Ask(
            tool=self.spec.name,
            subjects=(place.path,),
            title=title(self.spec.name, place.path),
            detail=f"{place.path} looks as if it held secrets; its content would be sent to the model."
            if place.sensitive
            else "",
            reads_only=not place.sensitive,
        )
        return Step(ask, partial(self._read, place.path, wanted, context))

    def _find(self, path: str) -> ResolvedPath:
        place = self._workspace.place(path)
        if place.kind == "missing":
            raise missing(self._workspace, place.path)
        if place.kind == "folder":
            raise ToolFailed(f"{place.path} is a folder.", hint="`list_dir` shows what is in it.")
        return place

    async def _read(self, path: str, wanted: ReadArguments, context: ToolContext) -> Output:
        data = await in_thread(lambda _: _content(self._workspace, path))
        if is_pdf(data):
            with self._workspace.file(path) as opened:
                return said(await words_of(opened, path, start=wanted.start, count=wanted.count))
        if media_type := image_type(data):
            return await _image(data, media_type, path, context)
        return said(await in_thread(lambda _: _text(data, path, wanted)))


def _content(workspace: WorkspaceFiles, path: str) -> bytes:
    with workspace.file(path) as opened:
        data = opened.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ToolFailed(
            f"{path} is larger than {LARGEST_FILE >> 20} MiB.", hint="Look for what you need with `grep`, or a command."
        )
    return data


async def _image(data: bytes, media_type: str, path: str, context: ToolContext) -> Output:
    if len(data) > LARGEST_IMAGE:
        raise ToolFailed(
            f"{path} is an image of {len(data):,} bytes; at most {LARGEST_IMAGE:,} can be shown.",
            hint="Make it smaller.",
        )
    if is_half(data):
        raise ToolFailed(
            f"{path} begins as {media_type} does, and is cut off or damaged; it is not shown.", hint="Get it once more."
        )
    blob = await context.attach(data, media_type=media_type, name=path.rpartition("/")[2])
    return Output(parts=(Text(text=f"{path}: {media_type}, {len(data):,} bytes"), blob))


def _text(data: bytes, path: str, wanted: ReadArguments) -> str:
    found = written(data)
    if found is None:
        raise ToolFailed(f"{path} is a binary file of {len(data):,} bytes; it is not shown.")
    shown = paged(lines_of(found.text), wanted.start, wanted.count, what=path)
    return f"{found.note}\n{shown}" if found.note else shown
