"""Going on with a log: what its next writer does before the first append.

One at a time: a writer that is paused here may be fenced meanwhile, and must not
mend, go on with or remove what belongs to the next one when it wakes.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from holdfast.errors import ReadOnly
from holdfast.stores.files import disk
from holdfast.stores.files.lease import Doubt, FileLease
from holdfast.stores.files.repair import End, mend
from holdfast.stores.files.segments import opened, segment_numbers, segment_path
from holdfast.stores.files.writer import begin


def resume(folder: Path, lease: FileLease, *, fenced: bool) -> End:
    """Mend the end of the log, make sure it is on the disk, and leave a segment that cannot be trusted behind.

    After a take-over the former holder may still write to the segment it knows, and
    after a failed sync the bytes it was for may be gone from the disk though they can
    be read. In both cases the log goes on in a new segment, which repeats those lines; and
    so it does where someone left a copy under a later number, which would end the log otherwise.
    """
    with alone(folder, lease):
        keep_names(folder)
        while True:
            try:
                return _resumed(folder, lease, fenced=fenced or lease.fenced)
            except FileExistsError:
                continue  # a fenced writer began that segment just before; the log goes on behind it


def _resumed(folder: Path, lease: FileLease, *, fenced: bool) -> End:
    end = mend(folder)
    if not end.segment or not end.usable:
        return end
    path, highest = segment_path(folder, end.segment), max(segment_numbers(folder))
    from_offset = end.size
    doubt = lease.doubt
    if doubt is not None and doubt.segment == end.segment:
        from_offset = min(doubt.offset, end.last_start)
    elif fenced or end.segment != highest:
        from_offset = end.last_start
    with opened(path) as descriptor:
        try:
            disk.sync_file(descriptor)
        except OSError as error:
            # The system says this once; whoever comes next would be told that all is well.
            lease.write_doubt(Doubt(segment=end.segment, offset=0))
            raise ReadOnly(f"The disk refused to keep {path}: {error.strerror}.", hint="Check the disk.") from error
        data = os.pread(descriptor, end.size - from_offset, from_offset)
    if data:
        os.close(begin(folder, highest + 1, data))
        end = msgspec.structs.replace(end, segment=highest + 1, size=len(data), last_start=0)
    if doubt is not None or fenced:
        lease.settle()
    return end


@contextmanager
def alone(folder: Path, lease: FileLease) -> Iterator[None]:
    """Be the only one who changes what a session's folder holds; raises `Fenced` if that is another one's turn."""
    with opened(folder) as place:
        fcntl.flock(place, fcntl.LOCK_EX)
        lease.check()
        yield


def keep_names(folder: Path) -> None:
    """Make the names last that the writer before may have died over: they can be read, and may not be on the disk.

    The first segment is made by someone who came through here, so the store's own
    names need it only before that.
    """
    names = [folder, folder.parent]
    if not segment_numbers(folder):
        root = folder.parent.parent
        # A folder we cannot write to is one we made no name in.
        names += [each for each in (root, root.parent) if os.access(each, os.R_OK | os.W_OK)]
    for each in names:
        disk.sync_folder(each)
