"""What the model is told of the machine and the workspace: operating system, shell, git branch and git state.

All of it is read from files. No program runs: `git status` may start programs that the repository's own settings name,
and a folder that was unpacked brings its settings along. The model can run it in the sandbox.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from holdfast.records.printable import printable_line

BEGUN = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
}
"""What is in git's folder while something is not finished."""
_BRANCH = re.compile(r"ref: refs/heads/(\S{1,200})\n?")
_COMMIT = re.compile(r"([0-9a-f]{40,64})\n?")
_MOST = 4_096
_SHOWN = 12
_PACKED = 4_000_000
"""Of the file with packed references, so many bytes are read."""


def surroundings(top: Sequence[Path]) -> str:
    """What is known when the agent starts, one fact a line. `top` is the folder with `.git`, if the user trusts one."""
    machine = os.uname()
    system = "macOS" if machine.sysname == "Darwin" else machine.sysname
    shell = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
    facts = [
        f"Operating system: {system} {machine.release} on {machine.machine}",
        f"Shell of commands: {shell}",
        *(fact for folder in top for fact in _git(folder)),
    ]
    return "\n".join(facts)


def _git(top: Path) -> list[str]:
    """The branch and the state of a repository; nothing where there is none that can be read."""
    try:
        folder = top / ".git"
        if folder.is_file():  # a worktree: the file says where its folder is
            folder = top / _read(folder).removeprefix("gitdir:").strip()
        head = _read(folder / "HEAD")
        common = folder / _read(folder / "commondir").strip() if (folder / "commondir").is_file() else folder
        branch, commit = _BRANCH.fullmatch(head), _COMMIT.fullmatch(head)
        if branch:
            commit = _COMMIT.fullmatch(_commit_of(common, f"refs/heads/{branch[1]}"))
        if not (branch or commit):
            return []
        begun = sorted({what for name, what in BEGUN.items() if (folder / name).exists()})
    except (OSError, RuntimeError, ValueError):  # as if there were no repository: git says what is wrong with it
        return []
    on = printable_line(branch[1], 200) if branch else "none, the head is detached"
    at = f"at commit {commit[1][:_SHOWN]}" if commit else "without a commit yet"
    state = ", ".join([at, *(f"{each} is not finished" for each in begun)])
    return [f"Git branch at the start: {on}", f"Git state at the start: {state}"]


def _commit_of(folder: Path, name: str) -> str:
    """What a reference names; '' for one that names nothing yet."""
    if (folder / name).is_file():
        return _read(folder / name)
    packed = folder / "packed-refs"
    lines = _read(packed, _PACKED).splitlines() if packed.is_file() else []
    return next((line.partition(" ")[0] for line in lines if line.endswith(f" {name}")), "")


def _read(path: Path, most: int = _MOST) -> str:
    with path.open(errors="replace") as file:
        return file.read(most)
