"""The view of the file system inside the sandbox, as the mounts that bubblewrap makes.

Bubblewrap makes them in the order in which they are given, and a later one covers what an earlier one shows. So
what lies outside the workspace comes first, then the workspace, then what is hidden in it, from the top down.

A mount point can be neither renamed nor removed; the folder that it lies in can, and takes it along: the place
stays covered in this sandbox, and is seen in the next one under its new name. So each folder between the workspace
and a hidden place becomes a mount point itself. A place that is missing gets one too, or a command could make it
(and write Holdfast's settings), or see it as soon as somebody else does. A link cannot be a mount point. Where one
leads to what is Holdfast's own, the folder that it lies in is read-only, and what is in that folder is not.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from holdfast.records.parts import Value
from holdfast.tools.shell.hidden_places import HiddenPlace, Trail, trail
from holdfast.tools.shell.mount_table import Names
from holdfast.tools.shell.special_files import special_files

COVERED = tuple(map(Path, ("/tmp", "/var/tmp", "/run", "/var/run", "/var/lock", "/var/spool")))  # noqa: S108 - hidden
"""Folders of all users: other programs' files, and sockets and pipes through which they take orders."""

_DEVICES, _PROCESSES = Path("/dev"), Path("/proc")
_UNREAL = (_DEVICES, _PROCESSES, Path("/sys"))
_KERNEL = (Path("/proc/sys"), Path("/proc/fs"), Path("/proc/scsi"), Path("/proc/acpi"))
"""The settings of the kernel: files of root, who needs no power to write to them. One names a program to run."""


class PlaceholderPath(Value, frozen=True, kw_only=True):
    """A path that has to be there while a command runs, so that the command cannot make it."""

    path: Path
    folder: bool
    stays: bool
    """Whether it may stay afterwards, because it is Holdfast's own."""


class SandboxView(Value, frozen=True, kw_only=True):
    """What a command in one workspace sees."""

    mounts: tuple[str, ...]
    """Arguments of bubblewrap."""
    wanted: tuple[PlaceholderPath, ...]
    """What has to be there first, from the top down; whether it is, is not said."""
    linked: tuple[Path, ...]
    """Hidden places in the workspace that are reached by links."""


def view(
    root: Path, *, homes: Sequence[Path], shown: Sequence[Path], places: Sequence[HiddenPlace], network: bool
) -> SandboxView:
    """The view from a workspace, as things are now."""
    ways = _with_other_names([(place, trail(place.path)) for place in places])
    covered = [path for path in COVERED if not path.is_symlink()]
    empty = (*covered, *homes)

    def outside(path: Path) -> bool:
        return path == root in _UNREAL or not path.is_relative_to(root)

    def inside(path: Path) -> bool:
        return path != root and path.is_relative_to(root)

    def seen(path: Path) -> bool:
        """Whether it would be seen by now; hiding what is not would leave an empty place to be seen."""
        return _below(path, shown) or not _below(path, empty)

    buried = list(filter(inside, covered))
    inner = [(place, way) for place, way in ways if inside(way.end) and not _below(way.end, buried)]
    outer = [way for _, way in ways if outside(way.end)]
    around = [way for way in outer if root.is_relative_to(way.end)]
    mounts = ["--ro-bind", "/", "/", *_system(outside, covered)]
    mounts += _empty(filter(outside, homes))
    mounts += _visible(filter(outside, shown))
    mounts += _visible([Path("/etc/resolv.conf").resolve()] if network else [])
    mounts += _over(around)
    mounts += _workspace(root, inner)
    mounts += _system(inside, covered)
    mounts += _over([*(way for way in outer if way not in around and seen(way.end)), *(way for _, way in inner)])
    mounts += _masked(special_files(root, (*empty, *(way.end for way in outer if way.kind == "folder"))))
    linked = tuple(way.end for _, way in inner if way.links and way.kind != "missing")
    return SandboxView(mounts=tuple(mounts), wanted=tuple(_wanted(root, inner)), linked=linked)


