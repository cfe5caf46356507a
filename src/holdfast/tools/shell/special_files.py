"""Sockets and pipes outside the workspace, which take orders although nothing there can be written.

A file system that is mounted read-only does not keep anybody from connecting to a socket or writing into a
named pipe in it. No mount option does, so each is found and covered. Sockets that programs listen on are listed
by the kernel. Pipes are listed nowhere; they are looked for where programs put them: near the top of the file
system, and beside the folders on the way to the workspace. What is made later, elsewhere and deeper, is not found.
"""

import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from holdfast.tools.shell.mount_table import mounted

_LISTED = Path("/proc/net/unix")
_DEEPEST = 3
_MOST_ENTRIES = 8_000
"""Names that are looked at for one command; some milliseconds."""

_PASSED_OVER = frozenset(
    f"/{each}" for each in "bin boot dev lib lib32 lib64 libx32 nix proc sbin snap sys usr".split()
)
"""Programs and the kernel's files, where no other program puts such a thing."""

_REMOTE = re.compile(r"9p|afs|autofs|ceph|cifs|drvfs|fuse.*|lustre|nfs[0-9]?|smb3|virtiofs")


def special_files(root: Path, covered: Sequence[Path]) -> list[Path]:
    """Sockets and named pipes outside a workspace and outside of what is covered anyway."""
    passed = {*map(str, covered), *_PASSED_OVER, str(root), *_remote()}
    found = {*_listening(), *_look(root, passed)}
    within = (root, *covered)
    return sorted(path for path in found if not any(path.is_relative_to(each) for each in within))


def _listening() -> Iterator[Path]:
    """Sockets with a path that somebody has opened."""
    with suppress(OSError), _LISTED.open(encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            path = line.rstrip("\n").partition(" /")[2]
            if path and _is_special(f"/{path}"):
                yield Path(f"/{path}").resolve()


def _look(root: Path, passed: Collection[str]) -> Iterator[Path]:
    """What lies beside the way to the workspace, and what lies near the top; what is passed over is not entered."""
    left = _MOST_ENTRIES
    folders = [(str(each), _DEEPEST) for each in root.parents if each != Path("/")]
    folders.append(("/", 1))
    seen = set()
    for folder, depth in folders:
        if folder in seen or left <= 0:
            continue
        seen.add(folder)
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                left -= 1
                if entry.is_dir(follow_symlinks=False):
                    if depth < _DEEPEST and entry.path not in passed:
                        folders.append((entry.path, depth + 1))
                elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink() and _is_special(entry.path):
                    yield Path(entry.path)


def _is_special(path: str) -> bool:
    with suppress(OSError):
        mode = os.stat(path).st_mode  # noqa: PTH116 - called for thousands of names
        return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)
    return False


def _remote() -> Iterator[str]:
    """Where file systems of other machines are: looking there can take for ever."""
    for line in mounted():
        if _REMOTE.fullmatch(line.kind):
            yield str(line.point)
