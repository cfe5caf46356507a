"""The wrong ways themselves, each as small as the mistake it stands for."""

import asyncio
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.ids import BlobId, Position
from holdfast.log.blobs import blob_id
from holdfast.log.store import Ack
from holdfast.records import codec, scan
from holdfast.records.codec import Record
from holdfast.records.entries import Drafted, Entry, ModelReplied
from holdfast.records.scan import Damage, Scan
from holdfast.session import recovery
from holdfast.stores.files import blob_files, disk, repair, segments, takeover, trash, writer
from holdfast.stores.files import fork as forking
from holdfast.stores.files.lease import FileLease
from holdfast.stores.files.repair import End

if TYPE_CHECKING:
    from tests.crash.mutants import Patches


LATER = 0.02
"""Seconds; long enough for the acknowledgement to be made first."""


def _nothing(*_args: object, **_options: object) -> None:
    """Do nothing."""


def _yes(*_args: object) -> bool:
    """Say that all is well."""
    return True


def no_file_sync(patches: "Patches") -> None:
    """Bytes are left to the kernel."""
    patches.replace(disk.sync_file, _nothing)


def no_folder_sync(patches: "Patches") -> None:
    """Names are left to the kernel."""
    patches.replace(disk.sync_folder, _nothing)


def acknowledged_early(patches: "Patches") -> None:
    """A commit promises what a sync a little later is to keep."""
    commit = writer.FileWriter.commit

    async def early(self: writer.FileWriter) -> Ack:
        loop = asyncio.get_running_loop()
        loop.call_later(LATER, lambda: asyncio.ensure_future(commit(self)))
        return Ack(position=self.end, durability="always")

    patches.put(writer.FileWriter, "commit", early)


def failed_sync_tried_again(patches: "Patches") -> None:
    """A failed sync is repeated until it succeeds."""
    sync = disk.sync_file

    def again(descriptor: int) -> None:
        try:
            sync(descriptor)
        except OSError:
            sync(descriptor)

    patches.replace(sync, again)


def failed_sync_ignored(patches: "Patches") -> None:
    """A failed sync is taken for a sync."""
    sync = disk.sync_file

    def ignoring(descriptor: int) -> None:
        with suppress(OSError):
            sync(descriptor)

    patches.replace(sync, ignoring)


def segment_not_synced(patches: "Patches") -> None:
    """A file gets its name before its bytes are on the disk."""

    def unsynced(path: Path, data: bytes) -> int:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.write(descriptor, data)
        return descriptor

    patches.replace(disk.write_new, unsynced)


def rewritten_in_place(patches: "Patches") -> None:
    """Each append writes the whole file again."""

    def rewrite(descriptor: int, data: bytes, size: int) -> None:
        with Path(f"/proc/self/fd/{descriptor}").open("rb") as file:
            before = file.read(size)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, before + data)

    patches.replace(disk.append, rewrite)


def move_not_synced(patches: "Patches") -> None:
    """A folder is moved, and the move left to the kernel."""

    def move(folder: Path, to: Path) -> None:
        disk.make_folder(to.parent)
        folder.rename(to)

    patches.replace(trash.move, move)


def place_trusted(patches: "Patches") -> None:
    """A folder is moved to a place that is there, whether that is on the disk or not."""

    def move(folder: Path, to: Path) -> None:
        disk.make_folder(to.parent)
        folder.rename(to)
        disk.sync_folder(to.parent)
        disk.sync_folder(folder.parent)

    patches.replace(trash.move, move)


def fork_built_in_place(patches: "Patches") -> None:
    """A fork is built where everyone sees it, file after file."""

    def fork(source: Path, target: Path, making: Path, request: forking.ForkRequest) -> None:
        target.mkdir()
        whole(source, making / "whole", making, request)
        for path in sorted((making / "whole").rglob("*")):
            if path.is_file():
                (target / path.relative_to(making / "whole")).write_bytes(path.read_bytes())
        shutil.rmtree(making / "whole")
        disk.sync_folder(target.parent)

    whole = forking.fork
    patches.replace(whole, fork)


def removed_piece_by_piece(patches: "Patches") -> None:
    """A session is taken apart where it stands."""

    def remove(folder: Path, _removing: Path) -> None:
        shutil.rmtree(folder)
        disk.sync_folder(folder.parent)

    patches.replace(trash.remove, remove)


