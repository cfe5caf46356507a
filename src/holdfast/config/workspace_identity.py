"""Which workspace this is, also after its folder was moved.

The id of a repository lies in `.git`, which no clone brings along, together with the path it was given for. A copy,
whose original is still there, gets an id of its own. The id of any other folder is kept with the user's own files
(`folder_ids`), so that a start leaves nothing in it. Earlier versions kept it in `.holdfast/id`: that still counts.
"""

import os
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from holdfast.config.folder_ids import IDENTITY, folder_identity, known_folder
from holdfast.config.own_files import write_first, write_own
from holdfast.config.places import OWN
from holdfast.records.parts import Value


class _Mark(Value, frozen=True, kw_only=True):
    identity: str
    root: str
    """Where the workspace was when it was marked."""


def workspace_identity(root: Path, state: Path, *, trusted: bool = True, keep: bool = True) -> str:
    """The id of a workspace, made when it is first asked for.

    `state` is the folder for what is remembered of the user. In a folder that is not `trusted` nothing is read or
    written. Where nothing can be written, or nothing is to be kept, it is made from the path, so that it is the same
    the next time.
    """
    here = root.resolve()
    found = _read(here) if trusted else None
    if found is not None and found.root == str(here):
        return found.identity
    by_path = sha256(os.fsencode(here)).hexdigest()[:32]
    if not keep:
        return known_folder(state, here) or by_path
    with suppress(OSError):
        if found is not None and is_marked(Path(found.root), found.identity, state):
            return _write(here, secrets.token_hex(16))  # a copy: the original is still there
        if found is not None:
            return _write(here, found.identity)
        if trusted and _place(here).parent.name == ".git":
            # A folder that became a repository keeps its sessions.
            return _first(here, known_folder(state, here) or secrets.token_hex(16))
    with suppress(OSError):
        return folder_identity(state, here)
    return by_path


def known_identity(root: Path, state: Path, *, trusted: bool = True) -> str:
    """The id that a workspace has already; empty for none. Nothing is written."""
    here = root.resolve()
    found = _read(here) if trusted else None
    return found.identity if found is not None else known_folder(state, here)


def is_marked(root: Path, identity: str, state: Path) -> bool:
    """Whether a workspace with this id is there."""
    found = _read(root)
    return (found.identity if found is not None else known_folder(state, root)) == identity


def _place(root: Path) -> Path:
    git = root / ".git"
    return git / "holdfast-id" if git.is_dir() and not git.is_symlink() else root / OWN / "id"


def _read(root: Path) -> _Mark | None:
    try:
        descriptor = os.open(_place(root), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            text = os.fsdecode(os.read(descriptor, 8192))
        finally:
            os.close(descriptor)
    except (OSError, ValueError):  # a path with a zero in it is a ValueError
        return None
    identity, _, path = text.partition("\n")
    return _Mark(identity=identity, root=path.rstrip("\n")) if IDENTITY.fullmatch(identity) else None


def _first(root: Path, identity: str) -> str:
    """Mark a workspace that has no id, unless another process was faster."""
    try:
        write_first(_place(root), _marking(identity, root))
    except FileExistsError:
        found = _read(root)
        return found.identity if found is not None else _write(root, identity)
    return identity


def _write(root: Path, identity: str) -> str:
    place = _place(root)
    if place.parent.is_symlink():  # it leads elsewhere, where nothing is to be written
        raise FileExistsError(place.parent)
    write_own(place, _marking(identity, root))
    return identity


def _marking(identity: str, root: Path) -> bytes:
    return b"%s\n%s\n" % (identity.encode(), os.fsencode(root))
