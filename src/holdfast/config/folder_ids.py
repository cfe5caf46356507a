"""The identities of folders that have no repository, kept with the user's own files.

A folder is known by its inode and its birth time, so it keeps its identity where it is moved or renamed within its
file system. The inode alone is not enough: the next folder that is made may get the number of one that was removed.
Where a file system has no birth times, the path is all there is.
"""

import os
import re
import secrets
import sys
from hashlib import sha256
from pathlib import Path

import msgspec

from holdfast.config.own_files import locked, write_own
from holdfast.records.parts import Value

IDENTITY = re.compile(r"[0-9a-f]{32}")
_LARGEST = 1_000_000


class _Known(Value, frozen=True, kw_only=True):
    """A folder with an identity."""

    identity: str
    root: str
    """Where it was when it was last seen."""


def folder_identity(state: Path, root: Path) -> str:
    """The identity of a folder, made when it is first asked for. Raises `OSError` where nothing can be kept."""
    if found := known_folder(state, root):
        return found
    place = _place(state, root)
    with locked(place.parent):
        known = _read(place)
        here, chosen = _text(root), _chosen(known, root)
        if chosen is None:
            chosen = _Known(identity=secrets.token_hex(16), root=here)
        elif not _is_same(chosen.root, root):
            known = [each for each in known if each != chosen]
            chosen = _Known(identity=chosen.identity, root=here)
        if chosen not in known:
            write_own(place, msgspec.json.encode([*known, chosen]))
    return chosen.identity


def known_folder(state: Path, root: Path) -> str:
    """The identity that a folder has where it is; '' if it has none, or was moved since. Nothing is written."""
    try:
        found = _chosen(_read(_place(state, root)), root)
    except (OSError, ValueError):  # a path with a zero in it is a ValueError
        return ""
    return found.identity if found is not None and _is_same(found.root, root) else ""


def _chosen(known: list[_Known], root: Path) -> _Known | None:
    """Which of several with the same inode and birth time a folder is: a snapshot of a disk repeats both."""
    for each in known:
        if _is_same(each.root, root):
            return each
    # Where the other one is still there, this one is a copy.
    return next((each for each in known if not _is_there(each.root, root)), None)


def _is_same(path: str, root: Path) -> bool:
    try:
        return path == _text(root) or root.samefile(path)
    except (OSError, ValueError):
        return False


def _is_there(path: str, like: Path) -> bool:
    """Whether a folder of the same inode and birth time is at a path."""
    try:
        return _mark(Path(path)) == _mark(like)
    except (OSError, ValueError):
        return False


def _mark(root: Path) -> str:
    """What a folder is known by."""
    born = birth_time(root)
    if not born:
        return sha256(os.fsencode(root)).hexdigest()[:32]
    return f"{root.stat().st_ino:x}-{born:x}"


def _place(state: Path, root: Path) -> Path:
    return state / "folders" / f"{_mark(root)}.json"


def _text(root: Path) -> str:
    return os.fsencode(root).decode(errors="backslashreplace")  # JSON has no names that are no text


def _read(place: Path) -> list[_Known]:
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    with open(descriptor, "rb") as file:  # noqa: PTH123 # it is open already
        data = file.read(_LARGEST)
    try:
        known = msgspec.json.decode(data, type=list[_Known])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return []  # torn by a full disk: the folder gets another identity
    return [each for each in known if IDENTITY.fullmatch(each.identity)]


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
