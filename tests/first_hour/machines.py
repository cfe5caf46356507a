"""Three machines from nothing: a Debian with next to nothing on it for root, one for a user, and an empty environment.

A Debian is a folder that a process takes for the whole system (chroot). Each command there has mounts and
processes of its own, which the kernel ends with it, so nothing stays mounted, however it ends. Settings of pip
and apt are those of this machine; what they name in its file system is shown there too.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.first_hour.inside import ENTER
from tests.setup.checkout import settings_of_pip

PACKAGES = ("python3", "git", "make", "ca-certificates")
"""What a machine has that somebody clones a project on, and no more."""
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PASSED_ON = re.compile(r"(?i)(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|PIP_\w+")
USER = 1000


class CannotMakeError(RuntimeError):
    """A machine cannot be made here; the text says why."""


@dataclass(frozen=True)
class Machine:
    """A place where a person types commands."""

    name: str
    home: str
    """The home folder, as it is called there."""
    source: str
    """What is cloned, as it is called there."""
    environment: Mapping[str, str]
    folder: Path
    """The root of its file system; `/` where it is this machine's own."""
    user: int = 0
    shown: Sequence[str] = field(default_factory=tuple)
    """Files and folders of this machine that are seen there."""

    @property
    def is_own(self) -> bool:
        """Whether it has a file system of its own."""
        return self.folder != Path("/")

    def command(self, line: str, *, root: bool = False) -> list[str]:
        """What runs a line of shell there, in the home folder."""
        typed = f"cd {shlex.quote(self.home)} && {line}"
        if not self.is_own:
            return ["sh", "-c", typed]
        own = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
        user = 0 if root else self.user
        return ["unshare", *own, "sh", "-c", ENTER, "sh", str(self.folder), str(user), typed, *self.shown]

    def write(self, name: str, text: str) -> None:
        """Put a file into the home folder."""
        path = Path(f"{self.folder}{self.home}") / name
        for folder in reversed([each for each in path.parents if not each.exists()]):
            folder.mkdir()
            os.chown(folder, self.user or -1, self.user or -1)
        path.write_text(text)
        os.chown(path, self.user or -1, self.user or -1)


def empty_environment(folder: Path, source: Path, **more: str) -> Machine:
    """This machine, for somebody with an empty home who installs into an environment of their own."""
    home = folder / "home"
    home.mkdir(parents=True)
    env = {**_passed_on(), **settings_of_pip(), "PATH": f"{Path(sys.base_prefix) / 'bin'}:{SYSTEM_PATH}", **more}
    return Machine(
        name="a venv", home=str(home), source=str(source), environment={**env, **_person(str(home))}, folder=Path("/")
    )


def debians(folder: Path, source: Path) -> tuple[Machine, Machine]:
    """A minimal Debian for root, and another one for a user who is not root."""
    if os.geteuid() != 0:
        raise CannotMakeError("A machine is made by root.")
    first, second = folder / "root", folder / "user"
    _bootstrap(first)
    pip = _pip_settings()
    shown = [path for value in pip.values() for path in _paths(value) if Path(path).exists()]
    _settle(first, source, pip)
    subprocess.run(["cp", "--archive", "--reflink=auto", first, second], check=True)
    subprocess.run(["chroot", second, "useradd", "--create-home", "--uid", str(USER), "person"], check=True)
    env = {**{name: value for name, value in _passed_on().items() if not name.startswith("PIP_")}, "PATH": SYSTEM_PATH}
    there = "/srv/holdfast.bundle"
    return (
        Machine(
            name="minbase, root",
            home="/root",
            source=there,
            environment={**env, **_person("/root")},
            folder=first,
            shown=shown,
        ),
        Machine(
            name="minbase, a user",
            home="/home/person",
            source=there,
            environment={**env, **_person("/home/person")},
            folder=second,
            user=USER,
            shown=shown,
        ),
    )


def unmount(folder: Path) -> None:
    """Take away what debootstrap may have left mounted when it was broken off."""
    mounted = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for path in sorted((each for each in mounted if each.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", path], check=False)


def _person(home: str) -> dict[str, str]:
    """What a shell of somebody new knows. Nobody answers where Ollama would be."""
    screen = {"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(390)"}
    return {"HOME": home, "LC_ALL": "C.UTF-8", "OLLAMA_HOST": "127.0.0.1:9", **screen}


def _passed_on() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}


def _bootstrap(folder: Path) -> None:
    """Make a minimal Debian in a folder, from where this machine's own packages come from."""
    if shutil.which("debootstrap") is None:
        if shutil.which("apt-get") is None:
            raise CannotMakeError("debootstrap is not installed, and there is no apt to install it.")
        _apt("update", "-qq")
        _apt("install", "-y", "-qq", "--no-install-recommends", "debootstrap")
    form = "$(SITE) $(CODENAME) $(COMPONENT)"
    asked = ["apt-get", "indextargets", "--format", form, "Identifier: Packages"]
    targets = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split("\n")
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    suite = release["VERSION_CODENAME"].strip('"')
    site = next(line.split()[0] for line in targets if line.split()[1:] == [suite, "main"])
    tool = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", suite, str(folder), site]
    made = subprocess.run(tool, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if made.returncode:
        raise CannotMakeError(f"debootstrap failed:\n{made.stdout[-2000:]}")


def _apt(*words: str) -> None:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", *words], check=True, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def _pip_settings() -> dict[str, str]:
    """What pip is told on this machine, by whichever file or variable."""
    asked = [sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines()
    found = dict(line.split("=", 1) for line in sorted(lines) if "=" in line)  # variables, `:env:.x`, stand first
    named = {name.rpartition(".")[2]: value.strip("'") for name, value in reversed(found.items())}
    return {name: value for name, value in named.items() if name not in {"cache-dir", "require-virtualenv"}}


def _paths(value: str) -> list[str]:
    """The files and folders of this machine that a setting names."""
    found = []
    for word in value.split():
        path = Path(word.removeprefix("file://"))
        # An index in a folder may lead to files beside it.
        beside = word.startswith("file://") and len(path.parts) > len(("/", "folder", "index"))
        found += [str(path.parent if beside else path)] if path.is_absolute() else []
    return found


def _settle(folder: Path, source: Path, pip: Mapping[str, str]) -> None:
    """Give a Debian the settings of this machine, and something to clone."""
    shutil.copy2(source, folder / "srv" / "holdfast.bundle")
    shutil.rmtree(folder / "etc" / "apt")
    for name in ("etc/apt", "usr/share/keyrings"):
        shutil.copytree(f"/{name}", folder / name, symlinks=True, dirs_exist_ok=True)
    for name in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{name}", folder / "etc" / name)
    lines = [f"{name} = {value}" for name, value in pip.items()]
    (folder / "etc" / "pip.conf").write_text("\n".join(["[global]", *lines, ""]))
