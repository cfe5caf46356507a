"""Where settings lie."""

from pathlib import Path

import pytest

from holdfast.config import read
from holdfast.config.places import project_file, state_folder, user_file
from holdfast.errors import BadSetting
from tests.config.conftest import Place


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HOME": "/h"}, "/h/.config/holdfast/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x/holdfast/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": ""}, "/h/.config/holdfast/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "relative"}, "/h/.config/holdfast/config.toml"),
        ({"HOME": "/h", "XDG_CONFIG_HOME": "/x", "HOLDFAST_CONFIG": "/c.toml"}, "/c.toml"),
    ],
)
def test_the_users_file_lies_where_such_files_lie(environment: dict[str, str], expected: str) -> None:
    """
    As the standard for it says, unless another file is named.
    """
    assert Path(expected) == user_file(environment)


def test_what_is_remembered_lies_beside(tmp_path: Path) -> None:
    """
    State is kept apart from settings.
    """
    assert Path("/h/.local/state/holdfast") == state_folder({"HOME": "/h"})
    assert tmp_path / "holdfast" == state_folder({"HOME": "/h", "XDG_STATE_HOME": str(tmp_path)})


def test_without_a_home_the_system_knows_one() -> None:
    """
    An environment without HOME, as some services have it, is no error.
    """
    assert user_file({}).is_absolute()


def test_the_files_that_were_looked_at_are_told(place: Place) -> None:
    """
    Both places are named, there or not.
    """
    place.user("")
    loaded = place.read()

    assert place.project == loaded.root
    assert [("user", place.user_file, True), ("project", place.project_file, False)] == [
        (each.level, each.path, each.found) for each in loaded.files
    ]


def test_a_named_file_must_be_there(place: Place) -> None:
    """
    Who names a file wants it read.
    """
    with pytest.raises(BadSetting, match=r"HOLDFAST_CONFIG names /nowhere\.toml, which is no file"):
        place.load({"HOLDFAST_CONFIG": "/nowhere.toml"})


def test_nothing_at_all_can_be_named(place: Place) -> None:
    """
    Who wants no file of the user names the one that is always empty.
    """
    place.user('model = "a:b"')

    assert "" == place.load({"HOLDFAST_CONFIG": "/dev/null"}).model


def test_a_file_that_cannot_be_looked_for_is_an_error(place: Place) -> None:
    """
    It might forbid something, so it is not passed over.
    """
    with pytest.raises(BadSetting, match="cannot be read: File name too long"):
        place.load({"HOLDFAST_CONFIG": f"/{'x' * 300}"})


def test_a_folder_that_was_removed_is_no_error(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A shell may stand where there is nothing any more; then the home folder counts.
    """
    gone = place.home / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert place.home == read({"HOME": str(place.home)}).root


def test_a_projects_file_that_the_user_names_is_the_users(place: Place) -> None:
    """
    It may say all that the user may say, and is read once.
    """
    file = place.write_project('endpoints.ollama = "http://10.0.0.7"\ninstructions = "Once."')
    found = read({"HOME": str(place.home), "HOLDFAST_CONFIG": str(file)}, where=place.project)

    assert project_file(place.project) == file
    assert ("Once.", {"ollama": "http://10.0.0.7"}) == (found.settings.instructions, found.settings.endpoints)
