"""Mending the end of a log whose writer died, and keeping damaged bytes aside.

Only the holder of the lease comes here. Nothing is cut away before a copy of it is
on the disk. A sealed segment is never changed, because forks share it.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from holdfast.ids import Position
from holdfast.log.store import Damaged, Verdict
from holdfast.records.scan import Damage, lines_lost
from holdfast.stores.files import disk
from holdfast.stores.files.segments import Last, in_order, last_line, opened, segment_path

ASIDE = "aside"
_COPY = re.compile(r"(\d{6,})-(\d+)(-\d+)?\.bin")


class End(msgspec.Struct, frozen=True, kw_only=True):
    """Where a log ends."""

    segment: int
    """The last segment; 0 when there is none."""
    size: int
    """Up to where it is good."""
    last: Position
    last_start: int
    """Where the last good line begins."""
    repaired: tuple[Damaged, ...] = ()
    usable: bool = True
    """Whether the segment can be written on; otherwise a new one must be begun."""


def mend(folder: Path) -> End:
    """Set torn bytes at the end of the log aside, so that it goes on on a clean line."""
    numbers = in_order(folder)
    if not numbers:
        return End(segment=0, size=0, last=Position(-1), last_start=0)
    number, path = numbers[-1], segment_path(folder, numbers[-1])
    last, actual = last_line(folder, number), path.stat().st_size
    repaired: tuple[Damaged, ...] = ()
    if last.pos < 0:
        before = (last_line(folder, each) for each in reversed(numbers[:-1]))
        last = next((each for each in before if each.pos >= 0), Last())
        repaired = (_set_aside(folder, number, Damage(0, actual), last.pos),)
    elif last.tidy:
        if actual > last.end:
            repaired = (_set_aside(folder, number, Damage(last.end, actual), last.pos),)
        size = _clean_end(path, last.end, actual)
        return End(segment=number, size=size, last=last.pos, last_start=last.start, repaired=repaired)
    # No line can be added to this file so that it counts, nor under a number that is in use.
    highest = max(numbers)
    return End(segment=highest, size=actual, last=last.pos, last_start=actual, repaired=repaired, usable=False)


def _clean_end(path: Path, size: int, actual: int) -> int:
    """Cut a segment after its last good record, and end that with a line feed; give its new size."""
    descriptor = disk.open_file(path, os.O_RDWR | os.O_APPEND)
    try:
        if actual > size:
            os.ftruncate(descriptor, size)
        # The record is whole and its line feed is missing: what is appended next must not stand in its line.
        if os.pread(descriptor, 1, size - 1) != b"\n":
            disk.append(descriptor, b"\n", size)
            size += 1
        if actual != size:
            disk.sync_file(descriptor)
    finally:
        os.close(descriptor)
    return size


def _set_aside(folder: Path, segment: int, damage: Damage, after: Position) -> Damaged:
    """Copy bytes after the last good record aside, and say what they were."""
    return Damaged(
        where=segment_path(folder, segment).name,
        offset=damage.start,
        length=damage.end - damage.start,
        after=after,
        missing=lines_lost(_bytes(folder, segment, damage)),
        aside=keep_aside(folder, segment, damage),
    )


def _bytes(folder: Path, segment: int, damage: Damage) -> bytes:
    with opened(segment_path(folder, segment)) as descriptor:
        return os.pread(descriptor, damage.end - damage.start, damage.start)


def keep_aside(folder: Path, segment: int, damage: Damage) -> str:
    """Copy damaged bytes to where nothing touches them again; give the copy's name within the folder."""
    aside = folder / ASIDE
    disk.make_folder(aside)
    data = _bytes(folder, segment, damage)
    copy = aside / f"{segment:06d}-{damage.start}.bin"
    tries = 1
    # Another tear at the same offset is other bytes; the same bytes twice are one copy.
    while copy.exists() and disk.read_file(copy) != data:
        tries += 1
        copy = aside / f"{segment:06d}-{damage.start}-{tries}.bin"
    if copy.exists():
        disk.sync_folder(aside)  # whoever made it may have died before
    else:
        new = aside / f".{copy.name}.new"
        new.unlink(missing_ok=True)
        os.close(disk.write_new(new, data))
        disk.publish(new, copy)
    return f"{ASIDE}/{copy.name}"


def cut_away(folder: Path) -> Iterator[Damaged]:
    """What held whole lines and is only in a copy any more: it was damaged at the end, and the log went on from there.

    A torn write was never acknowledged, and nobody has to hear of it again; a whole line may have been.
    """
    aside = folder / ASIDE
    for copy in sorted(aside.iterdir()) if aside.is_dir() else ():
        if name := _COPY.fullmatch(copy.name):
            data, number, offset = disk.read_file(copy), int(name[1]), int(name[2])
            lost = lines_lost(data)
            if lost and not _still_there(segment_path(folder, number), offset, data):
                where = segment_path(folder, number).name
                kept = f"{ASIDE}/{copy.name}"
                yield Damaged(
                    where=where, offset=offset, length=len(data), after=Position(-1), missing=lost, aside=kept
                )


def _still_there(segment: Path, offset: int, data: bytes) -> bool:
    with suppress(FileNotFoundError), opened(segment) as descriptor:
        return os.pread(descriptor, len(data), offset) == data
    return False


def with_copies(folder: Path, verdict: Verdict, mended: tuple[Damaged, ...]) -> Verdict:
    """Keep every damaged stretch aside, and say where; what was mended already and is gone from there comes first."""
    kept = []
    for damaged in verdict.damaged:
        segment = int(damaged.where.partition(".")[0])
        damage = Damage(damaged.offset, damaged.offset + damaged.length)
        where = damaged.aside or (keep_aside(folder, segment, damage) if damaged.length else "")
        kept.append(msgspec.structs.replace(damaged, aside=where))
    still = {(each.where, each.offset) for each in kept}
    gone = [each for each in mended if (each.where, each.offset) not in still]
    return msgspec.structs.replace(verdict, damaged=(*gone, *kept))
