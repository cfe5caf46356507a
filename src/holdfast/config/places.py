"""Where settings lie: the user's file, the project's file, and which folder is the workspace."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from holdfast.config.keys import CONFIG
from holdfast.config.values import folder

FILE = "config.toml"
OWN = ".holdfast"
"""The folder of ours in a workspace."""


def user_file(environment: Mapping[str, str]) -> Path:
    """The file with the user's settings, there or not."""
    named = environment.get(CONFIG)
    if named:
        return folder(named, setting=CONFIG).absolute()
    return user_folder(environment) / FILE


def user_folder(environment: Mapping[str, str]) -> Path:
    """The folder with what the user set up: settings, unless a variable names another file, and skills."""
    return _below("XDG_CONFIG_HOME", ".config", environment)


def state_folder(environment: Mapping[str, str]) -> Path:
    """The folder for what Holdfast remembers of the user, beside conversations."""
    return _below("XDG_STATE_HOME", ".local/state", environment)


def _below(variable: str, usual: str, environment: Mapping[str, str]) -> Path:
    named = Path(environment.get(variable) or "")
    # A relative path would mean another folder in every folder; the standard says to ignore it.
    return (named if named.is_absolute() else home(environment) / usual) / "holdfast"


def home(environment: Mapping[str, str]) -> Path:
    """The user's home folder."""
    return Path(environment.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 # Path.home() raises without one


def here(environment: Mapping[str, str]) -> Path:
    """The current folder; where that was removed meanwhile, the home folder."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return home(environment)


def workspace_root(where: Path, environment: Mapping[str, str]) -> Path:
    """The folder that a session is about: the nearest one up from here with `.holdfast` or `.git`, or else this one."""
    begin = Path(os.path.abspath(where))  # noqa: PTH100 # without following links: the folder as the user sees it
    for each in (begin, *begin.parents):
        # In the home folder `.holdfast` is where conversations are kept, not the mark of a project.
        with suppress(OSError):  # a folder that nobody may look into is no workspace
            if (each / ".git").exists() or ((each / OWN).is_dir() and each != home(environment)):
                return each
    return begin


def project_file(root: Path) -> Path:
    """The file with a project's settings, there or not."""
    return root / OWN / FILE
