"""Replaces or removes a file atomically, and only if it is still the one that was looked at.

The new content is written beside it, made durable, and takes its name in one step, with the mode and
owner it had. A file that was not there is put in place only if it still is not.
"""

import errno
import os
import secrets
import stat
from contextlib import suppress
from typing import NamedTuple

from holdfast.errors import ToolFailed
from holdfast.tools.files.workspace import ResolvedPath, WorkspaceFiles, failing, open_file
from holdfast.tools.step import Stop

LARGEST = 10_000_000
"""Bytes of a file that can be changed, and taken back."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_UNLINKABLE = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}


class Before(NamedTuple):
    """A file as it was looked at."""

    path: str
    data: bytes | None
    """None if it was not there."""
    mode: int = 0
    """Its permission bits."""


def look(workspace: WorkspaceFiles, place: ResolvedPath) -> Before:
    """The file at a place that is to be written. Raises `ToolFailed` if it must not be, or is too large."""
    workspace.check_writable(place)
    if place.kind == "missing":
        return Before(place.path, None)
    if place.kind == "folder":
        raise ToolFailed(f"{place.path} is a folder.", hint="Give the path of a file.")
    with workspace.file(place.path) as opened:
        mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
        if not mode & stat.S_IWUSR:
            raise ToolFailed(f"{place.path} is marked as not to be written.", hint="Leave it, or ask the person.")
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ToolFailed(f"{place.path} is larger than {LARGEST // 1_000_000} MB.", hint="Change it with a command.")
    return Before(place.path, data, mode)


def replace(workspace: WorkspaceFiles, before: Before, data: bytes, stop: Stop, *, mode: int = 0) -> None:
    """Put new content in the place of what was looked at. Raises `ToolFailed` if that has changed since.

    A file that was not there is made with the permission bits `mode`, if they are given.
    """
    folder, _, name = before.path.rpartition("/")
    with workspace.folder(folder, create=before.data is None) as here, failing(before.path):
        found = _check(name, here, before)
        beside = f".holdfast-{secrets.token_hex(8)}.tmp"
        try:
            _write(beside, here, data, found, mode)
            _check(name, here, before)
            if not stop.abandoned:
                _rename(beside, name, here, before)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(beside, dir_fd=here)


def remove(workspace: WorkspaceFiles, before: Before, stop: Stop) -> None:
    """Remove what was looked at. Raises `ToolFailed` if that has changed since."""
    folder, _, name = before.path.rpartition("/")
    with workspace.folder(folder) as here, failing(before.path):
        _check(name, here, before)
        if not stop.abandoned:
            os.unlink(name, dir_fd=here)
            _sync(here)


def _check(name: str, here: int, before: Before) -> os.stat_result | None:
    """What is known of the file, which must be as it was looked at."""
    try:
        with open_file(name, here) as opened:
            data, found = opened.read(LARGEST + 1), os.fstat(opened.fileno())
    except FileNotFoundError:
        data, found = None, None
    if data != before.data:
        raise _changed(before)
    return found


def _write(beside: str, here: int, data: bytes, like: os.stat_result | None, mode: int) -> None:
    descriptor = os.open(beside, _NEW, 0o666, dir_fd=here)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)
        opened.flush()
        if like is not None:
            with suppress(PermissionError):
                os.fchown(descriptor, like.st_uid, like.st_gid)
            mode = stat.S_IMODE(like.st_mode)
        if mode:
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)


def _rename(beside: str, name: str, here: int, before: Before) -> None:
    if before.data is not None or not _linked(beside, name, here, before):
        os.replace(beside, name, src_dir_fd=here, dst_dir_fd=here)
    _sync(here)


def _sync(here: int) -> None:
    """Make the names of a folder durable."""
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=here)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _linked(beside: str, name: str, here: int, before: Before) -> bool:
    """Give the file its name only if nothing has it; False where the file system cannot."""
    try:
        os.link(beside, name, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)
    except FileExistsError as error:
        raise _changed(before) from error
    except OSError as error:
        if error.errno not in _UNLINKABLE:
            raise
        return False
    return True


def _changed(before: Before) -> ToolFailed:
    return ToolFailed(
        f"{before.path} has changed since it was looked at; nothing was written.", hint="Read it again, then decide."
    )
