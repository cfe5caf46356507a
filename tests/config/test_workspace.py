"""Which workspace this is: the same after a move, another after a copy."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast.config.workspace import IDENTITY, workspace_identity


@pytest.fixture(params=[".git", "no .git"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A workspace, with and without a repository."""
    folder = tmp_path / "boat"
    folder.mkdir()
    if request.param == ".git":
        (folder / ".git").mkdir()
    return folder


def place(root: Path) -> Path:
    """Where the id lies."""
    return root / ".git" / "holdfast-id" if (root / ".git").is_dir() else root / ".holdfast" / "id"


def test_an_id_is_made_once(root: Path) -> None:
    """
    It is random, and the same ever after.
    """
    identity = workspace_identity(root)

    assert IDENTITY.fullmatch(identity)
    assert identity == workspace_identity(root)
    assert 0o600 == place(root).stat().st_mode & 0o777


def test_two_workspaces_are_two(root: Path, tmp_path: Path) -> None:
    """
    An id says which.
    """
    (tmp_path / "other").mkdir()

    assert workspace_identity(root) != workspace_identity(tmp_path / "other")


def test_a_moved_workspace_is_found_again(root: Path, tmp_path: Path) -> None:
    """
    What was allowed in it is still allowed, and its sessions are still its own.
    """
    identity = workspace_identity(root)
    moved = root.rename(tmp_path / "ship")

    assert identity == workspace_identity(moved) == workspace_identity(moved)


def test_a_copy_is_another_workspace(root: Path, tmp_path: Path) -> None:
    """
    While the original is there it keeps its id, and the copy gets one of its own, for good.
    """
    identity = workspace_identity(root)
    copy = shutil.copytree(root, tmp_path / "copy")
    copied = workspace_identity(copy)

    assert identity != copied
    assert (identity, copied) == (workspace_identity(root), workspace_identity(copy))


def test_a_copy_whose_place_was_taken_by_another_is_the_workspace(root: Path, tmp_path: Path) -> None:
    """
    Another workspace in the old place is not the original.
    """
    identity = workspace_identity(root)
    moved = root.rename(tmp_path / "ship")
    (tmp_path / "boat").mkdir()
    workspace_identity(tmp_path / "boat")

    assert identity == workspace_identity(moved)


def test_the_id_is_kept_out_of_repositories(tmp_path: Path) -> None:
    """
    Without a `.git` to hide in, a repository around it is told to leave it out; what is said there already stays.
    """
    workspace_identity(tmp_path)
    ignored = tmp_path / ".holdfast" / ".gitignore"
    first = ignored.read_text()
    ignored.write_text("mine\n")
    (tmp_path / ".holdfast" / "id").unlink()
    workspace_identity(tmp_path)

    assert ("id\n.gitignore\n", "mine\n") == (first, ignored.read_text())


@pytest.mark.parametrize("text", ["", "x\n", "../../etc\n/\n", "\xff" * 9000])
def test_an_id_that_is_none_is_made_anew(root: Path, text: str) -> None:
    """
    Only what we would have written counts.
    """
    place(root).parent.mkdir(exist_ok=True)
    place(root).write_text(text)
    identity = workspace_identity(root)

    assert IDENTITY.fullmatch(identity)
    assert identity == workspace_identity(root)


def test_no_link_is_followed(root: Path, tmp_path: Path) -> None:
    """
    A project that lays a link where the id goes reaches no file outside.
    """
    outside = tmp_path / "outside"
    outside.write_text("precious")
    place(root).parent.mkdir(exist_ok=True)
    place(root).symlink_to(outside)
    identity = workspace_identity(root)

    assert ("precious", identity) == (outside.read_text(), workspace_identity(root))
    assert not place(root).is_symlink()


@pytest.mark.parametrize("link", [".git", ".holdfast"])
def test_nothing_is_written_through_a_linked_folder(tmp_path: Path, link: str) -> None:
    """
    Where our folder leads elsewhere, the id is made from the path.
    """
    (tmp_path / "outside").mkdir()
    (tmp_path / "boat").mkdir()
    (tmp_path / "boat" / link).symlink_to(tmp_path / "outside")
    identity = workspace_identity(tmp_path / "boat")

    assert IDENTITY.fullmatch(identity)
    assert identity == workspace_identity(tmp_path / "boat")
    assert [] == os.listdir(tmp_path / "outside")


def test_where_nothing_can_be_written_the_path_is_the_id(tmp_path: Path) -> None:
    """
    It is the same the next time.
    """
    (tmp_path / ".holdfast").write_text("a file in our place")

    assert workspace_identity(tmp_path) == workspace_identity(tmp_path)


def test_all_who_ask_first_get_the_same_id(root: Path) -> None:
    """
    Two sessions that start at once are in one workspace.
    """
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(workspace_identity, [root] * 32))

    assert 1 == len(found)
    assert {place(root).name} == set(os.listdir(place(root).parent)) - {".gitignore"}
