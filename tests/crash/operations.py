"""What a call does to a file system, with names resolved to inodes.

One tagged union. A rename keeps the inode it moved, so that the power-cut model can
apply it without the operations before it. A sync names how many operations it
covers, because another thread may write while the sync is under way.
"""

from __future__ import annotations

from typing import Final, NewType

import msgspec

Inode = NewType("Inode", int)
ROOT: Final = Inode(0)
"""The store's own folder, which is there before anything is recorded."""


class Linked(msgspec.Struct, frozen=True, kw_only=True):
    """A name appeared: a file or folder was made, or linked a second time."""

    folder: Inode
    name: str
    inode: Inode
    makes: str = ""
    """`file` or `folder` when the inode itself is new."""


class Unlinked(msgspec.Struct, frozen=True, kw_only=True):
    """A name went away."""

    folder: Inode
    name: str


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """A name became another one, in one step."""

    folder: Inode
    name: str
    to_folder: Inode
    to_name: str
    inode: Inode


class Wrote(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes were written at an offset."""

    inode: Inode
    offset: int
    data: bytes


class Resized(msgspec.Struct, frozen=True, kw_only=True):
    """A file was cut or extended."""

    inode: Inode
    size: int


class Synced(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder was synced; operations before `covers` are durable."""

    inode: Inode
    covers: int


class SyncFailed(msgspec.Struct, frozen=True, kw_only=True):
    """A sync said no: what it should have covered may be gone, whatever a later sync says."""

    inode: Inode
    covers: int


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """The workload said something about itself: what it will do, or what was acknowledged."""

    mark: bytes


Naming = Linked | Unlinked | Moved
"""Changes of a folder: durable when the folder is synced."""
Change = Wrote | Resized
"""Changes of a file: durable when the file is synced."""
Operation = Naming | Change | Synced | SyncFailed | Marked


def folder_of(naming: Naming) -> Inode:
    """The folder that must be synced before this change of names is durable; a rename is one step, and goes there."""
    return naming.to_folder if isinstance(naming, Moved) else naming.folder


def changed(content: bytes, change: Change) -> bytes:
    """What a file holds after a change; a hole is zeros."""
    match change:
        case Wrote(offset=offset, data=data):
            return content[:offset].ljust(offset, b"\0") + data + content[offset + len(data) :]
        case Resized(size=size):
            return content[:size].ljust(size, b"\0")
