"""Which workspace this is, also after its folder was moved.

A random id lies in the folder, together with the path it was given for: in `.git`, which no clone
brings along, or else in `.holdfast`. A copy, whose original is still there, gets an id of its own.
"""

import os
import re
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from holdfast.config.places import OWN
from holdfast.records.parts import Value
from holdfast.stores.files.disk import publish, sync_folder, write_new

IDENTITY = re.compile(r"[0-9a-f]{32}")
_IGNORED = "id\n.gitignore\n"


class _Mark(Value, frozen=True, kw_only=True):
    identity: str
    root: str
    """Where the workspace was when it was marked."""


def workspace_identity(root: Path) -> str:
    """The id of a workspace, made when it is first asked for.

    Where nothing can be written it is made from the path, so that it is the same the next time.
    """
    here = root.resolve()
    found = _read(here)
    if found is not None and found.root == str(here):
        return found.identity
    try:
        if found is None:
            return _first(here)
        if is_marked(Path(found.root), found.identity):
            return _write(here, secrets.token_hex(16))  # a copy: the original is still there
        return _write(here, found.identity)
    except OSError:
        return sha256(os.fsencode(here)).hexdigest()[:32]


def known_identity(root: Path) -> str:
    """The id that a workspace has already; empty for none. Nothing is written."""
    found = _read(root.resolve())
    return "" if found is None else found.identity


def is_marked(root: Path, identity: str) -> bool:
    """Whether a workspace with this id is there."""
    found = _read(root)
    return found is not None and found.identity == identity


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


def _first(root: Path) -> str:
    """Mark a workspace that has no id, unless another process was faster."""
    place = _place(root)
    _make_own(place)
    identity = secrets.token_hex(16)
    new = _new(place, identity, root)
    try:
        publish(new, place)
    except FileExistsError:
        new.unlink()
        found = _read(root)
        return found.identity if found is not None else _write(root, identity)
    return identity


def _write(root: Path, identity: str) -> str:
    place = _place(root)
    _make_own(place)
    _new(place, identity, root).replace(place)
    sync_folder(place.parent)
    return identity


def _new(place: Path, identity: str, root: Path) -> Path:
    new = place.with_name(f"{place.name}.{secrets.token_hex(4)}")
    os.close(write_new(new, b"%s\n%s\n" % (identity.encode(), os.fsencode(root))))
    return new


def _make_own(place: Path) -> None:
    """Make our folder in a workspace; one that leads elsewhere is not written to."""
    if place.parent.is_symlink():
        raise FileExistsError(place.parent)
    if place.parent.name != OWN:
        return
    place.parent.mkdir(exist_ok=True)
    # The id is about this machine, so it is not for others.
    with suppress(FileExistsError), (place.parent / ".gitignore").open("x", encoding="utf-8") as file:
        file.write(_IGNORED)
