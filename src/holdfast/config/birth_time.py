"""When a folder was made, which the standard library does not tell on Linux before Python 3.15."""

import os
import sys
from pathlib import Path

_AT_FDCWD = -100
_STATX_BTIME = 0x800
_SIZE, _MASK, _SECONDS, _NANOSECONDS = 256, 0, 80, 88
"""Of `struct statx`, the same on every architecture: its size, and where in it the fields are."""


def birth_time(path: Path) -> int:
    """In nanoseconds; 0 where the file system or the system does not know. Raises `OSError` if nothing is there."""
    if born := getattr(path.stat(), "st_birthtime", 0):  # macOS
        return int(born * 1_000_000_000)
    try:
        import ctypes  # noqa: PLC0415 # it takes a moment, and a Python may be built without it
    except ImportError:
        return 0
    statx = getattr(ctypes.CDLL(None, use_errno=True), "statx", None)
    if statx is None:  # an old C library
        return 0
    buffer = ctypes.create_string_buffer(_SIZE)
    if statx(_AT_FDCWD, os.fsencode(path), 0, ctypes.c_uint(_STATX_BTIME), buffer):
        return 0  # an old kernel, or a sandbox that forbids the call
    field = memoryview(buffer)
    mask = int.from_bytes(field[_MASK : _MASK + 4].tobytes(), sys.byteorder)
    if not mask & _STATX_BTIME:
        return 0
    seconds = int.from_bytes(field[_SECONDS : _SECONDS + 8].tobytes(), sys.byteorder, signed=True)
    return seconds * 1_000_000_000 + int.from_bytes(field[_NANOSECONDS : _NANOSECONDS + 4].tobytes(), sys.byteorder)
