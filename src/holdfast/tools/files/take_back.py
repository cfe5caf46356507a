"""Takes files of the workspace back to what they held: what stands in the way, and doing it.

A file that holds what the last entry about it says is ours to take back. Anything else was changed by somebody else,
and is taken back only if the person wants that. Each file is replaced, made or removed in one step.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from holdfast.errors import ToolFailed
from holdfast.log.blobs import blob_id
from holdfast.session.file_history import PastFile
from holdfast.tools.files.atomic_replace import Before, look, remove, replace
from holdfast.tools.files.workspace import WorkspaceFiles
from holdfast.tools.step import Stop

Standing = Literal["same", "ours", "theirs", "stuck"]
"""It holds that already; it can be taken back; somebody else changed it since; it cannot be taken back."""


class FoundFile(NamedTuple):
    """A file that was changed since a position, beside what it holds now."""

    past: PastFile
    now: Before
    standing: Standing
    why: str = ""
    """What is in the way, in words."""


def compared(workspace: WorkspaceFiles, files: Iterable[PastFile]) -> tuple[FoundFile, ...]:
    """Look at files as they are now."""
    return tuple(_compared(workspace, each) for each in files)


def _compared(workspace: WorkspaceFiles, past: PastFile) -> FoundFile:
    nothing = Before(past.path, None)
    try:
        place = workspace.place(past.path)
        now = look(workspace, place)
    except ToolFailed as error:
        return FoundFile(past, nothing, "stuck", error.message.removeprefix(f"{past.path} ").rstrip("."))
    if place.path != past.path:
        return FoundFile(past, nothing, "stuck", f"it is a link to {place.path} now")
    held = None if now.data is None else blob_id(now.data)
    if held == past.then:
        return FoundFile(past, now, "same")
    if held not in past.last:
        return FoundFile(past, now, "theirs", "others removed it" if held is None else "others changed it")
    if past.disturbed:
        return FoundFile(past, now, "theirs", "others changed it in between")
    return FoundFile(past, now, "ours")


def take_back(workspace: WorkspaceFiles, found: FoundFile, data: bytes | None, stop: Stop) -> None:
    """Give a file the content it had; None removes it. Raises `ToolFailed` if it changed since it was looked at."""
    if data is None:
        remove(workspace, found.now, stop)
    else:
        replace(workspace, found.now, data, stop, mode=found.past.mode)
