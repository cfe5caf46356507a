"""Marks: they name every session that the catalog may not have seen, and no other for long."""

import fcntl
import os
from pathlib import Path

import pytest

from holdfast.stores.files.catalog.dirty import FOLDER, DirtyMarks
from holdfast.stores.files.lease import LOCK


def test_a_mark_stays_while_someone_may_write(tmp_path: Path) -> None:
    """
    Caught up or not: a held session may grow at any moment.
    """
    marks, folder = DirtyMarks(tmp_path), tmp_path / "sessions" / "a"
    folder.mkdir(parents=True)
    marks.set("a")
    held = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    looks: list[int] = []

    def look() -> bool:
        looks.append(1)
        return True

    marks.settle("a", look)
    assert (["a"], 1) == (marks.all(), len(looks))
    os.close(held)
    marks.settle("a", look)

    assert ([], 3) == (marks.all(), len(looks))


def test_a_session_that_is_opened_while_its_mark_goes_is_marked_again(tmp_path: Path) -> None:
    """
    A fork has no lock file until it is first opened; who opens it meanwhile is not missed.
    """
    marks, folder = DirtyMarks(tmp_path), tmp_path / "sessions" / "fork"
    folder.mkdir(parents=True)
    marks.set("fork")
    looks: list[int] = []

    def look() -> bool:
        looks.append(1)
        if len(looks) == 2:
            (folder / LOCK).touch()
        return True

    marks.settle("fork", look)

    assert ["fork"] == marks.all()


def test_a_session_that_is_gone_needs_no_mark(tmp_path: Path) -> None:
    """
    It is looked at once more, so that the catalog forgets it; and a place without marks has none.
    """
    marks = DirtyMarks(tmp_path)
    assert [] == marks.all()
    marks.set("gone")
    marks.settle("gone", lambda: True)

    assert [] == os.listdir(tmp_path / FOLDER)


@pytest.mark.parametrize("looks", [[False], [True, False]])
@pytest.mark.parametrize("locked", [True, False])
def test_a_mark_stays_when_what_was_caught_up_does_not_last(tmp_path: Path, locked: bool, looks: list[bool]) -> None:
    """
    Another process made the catalog anew meanwhile, and may have looked at this session before it grew.
    """
    marks, folder = DirtyMarks(tmp_path), tmp_path / "sessions" / "a"
    folder.mkdir(parents=True)
    if locked:
        (folder / LOCK).touch()
    marks.set("a")
    left = iter(looks)
    assert not marks.settle("a", lambda: next(left))

    assert ["a"] == marks.all()


def test_a_session_that_cannot_be_listed_is_looked_at_with_every_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Nobody can tell whether it changed.
    """
    marks, folder = DirtyMarks(tmp_path), tmp_path / "sessions" / "a"
    folder.mkdir(parents=True)
    (folder / LOCK).touch()
    os.utime(folder, ns=(10**18, 10**18))
    marks.set("a")
    held = os.open(folder / LOCK, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    with monkeypatch.context() as patch:
        patch.setattr("holdfast.stores.files.catalog.dirty.segment_numbers", denied)
        assert marks.settle("a", lambda: True)
    os.close(held)

    assert {"a"} == marks.doubtful()


def denied(folder: Path) -> list[int]:
    """As for a folder of another user."""
    raise PermissionError(folder)
