"""Every state that a recording may leave behind, one after the other.

Two ways to end at each point: the process was killed (the kernel keeps what it has
taken, the last write may be cut anywhere), or the power went (see `disk`). States
are drawn by a seeded generator where listing all of them would not end; a state
that looks like one seen before only widens what that one has to answer for.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from tests.crash.disk import SECTOR, Disk, Names, contents
from tests.crash.layout import Files, Snapshot, snapshot
from tests.crash.operations import Inode, Marked, Operation, Wrote
from tests.crash.tree import Tree

_DRAWN: Final = re.compile("[0-9a-f]{16}")
_PROCESS: Final = re.compile(rb'"pid":\d+')
_CANDIDATES: Final = 400
"""How many contents of one file are looked at, at one point."""


class Recording(msgspec.Struct, kw_only=True):
    """What a workload did, and from what it started."""

    name: str
    start: Tree
    operations: list[Operation]
    begins: int = 0
    """From which operation on crashes are looked at; before it, an earlier recording did."""
    told: bytes = b""
    """The marks made before the recording."""


class State(msgspec.Struct, kw_only=True):
    """One disk after a crash, with the stretch of the workload that can leave it."""

    folders: tuple[str, ...]
    files: Files
    how: str
    """`killed`, `power cut`, or that either leaves it."""
    point: int
    """Number of the operation before which it happened."""
    first_marks: int
    """How many marks the workload had made, at the earliest point with this state."""
    last_marks: int
    """The same, at the latest point."""
    killed_marks: int
    """The same, at the latest point at which a killed process leaves it; -1 if none does."""

    def merge(self, other: State) -> None:
        """Answer for another way to the same names and bytes too."""
        self.how = self.how if self.how == other.how else "killed or power cut"
        self.first_marks = min(self.first_marks, other.first_marks)
        self.last_marks = max(self.last_marks, other.last_marks)
        self.killed_marks = max(self.killed_marks, other.killed_marks)


def digest(state: State) -> bytes:
    """The same for the same names and bytes; a name drawn at random or a process's number makes no other state."""
    names = [_DRAWN.sub("*", name) for name in state.folders]
    files = [
        ([_DRAWN.sub("*", name) for name in own], _PROCESS.sub(b"", content) if _is_lock(own[0]) else content)
        for own, content in state.files
    ]
    return hashlib.blake2b(msgspec.msgpack.encode((names, sorted(files))), digest_size=16).digest()


def _is_lock(name: str) -> bool:
    return name.endswith("/lock") or "/.lock." in name


def crash_states(recording: Recording, *, per_point: int, seed: int) -> Iterator[State]:
    """States at every point of the recording, repeats included."""
    live = recording.start.copy()
    disk = Disk(recording.start)
    marks = 0
    following: list[Operation | None] = [*recording.operations, None]
    for point, operation in enumerate(following):
        if point >= recording.begins:
            draw = random.Random(f"{seed} {recording.name} {point}")
            for how, folders, files in _at(live, disk, operation, per_point, draw):
                yield _state(how, point, marks, snapshot(folders, files))
        if operation is not None:
            live.apply(operation)
            disk.apply(operation)
            marks += isinstance(operation, Marked)


def _state(how: str, point: int, marks: int, found: Snapshot) -> State:
    return State(
        folders=found[0],
        files=found[1],
        how=how,
        point=point,
        first_marks=marks,
        last_marks=marks,
        killed_marks=marks if how == "killed" else -1,
    )


_Found = tuple[str, Names, dict[Inode, bytes]]


def _at(live: Tree, disk: Disk, operation: Operation | None, per_point: int, draw: random.Random) -> Iterator[_Found]:
    yield "killed", live.folders, live.files
    if isinstance(operation, Wrote):
        for size in _cuts(len(operation.data), draw):
            torn = live.copy()
            torn.apply(msgspec.structs.replace(operation, data=operation.data[:size]))
            yield "killed", torn.folders, torn.files
    if isinstance(operation, Marked):
        return  # nothing on the disk changes here; the next point has the same states
    for folders, files in _power_cuts(disk, per_point, draw):
        yield "power cut", folders, files


def _cuts(size: int, draw: random.Random) -> list[int]:
    cuts = {1, size // 2, size - 1, *range(SECTOR, size, SECTOR)} | {
        draw.randrange(1, size) for _ in range(3) if size > 1
    }
    return sorted(cut for cut in cuts if 0 < cut < size)


def _power_cuts(disk: Disk, limit: int, draw: random.Random) -> Iterator[tuple[Names, dict[Inode, bytes]]]:
    """Extremes first, each file on its own next, then mixtures up to the limit."""
    settled = {inode: versions[-1] for inode, versions in disk.versions.items()}
    lost = {inode: disk.ghosts.get(inode, versions)[0] for inode, versions in disk.versions.items()}
    names = [disk.names(chosen) for chosen in dict.fromkeys(disk.choices(draw))]
    options: dict[Inode, list[bytes]] = {}
    for inode, versions in disk.versions.items():
        ghost = disk.ghosts.get(inode, versions[:1])
        if len(versions) > 1 or inode in disk.ghosts:
            found = list(dict.fromkeys((*contents(ghost, draw), *contents(versions, draw))))
            options[inode] = found if len(found) <= _CANDIDATES else found[:_CANDIDATES]
    singles: list[tuple[Names, dict[Inode, bytes]]] = [
        (folders, files) for folders in names for files in (settled, lost)
    ]
    for inode, found in options.items():
        singles += [(draw.choice(names[:2]), {**base, inode: content}) for content in found for base in (settled, lost)]
    if len(singles) > limit:
        singles = draw.sample(singles, limit)
    yield from singles
    for _ in range(limit - len(singles) if len(options) > 1 or len(names) > 1 else 0):
        yield draw.choice(names), {**settled, **{inode: draw.choice(found) for inode, found in options.items()}}
