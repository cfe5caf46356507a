"""The one writer of one session folder.

Appending is one `write`; committing is one `fdatasync` in a thread, shared by all who
wait. One job runs at a time: a sync lets appends go on beside it, while beginning a
new segment or writing a very long line makes them wait. Lines that were not synced
yet are kept, because after a failed sync the kernel may have dropped them and the
next sync would not say so: they are written again to a new segment, or the session
becomes read-only.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor
from pathlib import Path
from secrets import token_hex

import msgspec

from holdfast.clock import Clock
from holdfast.errors import Closed, Conflict, NotDurable, NotWritten, ReadOnly
from holdfast.ids import BlobId, Position
from holdfast.log.lease import Holder
from holdfast.log.store import Ack, Damaged, Durability
from holdfast.records.codec import Record, encode, moment
from holdfast.records.entries import Drafted, Entry
from holdfast.stores.files import disk
from holdfast.stores.files.blobs import put_blob
from holdfast.stores.files.drafts import DraftFile
from holdfast.stores.files.lease import Doubt, FileLease
from holdfast.stores.files.repair import End
from holdfast.stores.files.segments import segment_path

LONG = 1024 * 1024
"""Lines from this size on are written in a thread."""

Changed = Callable[[], None]
"""Called after an append, so that followers and the catalog look."""


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What a writer works with."""

    clock: Clock
    threads: Executor
    durability: Durability
    segment_bytes: int
    interval: float
    changed: Changed
    released: Changed


