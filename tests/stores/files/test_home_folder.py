"""The home folder: never the root of the file system."""

import os
import pwd
from pathlib import Path

import pytest

from holdfast.errors import BadSetting
from holdfast.stores.files.home_folder import expanded, home

KNOWN = Path(pwd.getpwuid(os.getuid()).pw_dir)


def test_home_is_taken_from_the_environment() -> None:
    """
    As everywhere.
    """
    assert Path("/home/boat") == home({"HOME": "/home/boat"})


@pytest.mark.parametrize("named", [None, "", "/", "//", "/.", "/x/..", "boat", "."])
def test_a_home_that_is_none_is_taken_from_the_user_database(named: str | None) -> None:
    """
    Empty, missing, relative, or the root folder, as containers set it.
    """
    assert KNOWN == home({} if named is None else {"HOME": named})


@pytest.mark.parametrize("known", ["/", "", None])
def test_without_any_home_it_is_refused(monkeypatch: pytest.MonkeyPatch, known: str | None) -> None:
    """
    Conversations would lie in the root folder otherwise. It is said what to do.
    """

    def database(user: int) -> pwd.struct_passwd:
        if known is None:
            raise KeyError(user)
        return pwd.struct_passwd(("boat", "x", user, user, "", known, "/bin/sh"))

    monkeypatch.setattr(pwd, "getpwuid", database)
    with pytest.raises(BadSetting, match="HOME is not set, and the user database has no home folder") as refused:
        home({})
    with pytest.raises(BadSetting, match="HOME is '/', and the user database"):
        home({"HOME": "/"})

    assert "Set HOME to a folder of yours that can be written." == refused.value.hint


def test_a_path_begins_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    `~` is never the root folder, and a user's name stands for the home of that user.
    """
    monkeypatch.setenv("HOME", "")
    name = pwd.getpwuid(os.getuid()).pw_name

    assert KNOWN == expanded("~") == expanded(f"~{name}")
    assert KNOWN / "boat" == expanded(Path("~/boat"))
    assert Path("/x/~") == expanded("/x/~")
