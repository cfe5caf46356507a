"""The few ways bytes get to a disk, each with the syncs that make it last.

Everything that writes goes through here, so that what the crash explorer proves
of these functions holds for the store.
"""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from holdfast.errors import NotWritten, ReadOnly, Unreadable

_FULL_SYNC = 51
"""macOS: F_FULLFSYNC; fsync alone stops at the drive's cache there."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""How file systems say that nothing more fits."""
MANY = frozenset({errno.EMFILE, errno.ENFILE})
"""How the system says that no more files can be open."""
NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""How file systems say that a file has one name, or all the names it can have."""


_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NoFileError(OSError):
    """Something that is no regular file stands in the place of one."""


def open_file(path: Path, flags: int) -> int:
    """Open a file or a folder of the store, or make a file with `O_CREAT`.

    A link, a pipe, a socket or a device in its place is refused, and not waited for: a link may lead to a file
    of somebody else, and who opens a pipe waits until another one does.
    """
    refuse_others(path)
    # Looked at again when it is open, because it may have been put there meanwhile.
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        os.close(descriptor)
        raise NoFileError(errno.EINVAL, "it is no regular file", str(path))
    return descriptor


def refuse_others(path: Path) -> None:
    """Raise `NoFileError` if what stands at a path is neither a file nor a folder; nothing may be there."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return  # whoever opens it is told why
    if kind := next((kind for is_kind, kind in _KINDS if is_kind(mode)), ""):
        raise NoFileError(errno.EINVAL, f"it is {kind}, and not a file", str(path))


def read_file(path: Path) -> bytes:
    """All bytes of a file of the store."""
    with open(open_file(path, os.O_RDONLY), "rb") as file:  # it is open already
        return file.read()


def sync_file(descriptor: int) -> None:
    """Wait until a file's bytes are on the disk."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415

        fcntl.fcntl(descriptor, _FULL_SYNC)
    else:
        os.fdatasync(descriptor)


def begin_writing(descriptor: int, size: int) -> None:
    """Have the end of a file of `size` bytes on its way to the disk before a thread has woken up to wait for it."""
    if sys.platform == "darwin":
        return  # there is no such call
    # What is said not to be needed any more the kernel begins to write, and does not wait. Not the last byte: with
    # that one its page would be dropped where it was clean already, and readers of the end would go to the disk.
    with suppress(OSError):  # only a hint: the sync says what is wrong
        os.posix_fadvise(descriptor, size - 2, 1, os.POSIX_FADV_DONTNEED)


def sync_named(descriptor: int) -> None:
    """Wait until a file's bytes are on the disk, unless nothing leads to them any more."""
    # Asked first: whoever waits is told the sooner, and a file may as well be removed right after.
    if not os.fstat(descriptor).st_nlink:
        raise OSError(errno.ENOENT, "the file was removed or replaced")
    sync_file(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, for its owner alone, and make them last."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return  # another process was faster, and syncs it
    sync_folder(folder.parent)


def append(descriptor: int, data: bytes, size: int) -> None:
    """Add whole lines at the end of a file of `size` bytes, by one write, or change nothing.

    Raises `NotWritten`, and `OSError` if not even the former size could be restored.
    """
    try:
        written = os.write(descriptor, data)
    except OSError as error:
        os.ftruncate(descriptor, size)
        raise not_written(error) from error
    if written != len(data):
        os.ftruncate(descriptor, size)
        raise NotWritten(
            f"There is room for only {written:,} of {len(data):,} bytes; the log is as it was before.",
            hint="Free some space and try again.",
        )


def not_written(error: OSError) -> NotWritten:
    """The same error in our words, with what to do about it."""
    hint = "Free some space and try again." if error.errno in FULL else "Check the disk; what was acknowledged is safe."
    return NotWritten(f"The entry was not written: {error.strerror or error}.", hint=hint)


@contextmanager
def in_our_words(path: Path) -> Iterator[None]:
    """Turn what the system says about a place into an error that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
            cannot = "cannot be written" if error.errno == errno.EROFS else "is not ours to use"
            raise ReadOnly(
                f"{error.filename or path} {cannot}: {error.strerror}.",
                hint="Check who owns it and how it is mounted, or choose another place for the store.",
            ) from error
        if error.errno in FULL:
            raise not_written(error) from error
        hint = "Check the disk."
        if error.errno in MANY:
            hint = "Close sessions that are done with, or allow more (`ulimit -n`)."
        if isinstance(error, NoFileError):
            hint = "Move it away, and restore the file from a backup."
        raise Unreadable(Path(error.filename or path), error.strerror or str(error), hint=hint) from error


def write_new(path: Path, data: bytes) -> int:
    """Make a file, complete and on the disk, under a name nobody reads yet; give its descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        sync_file(descriptor)
    except BaseException:
        os.close(descriptor)
        path.unlink()
        raise
    return descriptor


def publish(new: Path, name: Path) -> None:
    """Give a finished file its name, never over another file, and make the name last."""
    try:
        os.link(new, name)
    except OSError as error:
        if error.errno not in NO_LINKS or name.exists():
            raise
        new.rename(name)
    with suppress(OSError):  # the file has its name; that it keeps another one does no harm
        new.unlink(missing_ok=True)
    try:
        sync_folder(name.parent)
    except OSError:
        name.unlink()  # who asked for it is told that it was not made
        raise


def share(source: Path, name: Path) -> None:
    """Give a finished file a second name; where the file system has no second names, copy it."""
    refuse_others(source)
    try:
        os.link(source, name)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        os.close(write_new(name, read_file(source)))


def size_below(folder: Path, *, without: str = "") -> int:
    """The bytes of all files below a folder, except for one folder in it; what vanishes meanwhile is not counted."""
    size = 0
    for parent, folders, names in os.walk(folder):
        if without in folders:
            folders.remove(without)
        for name in names:
            with suppress(FileNotFoundError):
                size += os.stat(os.path.join(parent, name)).st_size
    return size


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, also when another process does the same."""
    while folder.exists():
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
