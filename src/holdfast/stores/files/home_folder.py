"""The home folder of the user: from HOME, or else from the user database; never the root of the file system.

Python takes an empty HOME for `/`, and containers set HOME to `/` for a user they do not know. Conversations and
settings would then lie in the root folder, where they belong to nobody.
"""

import os
import pwd
import re
from collections.abc import Mapping
from pathlib import Path

from holdfast.errors import BadSetting
from holdfast.log.store import Place

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
ONLY_FOLDERS = "A store is a folder, such as ~/.holdfast. A folder that is named like a URL is given by its whole path."


def place_of(text: str | os.PathLike[str]) -> Place:
    """The place that somebody wrote. Raises `RuntimeError` for `~name` where there is no such user."""
    return Place(url=os.fspath(text)) if scheme_of(text) else Place(folder=expanded(text))


def scheme_of(path: str | os.PathLike[str]) -> str:
    """The scheme of a URL that was given in place of a folder; '' if it is none."""
    found = _URL.match(os.fspath(path))
    return found[1] if found else ""


def home(environment: Mapping[str, str]) -> Path:
    """The home folder. Raises `BadSetting` where neither HOME nor the user database names one."""
    named = environment.get("HOME", "")
    if _is_home(named):
        return Path(named)
    try:
        known = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user that only has a number, as in containers
        known = ""
    if _is_home(known):
        return Path(known)
    said = f"HOME is {named!r}" if named else "HOME is not set"
    raise BadSetting(
        f"{said}, and the user database has no home folder for user {os.getuid()}.",
        hint="Set HOME to a folder of yours that can be written.",
    )


def _is_home(path: str) -> bool:
    return path.startswith("/") and os.path.normpath(path) not in {"/", "//"}


def expanded(path: str | os.PathLike[str]) -> Path:
    """A path with `~` replaced by the home folder. Raises `RuntimeError` for `~name` where there is no such user."""
    text = os.fspath(path)
    if text == "~" or text.startswith("~/"):
        return home(os.environ) / text[2:]
    return Path(text).expanduser()