class FileWriter:
    """Appends to one session folder, under its lease."""

    def __init__(self, folder: Path, lease: FileLease, end: End, means: Means) -> None:
        """Go on where the mended log ends."""
        self._folder, self._lease, self._means = folder, lease, means
        self._segment, self._size = end.segment, end.size
        self._next, self._synced = end.last + 1, end.last
        self._repaired = end.repaired
        self._unsynced: list[bytes] = []
        self._descriptor = _open_end(folder, end)
        self._draft = DraftFile(folder)
        self._job: asyncio.Task[None] | None = None
        self._alone = False
        self._timer: asyncio.TimerHandle | None = None
        self._broken = ""
        self._closed = False

    @property
    def holder(self) -> Holder:
        """Who holds the lease: this writer."""
        return self._lease.holder

    @property
    def end(self) -> Position:
        """The position of the last entry; -1 when the log is empty."""
        return Position(self._next - 1)

    @property
    def repaired(self) -> tuple[Damaged, ...]:
        """What was found damaged at the end of the log when it was opened, and set aside."""
        return self._repaired

    async def append(self, entries: Sequence[Entry], *, expect: Position) -> tuple[Record, ...]:
        """Write entries, the first of them at `expect`, and return them as they stand in the log."""
        records, data = encode(entries, expect, self._means.clock.now_ns())
        while self._alone and self._job is not None:
            await asyncio.wait([self._job])
        self._usable()
        if expect != self._next:
            raise Conflict(expect, self._next)
        if self._descriptor < 0 or self._size >= self._means.segment_bytes:
            await self._run_alone(lambda: self._begin_segment(data, len(entries)))
        elif len(data) >= LONG:
            await self._run_alone(lambda: self._write_long(data, len(entries)))
        else:
            self._write(data)
            self._note(data, len(entries))
        return records

    def _usable(self) -> None:
        if self._closed:
            raise Closed("The session was closed.", hint="Open it again.")
        if self._broken:
            raise ReadOnly(
                self._broken, hint="Check the disk, then open the session again; what was acknowledged is safe."
            )
        self._lease.check()

    def _write(self, data: bytes) -> None:
        try:
            disk.append(self._descriptor, data, self._size)
        except OSError as error:
            self._broken = f"A failed write could not be taken back: {error.strerror}."
            raise NotWritten(self._broken, hint="Open the session again once the disk works.") from error

    def _note(self, data: bytes, count: int) -> None:
        """Count what was written, and have it synced in time."""
        self._size += len(data)
        self._next += count
        if self._means.durability != "os":
            self._unsynced.append(data)
        if self._means.durability == "interval" and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._means.interval, self._sync_soon)
        self._means.changed()

    def _sync_soon(self) -> None:
        self._timer = None
        if self._job is None:
            self._start(self._sync())
        elif self._unsynced:
            self._timer = asyncio.get_running_loop().call_later(self._means.interval, self._sync_soon)

    async def commit(self) -> Ack:
        """Wait until everything appended so far is as durable as the store was opened to make it."""
        target = self.end
        if self._means.durability == "always":
            await self._sync_upto(target)
        self._lease.check()
        return Ack(position=target, durability=self._means.durability)

    async def _sync_upto(self, target: Position) -> None:
        while self._synced < target:
            if self._broken:
                raise NotDurable(self._broken, hint="Check the disk, then open the session again.")
            if self._job is None:
                await asyncio.shield(self._start(self._sync()))
            else:
                await asyncio.wait([self._job])

    def _start(self, work: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        self._job = asyncio.ensure_future(work)
        self._job.add_done_callback(self._job_done)
        return self._job

    def _job_done(self, job: "asyncio.Task[None]") -> None:
        self._job, self._alone = None, False
        if not job.cancelled():
            job.exception()  # whoever waits for it asks; here it only counts as asked

    async def _run_alone(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Run a job beside which nothing else is written; it ends even if the caller is cancelled."""
        expected = self._next
        while self._job is not None:
            await asyncio.wait([self._job])
        self._usable()
        if expected != self._next:
            raise Conflict(expected, self._next)
        job = self._start(work())
        self._alone = True
        await asyncio.shield(job)

    async def _in_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._means.threads, work)

    async def _sync(self) -> None:
        upto, count = self.end, len(self._unsynced)
        try:
            await asyncio.get_running_loop().run_in_executor(self._means.threads, disk.sync_file, self._descriptor)
        except OSError as error:
            self._alone = True
            await self._give_up(error)
        else:
            self._synced = upto
            del self._unsynced[:count]

    async def _give_up(self, cause: OSError) -> None:
        """Write what was not acknowledged again, to a new segment; or stop writing for good."""
        data = b"".join(self._unsynced)
        try:
            await self._in_thread(lambda: self._birth(data))
        except OSError as error:
            self._broken = f"The disk refused to keep what was written: {cause.strerror}, then {error.strerror}."
            self._lease.write_doubt(Doubt(segment=self._segment, offset=self._size - len(data)))
            raise NotDurable(self._broken, hint="Check the disk, then open the session again.") from error
        else:
            self._size = len(data)

    async def _begin_segment(self, data: bytes, count: int) -> None:
        """Seal the segment and begin the next one with these lines."""
        if self._unsynced:
            await self._sync()
        try:
            await self._in_thread(lambda: self._birth(data))
        except OSError as error:
            raise disk.not_written(error) from error
        self._size = 0
        self._note(data, count)
        self._synced = self.end
        self._unsynced.clear()

    async def _write_long(self, data: bytes, count: int) -> None:
        await self._in_thread(lambda: self._write(data))
        self._note(data, count)

    def _birth(self, data: bytes) -> None:
        """Make the next segment, whole and on the disk, and write there from now on."""
        number = self._segment + 1
        descriptor = begin(self._folder, number, data)
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._segment = descriptor, number
        self._synced = self.end
        self._unsynced.clear()

    async def put_blob(self, data: bytes) -> BlobId:
        """Keep content under its hash."""
        self._usable()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._means.threads, put_blob, self._folder, data)
        except OSError as error:
            raise disk.not_written(error) from error

    async def draft(self, piece: Drafted) -> None:
        """Add a piece of a reply that is still streaming."""
        self._usable()
        try:
            self._draft.add(piece, moment(self._means.clock.now_ns())[0])
        except OSError as error:
            raise disk.not_written(error) from error

    async def drop_draft(self) -> None:
        """Forget the draft: its reply is in the log."""
        self._usable()
        self._draft.drop()

    async def release(self) -> None:
        """Commit, give the lease back, and become unusable."""
        if self._closed:
            return
        try:
            if self._means.durability != "os" and not self._broken:
                await self._sync_upto(self.end)
        finally:
            self._closed = True
            if self._job is None:
                self._shut()
            else:  # cancelled: a thread still uses the files
                self._job.add_done_callback(lambda _: self._shut())

    def _shut(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._draft.close()
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._lease.close()
        self._means.released()


def _open_end(folder: Path, end: End) -> int:
    if not end.segment or not end.usable:
        return -1
    return os.open(segment_path(folder, end.segment), os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)


def begin(folder: Path, number: int, data: bytes) -> int:
    """Make a segment that is whole and durable from the moment it has its name; give its descriptor."""
    new = folder / f".{number:06d}.{token_hex(8)}.new"
    descriptor = disk.write_new(new, data)
    try:
        disk.publish(new, segment_path(folder, number))
    except BaseException:
        os.close(descriptor)
        new.unlink(missing_ok=True)
        raise
    return descriptor
