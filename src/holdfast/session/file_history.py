"""What files of the workspace held at a position of the log, as far as tools and rewinds changed them since.

Files have one history, whatever branches the conversation has: what a file held when the log ended at a position is
what it held before the first change after it. A change that the log does not have shows where two entries, or the last
entry and the file, do not fit together.
"""

from collections.abc import Iterable

from holdfast.ids import BlobId, CallId
from holdfast.log.blobs import blob_id
from holdfast.records.entries import FileChanged
from holdfast.records.parts import Blob, Value
from holdfast.session.writer import Session

MEDIA_TYPE = "application/octet-stream"


class PastFile(Value, frozen=True, kw_only=True):
    """A file that was changed since a position."""

    path: str
    then: Blob | None
    """What it held at the position; None if it was not there."""
    mode: int
    """Its permission bits then; 0 where they are not known."""
    last: tuple[BlobId | None, ...]
    """What it can hold now if nobody else changed it: what the last entry was to give it, or what it held before, if
    that change did not happen. None stands for no file."""
    disturbed: bool = False
    """Whether somebody else changed it between two entries: going back removes that too."""


async def file_changed(
    session: Session, path: str, before: bytes | None, after: bytes | None, *, call: CallId | None = None, mode: int = 0
) -> FileChanged:
    """The entry for a change that is about to happen, with what the file holds kept beside the log."""
    kept = None if before is None else await session.attach(before, media_type=MEDIA_TYPE)
    hashed = None if after is None else blob_id(after)
    return FileChanged(path=path, call=call, before=kept, after=hashed, mode=mode)


def past_files(changes: Iterable[FileChanged]) -> tuple[PastFile, ...]:
    """The files that these entries name, by path, as they were before the first of them."""
    found: dict[str, PastFile] = {}
    for change in changes:
        held = None if change.before is None else change.before.blob
        before = found.get(change.path)
        found[change.path] = PastFile(
            path=change.path,
            then=change.before if before is None else before.then,
            mode=change.mode if before is None else before.mode,
            last=(change.after, held),
            disturbed=before is not None and (before.disturbed or held not in before.last),
        )
    return tuple(found[path] for path in sorted(found))


async def files_since(session: Session, position: int) -> tuple[PastFile, ...]:
    """The files that were changed after a position, and what they held when the log ended there."""
    records = [record async for record in session.read(start=position + 1)]
    return past_files(record.entry for record in records if isinstance(record.entry, FileChanged))
