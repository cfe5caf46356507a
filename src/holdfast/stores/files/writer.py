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
from contextlib import suppress
from enum import Enum
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

import msgspec

from holdfast.errors import Closed, Conflict, NotDurable, NotWritten, ReadOnly
from holdfast.ids import BlobId, Position
from holdfast.log.lease import Holder
from holdfast.log.store import Ack, Damaged, Durability
from holdfast.records.codec import Record, encode, stamp
from holdfast.records.entries import Drafted, Entry
from holdfast.records.slices import take_long
from holdfast.stores.files import disk
from holdfast.stores.files.blob_files import put_blob
from holdfast.stores.files.drafts import DraftFile
from holdfast.stores.files.fsync import SyncThreads
from holdfast.stores.files.lease import Doubt, FileLease
from holdfast.stores.files.repair import End
from holdfast.stores.files.segments import segment_path

LONG = 1024 * 1024
"""Lines from this size on are written in a thread."""
LOOK_NS = 200_000_000
"""While a draft is written, the lease is looked at no more often. The next holder takes the file of the draft away, so
what a fenced one adds to it meanwhile is seen by nobody."""
T = TypeVar("T")
BROKEN = "Check the disk, then open the session again; what was acknowledged is safe."
Told = Callable[[], None]
"""Called when something was appended, so that followers and the catalog look; and when the writer is done."""


class WriterParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a writer works with."""

    now_ns: Callable[[], int]
    threads: Executor
    syncs: SyncThreads
    durability: Durability
    segment_bytes: int
    interval: float
    changed: Told
    released: Told
    discard: Callable[[FileLease], None]


class WriterActivity(Enum):
    """What is going on beside appending."""

    NONE = "none"
    SYNC = "sync"
    """Appends go on."""
    ALONE = "alone"
    """Appends wait."""


class FileWriter:
    """Appends to one session folder, under its lease."""

    def __init__(self, folder: Path, lease: FileLease, end: End, parts: WriterParts) -> None:
        """Go on where the mended log ends."""
        self._folder, self._lease, self._parts = folder, lease, parts
        self._segment, self._size = end.segment, end.size
        self._next, self._synced = end.last + 1, end.last
        self._sure = Position(-1)
        self._repaired = end.repaired
        self._unsynced: list[bytes] = []
        self._descriptor = _open_end(folder, end)
        self._room = parts.segment_bytes if self._descriptor >= 0 else -1
        self._draft = DraftFile(folder)
        self._looked, self._seen = 0, ""
        """When the lease was looked at for a piece of the draft."""
        self._job = WriterActivity.NONE
        self._task: asyncio.Task[None] | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._broken, self._closed = "", False

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

    async def append(self, entries: Sequence[Entry], *, expect: Position) -> Sequence[Record]:
        """Write entries, the first of them at `expect`, and return them as they stand in the log."""
        if take_long(entries):
            return await self._append_long(entries, expect)
        records, data = encode(entries, expect, self._parts.now_ns())
        await self._be_next(expect)
        if self._size < self._room and len(data) < LONG:
            self._write(data)
            self._note(data, len(records))
        elif data:
            await self._alone(lambda: self._write_alone(data, len(records)))
        return records

    async def _be_next(self, expect: Position) -> None:
        """Wait for who writes alone, and make sure that what is expected is next."""
        while self._job is WriterActivity.ALONE:
            await self._job_ended()
        if self._closed or self._broken or not self._lease.held:
            self._usable()
        if expect != self._next:
            self._lease.check()  # one who was fenced may have read what the next writer wrote
            raise Conflict(expect, self._next)

    async def _append_long(self, entries: Sequence[Entry], expect: Position) -> Sequence[Record]:
        """Encode and write in a thread; appends wait meanwhile, and the event loop does not."""
        records: list[Record] = []

        async def work() -> None:
            made, data = await self._threaded(partial(encode, entries, expect, self._parts.now_ns()))
            await self._write_alone(data, len(made))
            records.extend(made)

        await self._be_next(expect)
        await self._alone(work)
        return records

    async def check(self) -> None:
        """Look whether this writer still has the lease."""
        if not self._closed:
            self._lease.check()

    async def _write_alone(self, data: bytes, count: int) -> None:
        """Write what needs a new segment, or takes long."""
        if self._size >= self._room:
            await self._begin_segment(data, count)
            return
        await self._threaded(lambda: self._write(data))
        self._note(data, count)

    def _usable(self) -> None:
        if self._closed or not self._lease.held:
            raise Closed("The session was closed, or belongs to the parent of this process.", hint="Open it again.")
        if self._broken:
            raise ReadOnly(self._broken, hint=BROKEN)

    def _write(self, data: bytes) -> None:
        try:
            disk.append(self._descriptor, data, self._size)
        except OSError as error:
            self._broken = f"A failed write could not be taken back: {error.strerror}."
            raise NotWritten(self._broken, hint=BROKEN) from error

    def _note(self, data: bytes, count: int) -> None:
        """Count what was written, have it synced in time, and tell."""
        self._size += len(data)
        self._next += count
        if self._parts.durability != "os":
            # Kept until a sync has said that it holds them: after a failed one they are nowhere else.
            self._unsynced.append(data)
        # At once: a call later in the loop would cost a turn of the loop, which is more than telling.
        self._parts.changed()
        if self._parts.durability == "interval" and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._parts.interval, self._sync_in_time)

    def _sync_in_time(self) -> None:
        self._timer = None
        if self._closed or self._broken or not self._unsynced:
            return
        if self._job is WriterActivity.NONE:
            self._begin_sync()
        else:
            self._timer = asyncio.get_running_loop().call_later(self._parts.interval, self._sync_in_time)

    async def commit(self) -> Ack:
        """Wait until everything appended so far is as durable as the store was opened to make it."""
        if not self._lease.held:
            self._lease.check()
        target, sure = self.end, Position(-1)
        if self._parts.durability == "always" and self._synced < target:
            await self._sync_upto(target)
            sure = self._sure
        elif self._broken and self._unsynced:
            raise NotDurable(self._broken, hint=BROKEN)
        # The thread looked already where it synced; with another durability nobody has.
        if sure < target:
            self._lease.check()
        return Ack(position=target, durability=self._parts.durability)

    async def _sync_upto(self, target: Position) -> None:
        while self._synced < target:
            if self._broken:
                self._lease.check()  # it may be the session itself that is gone
                raise NotDurable(self._broken, hint=BROKEN)
            if self._job is WriterActivity.NONE:
                self._begin_sync()
            await self._job_ended()

    def _begin_sync(self) -> None:
        upto, count = self.end, len(self._unsynced)
        self._job = WriterActivity.SYNC
        # The hint saves time only while a thread wakes up. Beside other syncs the threads are awake, and the hint
        # itself would wait for the disk, in the event loop.
        if self._parts.syncs.idle:
            disk.begin_writing(self._descriptor, self._size)
        self._parts.syncs.sync(partial(self._sync, upto), partial(self._sync_ended, upto, count))

    def _sync(self, upto: Position) -> None:
        """In a thread: look whether the session is still ours, and wait for the disk."""
        # A look in the loop would give the interpreter to the thread that wakes up, and wait to get it back.
        # Who takes over later reads what was written by now, and goes on behind it.
        with suppress(OSError):  # asked again in the loop, and told there
            if not self._lease.taken_over:
                self._sure = upto
        disk.sync_named(self._descriptor)

    def _sync_ended(self, upto: Position, count: int, error: OSError | None) -> None:
        if error is not None:
            self._start(self._give_up(error))
            return
        self._synced = upto
        # Only what was there when the sync began: more may have been appended beside it.
        del self._unsynced[:count]
        self._end_job()

    def _job_ended(self) -> "asyncio.Future[None]":
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        return future

    def _end_job(self) -> None:
        self._job = WriterActivity.NONE
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
        if self._closed:
            self._shut()

    async def _alone(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Run a job beside which nothing else is written; it ends even if the caller is cancelled."""
        expected = self._next
        while self._job is not WriterActivity.NONE:
            await self._job_ended()
        self._usable()
        if expected != self._next:
            raise Conflict(expected, self._next)
        await asyncio.shield(self._start(work()))

    def _start(self, work: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        self._job = WriterActivity.ALONE
        self._task = asyncio.ensure_future(work)
        self._task.add_done_callback(self._task_ended)
        return self._task

    def _task_ended(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled():
            task.exception()  # whoever waits for it raises it; if they were cancelled, it only counts as seen
        self._task = None
        self._end_job()

    async def _threaded(self, work: Callable[[], T]) -> T:
        """Work in a thread, to its end: no cancelling stops a thread, and its files must not be closed under it."""
        work_done = asyncio.get_running_loop().run_in_executor(self._parts.threads, work)
        # Shielding is not enough: whoever is cancelled goes on, and would close the files that the thread still uses.
        while not work_done.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([work_done])
        return work_done.result()

    async def _give_up(self, cause: OSError) -> None:
        """Write what was not acknowledged again, to a new segment; or stop writing for good."""
        data = b"".join(self._unsynced)
        try:
            await self._threaded(lambda: self._birth(data))
        except OSError as error:
            self._broken = f"The disk refused to keep what was written: {cause.strerror}, then {error.strerror}."
            with suppress(OSError):  # a disk that fails a third time cannot be told about either
                self._lease.write_doubt(Doubt(segment=self._segment, offset=self._size - len(data)))
        else:
            self._size = len(data)

    async def _begin_segment(self, data: bytes, count: int) -> None:
        """Seal the segment and begin the next one with these lines."""
        self._lease.check()
        if self._unsynced:
            await self._seal()
        try:
            await self._threaded(lambda: self._birth(data))
        except OSError as error:
            self._lease.check()  # the next writer begins a segment under the same name
            raise disk.not_written(error) from error
        self._size = 0
        self._note(data, count)
        self._synced = self.end
        self._unsynced.clear()

    async def _seal(self) -> None:
        try:
            await self._threaded(lambda: disk.sync_file(self._descriptor))
        except OSError as error:
            await self._give_up(error)
            if self._broken:
                raise NotWritten(self._broken, hint=BROKEN) from error

    def _birth(self, data: bytes) -> None:
        """Make the next segment, whole and on the disk, and write there from now on."""
        descriptor = begin(self._folder, self._segment + 1, data)
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._segment = descriptor, self._segment + 1
        self._room = self._parts.segment_bytes
        self._synced = self.end
        self._unsynced.clear()

    async def put_blob(self, data: bytes) -> BlobId:
        """Keep content under its hash."""
        self._usable()
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._parts.threads, put_blob, self._folder, data)
        except OSError as error:
            raise disk.not_written(error) from error

    async def draft(self, piece: Drafted) -> None:
        """Add a piece of a reply that is still streaming."""
        if self._closed or self._broken or not self._lease.held:
            self._usable()
        now = self._parts.now_ns()
        # A clock that was set back must not put off the look.
        if not (self._draft.pieces and 0 <= now - self._looked < LOOK_NS):
            self._lease.check()
            self._looked, self._seen = now, stamp(now)
        try:
            self._draft.add(piece, self._seen)
        except OSError as error:
            raise disk.not_written(error) from error

    async def drop_draft(self) -> None:
        """Forget the draft: its reply is in the log."""
        self._usable()
        self._lease.check()
        try:
            self._draft.drop()
        except OSError as error:
            raise disk.not_written(error) from error

    async def release(self, *, discard: bool = False) -> None:
        """Commit, give the lease back, and become unusable; with `discard`, an empty log leaves nothing."""
        if self._closed or not self._lease.held:
            return
        try:
            if self._parts.durability != "os" and not self._broken:
                await self._sync_upto(self.end)
            while self._job is not WriterActivity.NONE:
                await self._job_ended()
            if discard and not self._next:
                await self._threaded(lambda: self._parts.discard(self._lease))
        finally:
            self._closed = True
            # Otherwise a thread still uses the files, and the job's end shuts them.
            if self._job is WriterActivity.NONE:
                self._shut()

    def _shut(self) -> None:
        if not self._lease.held:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._draft.close()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self._lease.close()
        self._parts.released()


def _open_end(folder: Path, end: End) -> int:
    if not end.segment or not end.usable:
        return -1
    return disk.open_file(segment_path(folder, end.segment), os.O_WRONLY | os.O_APPEND)


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
