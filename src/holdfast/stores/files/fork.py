"""Forks a session: makes one out of the beginning of another.

The new folder is built where nobody looks and moved into place whole. Sealed
segments get a second name; of the one that holds the last shared entry, the bytes
up to it are copied, and the fork's own `opened` follows in the same file. Builders
share a lock on the place where they build, so what lies there when nobody has it
was left by a crash.
"""

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import msgspec

from holdfast.errors import AlreadyThere, BeyondEnd, LaterFormat, NoSession
from holdfast.ids import Position, SessionKey
from holdfast.records.codec import encode_line
from holdfast.records.decode import FORMAT
from holdfast.records.entries import Fork, Opened
from holdfast.stores.files import disk
from holdfast.stores.files.blob_files import BLOBS, references
from holdfast.stores.files.blocks import forward
from holdfast.stores.files.later_format import later_line
from holdfast.stores.files.segments import first_position, in_order, opened, segment_path
from holdfast.stores.files.writer import begin


class ForkRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be forked, and when."""

    source: SessionKey
    target: SessionKey
    at: Position
    stamp: str


def fork(source: Path, target: Path, making: Path, request: ForkRequest) -> None:
    """Build the fork of a session folder and put it in its place."""
    disk.make_folder(making)
    disk.make_folder(target.parent)
    with opened(making) as place:
        fcntl.flock(place, fcntl.LOCK_SH)
        building = making / token_hex(8)
        building.mkdir(mode=0o700)
        try:
            mentioned = _share_log(source, building, request)
            _share_blobs(source, building, mentioned)
            disk.sync_folder(building)
            _put_in_place(building, target, request.target)
        except BaseException:
            shutil.rmtree(building, ignore_errors=True)
            raise


def finish_making(making: Path) -> None:
    """Take away what a crash left half built."""
    if not making.is_dir() or not os.listdir(making):
        return
    with opened(making) as place:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # someone is building there
        for building in list(making.iterdir()):
            disk.remove_tree(building)
        disk.sync_folder(making)


def _share_log(source: Path, building: Path, request: ForkRequest) -> set[str]:
    """Give the new folder the log up to the position; tell which blobs it mentions."""
    mentioned: set[str] = set()
    numbers = _counting(source)
    if not numbers:
        raise NoSession(request.source)  # removed since it was looked for
    while _begins_later(source, numbers[1:], request.at):
        path = segment_path(source, numbers[0])
        disk.share(path, segment_path(building, numbers.pop(0)))
        mentioned |= references(disk.read_file(path))
    shared = _bytes_upto(segment_path(source, numbers[0]), numbers[0], request.at)
    if later := later_line(shared.rstrip(b"\n").rpartition(b"\n")[2]):
        # The fork's own first line would be of an older format than the line before it.
        raise LaterFormat(request.source, later.version, newest=FORMAT, holdfast=later.holdfast)
    origin = Fork(key=request.source, pos=request.at)
    own = encode_line(request.at + 1, request.stamp, Opened(key=request.target, origin=origin))
    os.close(begin(building, numbers[0], shared + own + b"\n"))
    return mentioned | references(shared)


def _counting(source: Path) -> list[int]:
    """The segments of which something counts, or that are damaged; copies of others are not shared."""
    numbers = in_order(source)
    firsts = [first_position(source, number) for number in numbers]
    return [number for index, number in enumerate(numbers) if not _repeated(firsts[index], firsts[index + 1 :])]


def _repeated(first: Position | None, later: list[Position | None]) -> bool:
    return first is not None and any(each is not None and each <= first for each in later)


def _begins_later(source: Path, numbers: list[int], at: Position) -> bool:
    """Whether one of the segments still to come holds the position; the first good one tells."""
    firsts = (first_position(source, number) for number in numbers)
    first = next((each for each in firsts if each is not None), None)
    return first is not None and first <= at


def _bytes_upto(path: Path, number: int, at: Position) -> bytes:
    end, last = 0, Position(-1)
    with opened(path) as descriptor:
        for block in forward(descriptor, number, 0):
            for record, record_end in zip(block.lines.records, block.lines.ends, strict=True):
                if last < record.pos <= at:
                    end, last = record_end, record.pos
        if at < 0 or last != at:
            raise BeyondEnd(at, last)
        data = os.pread(descriptor, end, 0)
    return data if data.endswith(b"\n") else data + b"\n"


def _share_blobs(source: Path, building: Path, mentioned: set[str]) -> None:
    if not mentioned:
        return
    blobs = building / BLOBS
    blobs.mkdir(mode=0o700)
    for name in sorted(mentioned):
        if (source / BLOBS / name).exists():
            with suppress(disk.NoFileError):  # a link or a pipe in its place: it is missing there, and here too
                disk.share(source / BLOBS / name, blobs / name)
    disk.sync_folder(blobs)


def _put_in_place(building: Path, target: Path, key: SessionKey) -> None:
    try:
        building.rename(target)
    except OSError as error:
        if target.exists():
            raise AlreadyThere(f"There is already a session {key!r}.", hint="Choose another name.") from error
        raise
    disk.sync_folder(target.parent)
    disk.sync_folder(building.parent)
