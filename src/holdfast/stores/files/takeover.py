"""Takes over a log: what its next writer does before the first append.

One at a time: a writer that is paused here may be fenced meanwhile, and must not
mend, go on with or remove what belongs to the next one when it wakes.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from holdfast.errors import Held, ReadOnly
from holdfast.log.lease import Holder
from holdfast.stores.files import disk
from holdfast.stores.files.folder_names import key_of
from holdfast.stores.files.lease import Doubt, FileLease
from holdfast.stores.files.repair import End, mend
from holdfast.stores.files.segments import opened, segment_numbers, segment_path
from holdfast.stores.files.writer import begin

PATIENCE_SECONDS = 10.0
"""How long the next holder waits for a fenced one to be done: longer than one that is awake takes."""
LOOK_SECONDS = 0.02
"""How often it looks."""


def resume(folder: Path, lease: FileLease, *, fenced: bool, patience: float = PATIENCE_SECONDS) -> End:
    """Mend the end of the log, make sure it is on the disk, and leave a segment that cannot be trusted behind.

    After a take-over the former holder may still write to the segment it knows, and
    after a failed sync the bytes it was for may be gone from the disk though they can
    be read. In both cases the log goes on in a new segment, which repeats those lines; and
    so it does where someone left a copy under a later number, which would end the log otherwise.
    """
    with alone(folder, lease, patience):
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
    # The last line at least, so that the new segment says from where on it counts.
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
def alone(folder: Path, lease: FileLease, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Be the only one who changes what a session's folder holds; raises `Fenced` if that is another one's turn.

    Raises `Held` if one who was fenced does not get done: paused in here, it would keep everyone waiting.
    """
    until = time.monotonic() + patience
    with opened(folder) as place:
        while not _entered(place):
            lease.check()
            if time.monotonic() >= until:
                raise _stuck(folder, lease.former)
            time.sleep(LOOK_SECONDS)
        lease.check()
        # The former holder is out of here: nobody who waits from now on is to be told to end it.
        lease.write_alone()
        yield


def _entered(place: int) -> bool:
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _stuck(folder: Path, former: Holder | None) -> Held:
    who, end = (str(former), f"`kill -9 {former.pid}`") if former else ("another process", "`kill -9`")
    return Held(
        key_of(folder.name) or folder.name,
        f"{who}; it was taken over, and has stopped in the middle of changing the session's files",
        hint=f"Let it go on (`fg`, or `kill -CONT`), or end it ({end}); then try again.",
    )


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
