"""The folder that file tools stay in, whatever a path says.

A path is looked up one name after the other, each in the folder that was opened before it, and links
are read and followed here instead of by the system: what is checked is what is opened, also while
someone else swaps folders for links. Links that stay inside are followed, those that leave are
refused. Once a call was understood its path has no links left, and one that turns up then is refused.

Two things cannot be told: a second name (hard link) of a file outside, and a folder that is moved
away while it is open.
"""

import errno
import os
import re
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Self

from holdfast.errors import ToolFailed
from holdfast.tools.files.sensitive import folded, sensitive
from holdfast.tools.files.text import visible

PROTECTED = (".git", ".holdfast", "git~1")
"""Names of folders that are never written to, wherever they are."""

MOST_LINKS = 40
"""Links that one path may lead through."""

LONGEST_PATH = 4096

Kind = Literal["file", "folder", "missing", "other"]

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", 0)
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_UNREAL = ("/proc", "/sys")
_BRACKETS = re.compile(r"\[[*?\[]\]|\[")


class ResolvedPath(NamedTuple):
    """Where a path leads."""

    path: str
    """From the workspace, with slashes and without links; `.` is the workspace itself."""
    kind: Kind
    sensitive: bool
    """Whether the name looks like that of a secret."""


class _Trail:
    """The open folders from the workspace down to where a path has led."""

    def __init__(self, root: Path) -> None:
        self.names: list[str] = []
        self._open = [os.open(root, _FOLDER & ~os.O_NOFOLLOW)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._open:
            os.close(self._open.pop())

    @property
    def here(self) -> int:
        return self._open[-1]

    def down(self, name: str) -> None:
        self._open.append(os.open(name, _FOLDER, dir_fd=self.here))
        self.names.append(name)

    def up(self) -> None:
        os.close(self._open.pop())
        self.names.pop()

    def home(self) -> None:
        while self.names:
            self.up()


class WorkspaceFiles:
    """A folder, and the files below it."""

    def __init__(
        self,
        root: Path,
        *,
        protected: Iterable[str] = PROTECTED,
        folders: Iterable[Path] = (),
        private: Iterable[str] = (),
    ) -> None:
        """Take a folder that exists.

        `protected` are names of folders that are never written to, wherever they are. `folders` are
        further ones by their paths, which are also read only after asking. `private` are patterns,
        as rules of permission have them, of paths that are to be treated like those of secrets.
        """
        self.root = root.expanduser().resolve()
        self.folders = tuple(folder.expanduser().resolve() for folder in folders)
        self.private = tuple(private)
        self._roots = [_names(str(root.absolute())), _names(str(self.root))]
        self._protected = {folded(name) for name in protected}
        self._folders = _inside(_folded(self.root), map(_folded, self.folders))
        self._private = [_BRACKETS.sub(_literal, each) for each in self.private]

    def sensitive(self, path: str) -> bool:
        """Whether a file is read only after a person allowed it."""
        return sensitive(path) or self._kept_away(path) or any(fnmatchcase(path, each) for each in self._private)

    def _kept_away(self, path: str) -> bool:
        if not self._folders:
            return False
        names = [folded(name) for name in _names(path)]
        return any(names[: len(folder)] == folder for folder in self._folders)

    def place(self, path: str) -> ResolvedPath:
        """Where a path leads, links followed. Raises `ToolFailed` if it leads out of the workspace."""
        self._check_words(path)
        with failing(path), _Trail(self.root) as trail:
            kind = self._follow(path, trail, deque(self._within(path, path)))
        found = "/".join(trail.names) or "."
        self._check_words(found)  # a link may lead to a name that is not text
        return ResolvedPath(found, kind, self.sensitive(found) or sensitive(path))

    def check_writable(self, place: ResolvedPath) -> None:
        """Raise `ToolFailed` if a place must not be written to."""
        names = [folded(name) for name in place.path.split("/")]
        if self._kept_away(place.path) or not self._protected.isdisjoint(names):
            raise ToolFailed(
                f"{place.path} is not written to: that folder is kept from file tools.",
                hint="Leave it as it is, or ask the person to change it.",
            )

    @contextmanager
    def folder(self, path: str, *, create: bool = False) -> Iterator[int]:
        """Open a folder by a path of `place`, as a descriptor for `dir_fd`; makes what is missing if told to."""
        with failing(path), _Trail(self.root) as trail:
            for name in _names(path):
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=trail.here)
                trail.down(name)
            yield trail.here

    @contextmanager
    def file(self, path: str) -> Iterator[BinaryIO]:
        """Open a file by a path of `place`, to read it."""
        folder, _, name = path.rpartition("/")
        with failing(path), self.folder(folder) as here, open_file(name, here) as opened:
            yield opened

    def _check_words(self, path: str) -> None:
        wrong = (
            ("it has a NUL character" if "\0" in path else "")
            or ("it is not text" if any("\ud800" <= each <= "\udfff" for each in path) else "")
            or ("it is too long" if len(path.encode(errors="replace")) > LONGEST_PATH else "")
            or ("`~` is not followed" if path == "~" or path.startswith("~/") else "")
        )
        if wrong:
            shown = path[:100].encode("ascii", "backslashreplace").decode().replace("\0", "\\0")
            raise ToolFailed(f"{shown!r} cannot be used: {wrong}.", hint="Give a path relative to the workspace.")

    def _within(self, path: str, asked: str) -> list[str]:
        """The names of a path from the workspace on."""
        names = _names(path)
        if not path.startswith("/"):
            return names
        for root in self._roots:
            if names[: len(root)] == root:
                return names[len(root) :]
        raise _outside(asked)

    def _follow(self, asked: str, trail: _Trail, ahead: deque[str]) -> Kind:
        """Walk down the names that are ahead; the trail then ends where the path leads."""
        links = 0
        while ahead:
            name = ahead.popleft()
            if name == "..":
                if not trail.names:
                    raise _outside(asked)
                trail.up()
                continue
            mode = _mode(name, trail.here)
            if stat.S_ISDIR(mode):
                trail.down(name)
            elif stat.S_ISLNK(mode):
                links += 1
                if links > MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                target = os.readlink(name, dir_fd=trail.here)
                ahead.extendleft(reversed(self._within(target, asked)))
                if target.startswith("/"):
                    trail.home()
            else:
                return _end(asked, trail, [name, *ahead], mode)
        return "folder"


