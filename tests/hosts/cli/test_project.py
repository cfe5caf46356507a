"""`init`: makes a folder a project."""

import os
import shutil
from pathlib import Path
from pwd import getpwuid

import pytest

from holdfast.hosts.exits import Exit
from tests.hosts.cli.test_reports_settings import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A home and a folder in which nothing is."""
    made = Desk(tmp_path)
    shutil.rmtree(made.project / ".holdfast")
    return made


def workspace(desk: Desk, *below: str) -> str:
    """The workspace of a start in the folder, or below it."""
    inner = desk.project.joinpath(*below)
    inner.mkdir(parents=True, exist_ok=True)
    before, desk.project = desk.project, inner
    try:
        return str(desk.json_of("config", "path")["workspace"])
    finally:
        desk.project = before


def test_a_folder_becomes_a_project(desk: Desk) -> None:
    """
    From then on it is the workspace of what lies below it, and its settings can be read. Once more changes nothing.
    """
    before = workspace(desk, "src")
    made, again = desk("init"), desk("init")
    file = desk.project / ".holdfast" / "config.toml"
    file.write_text("limits.steps = 3\n")
    kept = desk.json_of("init")

    assert (str(desk.project / "src"), str(desk.project)) == (before, workspace(desk, "src"))
    assert f"{desk.project} is a project now, with its settings in {file}." == " ".join(made.out.split())
    assert f"{desk.project} is a project already; its settings are in {file}." == " ".join(again.out.split())
    assert {"workspace": str(desk.project), "file": str(file), "made": False} == kept
    assert "limits.steps = 3\n" == file.read_text()


def test_a_folder_can_be_named(desk: Desk) -> None:
    """
    It is made if it is not there.
    """
    ran = desk("init", "a/boat")

    assert Exit.OK == ran.code
    assert str(desk.project / "a" / "boat") == workspace(desk, "a", "boat", "src")


def test_the_settings_it_makes_change_nothing(desk: Desk) -> None:
    """
    Every line is a comment, and without the signs they are settings that a project may have.
    """
    before = desk.json_of("config")
    desk("init")
    file = desk.project / ".holdfast" / "config.toml"
    after = desk.json_of("config")
    lines = file.read_text().splitlines()
    settings = [line.removeprefix("# ") for line in lines if line.startswith(("# ", "#\n"))][2:]
    file.write_text("\n".join(settings))

    assert before == after
    assert all(not line or line.startswith("#") for line in lines)
    assert Exit.OK == desk("config").code


def test_the_home_folder_is_no_project(desk: Desk) -> None:
    """
    Everything in it would be one.
    """
    desk.project = desk.home
    ran = desk("init")

    assert Exit.USAGE == ran.code
    assert "Your home folder is never a project" in ran.err
    assert not (desk.home / ".holdfast").exists()


def test_nothing_is_written_through_a_link(desk: Desk) -> None:
    """
    It may lead anywhere.
    """
    (desk.home / "elsewhere").mkdir()
    (desk.project / ".holdfast").symlink_to(desk.home / "elsewhere")
    ran = desk("init")

    assert (Exit.USAGE, []) == (ran.code, os.listdir(desk.home / "elsewhere"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders to another user")
def test_a_folder_of_another_user_does_not_become_one(desk: Desk) -> None:
    """
    Nothing in it would count.
    """
    os.chown(desk.project, 4321, 4321)
    ran = desk("init")

    assert Exit.USAGE == ran.code
    assert "does not belong to you alone" in ran.err
    assert [] == os.listdir(desk.project)


def test_after_a_start_in_a_folder_of_projects_none_of_them_reads_another(desk: Desk) -> None:
    """
    The start leaves nothing behind that makes the folder the workspace of the projects.
    """
    script = desk.home / "script.jsonl"
    script.write_text('{"say": "Hello."}\n')
    ran = desk("-p", "hello", "--model", f"scripted:{script}", "--new")

    assert (0, "Hello.\n") == (ran.code, ran.out)
    assert [] == os.listdir(desk.project)
    assert str(desk.project / "one") == workspace(desk, "one")


def test_an_empty_home_is_not_the_root_folder(desk: Desk) -> None:
    """
    Settings and conversations are looked for in the home folder that the user database names.
    """
    ran = desk("config", "path", HOME="")

    assert Exit.OK == ran.code
    assert str(Path(getpwuid(os.getuid()).pw_dir) / ".config") in ran.out
