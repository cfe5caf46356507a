"""Small files of the user's own."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from holdfast.config.own_files import append_own, locked, read_own, remove_own, write_first, write_own

WRITERS: list[Callable[[Path, bytes], None]] = [
    write_own,
    partial(write_own, synced=False),
    write_first,
    append_own,
]


@pytest.mark.parametrize("write", WRITERS)
def test_only_its_owner_can_read_what_is_written(write: Callable[[Path, bytes], None], tmp_path: Path) -> None:
    """
    Whatever the mask of the process is, and nothing else is left in the folder.
    """
    before = os.umask(0)
    try:
        write(tmp_path / "notes", b"words")
    finally:
        os.umask(before)

    assert b"words" == read_own(tmp_path / "notes")
    assert 0o600 == (tmp_path / "notes").stat().st_mode & 0o777
    assert ["notes"] == os.listdir(tmp_path)


@pytest.mark.parametrize("synced", [True, False])
def test_a_file_that_cannot_be_written_stays_as_it_was(synced: bool, tmp_path: Path) -> None:
    """
    Nothing is left of what was begun.
    """
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "inside").touch()
    with pytest.raises(OSError, match="notes"):
        write_own(tmp_path / "notes", b"words", synced=synced)

    assert ["notes"] == os.listdir(tmp_path)


def test_the_first_to_write_a_file_keeps_it(tmp_path: Path) -> None:
    """
    The second is told, and changes nothing.
    """
    write_first(tmp_path / "id", b"one")
    with pytest.raises(FileExistsError):
        write_first(tmp_path / "id", b"two")

    assert b"one" == read_own(tmp_path / "id")
    assert ["id"] == os.listdir(tmp_path)


def test_what_is_added_stands_at_the_end(tmp_path: Path) -> None:
    """
    And what was there before stays.
    """
    append_own(tmp_path / "lines", b"one\n")
    append_own(tmp_path / "lines", b"two\n")

    assert b"one\ntwo\n" == read_own(tmp_path / "lines")


def test_a_link_or_a_pipe_in_the_place_of_a_file_is_not_used(tmp_path: Path) -> None:
    """
    A link may lead to the file of somebody else, and who opens a pipe waits.
    """
    (tmp_path / "other").write_bytes(b"not ours")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError, match=name):
            read_own(tmp_path / name)
        with pytest.raises(OSError, match=name):
            append_own(tmp_path / name, b"words")

    assert b"not ours" == (tmp_path / "other").read_bytes()


def test_a_file_that_is_not_there_can_be_removed(tmp_path: Path) -> None:
    """
    As one that is.
    """
    write_own(tmp_path / "notes", b"words")
    remove_own(tmp_path / "notes")
    remove_own(tmp_path / "notes")

    assert [] == os.listdir(tmp_path)


def test_a_locked_folder_is_made(tmp_path: Path) -> None:
    """
    With its parents, and for its owner alone.
    """
    with locked(tmp_path / "state" / "workspaces"):
        write_own(tmp_path / "state" / "workspaces" / "id", b"one")

    assert 0o700 == (tmp_path / "state" / "workspaces").stat().st_mode & 0o777
