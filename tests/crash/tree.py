"""A small file system in memory, as a running process sees it.

It is what a killed process leaves behind (the kernel keeps its writes), and it
resolves names to inodes while a trace is read.
"""

from __future__ import annotations

from tests.crash.operations import (
    ROOT,
    Inode,
    Linked,
    Marked,
    Moved,
    Operation,
    Resized,
    Synced,
    SyncFailed,
    Unlinked,
    Wrote,
    changed,
)


class Tree:
    """Folders and files by inode."""

    def __init__(self) -> None:
        """Begin with an empty root folder."""
        self.folders: dict[Inode, dict[str, Inode]] = {ROOT: {}}
        self.files: dict[Inode, bytes] = {}
        self._next = 1

    def copy(self) -> Tree:
        """An independent tree with the same content."""
        other = Tree()
        other.folders = {inode: dict(names) for inode, names in self.folders.items()}
        other.files = dict(self.files)
        other._next = self._next
        return other

    def new_inode(self) -> Inode:
        """A number that no file or folder has yet."""
        self._next += 1
        return Inode(self._next - 1)

    def find(self, parts: tuple[str, ...]) -> Inode | None:
        """The inode at a path below the root."""
        inode = ROOT
        for part in parts:
            found = self.folders.get(inode, {}).get(part)
            if found is None:
                return None
            inode = found
        return inode

    def apply(self, operation: Operation) -> None:
        """Do to this tree what the operation did to the real one."""
        match operation:
            case Linked(folder=folder, name=name, inode=inode, makes=makes):
                if makes == "file":
                    self.files[inode] = b""
                elif makes == "folder":
                    self.folders[inode] = {}
                self.folders[folder][name] = inode
                self._next = max(self._next, inode + 1)
            case Unlinked(folder=folder, name=name):
                del self.folders[folder][name]
            case Moved():
                del self.folders[operation.folder][operation.name]
                self.folders[operation.to_folder][operation.to_name] = operation.inode
            case Wrote(inode=inode) | Resized(inode=inode):
                self.files[inode] = changed(self.files[inode], operation)
            case Synced() | SyncFailed() | Marked():
                pass