def _with_other_names(ways: list[tuple[HiddenPlace, Trail]]) -> list[tuple[HiddenPlace, Trail]]:
    """The ways to some places, and to the same places where their disk is mounted a second time."""
    names = Names()
    found = list(ways)
    for place, way in ways:
        for other in names.of(way.end) if way.kind != "missing" else ():
            again = HiddenPlace(path=other, kind=place.kind, kept=place.kept)
            found.append((again, trail(other)))
    return found


def _system(wanted: Callable[[Path], bool], covered: Iterable[Path]) -> Iterator[str]:
    """What every sandbox has of its own, as far as it lies where it is wanted."""
    if wanted(_DEVICES):
        yield from ("--dev", str(_DEVICES))
    if wanted(_PROCESSES):
        yield from ("--proc", str(_PROCESSES), *_visible(_KERNEL))
    yield from _empty(filter(wanted, covered))


def _workspace(root: Path, inner: Sequence[tuple[HiddenPlace, Trail]]) -> Iterator[str]:
    """The workspace, and what in it has to stay where it is."""
    ends = [way.end for _, way in inner]
    ways = {path: "--bind-try" for _, way in inner for path in way.before if path != root and path.is_relative_to(root)}
    for place, way in inner:
        for link in way.links:
            folder = link.parent
            if place.kept == "own" and folder.is_relative_to(root):
                ways |= {path: "--bind-try" for path in _real_entries(folder) if path not in ways}
                ways[folder] = "--ro-bind"
    bind = ways.pop(root, "--bind")
    if root not in _UNREAL and not _below(root, (_PROCESSES, Path("/sys"))):  # nothing there is a file of the user's
        yield from (bind, str(root), str(root))
    for path in sorted(ways, key=lambda path: len(path.parts)):
        if not _below(path, ends):
            yield from (ways[path], str(path), str(path))


def _real_entries(folder: Path) -> list[Path]:
    with suppress(OSError):
        return [path for path in folder.iterdir() if not path.is_symlink() and (path.is_dir() or path.is_file())]
    return []


def _wanted(root: Path, inner: Sequence[tuple[HiddenPlace, Trail]]) -> Iterator[PlaceholderPath]:
    """What must not be missing: the hidden places, and the folders on the way to them."""
    found: dict[Path, PlaceholderPath] = {}
    ends = {way.end for _, way in inner}
    for place, way in inner:
        if place.kept == "system" or not ends.isdisjoint(way.end.parents):  # made by root alone; in one that is hidden
            continue
        for path in (*way.before, way.end):
            if path != root and path.is_relative_to(root):
                folder = path != way.end or place.kind == "folder"
                found.setdefault(path, PlaceholderPath(path=path, folder=folder, stays=folder and place.kept == "own"))
    yield from sorted(found.values(), key=lambda each: len(each.path.parts))


def _over(ways: Iterable[Trail]) -> Iterator[str]:
    """An empty place over each that is there; those inside another are gone with it."""
    there = sorted((way for way in ways if way.kind != "missing"), key=lambda way: len(way.end.parts))
    done: set[Path] = set()
    for way in there:
        if done.isdisjoint((way.end, *way.end.parents)):
            done.add(way.end)
            yield from ("--tmpfs", str(way.end)) if way.kind == "folder" else ("--ro-bind", "/dev/null", str(way.end))


def _masked(files: Iterable[Path]) -> Iterator[str]:
    for path in files:
        yield from ("--ro-bind", "/dev/null", str(path))


def _empty(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        if is_folder(path):
            yield from ("--tmpfs", str(path))


def _visible(paths: Iterable[Path]) -> Iterator[str]:
    for path in paths:
        yield from ("--ro-bind-try", str(path), str(path))


def _below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(each) for each in folders)


def is_folder(path: Path) -> bool:
    """Whether there is a folder that can be looked at."""
    with suppress(OSError):  # in a folder that is not ours, it is none that a command could use
        return path.is_dir()
    return False
