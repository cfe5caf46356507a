"""What may be on the disk when the power goes, at any instant.

Nothing is durable until its own inode is synced: neither the bytes of a file nor the
names in a folder. Until then every sector may hold any version it ever had, in any
order; a size may have grown before its bytes arrived (zeros); each change of names
may have happened or not, whatever the others did. A rename is one step. This is
looser than ext4, xfs or btrfs, so each state those can leave is among these.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Final

from tests.crash.operations import (
    Change,
    Inode,
    Linked,
    Marked,
    Moved,
    Naming,
    Operation,
    Resized,
    Synced,
    SyncFailed,
    Unlinked,
    Wrote,
    changed,
    folder_of,
)
from tests.crash.tree import Tree

SECTOR: Final = 512
PAGE: Final = 4096
_SMALL: Final = 64
"""Up to so many combinations are listed in full; beyond it they are drawn."""

Names = dict[Inode, dict[str, Inode]]
"""What each folder holds."""


class Disk:
    """The durable part of a tree, and what is still on its way to it."""

    def __init__(self, tree: Tree) -> None:
        """Begin with everything in `tree` durable."""
        self.versions: dict[Inode, list[bytes]] = {inode: [content] for inode, content in tree.files.items()}
        self.ghosts: dict[Inode, list[bytes]] = {}
        """Histories in which a failed sync threw away what it should have kept."""
        self.namings: list[Naming] = []
        self._durable: Names = {inode: dict(names) for inode, names in tree.folders.items()}
        self._version_at: dict[Inode, list[int]] = {inode: [-1] for inode in tree.files}
        self._naming_at: list[int] = []
        self._owed: list[bool] = []
        """Whether each of `namings` still waits for the sync of its folder."""
        self._count = 0

    def apply(self, operation: Operation) -> None:
        """Take in the next operation."""
        match operation:
            case Linked() | Unlinked() | Moved():
                self._named(operation)
            case Wrote() | Resized():
                self._changed(operation)
            case Synced():
                self._synced(operation)
            case SyncFailed():
                self._failed(operation)
            case Marked():
                pass
        self._count += 1

    def _named(self, naming: Naming) -> None:
        if isinstance(naming, Linked) and naming.makes == "file":
            self.versions[naming.inode] = [b""]
            self._version_at[naming.inode] = [self._count]
        self.namings.append(naming)
        self._naming_at.append(self._count)
        self._owed.append(True)

    def _changed(self, change: Change) -> None:
        versions = self.versions[change.inode]
        versions.append(changed(versions[-1], change))
        self._version_at[change.inode].append(self._count)
        ghost = self.ghosts.get(change.inode)
        if ghost is not None:
            ghost.append(changed(ghost[-1], change))

    def _failed(self, sync: SyncFailed) -> None:
        # The kernel marks such pages clean: memory still shows them, the disk may never get them.
        if sync.inode in self.versions:
            self.ghosts.setdefault(sync.inode, [self.versions[sync.inode][0]])

    def _synced(self, sync: Synced) -> None:
        made_at = self._version_at.get(sync.inode)
        if made_at is None:
            for index, at in enumerate(self._naming_at):
                if at < sync.covers and folder_of(self.namings[index]) == sync.inode:
                    self._owed[index] = False
            self._settle()
            return
        keep = max(0, sum(1 for at in made_at if at < sync.covers) - 1)
        del self.versions[sync.inode][:keep]
        del made_at[:keep]
        if sync.inode in self.ghosts:
            del self.ghosts[sync.inode][:-1]

    def _settle(self) -> None:
        """Move the leading names that are durable out of what is on its way."""
        while self._owed and not self._owed[0]:
            _rename(self._durable, self.namings.pop(0))
            self._naming_at.pop(0)
            self._owed.pop(0)

    def names(self, chosen: frozenset[int]) -> Names:
        """The folders when just the chosen of the pending changes of names happened."""
        folders = {inode: dict(names) for inode, names in self._durable.items()}
        for index, naming in enumerate(self.namings):
            if index in chosen or not self._owed[index]:
                _rename(folders, naming)
        return folders

    def optional(self) -> list[int]:
        """Which pending changes of names may have happened or not."""
        return [index for index, owed in enumerate(self._owed) if owed]

    def choices(self, draw: random.Random) -> Iterator[frozenset[int]]:
        """Which changes of names happened: all beginnings first, then any mixture."""
        optional = self.optional()
        for count in range(len(optional), -1, -1):
            yield frozenset(optional[:count])
        for index in optional:
            yield frozenset(optional) - {index}
            yield frozenset({index})
        if 2 ** len(optional) <= _SMALL:
            for size in range(len(optional) + 1):
                yield from map(frozenset, itertools.combinations(optional, size))
        else:
            for _ in range(_SMALL):
                yield frozenset(index for index in optional if draw.random() < 0.5)


def _rename(folders: Names, naming: Naming) -> None:
    match naming:
        case Linked(folder=folder, name=name, inode=inode, makes=makes):
            if makes == "folder":
                folders.setdefault(inode, {})
            folders.setdefault(folder, {})[name] = inode
        case Unlinked(folder=folder, name=name):
            folders.setdefault(folder, {}).pop(name, None)
        case Moved():
            folders.setdefault(naming.folder, {}).pop(naming.name, None)
            folders.setdefault(naming.to_folder, {})[naming.to_name] = naming.inode


def contents(versions: list[bytes], draw: random.Random) -> Iterator[bytes]:
    """What a file may hold after a power cut, given its versions since the last sync."""
    yield versions[-1]
    if len(versions) == 1:
        return
    yield from reversed(versions[:-1])
    first, last = versions[0], versions[-1]
    shortest = min(map(len, versions))
    for cut in range(shortest - shortest % SECTOR + SECTOR, len(last), SECTOR):
        yield last[:cut]
        yield last[:cut].ljust(len(last), b"\0")
    for version in versions[1:]:
        yield first[: len(version)].ljust(len(version), b"\0")
    for block in (PAGE, SECTOR):
        yield from _mixtures(versions, block, draw)


def _mixtures(versions: list[bytes], block: int, draw: random.Random) -> Iterator[bytes]:
    """Each block from any version, at each size the file ever had."""
    longest = max(map(len, versions))
    blocks = [
        sorted({version[at : at + block].ljust(block, b"\0") for version in versions})
        for at in range(0, longest, block)
    ]
    total = 1
    for options in blocks:
        total = min(total * len(options), _SMALL + 1)
    if total <= _SMALL:
        mixed: Iterator[bytes] = map(b"".join, itertools.product(*blocks))
    else:
        mixed = (b"".join(map(draw.choice, blocks)) for _ in range(_SMALL))
    sizes = sorted({len(version) for version in versions}, reverse=True)
    for content in mixed:
        for size in sizes:
            yield content[:size]
