"""Where commands run: inside bubblewrap if it works here, in the open if not, and which of the two is said.

Inside, the file system is read-only except for the workspace, and much of it is hidden (`view` says what);
there is no network unless asked for; and everything that was started ends with the process that started it.
Whether bubblewrap works is found out by running it, because kernels and containers forbid name spaces in
ways that cannot be told from outside.
The environment is cleared either way: no key in it reaches a command.
"""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from holdfast.records.parts import Value
from holdfast.tools.shell.hidden_places import HiddenPlace, hidden_places, places_of_the_system
from holdfast.tools.shell.placeholders import Placeholders
from holdfast.tools.shell.sandbox_view import COVERED, SandboxView, is_folder, view

_TOOLS = (
    ".asdf .bun/bin .cargo/bin .deno/bin .local/lib .local/share/mise .local/share/pnpm .local/share/uv .nvm .pyenv "
    ".rbenv .rustup .volta go/bin miniconda3 miniforge3"
).split()
"""Below a home folder, programs that people install there; shown, and read-only."""

_SCOPED = Path(__file__).with_name("scoped.py")
"""Run as a file, so that it is not loaded here."""

_KEPT = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ")
_SET = {"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}

_CONFINED = (
    "Commands run in a sandbox (bubblewrap): they can write in the workspace only, do not see your home folder, "
    "and have no network unless you turn it on."
)
_OPEN = "so commands can read and change everything that you can"


class Sandbox(Value, frozen=True, kw_only=True):
    """What keeps commands in."""

    program: str = ""
    """The path of bubblewrap; empty where commands run in the open."""
    said: str
    """What it does or why it is not there, in one line for a person."""
    homes: tuple[Path, ...] = ()
    """Folders of which nothing is seen, except what follows."""
    shown: tuple[Path, ...] = ()
    """Folders in hidden places that are seen, and cannot be changed."""
    places: tuple[HiddenPlace, ...] = ()
    """Files and folders of which nothing is seen, even in the workspace."""
    notes: Path | None = None
    """Where is noted what is made for as long as a command runs; without it nothing is made."""

    @property
    def confines(self) -> bool:
        """Whether commands are kept in at all."""
        return bool(self.program)

    def around(self, command: Sequence[str], *, root: Path, folder: Path, network: bool) -> list[str]:
        """The command that runs a command in a folder of the workspace `root`, inside if there is an inside."""
        if not self.program:
            return list(command)
        order = [self.program, "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        order += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        order += [] if network else ["--unshare-net"]
        order += self._view(root, network=network).mounts
        order += ["--chdir", str(folder), "--", *command]
        return [sys.executable, "-I", "-S", str(_SCOPED), *order] if network else order

    def hold(self, root: Path) -> Callable[[], None]:
        """Make what is missing and must not be made by a command in a workspace; what is given ends that."""
        if not self.program or self.notes is None:
            return _nothing
        now = self._view(root, network=False)
        kept = Placeholders(self.notes)
        if now.linked:
            kept.remember(now.linked)
        return kept.hold(now.wanted) if now.wanted else _nothing

    def _view(self, root: Path, *, network: bool) -> SandboxView:
        places = (*self.places, *places_of_the_system())
        if self.notes is not None:
            remembered = Placeholders(self.notes).remembered()
            places += tuple(HiddenPlace(path=path, kind="folder", kept="system") for path in remembered)
        return view(root, homes=self.homes, shown=self.shown, places=places, network=network)


def _nothing() -> None:
    """Nothing was made."""


def find_sandbox(environment: Mapping[str, str], *, hidden: Iterable[Path] = (), notes: Path | None = None) -> Sandbox:
    """What this machine has to keep commands in.

    `hidden` is what else they must not see: Holdfast's own. `notes` is a folder of ours for `Placeholders`.
    """
    program = shutil.which("bwrap", path=environment.get("PATH") or os.defpath)
    if program is None:
        return Sandbox(
            said=f"No sandbox: bubblewrap is not installed, {_OPEN}. "
            "On Debian, Ubuntu and Fedora the package is called bubblewrap."
        )
    if why := _failure(program):
        return Sandbox(said=f"No sandbox: bubblewrap does not work here ({why}), {_OPEN}.")
    if notes is not None:
        Placeholders(notes).sweep()
    homes = _homes(environment)
    return Sandbox(
        program=program,
        said=_CONFINED,
        homes=homes,
        shown=_shown(environment, homes),
        places=hidden_places(environment, homes, hidden),
        notes=notes,
    )


@lru_cache(maxsize=8)
def _failure(program: str) -> str:
    """Why bubblewrap does not work; '' if it does."""
    probe = Sandbox(program=program, said="")
    order = probe.around(["/bin/sh", "-c", "exit 0"], root=Path("/usr"), folder=Path("/usr"), network=False)
    try:
        done = subprocess.run(order, env={}, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)  # noqa: S603 - our own words
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    return " ".join(done.stderr.decode(errors="replace").split())[:200] or f"exit code {done.returncode}"


def _homes(environment: Mapping[str, str]) -> tuple[Path, ...]:
    try:
        own = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        own = ""
    found = {Path(each).resolve() for each in (environment.get("HOME", ""), own) if each.startswith("/")}
    return tuple(sorted(path for path in found if is_folder(path) and path != Path("/")))


def _shown(environment: Mapping[str, str], homes: Sequence[Path]) -> tuple[Path, ...]:
    """Folders of programs that would be hidden; never a whole home."""
    covered = (*homes, *COVERED)
    found = [Path(each) for each in environment.get("PATH", "").split(os.pathsep) if each.startswith("/")]
    found += [home / each for home in homes for each in _TOOLS]
    return tuple(
        path
        for path in dict.fromkeys(found)
        if is_folder(path) and path.resolve() not in covered and any(path.is_relative_to(each) for each in covered)
    )


def cleared(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: where programs are and how to write, and nothing that could be a key."""
    kept = {name: environment[name] for name in _KEPT if name in environment}
    kept |= {name: value for name, value in environment.items() if name.startswith("LC_")}
    return {"PATH": os.defpath, **kept, **_SET}
