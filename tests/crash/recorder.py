"""From calls to operations: whose descriptor, which inode, at what offset.

Only one process with threads is followed; a call that changes files in a way this
model does not know raises, so that nothing is silently left out. Files of the
catalog are skipped: it is derived, and SQLite writes part of it through memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from tests.crash.operations import (
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
)
from tests.crash.trace import Call, UnreadableTraceError, text, texts
from tests.crash.tree import Tree

MARKS: Final = Inode(-1)
"""Stands for the file into which a workload writes its marks."""

OPENING: Final = frozenset({"open", "openat", "creat"})
REFUSED: Final = frozenset(
    {"sendfile", "copy_file_range", "splice", "fallocate", "symlink", "symlinkat", "pwritev", "pwritev2"}
)
HANDLED: Final = [
    "open",
    "openat",
    "creat",
    "close",
    "dup",
    "dup2",
    "dup3",
    "fcntl",
    "lseek",
    "read",
    "write",
    "writev",
    "pwrite64",
    "ftruncate",
    "truncate",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "mmap",
]
TRACED: Final = ",".join([*HANDLED, *sorted(REFUSED), "fork", "vfork", "clone", "clone3"])
"""What strace is asked to show."""


def skipped(name: str) -> bool:
    """Whether a file belongs to the derived catalog."""
    return name.startswith("catalog.db")


class OpenFile(msgspec.Struct):
    """What a descriptor stands for; copies of a descriptor share it."""

    inode: Inode
    append: bool = False
    offset: int = 0


class Recorder:
    """Follows the calls of one process below one root folder."""

    def __init__(self, *, root: str, marks: str, tree: Tree, before: Sequence[Operation] = ()) -> None:
        """`tree` is what is below `root` at the start, after the operations `before`; it is kept up to date."""
        self.operations: list[Operation] = list(before)
        self._root = root.rstrip("/")
        self._marks = marks
        self._tree = tree
        self._open: dict[int, OpenFile] = {}
        self._paths: dict[int, str] = {}
        self._lines: list[int] = [-1] * len(self.operations)
        self._by_descriptor: dict[str, Callable[[Call, OpenFile | None], None]] = {
            "close": self._closed,
            **dict.fromkeys(("dup", "dup2", "dup3", "fcntl"), self._copied),
            "lseek": self._sought,
            "read": self._read,
            **dict.fromkeys(("write", "writev", "pwrite64"), self._wrote),
            "ftruncate": self._resized,
            **dict.fromkeys(("fsync", "fdatasync"), self._synced),
        }
        self._by_name: dict[str, Callable[[Call], None]] = {
            **dict.fromkeys(OPENING, self._opened),
            "truncate": self._truncated,
            **dict.fromkeys(("mkdir", "mkdirat"), self._folder_made),
            **dict.fromkeys(("unlink", "unlinkat", "rmdir"), self._unlinked),
            **dict.fromkeys(("link", "linkat"), self._linked),
            **dict.fromkeys(("rename", "renameat", "renameat2"), self._moved),
            "mmap": self._mapped,
        }

    def feed(self, calls: Iterable[Call]) -> list[Operation]:
        """Take in every call that succeeded, and syncs that failed; the operations so far."""
        for call in calls:
            if call.result >= 0 or call.name in {"fsync", "fdatasync"}:
                self._take(call)
        return self.operations

    def _take(self, call: Call) -> None:
        if call.name in {"fork", "vfork"} or (call.name.startswith("clone") and "CLONE_THREAD" not in str(call.args)):
            raise UnreadableTraceError("the workload started another process, whose descriptors are not followed")
        if call.name in self._by_descriptor:
            number = int(call.args[0])
            known = self._open.get(number)
            if known is not None or number in self._paths:
                self._by_descriptor[call.name](call, known)
        elif call.name in self._by_name:
            self._by_name[call.name](call)
        elif call.name in REFUSED and any(self._is_ours(argument) for argument in call.args):
            raise UnreadableTraceError(f"{call.name} on a file of the store is not modelled")

    def _is_ours(self, argument: str) -> bool:
        return (argument.isdigit() and int(argument) in self._open) or (
            argument.startswith('"') and self._parts(os.fsdecode(text(argument))) is not None
        )

    def _did(self, call: Call, operation: Operation) -> None:
        self._tree.apply(operation)
        self.operations.append(operation)
        self._lines.append(call.ended)

    def _parts(self, path: str) -> tuple[str, ...] | None:
        """The path below the root, or None when it is elsewhere or skipped."""
        if path != self._root and not path.startswith(self._root + "/"):
            return None
        parts = tuple(part for part in path[len(self._root) :].split("/") if part)
        return None if parts and skipped(parts[-1]) else parts

    def _path(self, folder: str, name: str) -> str:
        path = os.fsdecode(text(name))
        if path.startswith("/") or folder == "AT_FDCWD":
            return path
        return f"{self._paths.get(int(folder), '')}/{path}"

    def _opened(self, call: Call) -> None:
        args = call.args if call.name == "openat" else ("AT_FDCWD", *call.args)
        path = self._path(args[0], args[1])
        flags = "O_CREAT|O_TRUNC" if call.name == "creat" else args[2]
        self._open.pop(call.result, None)
        self._paths[call.result] = path
        if path == self._marks:
            self._open[call.result] = OpenFile(inode=MARKS)
            return
        parts = self._parts(path)
        if parts is None:
            return
        inode = self._tree.find(parts)
        if inode is None:
            inode = self._made(call, parts, "file")
        elif "O_TRUNC" in flags and self._tree.files[inode]:
            self._did(call, Resized(inode=inode, size=0))
        self._open[call.result] = OpenFile(inode=inode, append="O_APPEND" in flags)

    def _made(self, call: Call, parts: tuple[str, ...], makes: str) -> Inode:
        inode = self._tree.new_inode()
        above = self._existing(parts[:-1])
        self._did(call, Linked(folder=above, name=parts[-1], inode=inode, makes=makes))
        return inode

    def _existing(self, parts: tuple[str, ...]) -> Inode:
        inode = self._tree.find(parts)
        if inode is None:
            raise UnreadableTraceError(f"the trace uses a file that the model does not have: {'/'.join(parts)}")
        return inode

    def _closed(self, call: Call, _known: OpenFile | None) -> None:
        self._open.pop(int(call.args[0]), None)
        self._paths.pop(int(call.args[0]), None)

    def _copied(self, call: Call, known: OpenFile | None) -> None:
        if call.name == "fcntl" and not call.args[1].startswith("F_DUPFD"):
            return
        self._paths[call.result] = self._paths[int(call.args[0])]
        self._open.pop(call.result, None)
        if known is not None:
            self._open[call.result] = known

    def _sought(self, call: Call, known: OpenFile | None) -> None:
        if known is not None:
            known.offset = call.result

    def _read(self, call: Call, known: OpenFile | None) -> None:
        if known is not None:
            known.offset += call.result

    def _wrote(self, call: Call, known: OpenFile | None) -> None:
        if known is None:
            return
        data = texts(call.args[1])[: call.result]
        if known.inode == MARKS:
            self._did(call, Marked(mark=data))
            return
        size = len(self._tree.files[known.inode])
        if call.name == "pwrite64":
            offset = int(call.args[3])
        else:
            offset = size if known.append else known.offset
            known.offset = offset + len(data)
        if data:
            self._did(call, Wrote(inode=known.inode, offset=offset, data=data))

    def _resized(self, call: Call, known: OpenFile | None) -> None:
        if known is not None and len(self._tree.files[known.inode]) != int(call.args[1]):
            self._did(call, Resized(inode=known.inode, size=int(call.args[1])))

    def _synced(self, call: Call, known: OpenFile | None) -> None:
        if known is not None and known.inode != MARKS:
            covers = sum(1 for line in self._lines if line < call.began)
            made = Synced if call.result >= 0 else SyncFailed
            self._did(call, made(inode=known.inode, covers=covers))

    def _mapped(self, call: Call) -> None:
        number = call.args[4]
        writable = "PROT_WRITE" in call.args[2] and "MAP_SHARED" in call.args[3]
        if writable and number.isdigit() and int(number) in self._open:
            raise UnreadableTraceError("a file of the store is written through memory, which strace does not show")

    def _truncated(self, call: Call) -> None:
        parts = self._parts(os.fsdecode(text(call.args[0])))
        if parts is not None:
            self._did(call, Resized(inode=self._existing(parts), size=int(call.args[1])))

    def _folder_made(self, call: Call) -> None:
        args = call.args if call.name == "mkdirat" else ("AT_FDCWD", *call.args)
        parts = self._parts(self._path(args[0], args[1]))
        if parts:
            self._made(call, parts, "folder")

    def _unlinked(self, call: Call) -> None:
        args = call.args if call.name == "unlinkat" else ("AT_FDCWD", *call.args)
        parts = self._parts(self._path(args[0], args[1]))
        if parts:
            self._did(call, Unlinked(folder=self._existing(parts[:-1]), name=parts[-1]))

    def _pair(self, call: Call) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        at = call.name not in {"rename", "link"}
        args = call.args if at else ("AT_FDCWD", call.args[0], "AT_FDCWD", call.args[1])
        old = self._parts(self._path(args[0], args[1]))
        new = self._parts(self._path(args[2], args[3]))
        if old and new:
            return old, new
        if old or new:
            raise UnreadableTraceError(f"{call.name} across the border of the store is not modelled")
        return None

    def _linked(self, call: Call) -> None:
        pair = self._pair(call)
        if pair is not None:
            old, new = pair
            folder = self._existing(new[:-1])
            self._did(call, Linked(folder=folder, name=new[-1], inode=self._existing(old)))

    def _moved(self, call: Call) -> None:
        pair = self._pair(call)
        if pair is not None:
            old, new = pair
            self._did(
                call,
                Moved(
                    folder=self._existing(old[:-1]),
                    name=old[-1],
                    to_folder=self._existing(new[:-1]),
                    to_name=new[-1],
                    inode=self._existing(old),
                ),
            )
