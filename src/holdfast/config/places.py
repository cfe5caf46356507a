"""Where settings lie: the user's file, the project's file, and what is remembered beside them."""

from collections.abc import Mapping
from pathlib import Path

from holdfast.config.setting_names import CONFIG
from holdfast.config.values import folder
from holdfast.stores.files.home_folder import home

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


def here(environment: Mapping[str, str]) -> Path:
    """The current folder; where that was removed meanwhile, the home folder."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return home(environment)


def project_file(root: Path) -> Path:
    """The file with a project's settings, there or not."""
    return root / OWN / FILE
