"""Which workspace this is: the same after a move, another after a copy."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.config.folder_ids import IDENTITY, birth_time
from holdfast.config.workspace_identity import known_identity, workspace_identity


@pytest.fixture(params=[".git", "no .git"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A workspace, with and without a repository."""
    folder = tmp_path / "boat"
    folder.mkdir()
    if request.param == ".git":
        (folder / ".git").mkdir()
    return folder


@pytest.fixture
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is remembered of the user; made when it is needed."""
    return tmp_path_factory.mktemp("user") / "state"


def place(root: Path) -> Path:
    """Where the id of a repository lies, and where earlier versions left that of other folders."""
    return root / ".git" / "holdfast-id" if (root / ".git").is_dir() else root / ".holdfast" / "id"


def test_an_id_is_made_once(root: Path, state: Path) -> None:
    """
    It is random, and the same ever after.
    """
    identity = workspace_identity(root, state)

    assert IDENTITY.fullmatch(identity)
    assert identity == workspace_identity(root, state)
    kept = next(state.rglob("*.json"), place(root))
    assert 0o600 == kept.stat().st_mode & 0o777


def test_two_workspaces_are_two(root: Path, tmp_path: Path, state: Path) -> None:
    """
    An id says which.
    """
    (tmp_path / "other").mkdir()

    assert workspace_identity(root, state) != workspace_identity(tmp_path / "other", state)


def test_a_moved_workspace_is_found_again(root: Path, tmp_path: Path, state: Path) -> None:
    """
    What was allowed in it is still allowed, and its sessions are still its own.
    """
    identity = workspace_identity(root, state)
    moved = root.rename(tmp_path / "ship")

    assert identity == workspace_identity(moved, state) == workspace_identity(moved, state)


def test_a_copy_is_another_workspace(root: Path, tmp_path: Path, state: Path) -> None:
    """
    While the original is there it keeps its id, and the copy gets one of its own, for good.
    """
    identity = workspace_identity(root, state)
    copy = shutil.copytree(root, tmp_path / "copy")
    copied = workspace_identity(copy, state)

    assert identity != copied
    assert (identity, copied) == (workspace_identity(root, state), workspace_identity(copy, state))


def test_a_copy_whose_place_was_taken_by_another_is_the_workspace(root: Path, tmp_path: Path, state: Path) -> None:
    """
    Another workspace in the old place is not the original.
    """
    identity = workspace_identity(root, state)
    moved = root.rename(tmp_path / "ship")
    (tmp_path / "boat").mkdir()
    workspace_identity(tmp_path / "boat", state)

    assert identity == workspace_identity(moved, state)


def test_a_start_leaves_nothing_in_a_folder(tmp_path: Path, state: Path) -> None:
    """
    The id of a folder without a repository is kept with the user's own files.
    """
    (tmp_path / "boat").mkdir()
    workspace_identity(tmp_path / "boat", state)

    assert [] == os.listdir(tmp_path / "boat")


def test_an_id_of_an_earlier_version_keeps_its_meaning(tmp_path: Path, state: Path) -> None:
    """
    Sessions that were begun in the folder are still found, also after it was moved.
    """
    identity, boat = "0123456789abcdef" * 2, tmp_path / "boat"
    (boat / ".holdfast").mkdir(parents=True)
    place(boat).write_text(f"{identity}\n{boat}\n")
    here = workspace_identity(boat, state)
    moved = workspace_identity(boat.rename(tmp_path / "ship"), state)

    assert identity == here == moved


def test_another_folder_with_the_same_inode_is_another_workspace(tmp_path: Path, state: Path) -> None:
    """
    A file system gives the number of a removed folder to the next one that is made.
    """
    if not birth_time(tmp_path):
        pytest.skip("this file system has no birth times")
    seen, numbers = set[str](), list[int]()
    for _ in range(50):
        folder = tmp_path / "boat"
        folder.mkdir()
        seen.add(workspace_identity(folder, state))
        numbers.append(folder.stat().st_ino)
        folder.rmdir()

    assert 50 == len(seen)


def test_a_folder_on_a_file_system_without_birth_times_is_known_by_its_path(state: Path) -> None:
    """
    It is the same each time, and no other.
    """
    if birth_time(Path("/proc")):
        pytest.skip("this system has birth times everywhere")
    first, second = (workspace_identity(Path(path), state) for path in ("/proc", "/proc/self"))

    assert first != second
    assert first == workspace_identity(Path("/proc"), state) == known_identity(Path("/proc"), state)


def test_a_folder_that_becomes_a_repository_is_the_same_workspace(tmp_path: Path, state: Path) -> None:
    """
    Its sessions are not lost by `git init`.
    """
    identity = workspace_identity(tmp_path, state)
    (tmp_path / ".git").mkdir()

    assert identity == workspace_identity(tmp_path, state)
    assert (tmp_path / ".git" / "holdfast-id").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '[{"identity": "x", "root": "/"}]', "\0"])
def test_a_damaged_file_of_ids_is_made_anew(tmp_path: Path, state: Path, text: str) -> None:
    """
    A full disk may tear it.
    """
    workspace_identity(tmp_path, state)
    next(state.rglob("*.json")).write_text(text)
    identity = workspace_identity(tmp_path, state)

    assert IDENTITY.fullmatch(identity)
    assert identity == workspace_identity(tmp_path, state)


def test_nothing_is_read_or_written_in_a_folder_that_is_not_trusted(root: Path, state: Path) -> None:
    """
    It could say that it is a workspace in which much is allowed.
    """
    claimed = "0123456789abcdef" * 2
    place(root).parent.mkdir(exist_ok=True)
    place(root).write_text(f"{claimed}\n{root}\n")
    identity = workspace_identity(root, state, trusted=False)

    assert claimed != identity == workspace_identity(root, state, trusted=False)
    assert identity == known_identity(root, state, trusted=False)
    assert [place(root).name] == os.listdir(place(root).parent)


def test_where_nothing_is_kept_no_id_is(root: Path, state: Path) -> None:
    """
    Without persistence a start writes nothing at all; an id that there is already counts.
    """
    unkept = workspace_identity(root, state, keep=False)
    nothing = (state.exists(), place(root).exists())
    identity = workspace_identity(root, state)

    assert (False, False) == nothing
    assert unkept == sha256(os.fsencode(root)).hexdigest()[:32]
    assert identity == workspace_identity(root, state, keep=False)


@pytest.mark.parametrize("text", ["", "x\n", "../../etc\n/\n", "\xff" * 9000])
def test_an_id_that_is_none_is_made_anew(root: Path, text: str, state: Path) -> None:
    """
    Only what we would have written counts.
    """
    place(root).parent.mkdir(exist_ok=True)
    place(root).write_text(text)
    identity = workspace_identity(root, state)

    assert IDENTITY.fullmatch(identity)
    assert identity == workspace_identity(root, state)


def test_no_link_is_followed(root: Path, tmp_path: Path, state: Path) -> None:
    """
    A project that lays a link where the id goes reaches no file outside.
    """
    outside = tmp_path / "outside"
    outside.write_text("precious")
    place(root).parent.mkdir(exist_ok=True)
    place(root).symlink_to(outside)
    identity = workspace_identity(root, state)

    assert ("precious", identity) == (outside.read_text(), workspace_identity(root, state))
    assert not place(root).is_symlink() or root.joinpath(".holdfast").is_dir()


@pytest.mark.parametrize("link", [".git", ".holdfast"])
def test_nothing_is_written_through_a_linked_folder(tmp_path: Path, link: str, state: Path) -> None:
    """
    Where our folder leads elsewhere, the id is made from the path.
    """
    (tmp_path / "outside").mkdir()
    (tmp_path / "boat").mkdir()
    (tmp_path / "boat" / link).symlink_to(tmp_path / "outside")
    identity = workspace_identity(tmp_path / "boat", state)

    assert IDENTITY.fullmatch(identity)
    assert identity == workspace_identity(tmp_path / "boat", state)
    assert [] == os.listdir(tmp_path / "outside")


def test_where_nothing_can_be_written_the_path_is_the_id(tmp_path: Path, state: Path) -> None:
    """
    It is the same the next time.
    """
    (tmp_path / ".holdfast").write_text("a file in our place")

    assert workspace_identity(tmp_path, state) == workspace_identity(tmp_path, state)


def test_all_who_ask_first_get_the_same_id(root: Path, state: Path) -> None:
    """
    Two sessions that start at once are in one workspace.
    """
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda each: workspace_identity(each, state), [root] * 32))

    assert 1 == len(found)
    kept = place(root) if (root / ".git").is_dir() else next(state.rglob("*.json"))
    assert [kept.name] == os.listdir(kept.parent)
