"""`init`: makes a folder a project."""

import os
from collections.abc import Iterable
from pathlib import Path

from holdfast.config.discovery import discover
from holdfast.config.places import OWN, project_file
from holdfast.errors import BadInput
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.exits import Exit
from holdfast.stores.files.home_folder import home

SETTINGS = """\
# Settings of Holdfast for this project. They count for everybody who works in it, so check this file in.
# They can only tighten what a user allows. `holdfast config` shows what counts here.

# instructions = "Run make check before you say that you are done."
# tools.disabled = ["web_fetch"]
# limits.steps = 20

# [[permissions]]
# tool = "write_file"
# pattern = "migrations/*"
# decision = "deny"
"""


async def init(call: Call) -> Exit:
    """Make a folder a project."""
    root = Path(os.path.abspath(call.text("folder")))  # noqa: ASYNC240, PTH100 # without following links
    made = _made(root, call.settings.trusted_folders)
    file = project_file(root)
    if call.flag("json"):
        call.print_json({"workspace": root, "file": file, "made": made})
        return Exit.OK
    said = "is a project now, with its settings in" if made else "is a project already; its settings are in"
    call.console.prose(f"{root} {said} {file}.")
    return Exit.OK


def _made(root: Path, trusted: Iterable[Path]) -> bool:
    """Make a folder a project; whether it was none before."""
    root.mkdir(parents=True, exist_ok=True)
    if home(os.environ).exists() and root.samefile(home(os.environ)):
        raise BadInput(
            "Your home folder is never a project: the search for one ends there.",
            hint="Run `holdfast init` in the folder of the project, or name that.",
        )
    found = discover(root, os.environ, trusted)
    if found.root == root and not found.trusted:
        raise BadInput(f"{root} does not belong to you alone, so nothing in it would count.", hint=found.note)
    if (root / OWN).is_symlink():
        raise BadInput(f"{root / OWN} is a link, and nothing is written through it.", hint="Remove it first.")
    (root / OWN).mkdir(exist_ok=True)
    try:
        with project_file(root).open("x", encoding="utf-8") as new:
            new.write(SETTINGS)
    except FileExistsError:
        return False
    return True
