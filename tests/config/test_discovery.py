"""Which folder is the workspace, and which folders are passed over."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.config import read
from holdfast.config.discovery import Workspace, discover

NOWHERE = {"HOME": "/nowhere/at/all"}
STRANGER = 4321
"""A user that this machine does not know."""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders to another user")


def mark(folder: Path, name: str) -> None:
    """Lay something into a folder that a person would: a repository, settings, skills."""
    place = folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.suffix:
        place.write_text("")
    else:
        place.mkdir()


def given_away(folder: Path) -> Path:
    """A folder and all in it, as another user's."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    return folder


@pytest.mark.parametrize("name", [".git", ".holdfast/config.toml", ".holdfast/skills"])
def test_the_workspace_is_the_nearest_marked_folder(tmp_path: Path, name: str) -> None:
    """
    From any folder in a project, the project is found; without a mark it is the folder itself.
    """
    inner = tmp_path / "project" / "src" / "deep"
    inner.mkdir(parents=True)
    before = discover(inner, NOWHERE)
    mark(tmp_path / "project", name)

    assert Workspace(root=inner) == before
    assert Workspace(root=tmp_path / "project") == discover(inner, NOWHERE) == discover(inner.parent, NOWHERE)


def test_a_worktree_is_a_workspace_too(tmp_path: Path) -> None:
    """
    There `.git` is a file.
    """
    (tmp_path / "src").mkdir()
    (tmp_path / ".git").write_text("gitdir: /elsewhere\n")

    assert tmp_path == discover(tmp_path / "src", NOWHERE).root


def test_what_a_start_left_behind_is_no_mark(tmp_path: Path) -> None:
    """
    An id of an earlier version in a folder of projects makes it the workspace of none of them.
    """
    (tmp_path / ".holdfast").mkdir()
    (tmp_path / ".holdfast" / "id").write_text(f"{'0' * 32}\n{tmp_path}\n")
    (tmp_path / ".holdfast" / ".gitignore").write_text("id\n")
    (tmp_path / "one").mkdir()

    assert tmp_path / "one" == discover(tmp_path / "one", NOWHERE).root


@pytest.mark.parametrize("name", [".git", ".holdfast/config.toml", ".holdfast"])
def test_the_search_ends_at_the_home_folder(tmp_path: Path, name: str) -> None:
    """
    A repository in it, or conversations, do not make the whole home one project; also where it has another name.
    """
    home = tmp_path / "home"
    mark(home, name)
    (home / "work").mkdir()
    mark(tmp_path, ".git")
    (tmp_path / "alias").symlink_to(home)

    for named in (home, tmp_path / "alias"):
        assert home / "work" == discover(home / "work", {"HOME": str(named)}).root
        assert home == discover(home, {"HOME": str(named)}).root


def test_the_search_ends_with_the_file_system() -> None:
    """
    A disk that somebody plugs in is not part of the project around it.
    """
    inside = Path("/proc/self")
    if inside.stat().st_dev == Path("/").stat().st_dev:
        pytest.skip("there is no other file system at /proc")

    assert inside == discover(inside, NOWHERE).root


@as_root
@pytest.mark.parametrize("name", [".git", ".holdfast/config.toml", ".holdfast/skills"])
def test_a_folder_of_another_user_above_is_passed_over_with_one_line(tmp_path: Path, name: str) -> None:
    """
    As in git: who can write above a folder must not tell those who work in it what to do. It is said how to trust it.
    """
    shared, mine = tmp_path / "shared", tmp_path / "shared" / "mine"
    mine.mkdir(parents=True)
    mark(shared, name)
    given_away(shared)
    os.chown(mine, os.geteuid(), -1)
    mark(tmp_path, ".git")
    found = discover(mine, {"HOME": "/h"})

    assert (mine, True) == (found.root, found.trusted)
    assert (
        f"{shared} belongs to user 4321, so settings, instructions and skills of {shared} do not count. To trust it,"
        f' write `trusted_folders = ["{shared}"]` into /h/.config/holdfast/config.toml.' == found.note
    )


@as_root
def test_a_folder_of_another_user_that_says_nothing_is_worth_no_line(tmp_path: Path) -> None:
    """
    Otherwise every start below such a folder would tell of it.
    """
    mine = tmp_path / "shared" / "mine"
    mine.mkdir(parents=True)
    os.chown(tmp_path / "shared", STRANGER, STRANGER)

    assert Workspace(root=mine) == discover(mine, NOWHERE)
    assert Workspace(root=mine.parent, trusted=False) == discover(mine.parent, NOWHERE)


@as_root
@pytest.mark.parametrize("owner", [STRANGER, 0], ids=["theirs", "mine"])
def test_a_folder_of_another_user_that_hides_a_workspace_is_told_with_how_to_trust_it(
    tmp_path: Path, owner: int
) -> None:
    """
    The folder itself says nothing. Whoever starts in it learns why the workspace above does not count.
    """
    above, begin = tmp_path / "project", tmp_path / "project/sub/deep"
    begin.mkdir(parents=True)
    mark(above, ".git")
    given_away(above)
    os.chown(above, owner, -1)
    os.chown(above / ".git", owner, -1)
    found = discover(begin, {"HOME": "/h"})

    assert (begin, False) == (found.root, found.trusted)
    assert (
        f"{begin} belongs to user 4321, so settings, instructions and skills of {above} do not count. To trust it,"
        f' write `trusted_folders = ["{above}"]` into /h/.config/holdfast/config.toml.' == found.note
    )
    assert Workspace(root=above) == discover(begin, {"HOME": "/h"}, [above])
    assert "" == discover(begin, {"HOME": str(above)}).note


