"""Threads that wait for the disk, so that the event loop does not.

Less between the append and its acknowledgement than a general executor has: a queue,
the sync, and one call back into the loop.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

import msgspec

from holdfast.stores.files import disk

THREADS = 16

Synced = Callable[[OSError | None], None]
"""Told in the event loop how a sync ended."""


class _Job(msgspec.Struct, frozen=True):
    descriptor: int
    loop: asyncio.AbstractEventLoop
    synced: Synced


class SyncThreads:
    """Syncs files, several at a time."""

    def __init__(self) -> None:
        """Start no thread before there is something to sync."""
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads = self._running = 0

    def sync(self, descriptor: int, synced: Synced) -> None:
        """Have a file synced, and be told in this event loop."""
        self._running += 1
        if self._running > self._threads and self._threads < THREADS:
            self._threads += 1
            threading.Thread(target=self._work, name="holdfast-sync", daemon=True).start()
        self._queue.put(_Job(descriptor, asyncio.get_running_loop(), synced))

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            error = None
            try:
                disk.sync_file(job.descriptor)
            except OSError as failed:
                error = failed
            with suppress(RuntimeError):  # the loop was closed meanwhile, and nobody waits
                job.loop.call_soon_threadsafe(self._done, job.synced, error)

    def _done(self, synced: Synced, error: OSError | None) -> None:
        self._running -= 1
        synced(error)

    def close(self) -> None:
        """End the threads once they have nothing to do."""
        for _ in range(self._threads):
            self._queue.put(None)
        self._threads = 0
