"""Small files of the user's own: grants, keys, the identities of workspaces, typed lines, drafts.

A file is written whole or not at all, and only its owner can read it. Everything that writes such a file goes through
here; what writes logs goes through `stores/files/disk`, which the crash explorer watches.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EINVAL
from pathlib import Path
from stat import S_ISREG

from holdfast.stores.files.disk import make_folder, publish, sync_folder, write_new

LARGEST = 64_000_000


def read_own(file: Path) -> bytes:
    """What is in a file. Raises `OSError`, also where a link, a pipe or a device stands in its place."""
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as opened:
        if not S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(EINVAL, "this is no regular file", str(file))
        return opened.read(LARGEST)


def write_own(file: Path, data: bytes, *, synced: bool = True) -> None:
    """Write or replace a file in a folder that is there. Raises `OSError`; then the file is as it was.

    `synced` waits until it is on the disk; what changes with every key press does not.
    """
    new = _beside(file)
    try:
        if synced:
            os.close(write_new(new, data))
        else:
            append_own(new, data)
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    if synced:
        sync_folder(file.parent)


def write_first(file: Path, data: bytes) -> None:
    """Write a file that is not there yet. Raises `FileExistsError` where another process was faster."""
    new = _beside(file)
    os.close(write_new(new, data))
    try:
        publish(new, file)
    finally:
        new.unlink(missing_ok=True)


def append_own(file: Path, data: bytes) -> None:
    """Add to the end of a file, which is made if it is not there. Raises `OSError`, also where a link stands there."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    with os.fdopen(os.open(file, flags, 0o600), "ab") as opened:
        opened.write(data)


def remove_own(file: Path) -> None:
    """Remove a file, also after a power cut; it need not be there."""
    file.unlink(missing_ok=True)
    sync_folder(file.parent)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make a folder for its owner alone, and hold its lock: of two processes, one reads and writes after the other."""
    make_folder(folder)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _beside(file: Path) -> Path:
    """A name in the same folder that nobody reads."""
    return file.with_name(f".{file.name}.{secrets.token_hex(4)}")
