"""Threads that call fsync, so that the event loop does not wait for the disk.

Less between the append and its acknowledgement than a general executor has: a queue,
the sync, and one byte through a pipe that the loop watches, shared by all syncs that
ended meanwhile. The loop's own way to be called from a thread makes an object for each
call, and two more system calls, each of which gives the interpreter to another thread
and waits to get it back. What a thread can do, the loop need not.
"""

import asyncio
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
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
    completions: "_Completions"


class _Completions:
    """Where threads leave what has ended for one event loop.

    A thread may still be busy when the loop is closed or the queue is: the pipe lasts as
    long as anyone has the queue, so that no thread rings where nothing is left.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.running = 0
        self.later: list[_Job] = []
        self._done: deque[tuple[Ended, OSError | None]] = deque()
        self._called = self._closing = False
        self._bell, self._button = os.pipe()
        weakref.finalize(self, _close, self._bell, self._button).atexit = False
        loop.add_reader(self._bell, self._take)

    def leave(self, ended: Ended, error: OSError | None) -> None:
        """In a thread: put it down, and ring unless someone has."""
        self._done.append((ended, error))
        if not self._called:
            self._called = True
            # Not `write`: a fault that is injected into the store's writes must not keep the loop asleep.
            os.writev(self._button, (b"!",))

    def _take(self) -> None:
        os.read(self._bell, THREADS)
        # Before taking anything: what is left after this line rings again.
        self._called = False
        while self._done:
            ended, error = self._done.popleft()
            self.running -= 1
            ended(error)
        self._leave_loop()

    def close(self) -> None:
        """Stop watching once everything was told."""
        self._closing = True
        self._leave_loop()

    def _leave_loop(self) -> None:
        if self._closing and not self.running:
            self.loop.remove_reader(self._bell)


def _close(*ends: int) -> None:
    for each in ends:
        os.close(each)


class SyncThreads:
    """Syncs files, several at a time."""

    def __init__(self) -> None:
        """Start no thread before there is something to sync."""
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads = 0
        self._completions: _Completions | None = None

    @property
    def idle(self) -> bool:
        """Whether nothing is being synced, nor waits to be."""
        return self._completions is None or not self._completions.running

    def sync(self, work: Work, ended: Ended) -> None:
        """Have a file synced, and be told in this event loop."""
        loop = asyncio.get_running_loop()
        completions = self._completions
        if completions is None or completions.loop is not loop:
            completions = self._completions = _Completions(loop)
        completions.running += 1
        if completions.running > self._threads and self._threads < THREADS:
            self._threads += 1
            threading.Thread(target=self._work, name="holdfast-sync", daemon=True).start()
        job = _Job(work, ended, completions)
        if completions.running == 1:
            self._queue.put(job)
            return
        # A thread that wakes wants the interpreter, and gets it at the loop's next system call: let
        # the loop first do what it has to do for the other sessions.
        if not completions.later:
            loop.call_soon(self._hand_over, completions)
        completions.later.append(job)

    def _hand_over(self, completions: _Completions) -> None:
        for job in completions.later:
            self._queue.put(job)
        completions.later.clear()

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            error = None
            try:
                job.work()
            except OSError as failed:
                error = failed
            job.completions.leave(job.ended, error)

    def close(self) -> None:
        """End the threads once they have nothing to do."""
        if self._completions is not None:
            self._hand_over(self._completions)
            self._completions.close()
            self._completions = None
        for _ in range(self._threads):
            self._queue.put(None)
        self._threads = 0
