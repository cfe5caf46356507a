"""Which folder is the workspace: the nearest one up from here that a person marked as one, or else this one.

What lies in a workspace tells the model what to do. So the search ends at a folder of another user, as git's does
since CVE-2022-24765: whoever can write above a folder must not speak to those who work in it. It ends at the home
folder and at the end of the file system too, and nothing that a mere start leaves behind counts as a mark.
"""

import json
import os
import pwd
from collections.abc import Iterable, Mapping
from errno import ELOOP
from pathlib import Path

from holdfast.config.places import FILE, OWN, user_file
from holdfast.records.parts import Value
from holdfast.records.printable import printable_line
from holdfast.stores.files.home_folder import home

MARKS = (".git", f"{OWN}/{FILE}", f"{OWN}/skills")
"""Each is made by a person: `holdfast init` makes the settings. An id in `.holdfast` was made by a start."""
SPEAKING = (".git", OWN, f"{OWN}/{FILE}", f"{OWN}/skills", "AGENTS.md", "CLAUDE.md")
"""What would be read of a workspace; all of it has to belong to the user."""
_LONGEST = 300


class Workspace(Value, frozen=True, kw_only=True):
    """The folder that a session is about."""

    root: Path
    trusted: bool = True
    """Whether its settings, instructions and skills count."""
    note: str = ""
    """One line about a folder that was passed over; '' if none was."""


class _Foreign(Exception):
    """A folder that does not belong to the user, or cannot be looked into."""


def discover(where: Path, environment: Mapping[str, str], trusted: Iterable[Path] = ()) -> Workspace:
    """Find the workspace of a folder. `trusted` are folders of others that count, with all that is below them."""
    begin = Path(os.path.abspath(where))  # noqa: PTH100 # without following links: the folder as the user sees it
    known = [path.resolve() for path in trusted]
    try:
        here, ends = begin.stat(), _ends(environment)
    except OSError as error:
        return _passed_over(begin, begin, _unreadable(begin, error), environment)
    for each in (begin, *begin.parents):
        there: list[str] = []
        try:
            found = each.stat()
            if each != begin and (found.st_dev != here.st_dev or (found.st_dev, found.st_ino) in ends):
                break
            there = [name for name in SPEAKING if _is_there(each / name)]
            if not any(each.resolve().is_relative_to(folder) for folder in known):
                _refuse_foreign(each, there)
            if any(name in there for name in MARKS):
                return Workspace(root=each)
        except _Foreign as why:
            # A folder of others that says nothing, such as /home, is worth no line, unless it hides a workspace above.
            speaking = each if there else _marked_above(each, here.st_dev, ends)
            return _passed_over(begin, each, str(why) if speaking else "", environment, speaking)
        except OSError as error:
            return _passed_over(begin, each, _unreadable(each, error), environment)
        if (here.st_dev, here.st_ino) in ends:
            break
    return Workspace(root=begin)


def up_to_repository(root: Path, environment: Mapping[str, str], trusted: Iterable[Path] = ()) -> tuple[Path, ...]:
    """A workspace with the folders above it up to its repository, the outermost first.

    It is alone where it is in no repository, and where a folder on the way, or what would be read of one, belongs to
    another user. The search ends where that for the workspace does.
    """
    folders, known = [root], tuple(trusted)
    try:
        device, ends = root.stat().st_dev, _ends(environment)
        while not _is_there(folders[0] / ".git"):
            found = folders[0].stat()
            above = discover(folders[0].parent, environment, known)
            marked = any(_is_there(above.root / name) for name in MARKS)
            if (found.st_dev, found.st_ino) in ends or not (above.trusted and marked) or above.note:
                return (root,)
            if above.root == folders[0] or above.root.stat().st_dev != device:
                return (root,)
            between = [each for each in folders[0].parents if each.is_relative_to(above.root)]
            folders = [*reversed(between), *folders]
    except OSError:
        return (root,)
    return tuple(folders)


def _marked_above(folder: Path, device: int, ends: set[tuple[int, int]]) -> Path | None:
    """The folder that would be the workspace if others could be trusted; nothing in it is read."""
    for each in folder.parents:
        try:
            found = each.stat()
            if found.st_dev != device or (found.st_dev, found.st_ino) in ends:
                return None
            if any(_is_there(each / name) for name in MARKS):
                return each
        except OSError:
            return None
    return None


def _ends(environment: Mapping[str, str]) -> set[tuple[int, int]]:
    """The home folder, by what it is: it may have several names."""
    try:
        found = home(environment).stat()
    except OSError:  # there need not be one yet
        return set()
    return {(found.st_dev, found.st_ino)}


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == ELOOP:
            return False
        raise
    return True


def _refuse_foreign(folder: Path, names: Iterable[str]) -> None:
    """Raise `_Foreign` if the folder, or something in it that would be read, belongs to another user."""
    for path in (folder, *(folder / name for name in names)):
        for follow in (False, True):  # neither a link of another user, nor a link to what is another user's
            try:
                owner = path.stat(follow_symlinks=follow).st_uid
            except FileNotFoundError:
                continue  # a link that leads nowhere
            except OSError as error:
                if error.errno == ELOOP:
                    continue
                raise
            if owner != os.geteuid():
                raise _Foreign(f"{path} belongs to {_name(owner)}")


def _name(owner: int) -> str:
    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return f"user {owner}"


def _unreadable(folder: Path, error: OSError) -> str:
    return f"{folder} cannot be read ({error.strerror})"


def _passed_over(
    begin: Path, folder: Path, why: str, environment: Mapping[str, str], speaking: Path | None = None
) -> Workspace:
    """A workspace that does not reach up to a folder, because of what lies in it or in the one that is `speaking`."""
    if not why:
        return Workspace(root=begin, trusted=begin != folder)
    said = speaking or folder
    trusting = f"trusted_folders = [{json.dumps(str(said), ensure_ascii=False)}]"
    note = f"{why}, so settings, instructions and skills of {said} do not count. To trust it, write "
    note += f"`{trusting}` into {user_file(environment)}."
    return Workspace(root=begin, trusted=begin != folder, note=printable_line(note, _LONGEST + 3 * len(str(said))))
