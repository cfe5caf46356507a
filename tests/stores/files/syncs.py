"""A disk that a test can hold up, let fail, and ask what it was to keep."""

import asyncio
import errno
import os
import threading


class Syncs:
    """A disk that can be held up, told to fail, and asked which files it was to keep, by which threads."""

    def __init__(self) -> None:
        self._sync = os.fdatasync
        self.files: list[int] = []
        self.threads: set[str] = set()
        self.failing = 0
        self.free = threading.Event()
        self.free.set()
        self.begun = threading.Event()

    def __call__(self, descriptor: int) -> None:
        self.files.append(os.fstat(descriptor).st_ino)
        self.threads.add(threading.current_thread().name)
        self.begun.set()
        assert self.free.wait(20)
        if self.failing:
            self.failing -= 1
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._sync(descriptor)

    def hold_up(self) -> None:
        """Let syncs wait until the disk is free."""
        self.free.clear()
        self.begun.clear()

    async def is_held_up(self) -> None:
        """Wait until someone waits for the disk."""
        assert await asyncio.to_thread(self.begun.wait, 20)