@as_root
@pytest.mark.parametrize("name", [".git", ".holdfast/config.toml", ".holdfast", "AGENTS.md", "CLAUDE.md"])
def test_what_another_user_laid_into_a_folder_does_not_count(tmp_path: Path, name: str) -> None:
    """
    A folder that all may write to is not safe because it is one's own.
    """
    mark(tmp_path, name)
    os.chown(tmp_path / name, STRANGER, STRANGER)
    found = discover(tmp_path, NOWHERE)

    assert (tmp_path, False) == (found.root, found.trusted)
    assert found.note.startswith(f"{tmp_path / name} belongs to user 4321, so ")


@as_root
def test_a_link_to_a_folder_of_another_user_does_not_count(tmp_path: Path) -> None:
    """
    Nor does a link of another user to a folder of one's own.
    """
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    mark(theirs, "config.toml")
    given_away(theirs)
    mine.mkdir()
    (mine / ".holdfast").symlink_to(theirs)

    assert not discover(mine, NOWHERE).trusted

    (mine / ".holdfast").unlink()
    (mine / ".holdfast").symlink_to(mine)
    os.chown(mine / ".holdfast", STRANGER, STRANGER, follow_symlinks=False)

    assert not discover(mine, NOWHERE).trusted


@pytest.mark.parametrize("target", ["nowhere", ".git"])
def test_a_link_that_leads_nowhere_does_no_harm(tmp_path: Path, target: str) -> None:
    """
    It is a mark like any other.
    """
    (tmp_path / ".git").symlink_to(target)

    assert Workspace(root=tmp_path) == discover(tmp_path, NOWHERE)


@as_root
def test_a_folder_can_be_trusted_with_all_that_is_below_it(tmp_path: Path) -> None:
    """
    A link in it leads to nothing that is trusted.
    """
    shared, inner = tmp_path / "shared", tmp_path / "shared" / "src"
    inner.mkdir(parents=True)
    mark(shared, ".git")
    elsewhere = tmp_path / "elsewhere"
    mark(elsewhere, ".git")
    (shared / "link").symlink_to(elsewhere)
    given_away(tmp_path)

    assert Workspace(root=shared) == discover(inner, NOWHERE, [shared])
    assert not discover(shared / "link", NOWHERE, [shared]).trusted
    assert not discover(inner, NOWHERE, [inner]).note.startswith(str(inner))


def test_a_folder_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    """
    The line says why.
    """
    found = discover(tmp_path / "gone", NOWHERE)

    assert not found.trusted
    assert found.note.startswith(f"{tmp_path / 'gone'} cannot be read (No such file or directory), so ")


def test_a_name_forges_no_line(tmp_path: Path) -> None:
    """
    A line feed in the name of a folder does not end the note.
    """
    found = discover(tmp_path / "a\nb\x1b[2J", NOWHERE)

    assert "\n" not in found.note
    assert "\x1b" not in found.note


@as_root
def test_nothing_of_another_users_folder_is_read_before_it_is_trusted(tmp_path: Path) -> None:
    """
    Its settings, wrong ones too, are as if they were not there. The user's own file makes them count, and no project's.
    """
    home, project = tmp_path / "home", tmp_path / "project"
    mark(project, ".git")
    mark(project, ".holdfast/config.toml")
    settings = project / ".holdfast" / "config.toml"
    settings.write_text("limits.steps = 3\n")
    given_away(project)
    config = home / ".config" / "holdfast" / "config.toml"
    config.parent.mkdir(parents=True)
    before = read({"HOME": str(home)}, where=project)
    config.write_text(f'trusted_folders = ["{project}"]\n')
    after = read({"HOME": str(home)}, where=project)

    assert (50, False, False) == (before.settings.limits.steps, before.trusted, before.files[1].found)
    assert (3, True, "") == (after.settings.limits.steps, after.trusted, after.passed_over)

    settings.write_text("limits.steps = nonsense\n")
    config.write_text("")
    assert 50 == read({"HOME": str(home)}, where=project).settings.limits.steps


@as_root
def test_a_folder_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    """
    Somebody who works in a folder below one that others closed is told so, and works on.
    """
    closed = tmp_path / "closed"
    inner = closed / "mine"
    inner.mkdir(parents=True)
    os.chown(inner, STRANGER, STRANGER)
    program = (
        "import os\n"
        "from pathlib import Path\n"
        "from holdfast.config.discovery import discover\n"
        f"os.chdir({str(inner)!r})\n"
        f"os.setegid({STRANGER}); os.seteuid({STRANGER})\n"
        f"print(discover(Path({str(inner)!r}), {{'HOME': '/nowhere'}}).note)\n"
    )
    closed.chmod(0o700)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert ran.stdout.startswith(f"{inner} cannot be read (Permission denied), so ")
