"""Sessions that were thrown away and can still be brought back; and removing for good.

A folder is moved out of the sessions first and taken apart afterwards, so that a
session is there completely or not at all. What a crash leaves half taken apart is
finished the next time the store is opened.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from holdfast.clock import at_time
from holdfast.errors import AlreadyThere, Held, NoSession
from holdfast.ids import Position, SessionKey
from holdfast.log.store import Trashed
from holdfast.records.entries import Opened
from holdfast.stores.files import disk
from holdfast.stores.files.folder_names import folder_name, key_of
from holdfast.stores.files.lease import acquire
from holdfast.stores.files.segments import read_forward, segment_numbers

OTHER_NAME = "Choose another name, or delete that one first."


def move(folder: Path, to: Path) -> None:
    """Move a folder, for good."""
    disk.make_folder(to.parent)
    disk.sync_folder(to.parent.parent)  # whoever made it may have died before
    folder.rename(to)
    disk.sync_folder(to.parent)
    disk.sync_folder(folder.parent)


def remove(folder: Path, removing: Path) -> None:
    """Take a session away at once, and then its bytes."""
    away = removing / token_hex(8)
    move(folder, away)
    disk.remove_tree(away)
    disk.sync_folder(removing)


def finish_removing(removing: Path) -> None:
    """Take apart what a crash left half removed."""
    if removing.is_dir() and os.listdir(removing):
        disk.sync_folder(removing)  # whoever moved it here may have died before: it must not come back in part
        for away in list(removing.iterdir()):
            disk.remove_tree(away)
        disk.sync_folder(removing)


def throw_away(folder: Path, trash: Path, now_ns: int) -> None:
    """Move a session into the trash."""
    while (to := trash / f"{now_ns}+{folder.name}").exists():
        now_ns += 1
    move(folder, to)


def in_trash(trash: Path) -> list[Trashed]:
    """What lies in the trash, newest first."""
    found = []
    for folder in trash.iterdir() if trash.is_dir() else ():
        stamp, plus, name = folder.name.partition("+")
        if plus and stamp.isdecimal():
            with suppress(FileNotFoundError):  # removed or brought back just now
                key = key_in(folder, name)
                size = disk.size_below(folder)
                found.append(Trashed(name=folder.name, key=key, at=at_time(int(stamp)), size=size))
    return sorted(found, key=lambda each: each.at, reverse=True)


def key_in(folder: Path, name: str) -> SessionKey:
    """The key of a session folder called `name`; where the name does not tell, its log does."""
    key = key_of(name)
    if key is not None:
        return key
    for records in read_forward(folder, Position(0), None):
        for record in records:
            if isinstance(record.entry, Opened) and folder_name(record.entry.key) == name:
                return record.entry.key
    return SessionKey(name)


def keys_in(sessions: Path) -> Iterator[SessionKey]:
    """The keys of all session folders; those that cannot be read are there too."""
    for folder in sessions.iterdir() if sessions.is_dir() else ():
        key = _key_or_name(folder)
        if key is not None:
            yield key


def _key_or_name(folder: Path) -> SessionKey | None:
    try:
        return key_in(folder, folder.name) if segment_numbers(folder) else None
    except OSError:
        return key_of(folder.name) or SessionKey(folder.name)


def place_of(root: Path, name: str) -> Path:
    """Where something in the trash belongs. Raises `NoSession` if no session of that name lies there."""
    trash = root / "trash"
    if not trash.is_dir() or name not in os.listdir(trash) or not segment_numbers(trash / name):
        raise NoSession(name)
    return root / "sessions" / name.partition("+")[2]


def bring_back(root: Path, name: str, now_ns: int) -> SessionKey:
    """Move a session out of the trash again."""
    trash, target = root / "trash", place_of(root, name)
    key = key_in(trash / name, target.name)
    hint = "To keep that one, fork it under another name; then delete it, and this can come back."
    make_way(target, root / "removing", key, now_ns, hint)
    move(trash / name, target)
    return key


def make_way(target: Path, removing: Path, key: SessionKey, now_ns: int, hint: str = OTHER_NAME) -> None:
    """Take away what is left of a session that was opened and never begun; any other raises `AlreadyThere`."""
    if not target.exists():
        return
    taken = AlreadyThere(f"There is already a session {key!r}.", hint=hint)
    try:
        lease = acquire(target, key, "taking its place", now_ns)
    except Held:
        raise taken from None
    try:
        if segment_numbers(target):
            raise taken
        remove(target, removing)
    finally:
        lease.close()
