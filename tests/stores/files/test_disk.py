"""The few ways bytes get to a disk: whole, durable, never over something else, or not at all."""

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.errors import HoldfastError, NotWritten, ReadOnly, Unreadable
from holdfast.stores.files import disk


def failing(number: int) -> Callable[..., None]:
    """A system call that fails."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@contextmanager
def appending(path: Path) -> Iterator[int]:
    """A descriptor to append by."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def test_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    """
    Every folder on the way is 0700, and making it again is fine.
    """
    folder = tmp_path / "a" / "b" / "c"
    disk.make_folder(folder)
    disk.make_folder(folder)

    assert [0o700] * 3 == [stat.S_IMODE(each.stat().st_mode) for each in (folder, *folder.parents[:2])]


def test_two_may_make_the_same_folder_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Whoever is second finds it made.
    """
    make = Path.mkdir

    def made_by_another(path: Path, mode: int = 0o777) -> None:
        make(path, mode)
        make(path, mode)

    monkeypatch.setattr(Path, "mkdir", made_by_another)
    disk.make_folder(tmp_path / "a")

    assert (tmp_path / "a").is_dir()


def test_a_short_write_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Half a line is no line: the file is as it was.
    """
    path = tmp_path / "file"
    path.write_bytes(b"first\n")
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:4]))

    with appending(path) as descriptor, pytest.raises(NotWritten, match="only 4 of 7 bytes"):
        disk.append(descriptor, b"second\n", 6)
    assert b"first\n" == path.read_bytes()


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "Free some space"), (errno.EDQUOT, "Free some space"), (errno.EIO, "Check the disk")],
)
def test_a_failed_write_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, hint: str
) -> None:
    """
    A full place and a failing one need different things.
    """
    with appending(tmp_path / "file") as descriptor:
        monkeypatch.setattr(os, "write", failing(number))
        with pytest.raises(NotWritten) as refused:
            disk.append(descriptor, b"line\n", 0)

    assert hint in refused.value.hint


def test_a_write_that_cannot_be_taken_back_is_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Then nobody knows what the file holds, and the caller must not go on.
    """
    with appending(tmp_path / "file") as descriptor:
        monkeypatch.setattr(os, "write", failing(errno.EIO))
        monkeypatch.setattr(os, "ftruncate", failing(errno.EIO))
        with pytest.raises(OSError, match="Input/output"):
            disk.append(descriptor, b"line\n", 0)


@pytest.mark.parametrize(
    ("number", "kind", "hint"),
    [
        (errno.EROFS, ReadOnly, "mounted"),
        (errno.EACCES, ReadOnly, "who owns it"),
        (errno.EPERM, ReadOnly, "who owns it"),
        (errno.ENOSPC, NotWritten, "Free some space"),
        (errno.EIO, Unreadable, "Check the disk"),
        (errno.EMFILE, Unreadable, "Close sessions"),
    ],
)
def test_what_the_system_says_is_said_in_our_words(number: int, kind: type[HoldfastError], hint: str) -> None:
    """
    Every error has a kind to catch and a hint to follow.
    """
    with pytest.raises(kind) as told, disk.in_our_words(Path("/somewhere")):
        raise OSError(number, os.strerror(number))

    assert hint in told.value.hint


def test_a_new_file_is_whole_and_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    It is written to its end, however little fits into one write, and only its owner may read it.
    """
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, bytes(data)[:3]))
    path = tmp_path / "new"
    os.close(disk.write_new(path, b"0123456789"))

    assert b"0123456789" == path.read_bytes()
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_that_cannot_be_synced_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Nothing half-made stays behind, and no descriptor stays open.
    """
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "fdatasync", failing(errno.EIO))

    with pytest.raises(OSError, match="Input/output"):
        disk.write_new(tmp_path / "new", b"bytes")
    assert ([], before) == (os.listdir(tmp_path), len(os.listdir("/proc/self/fd")))


def test_publishing_never_replaces_a_file(tmp_path: Path) -> None:
    """
    A name that is taken stays what it is.
    """
    new, name = tmp_path / "new", tmp_path / "name"
    new.write_bytes(b"new")
    name.write_bytes(b"old")

    with pytest.raises(FileExistsError):
        disk.publish(new, name)
    assert b"old" == name.read_bytes()


@pytest.mark.parametrize("number", sorted(disk.NO_LINKS))
def test_without_second_names_a_file_is_moved_or_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """
    On file systems that cannot link, the store works all the same.
    """
    monkeypatch.setattr(os, "link", failing(number))
    (tmp_path / "new").write_bytes(b"bytes")
    disk.publish(tmp_path / "new", tmp_path / "name")
    disk.share(tmp_path / "name", tmp_path / "copy")

    assert ["copy", "name"] == sorted(os.listdir(tmp_path))
    assert b"bytes" == (tmp_path / "copy").read_bytes()


def test_other_failures_to_link_are_not_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A failing disk is not taken for a simple file system.
    """
    monkeypatch.setattr(os, "link", failing(errno.EIO))
    (tmp_path / "new").write_bytes(b"bytes")

    for way in (disk.publish, disk.share):
        with pytest.raises(OSError, match="Input/output"):
            way(tmp_path / "new", tmp_path / "name")
    assert ["new"] == os.listdir(tmp_path)


def test_sizes_and_removals_bear_company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What another process removes meanwhile is not counted, and not missed.
    """
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "file").write_bytes(b"12345")
    (folder / "gone").symlink_to("nowhere")
    is_file = Path.is_file

    def vanishing(path: Path) -> bool:
        return is_file(path) or path.name == "gone"

    monkeypatch.setattr(Path, "is_file", vanishing)
    assert 5 == disk.size_below(folder)

    tree: Callable[[Path], None] = shutil.rmtree

    def removed_by_another(path: Path) -> None:
        tree(path)
        raise FileNotFoundError(path)

    monkeypatch.setattr(shutil, "rmtree", removed_by_another)
    disk.remove_tree(folder)
    disk.remove_tree(folder)
    assert not folder.exists()


def test_a_hint_that_is_refused_changes_nothing() -> None:
    """
    Beginning to write is only a hint: whether the bytes can be kept the sync tells.
    """
    disk.begin_writing(-1, 100)