def open_file(name: str, folder: int) -> BinaryIO:
    """Open a regular file in a folder, to read it; never waits, never follows a link."""
    mode = _mode(name, folder)
    if mode and not stat.S_ISREG(mode):
        raise _irregular(name)  # opening a device can have an effect by itself
    opened = os.fdopen(os.open(name, _FILE, dir_fd=folder), "rb")
    found = os.fstat(opened.fileno())
    if not stat.S_ISREG(found.st_mode) or found.st_dev in _unreal():
        opened.close()
        raise _irregular(name)
    return opened


@contextmanager
def failing(path: str) -> Iterator[None]:
    """Say what went wrong with a path so that a model understands it."""
    try:
        yield
    except OSError as error:
        raise ToolFailed(f"{path or '.'}: {_REASONS.get(error.errno or 0, error.strerror or str(error))}.") from error


_REASONS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOTDIR: "a part of the path is not a folder, or became a link just now",
    errno.ELOOP: "the links of the path lead in a circle, or a part of it became a link just now",
    errno.ENAMETOOLONG: "a name in the path is too long",
    errno.EACCES: "permission denied by the system",
    errno.EPERM: "permission denied by the system",
    errno.ENOSPC: "the disk is full",
    errno.EROFS: "the disk cannot be written to",
    errno.EISDIR: "it is a folder",
}


def _literal(found: re.Match[str]) -> str:
    """To rules, other brackets than those around `*`, `?` and `[` are themselves, not sets of characters."""
    return "[[]" if found[0] == "[" else found[0]


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]


def _folded(path: Path) -> list[str]:
    return [folded(name) for name in path.parts]


def _inside(root: list[str], folders: Iterable[list[str]]) -> list[list[str]]:
    """Folders by their names from the root on, those that are in it; no names for one that it lies in."""
    length = len(root)
    return [folder[length:] for folder in folders if folder[:length] == root[: len(folder)]]


def _mode(name: str, folder: int) -> int:
    """What a name stands for; 0 for nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0


def _end(asked: str, trail: _Trail, rest: list[str], mode: int) -> Kind:
    """What a path ends in that leads to no folder; the trail takes the names that are left."""
    if ".." in rest or (mode and len(rest) > 1):
        folder = visible("/".join([*trail.names, rest[0]]))
        raise ToolFailed(f"{asked} leads nowhere: {folder} is not a folder.")
    trail.names += rest
    if not mode:
        return "missing"
    return "file" if stat.S_ISREG(mode) else "other"


@lru_cache(maxsize=1)
def _unreal() -> frozenset[int]:
    """The devices of file systems whose files are windows into the machine."""
    return frozenset(each.stat().st_dev for each in map(Path, _UNREAL) if each.is_mount())


def _irregular(name: str) -> ToolFailed:
    return ToolFailed(f"{name} is not a regular file but a folder, device, pipe, socket or link; it is not opened.")


def _outside(path: str) -> ToolFailed:
    return ToolFailed(
        f"{path} leads out of the workspace.",
        hint="File tools stay inside it; give a path relative to the workspace.",
    )
