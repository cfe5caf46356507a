"""Where commands run: inside bubblewrap if it works here, in the open if not, and which of the two is said.

Inside, the file system is read-only except for the workspace; the home folder, Holdfast's own files,
`/tmp` and `/run` are empty; there is no network unless asked for; and everything that was started
ends with the process that started it. Whether bubblewrap works is found out by running it, because
kernels and containers forbid name spaces in ways that cannot be told from outside.
The environment is cleared either way: no key in it reaches a command.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from holdfast.records.parts import Value

_COVERED = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - names of folders that are hidden, not files that are made
"""Folders of all users: other programs' files, and sockets through which they take orders."""

_KERNEL = (Path("/proc/sys"), Path("/proc/fs"), Path("/proc/scsi"), Path("/proc/acpi"))
"""The settings of the kernel: files of root, who needs no power to write to them. One names a program to run."""

_SECRETS = (
    ".aws .azure .bash_history .boto .cargo/credentials .cargo/credentials.toml .config/chromium .config/doctl "
    ".config/gcloud .config/gh .config/git/credentials .config/google-chrome .config/hub .config/op .config/rclone "
    ".config/sops .databrickscfg .docker .gem/credentials .git-credentials .gnupg .ICEauthority .kube "
    ".local/share/keyrings .mozilla .my.cnf .mysql_history .netrc .npmrc .oci .password-store .pgpass .psql_history "
    ".pypirc .python_history .s3cfg .snowsql .ssh .subversion/auth .terraform.d .thunderbird .vault-token .Xauthority "
    ".zsh_history"
).split()
"""Below a home folder, hidden also where the home folder itself is the workspace."""

_TOOLS = (
    ".asdf .bun/bin .cargo/bin .deno/bin .local/lib .local/share/mise .local/share/pnpm .local/share/uv .nvm .pyenv "
    ".rbenv .rustup .volta go/bin miniconda3 miniforge3"
).split()
"""Below a home folder, programs that people install there; shown, and read-only."""

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
    hidden: tuple[Path, ...] = ()
    """Files and folders of which nothing is seen, even in the workspace."""

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
        order += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        order += _visible(_KERNEL)
        order += _empty(Path(each) for each in _COVERED)
        order += _empty(self.homes)
        order += _visible(self.shown)
        order += _visible([Path("/etc/resolv.conf").resolve()]) if network else []
        order += _empty(each for each in self.hidden if root.is_relative_to(each))
        order += ["--bind", str(root), str(root)]
        order += _empty(each for each in self.hidden if not root.is_relative_to(each) and self._seen(each, root))
        return [*order, "--chdir", str(folder), "--", *command]

    def _seen(self, path: Path, root: Path) -> bool:
        """Whether a path would be seen by now; hiding one that is not would leave an empty place to be seen."""
        within = any(path.is_relative_to(each) for each in self.homes)
        return not within or any(path.is_relative_to(each) for each in (root, *self.shown))


def _is_folder(path: Path) -> bool:
    with suppress(OSError):  # in a folder that is not ours, it is none that a command could use
        return path.is_dir()
    return False


def _is_file(path: Path) -> bool:
    with suppress(OSError):
        return path.is_file()
    return False


def _empty(paths: Iterable[Path]) -> list[str]:
    order: list[str] = []
    for path in paths:
        if _is_folder(path) and not path.is_symlink():
            order += ["--tmpfs", str(path)]
        elif _is_file(path):
            order += ["--ro-bind", "/dev/null", str(path)]
    return order


def _visible(paths: Iterable[Path]) -> list[str]:
    order: list[str] = []
    for path in paths:
        order += ["--ro-bind-try", str(path), str(path)]
    return order


def find_sandbox(environment: Mapping[str, str], *, hidden: Iterable[Path] = ()) -> Sandbox:
    """What this machine has to keep commands in; `hidden` is what else they must not see."""
    program = shutil.which("bwrap", path=environment.get("PATH") or os.defpath)
    if program is None:
        return Sandbox(
            said=f"No sandbox: bubblewrap is not installed, {_OPEN}. "
            "On Debian, Ubuntu and Fedora the package is called bubblewrap."
        )
    if why := _failure(program):
        return Sandbox(said=f"No sandbox: bubblewrap does not work here ({why}), {_OPEN}.")
    homes = _homes(environment)
    return Sandbox(
        program=program,
        said=_CONFINED,
        homes=homes,
        shown=_shown(environment, homes),
        hidden=(*_hidden(environment, homes), *(path.expanduser().resolve() for path in hidden)),
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
    return tuple(sorted(path for path in found if _is_folder(path) and path != Path("/")))


def _shown(environment: Mapping[str, str], homes: Sequence[Path]) -> tuple[Path, ...]:
    """Folders of programs that would be hidden; never a whole home."""
    covered = (*homes, *map(Path, _COVERED))
    found = [Path(each) for each in environment.get("PATH", "").split(os.pathsep) if each.startswith("/")]
    found += [home / each for home in homes for each in _TOOLS]
    return tuple(
        path
        for path in dict.fromkeys(found)
        if _is_folder(path) and path.resolve() not in covered and any(path.is_relative_to(each) for each in covered)
    )


def _hidden(environment: Mapping[str, str], homes: Sequence[Path]) -> tuple[Path, ...]:
    own = [environment.get("HOLDFAST_STORE", "")]
    own += [f"{environment[name]}/holdfast" for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME") if environment.get(name)]
    own += [f"{home}/{each}" for home in homes for each in (".holdfast", ".config/holdfast", ".local/share/holdfast")]
    own += [f"{home}/{each}" for home in homes for each in _SECRETS]
    own += ["/etc/shadow", "/etc/gshadow"]
    home = environment.get("HOME", "")
    return tuple(Path(each.replace("~", home, 1) if each.startswith("~/") else each).resolve() for each in own if each)


def cleared(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: where programs are and how to write, and nothing that could be a key."""
    kept = {name: environment[name] for name in _KEPT if name in environment}
    kept |= {name: value for name, value in environment.items() if name.startswith("LC_")}
    return {"PATH": os.defpath, **kept, **_SET}
