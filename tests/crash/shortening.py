"""A disk that takes only half of one write: the n-th on a file of the store.

strace can make a call fail, not make it do less; so the process that plays the
workload cuts the bytes itself. The kernel then really writes fewer than were given.
"""

import os
from pathlib import Path


class Shortening:
    """Counts the writes below a folder, and halves one of them."""

    def __init__(self, root: Path, when: int, sign: Path) -> None:
        """`sign` is a file that appears when it happened."""
        self._root, self._left, self._sign = f"{root}/", when, sign
        self._write, self._pwrite = os.write, os.pwrite

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        """As `os.write`."""
        return self._write(descriptor, self._fitting(descriptor, data))

    def pwrite(self, descriptor: int, data: bytes | memoryview, offset: int) -> int:
        """As `os.pwrite`."""
        return self._pwrite(descriptor, self._fitting(descriptor, data), offset)

    def _fitting(self, descriptor: int, data: bytes | memoryview) -> bytes:
        whole = bytes(data)
        if not os.readlink(f"/proc/self/fd/{descriptor}").startswith(self._root):
            return whole
        self._left -= 1
        if self._left:
            return whole
        self._sign.touch()
        return whole[: len(whole) // 2]


def shorten(root: Path, when: int, sign: Path) -> None:
    """Make this process one whose n-th write to the store is short."""
    shortening = Shortening(root, when, sign)
    vars(os).update(write=shortening.write, pwrite=shortening.pwrite)
