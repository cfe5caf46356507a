"""Threads that wait for the disk, so that the event loop does not.

Less between the append and its acknowledgement than a general executor has: a queue,
the sync, and one call back into the loop, shared by all syncs that ended meanwhile.
What a thread can do, the loop need not: each system call there gives the interpreter
to another thread, and waits to get it back.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

import msgspec

THREADS = 16

Work = Callable[[], None]
"""Done in a thread: a sync, and what has to be looked at after it."""
Ended = Callable[[OSError | None], None]
"""Told in the event loop how that ended."""


class _Job(msgspec.Struct, frozen=True):
    work: Work
    ended: Ended
    desk: "_Desk"


class _Desk:
    """Where threads leave what has ended for one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._done: deque[tuple[Ended, OSError | None]] = deque()
        self._called = False

    def leave(self, ended: Ended, error: OSError | None) -> None:
        """In a thread: put it down, and call the loop unless someone has."""
        self._done.append((ended, error))
        if not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop was closed meanwhile, and nobody waits
                self.loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        # Before taking anything: what is left after this line calls again.
        self._called = False
        while self._done:
            ended, error = self._done.popleft()
            ended(error)


class SyncThreads:
    """Syncs files, several at a time."""

    def __init__(self) -> None:
        """Start no thread before there is something to sync."""
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads = self._running = 0
        self._desk: _Desk | None = None

    def sync(self, work: Work, ended: Ended) -> None:
        """Have a file synced, and be told in this event loop."""
        loop = asyncio.get_running_loop()
        if self._desk is None or self._desk.loop is not loop:
            self._desk = _Desk(loop)
        self._running += 1
        if self._running > self._threads and self._threads < THREADS:
            self._threads += 1
            threading.Thread(target=self._work, name="holdfast-sync", daemon=True).start()

        def done(error: OSError | None) -> None:
            self._running -= 1
            ended(error)

        self._queue.put(_Job(work, done, self._desk))

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            error = None
            try:
                job.work()
            except OSError as failed:
                error = failed
            job.desk.leave(job.ended, error)

    def close(self) -> None:
        """End the threads once they have nothing to do."""
        for _ in range(self._threads):
            self._queue.put(None)
        self._threads = 0
