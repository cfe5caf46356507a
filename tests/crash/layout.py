"""Between the file system in memory and real folders."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.crash.disk import Names
from tests.crash.operations import ROOT, Inode, Linked, Wrote
from tests.crash.tree import Tree

Files = tuple[tuple[tuple[str, ...], bytes], ...]
"""Names (several when hard-linked) and the bytes."""
Snapshot = tuple[tuple[str, ...], Files]
"""Folders and files."""


def snapshot(folders: Names, files: Mapping[Inode, bytes]) -> Snapshot:
    """What can be reached from the root, in a fixed order."""
    paths: list[str] = []
    names: dict[Inode, list[str]] = {}
    todo = [(ROOT, "")]
    while todo:
        folder, prefix = todo.pop()
        for name, inode in sorted(folders.get(folder, {}).items()):
            if inode in files:
                names.setdefault(inode, []).append(prefix + name)
            else:
                paths.append(prefix + name)
                todo.append((inode, f"{prefix}{name}/"))
    found = sorted((tuple(sorted(own)), files[inode]) for inode, own in names.items())
    return tuple(sorted(paths)), tuple(found)


def lay_out(found: Snapshot, root: Path) -> None:
    """Make real files below an empty folder."""
    folders, files = found
    for name in folders:
        (root / name).mkdir(mode=0o700)
    for names, content in files:
        first = root / names[0]
        first.write_bytes(content)
        for other in names[1:]:
            (root / other).hardlink_to(first)


def scan(folder: Path, skip: Callable[[str], bool]) -> Tree:
    """The tree of a real folder; hard links are one inode."""
    tree = Tree()
    seen: dict[int, Inode] = {}
    for path in _walk(folder):
        parts = path.relative_to(folder).parts
        if skip(parts[-1]):
            continue
        above = tree.find(parts[:-1])
        if above is None:
            continue
        known = seen.get(path.stat().st_ino)
        inode = tree.new_inode() if known is None else known
        makes = "" if known is not None else "folder" if path.is_dir() else "file"
        tree.apply(Linked(folder=above, name=parts[-1], inode=inode, makes=makes))
        if makes == "file":
            seen[path.stat().st_ino] = inode
            tree.apply(Wrote(inode=inode, offset=0, data=path.read_bytes()))
    return tree


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        yield path
        if path.is_dir():
            yield from _walk(path)
