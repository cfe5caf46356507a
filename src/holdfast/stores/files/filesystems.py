"""File systems and links on which no store can be: without locks, or in a circle.

`flock` on a network file system may be local to each machine, or silently do
nothing, so two machines would both believe to be the only writer.
"""

import errno
import os
import re
from functools import lru_cache
from pathlib import Path

from holdfast.errors import ReadOnly, Unreadable

NETWORK = frozenset(
    "9p afs beegfs ceph cifs fuse.glusterfs fuse.rclone fuse.s3fs fuse.sshfs gfs2 lustre nfs nfs4 ocfs2 smb3".split()
)
MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")


def file_system(path: Path, mounts: str) -> str:
    """The type of the file system that holds `path`, from the text of a mountinfo file; '' if it does not say."""
    best, found = -1, ""
    for line in mounts.split("\n"):
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if not separator or len(fields) < 5:  # noqa: PLR2004
            continue
        point = Path(_ESCAPED.sub(lambda found: chr(int(found[1], 8)), fields[4]))
        if len(point.parts) >= best and path.is_relative_to(point):
            best, found = len(point.parts), after.split(" ")[0]
    return found


@lru_cache(maxsize=8)
def _file_system(path: Path, mounts: str) -> str:
    # Reading the list of mounts is quick, taking it apart is not, and it hardly ever changes.
    return file_system(path, mounts)


def refuse_network(root: Path, mounts: Path = MOUNTS) -> None:
    """Raise `ReadOnly` where a lease could not be trusted."""
    try:
        text = mounts.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return
    kind = _file_system(Path(os.path.realpath(root)), text)  # which takes links that lead in a circle
    if kind in NETWORK:
        raise ReadOnly(
            f"{root} lies on a network file system ({kind}), where one writer cannot be guaranteed.",
            hint="Keep the store on a local disk, or use PostgreSQL for several machines. Reading works.",
        )


# To most calls such a path looks like one where nothing is yet: a list of sessions would be empty.
def refuse_circle(root: Path) -> None:
    """Raise `Unreadable` where the path of the store leads to itself."""
    try:
        root.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            hint = "Remove one of the links, or name another folder in HOLDFAST_STORE."
            raise Unreadable(root, "its links lead in a circle", hint=hint) from error