def attachment_not_synced(patches: "Patches") -> None:
    """An attachment is written and left to the kernel."""

    def put_blob(folder: Path, data: bytes) -> BlobId:
        (folder / blob_files.BLOBS).mkdir(exist_ok=True)
        (folder / blob_files.BLOBS / blob_id(data)).write_bytes(data)
        return blob_id(data)

    patches.replace(blob_files.put_blob, put_blob)


def nothing_kept_aside(patches: "Patches") -> None:
    """Torn bytes are cut away without a copy."""

    def lost(_folder: Path, segment: int, damage: Damage) -> str:
        return f"aside/{segment:06d}-{damage.start}.bin"

    patches.replace(repair.keep_aside, lost)


def draft_dropped_first(patches: "Patches") -> None:
    """The draft goes before its reply is in the log."""
    append = writer.FileWriter.append

    async def dropping(self: writer.FileWriter, entries: Sequence[Entry], *, expect: Position) -> Sequence[Record]:
        if any(isinstance(entry, ModelReplied) for entry in entries):
            await self.drop_draft()
        return await append(self, entries, expect=expect)

    patches.put(writer.FileWriter, "append", dropping)


def draft_said_twice(patches: "Patches") -> None:
    """A draft that is still there becomes a reply, whether the log has that reply or not."""
    reply = recovery.interrupted_reply

    def always(pieces: Sequence[Drafted], _since: Sequence[Record]) -> ModelReplied | None:
        return reply(pieces, [])

    patches.replace(reply, always)


def lease_not_looked_at(patches: "Patches") -> None:
    """A writer never asks whether it still holds the session."""
    patches.put(FileLease, "check", _nothing)


def end_not_mended(patches: "Patches") -> None:
    """The log goes on right behind torn bytes."""

    def unmended(folder: Path) -> End:
        numbers = segments.segment_numbers(folder)
        if not numbers:
            return mend(folder)
        path = segments.segment_path(folder, numbers[-1])
        found = scan.parse(path.read_bytes())
        if not found.records:
            return mend(folder)
        size = path.stat().st_size
        return End(segment=numbers[-1], size=size, last=found.records[-1].pos, last_start=size)

    mend = repair.mend
    patches.replace(mend, unmended)


def cut_at_first_damage(patches: "Patches") -> None:
    """Repair cuts the log before its first damaged byte, good records and all."""

    def cut(folder: Path) -> End:
        for number in segments.segment_numbers(folder):
            path = segments.segment_path(folder, number)
            damage = scan.parse(path.read_bytes()).damage
            if damage:
                os.truncate(path, damage[0].start)
        return mend(folder)

    mend = repair.mend
    patches.replace(mend, cut)


def stop_at_first_damage(patches: "Patches") -> None:
    """Reading ends where damage begins."""

    def short(block: bytes, base: int = 0) -> Scan:
        found = parse(block, base)
        if not found.damage:
            return found
        good = [index for index, end in enumerate(found.ends) if end <= found.damage[0].start]
        return Scan(found.records[: len(good)], found.ends[: len(good)], found.damage[:1])

    parse = scan.parse
    patches.replace(parse, short)


def checksum_not_compared(patches: "Patches") -> None:
    """A line is good when it looks like one."""

    def looks_good(line: bytes) -> bool:
        return line.startswith(b'{"v":') and line.endswith(b'"}')

    def look_good(block: list[bytes]) -> bool:
        return all(map(looks_good, block))

    patches.replace(codec.verified, looks_good)
    patches.replace(codec.all_verified, look_good)
    patches.replace(scan.ends_with, _yes)


def removal_not_finished(patches: "Patches") -> None:
    """What a crash left half removed stays."""
    patches.replace(trash.finish_removing, _nothing)


def names_trusted(patches: "Patches") -> None:
    """Names that are there are taken to be on the disk, whoever made them."""
    patches.replace(takeover.keep_names, _nothing)


def bytes_trusted(patches: "Patches") -> None:
    """Bytes that are there are taken to be on the disk, whoever wrote them."""

    def trusting(folder: Path, *_args: object, **_options: object) -> End:
        return repair.mend(folder)

    patches.replace(takeover.resume, trusting)
