"""What files of the workspace held at a position of the log, as far as tools and rewinds changed them since.

Files have one history, whatever branches the conversation has: what a file held when the log ended at a position is
what it held before the first change after it. A change that the log does not have shows where two entries, or the last
entry and the file, do not fit together.
"""

from collections.abc import Iterable

from holdfast.ids import BlobId, CallId
from holdfast.records.entries import FileChanged
from holdfast.records.parts import Value
from holdfast.session.writer import Session

MEDIA_TYPE = "application/octet-stream"


class PastFile(Value, frozen=True, kw_only=True):
    """A file that was changed since a position."""

    path: str
    then: BlobId | None
    """What it held at the position; None if it was not there."""
    mode: int
    """Its permission bits then; 0 where they are not known."""
    last: tuple[BlobId | None, ...]
    """What it can hold now if nobody else changed it: what the last entry was to give it, or what it held before, if
    that change did not happen. None stands for no file."""
    disturbed: bool = False
    """Whether somebody else changed it between two entries: going back removes that too."""


async def file_changed(
    session: Session,
    path: str,
    before: bytes | None,
    after: BlobId | None,
    *,
    call: CallId | None = None,
    mode: int = 0,
) -> FileChanged:
    """The entry for a change that is about to happen, with what the file holds kept beside the log."""
    kept = None if before is None else await session.attach(before, media_type=MEDIA_TYPE)
    return FileChanged(path=path, call=call, before=kept, after=after, mode=mode)


def past_files(changes: Iterable[FileChanged]) -> tuple[PastFile, ...]:
    """The files that these entries name, by path, as they were before the first of them."""
    found: dict[str, PastFile] = {}
    for change in changes:
        held = _held(change)
        before = found.get(change.path)
        found[change.path] = PastFile(
            path=change.path,
            then=held if before is None else before.then,
            mode=change.mode if before is None else before.mode,
            last=(change.after, held),
            disturbed=before is not None and (before.disturbed or held not in before.last),
        )
    return tuple(found[path] for path in sorted(found))


def intended(change: FileChanged) -> PastFile:
    """The other way round: what a change was to bring, for one that may not have happened."""
    return PastFile(path=change.path, then=change.after, mode=change.mode, last=(_held(change),))


def _held(change: FileChanged) -> BlobId | None:
    return None if change.before is None else change.before.blob
