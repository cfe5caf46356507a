"""`make install` and `make uninstall`, for real, in a home folder of their own."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.setup.checkout import ROOT, Person, copy_checkout


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody who has the Python of this test."""
    return Person(tmp_path / "home", PYTHON=f"{sys.base_prefix}/bin/python3")


def test_the_command_is_installed_and_works_without_the_checkout(person: Person, tmp_path: Path) -> None:
    """
    It outlives the folder it came from, takes up changes, and is removed whole; conversations stay.
    """
    project, launcher = copy_checkout(tmp_path / "project"), person.home / ".local" / "bin" / "holdfast"
    script = tmp_path / "script.jsonl"
    script.write_text('{"say": "By the sea."}\n')

    first = person.type("make", "install", folder=project)
    again = person.type("make", "install", folder=project, PATH=f"{launcher.parent}:{person.environment['PATH']}")
    module = project / "src" / "holdfast" / "__init__.py"
    module.write_text(f"{module.read_text()}\nCHANGED = 1\n")
    upgraded = person.type("make", "install", folder=project)
    installed = person.home / ".local" / "share" / "holdfast" / "venv"
    changed = person.type(
        installed / "bin" / "python", "-c", "import holdfast; print(holdfast.CHANGED)", folder=tmp_path
    )
    person.type("make", "clean", folder=project)
    (tmp_path / "moved").mkdir()
    project = project.rename(tmp_path / "moved" / "project")
    workspace = person.home / "work"
    workspace.mkdir()
    asked = person.type(
        launcher, "-p", "Where is the harbour?", "--model", f"scripted:{script}", "--session", "s", folder=workspace
    )

    assert (0, 0, 0, 0) == (first.returncode, again.returncode, upgraded.returncode, asked.returncode), first.stdout
    assert f"{launcher.parent} is not on your PATH" in first.stdout
    assert f'export PATH="{launcher.parent}:$PATH"' in first.stdout
    assert "installed already" in again.stdout
    assert "type `holdfast` in any folder" in again.stdout
    assert "updating" in upgraded.stdout
    assert "1\n" == changed.stdout
    assert "By the sea." in asked.stdout

    removed = person.type("make", "uninstall", folder=project)
    twice = person.type("make", "uninstall", folder=project)

    assert (0, 0) == (removed.returncode, twice.returncode), removed.stdout
    assert "nothing to remove" in twice.stdout
    assert not launcher.is_symlink()
    assert not installed.parent.exists()
    assert (person.home / ".holdfast" / "sessions").is_dir()


def test_a_command_of_somebody_else_stays(person: Person) -> None:
    """
    What stands in the place of the command and was not put there by us is neither replaced nor removed.
    """
    launcher = person.home / ".local" / "bin" / "holdfast"
    launcher.parent.mkdir(parents=True)
    launcher.symlink_to("/opt/elsewhere/holdfast")

    for target in ("install", "uninstall"):
        ran = person.type("make", target, folder=ROOT)

        assert 2 == ran.returncode
        assert f"{launcher} leads to /opt/elsewhere/holdfast" in ran.stdout
        assert "Traceback" not in ran.stdout
    assert not (person.home / ".local" / "share").exists()


def test_another_command_that_is_found_first_is_named(person: Person, tmp_path: Path) -> None:
    """
    Whoever types `holdfast` must not get an older one without knowing it.
    """
    other, launcher = tmp_path / "other", person.home / ".local" / "bin" / "holdfast"
    other.mkdir()
    shutil.copy("/bin/true", other / "holdfast")
    code = (
        "import pathlib, sys; sys.path.insert(0, 'setup')\n"
        "import install; install.print_path(pathlib.Path(sys.argv[1]))"
    )
    path = f"{other}:{launcher.parent}:{person.environment['PATH']}"

    told = person.type(sys.executable, "-B", "-c", code, launcher, folder=ROOT, PATH=path)

    assert f"your shell finds {other / 'holdfast'} first" in told.stdout
