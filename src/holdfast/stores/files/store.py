"""Logs in files: one folder a session, below one root.

Reading opens what it needs and holds nothing; writing goes through `FileWriter`. The
listener learns which sessions change, so that the catalog can follow behind.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from holdfast.clock import Clock, SystemClock
from holdfast.errors import Closed, Held, LogError
from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.lease import Holder
from holdfast.log.store import Durability, StoreAbout, Trashed, Verdict
from holdfast.records.codec import Record, stamp
from holdfast.records.entries import Drafted
from holdfast.stores.files import disk, trash
from holdfast.stores.files.blob_files import BLOBS, get_blob
from holdfast.stores.files.drafts import DraftReader, read_drafts
from holdfast.stores.files.filesystems import refuse_network
from holdfast.stores.files.folder_names import folder_name
from holdfast.stores.files.fork import ForkRequest, finish_making, fork
from holdfast.stores.files.fsync import SyncThreads
from holdfast.stores.files.later_format import refuse_later
from holdfast.stores.files.lease import FileLease, Home, acquire, current_holder, take_over
from holdfast.stores.files.listener import Listener, Nobody
from holdfast.stores.files.log_reader import LogReader, check_same, existing, reading
from holdfast.stores.files.repair import End, with_copies
from holdfast.stores.files.segments import opened, segment_numbers
from holdfast.stores.files.takeover import alone, resume
from holdfast.stores.files.verify import check
from holdfast.stores.files.writer import FileWriter, WriterParts

SEGMENT_BYTES = 64 * 1024 * 1024
"""Past this size a segment is sealed and a new one begun."""
SYNC_SECONDS = 1.0
"""With durability `interval`: how far the disk may be behind."""
DRAFT_LOOK_SECONDS = 0.1
"""How often one who watches a reply looks for what was drafted."""
LEASE_TRIES = 100
"""So often a folder that vanishes is made again."""
LEASE_LOOK_SECONDS = 0.02
"""How often one who waits for a lease tries again."""
GRACE_SECONDS = 0.06
"""How long everyone waits for a lease: the catalog takes it for a moment when a writer is done."""
THREADS = 8

T = TypeVar("T")


class FileStore:
    """Many logs in files."""

    def __init__(
        self,
        root: Path,
        *,
        clock: Clock | None = None,
        durability: Durability = "always",
        segment_bytes: int = SEGMENT_BYTES,
        listener: Listener | None = None,
        folder: str = "sessions",
    ) -> None:
        """Use `root`, which need not exist before something is written; the logs are in a folder of it."""
        self.root = root
        self._sessions = root / folder
        self._clock = clock or SystemClock()
        self._durability, self._segment_bytes = durability, segment_bytes
        self._listener: Listener = listener or Nobody()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="holdfast")
        self._syncs = SyncThreads()
        self._followers: dict[str, set[asyncio.Event]] = {}
        self._home, self._closed = Home(), False

    def folder(self, key: SessionKey) -> Path:
        """Where a session's files are."""
        return self._sessions / folder_name(key)

    def about(self, key: SessionKey | None = None) -> StoreAbout:
        """Where the files lie."""
        if key is None:
            return StoreAbout(place=str(self.root), folder=self.root)
        folder = self.folder(key)
        return StoreAbout(place=str(folder), folder=folder, attachments=str(folder / BLOBS))

    async def acquire(
        self, key: SessionKey, *, create: bool = True, doing: str = "", wait: float = 0.0, take_over: bool = False
    ) -> FileWriter:
        """Take a log's lease, and mend its end if its last writer died."""
        folder = self.folder(key)
        if not create:
            self._existing(key)
        with disk.in_our_words(folder):
            refuse_network(self.root)
            refuse_later(folder, key)  # before the lease: not even its holder is disturbed
            self._tidy()
            lease, fenced = await self._lease(key, doing, wait, force=take_over)
            end = await self._under(lease, folder.name, lambda: self._resumed(key, lease, create=create, fenced=fenced))
            try:
                writer = FileWriter(folder, lease, end, self._parts(folder))
            except OSError:
                self._give_back(lease, folder.name)
                raise
        self._listener.changed(folder.name)  # what its last writer left may have been mended
        return writer

    def _resumed(self, key: SessionKey, lease: FileLease, *, create: bool, fenced: bool) -> End:
        # What was there may have been removed while we waited for the lease, or written on by a later Holdfast.
        folder = self.folder(key) if create else self._existing(key)
        refuse_later(folder, key)
        return resume(folder, lease, fenced=fenced)

    def _tidy(self) -> None:
        """Take away what a crash left half removed or half built."""
        trash.finish_removing(self.root / "removing")
        finish_making(self.root / "making")

    async def _under(self, lease: FileLease, name: str, work: Callable[[], T]) -> T:
        """Tell the listener and work, in a thread; if that fails or is cancelled, give the lease back after it."""

        def told() -> T:
            self._listener.opened(name)
            return work()

        job = asyncio.ensure_future(self._threaded(told))
        try:
            return await asyncio.shield(job)
        except BaseException:
            job.add_done_callback(lambda _: self._give_back(lease, name))
            raise

    def _give_back(self, lease: FileLease, name: str) -> None:
        lease.close()
        self._listener.released(name)

    async def _lease(self, key: SessionKey, doing: str, wait: float, *, force: bool) -> tuple[FileLease, bool]:
        folder, waited, tries = self.folder(key), 0.0, 0
        while True:
            try:
                if not folder.is_dir():
                    # Where sessions are removed: on a full disk it could not be made any more.
                    disk.make_folder(self.root / "removing")
                    disk.make_folder(folder)
                return acquire(folder, key, doing, self._clock.now_ns()), False
            except FileNotFoundError:
                # Deleted by another process just now, or a place where nothing can be made.
                tries += 1
                if tries == LEASE_TRIES:
                    raise
                continue
            except Held:
                if waited >= max(wait, GRACE_SECONDS) and not force:
                    raise
            if force and waited >= wait:
                return take_over(folder, doing, self._clock.now_ns()), True
            await self._clock.sleep(LEASE_LOOK_SECONDS)
            waited += LEASE_LOOK_SECONDS

    def _parts(self, folder: Path) -> WriterParts:
        name = folder.name
        return WriterParts(
            now_ns=self._clock.now_ns,
            threads=self._threads,
            syncs=self._syncs,
            durability=self._durability,
            segment_bytes=self._segment_bytes,
            interval=SYNC_SECONDS,
            changed=partial(self._changed, name),
            released=partial(self._listener.released, name),
            discard=partial(self._discard, folder),
        )

    def _discard(self, folder: Path, lease: FileLease) -> None:
        """Take away the folder of a log that was opened and never written to."""
        # Where that fails an empty folder is left, which nobody lists.
        with suppress(LogError, OSError), alone(folder, lease):
            if not segment_numbers(folder):
                trash.remove(folder, self.root / "removing")

    def _changed(self, name: str) -> None:
        self._listener.changed(name)
        for event in self._followers.get(name, ()):
            event.set()

    async def _threaded(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise Closed("The store was closed.", hint="Open it again.")
        self._home.check()
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _existing(self, key: SessionKey) -> Path:
        return existing(self.folder(key), key)

    async def exists(self, key: SessionKey) -> bool:
        """Whether there is a log under this key with anything in it."""
        folder = self.folder(key)
        with disk.in_our_words(folder):
            return bool(segment_numbers(folder))

    async def holder(self, key: SessionKey) -> Holder | None:
        """Who holds the lease now, if anyone."""
        folder = self.folder(key)
        with disk.in_our_words(folder):
            return current_holder(folder)

    def _reader(self, key: SessionKey) -> LogReader:
        return LogReader(self.folder(key), key, self._threaded)

    async def read(
        self, key: SessionKey, *, start: Position = Position(0), stop: Position | None = None
    ) -> AsyncIterator[Record]:
        """Records from `start` up to, not including, `stop`, oldest first."""
        with reading(self.folder(key), key):
            steps = self._reader(key).forward(start, stop)
            while records := await steps.next():
                for record in records:
                    yield record
                await asyncio.sleep(0)

    async def load(
        self, key: SessionKey, *, start: Position = Position(0), stop: Position | None = None
    ) -> list[Record]:
        """The same records at once."""
        with reading(self.folder(key), key):
            steps = self._reader(key).forward(start, stop)
            found: list[Record] = []
            while records := await steps.next():
                found += records
                await asyncio.sleep(0)
            return found

    async def read_back(self, key: SessionKey, *, before: Position | None = None) -> AsyncIterator[Record]:
        """Records before `before` (or all), newest first, reading no further than is asked for."""
        with reading(self.folder(key), key):
            steps = self._reader(key).backward(before)
            while records := await steps.next():
                for record in records:
                    yield record
                await asyncio.sleep(0)

    async def follow(self, key: SessionKey, *, after: Position = Position(-1)) -> AsyncIterator[Record]:
        """Every record after `after`, then each new one as it is appended; no gap, no repeat."""
        reader, name, event = self._reader(key), self.folder(key).name, asyncio.Event()
        self._followers.setdefault(name, set()).add(event)
        try:
            with reading(self.folder(key), key):
                async with aclosing(reader.follow(after, event)) as handfuls:
                    async for records in handfuls:
                        for record in records:
                            yield record
        finally:
            self._followers[name].discard(event)

    async def drafts(self, key: SessionKey) -> tuple[Drafted, ...]:
        """The pieces of a reply that was streaming when its writer died or is streaming now."""
        folder = self.folder(key)
        with disk.in_our_words(folder):
            return read_drafts(folder)

    async def follow_draft(self, key: SessionKey) -> AsyncIterator[tuple[Drafted, ...]]:
        """The pieces that are there, then those that are new at each look."""
        folder = self._existing(key)
        with reading(folder, key), opened(folder) as place, DraftReader(folder) as reader:
            while True:
                if pieces := reader.fresh():
                    yield pieces
                check_same(folder, key, place)
                await asyncio.sleep(DRAFT_LOOK_SECONDS)

    async def get_blob(self, key: SessionKey, blob: BlobId) -> bytes:
        """Content that an entry of this log names."""
        folder = self.folder(key)
        with disk.in_our_words(folder):
            return await self._threaded(lambda: get_blob(folder, blob))

    async def fork(self, source: SessionKey, target: SessionKey, *, at: Position) -> None:
        """Make a log that shares `source` up to and including `at`, then says where it came from."""
        folder, new = self._existing(source), self.folder(target)
        now = self._clock.now_ns()
        request = ForkRequest(source=source, target=target, at=at, stamp=stamp(now))
        with disk.in_our_words(folder):
            self._listener.expected(new.name)
            await self._threaded(lambda: trash.make_way(new, self.root / "removing", target, now))
            with reading(folder, source):
                await self._threaded(lambda: fork(folder, new, self.root / "making", request))
        self._listener.released(new.name)

    async def delete(self, key: SessionKey) -> None:
        """Remove a log and its blobs for good."""
        await self._take_away(key, lambda folder: trash.remove(folder, self.root / "removing"))

    async def throw_away(self, key: SessionKey) -> None:
        """Move a log into the trash."""
        now = self._clock.now_ns()
        await self._take_away(key, lambda folder: trash.throw_away(folder, self.root / "trash", now))

    async def _take_away(self, key: SessionKey, work: Callable[[Path], None]) -> None:
        folder = self._existing(key)
        with disk.in_our_words(folder):
            self._tidy()
            lease, _ = await self._lease(key, "removing it", 0.0, force=False)
            await self._under(lease, folder.name, lambda: self._taken_away(key, lease, work))
            self._give_back(lease, folder.name)

    def _taken_away(self, key: SessionKey, lease: FileLease, work: Callable[[Path], None]) -> None:
        folder = self._existing(key)
        with alone(folder, lease):
            work(folder)

    async def trash(self) -> tuple[Trashed, ...]:
        """What lies in the trash, newest first."""
        with disk.in_our_words(self.root):
            return tuple(trash.in_trash(self.root / "trash"))

    async def bring_back(self, name: str) -> SessionKey:
        """Move a log out of the trash."""
        with disk.in_our_words(self.root):
            self._listener.expected(trash.place_of(self.root, name).name)
            key = trash.bring_back(self.root, name, self._clock.now_ns())
        self._listener.released(folder_name(key))
        return key

    async def empty_trash(self, name: str | None = None) -> int:
        """Remove one log in the trash, or all of them, for good; tell how many."""
        removed = 0
        for each in await self.trash():
            # What is gone by now was removed, or brought back, by another process.
            with disk.in_our_words(self.root), suppress(FileNotFoundError):
                if name in {None, each.name}:
                    trash.remove(self.root / "trash" / each.name, self.root / "removing")
                    removed += 1
        return removed

    async def sessions(self) -> AsyncIterator[SessionKey]:
        """Every key there is, in no order."""
        with disk.in_our_words(self._sessions):
            for key in trash.keys_in(self._sessions):
                yield key

    async def verify(self, key: SessionKey) -> Verdict:
        """Check every byte of one log, changing nothing."""
        folder = self._existing(key)
        with reading(folder, key):
            return await self._threaded(lambda: check(folder, key))

    async def repair(self, key: SessionKey) -> Verdict:
        """Mend the end of a log and keep a copy of every damaged stretch aside; tell what was found."""
        writer = await self.acquire(key, create=False, doing="repairing it")
        try:
            folder = self.folder(key)
            with disk.in_our_words(folder):
                return await self._threaded(lambda: with_copies(folder, check(folder, key), writer.repaired))
        finally:
            await writer.release()

    async def close(self) -> None:
        """Release what this store holds."""
        self._closed = True
        self._threads.shutdown(wait=False)
        self._syncs.close()

    async def __aenter__(self) -> Self:
        """Open for a block of code."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()
