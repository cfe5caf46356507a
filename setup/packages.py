"""What comes with the system: programs that tests use, libraries, and the Debian packages they come in.

Root gets them by apt; anyone else is told what is missing. Both go on afterwards: a test whose
program is not there skips and says so, and without the library only the demo model cannot run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGE_OF = {
    "strace": "strace",  # records and breaks system calls
    "mkfs.ext4": "e2fsprogs",  # file systems in a file, for power cuts
    "losetup": "mount",  # mounts them
    "unshare": "util-linux",  # in a name space of their own
    "bwrap": "bubblewrap",  # keeps commands of the agent in
    "zsh": "zsh",  # completes commands and keys
    "fish": "fish",  # as zsh
    "chromium": "chromium",  # shows the page
    "jq": "jq",  # reads logs in the examples of the pages
}

LIBRARIES = {"libgomp.so.1": "libgomp1"}
"""Libraries that wheels need and do not bring."""


def say(text: str) -> None:
    """Tell the person; standard output belongs to what was asked for."""
    print(f"holdfast: {text}", file=sys.stderr, flush=True)


def provide(tried: Path) -> None:
    """See that the programs in PACKAGE_OF are there; `tried` remembers packages that could not be had."""
    missing = missing_programs()
    packages = sorted({PACKAGE_OF[program] for program in missing})
    wanted = "\n".join(packages)
    known = tried.exists() and tried.read_text() == wanted
    if missing and not known and can_install():
        say(f"installing {', '.join(packages)} with apt …")
        if not install(packages):
            tried.write_text(wanted)
        missing = missing_programs()
    if missing:
        say(f"not on this machine: {', '.join(missing)}. Tests that need them are skipped.")
        say(f"on Debian or Ubuntu, as root: apt-get update && apt-get install -y {' '.join(packages)}")


def provide_libraries(python: Path) -> None:
    """See that the runtime of the demo model can be loaded by an interpreter that has it."""
    for library, package in LIBRARIES.items():
        if library not in load_error(python, "xllamacpp"):
            continue
        if can_install():
            say(f"installing {package} with apt …")
            install([package])
        if library in load_error(python, "xllamacpp"):
            say(f"the built-in demo model needs {library}, which is not on this machine. Other models do not need it.")
            say(f"on Debian or Ubuntu, as root: apt-get update && apt-get install -y {package}")


def load_error(python: Path, module: str) -> str:
    """What an interpreter says when it cannot load a module; '' when it can."""
    done = subprocess.run([python, "-I", "-c", f"import {module}"], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def missing_programs() -> list[str]:
    """Programs in PACKAGE_OF that are not installed."""
    # Administrators' programs are not on everyone's PATH.
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    return [program for program in PACKAGE_OF if shutil.which(program, path=path) is None]


def can_install() -> bool:
    """Whether this process may install Debian packages."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(packages: list[str]) -> bool:
    """Install Debian packages; on failure show what apt said."""
    apt = shutil.which("apt-get") or "apt-get"
    order = [apt, "install", "-y", "-qq", "--no-install-recommends", *packages]
    done = run(order)
    if done.returncode != 0:
        # A fresh machine has no package lists; one in use has them, and fetching them takes long.
        run([apt, "update", "-qq"])
        done = run(order)
    if done.returncode != 0:
        say(f"apt failed:\n{done.stderr.strip()}")
    return done.returncode == 0


def run(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run apt without a question."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(
        command, env=env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


@contextmanager
def unpacked(package: str) -> Iterator[Path]:
    """A folder with the files of a Debian package, which is not installed; empty where it cannot be had."""
    with tempfile.TemporaryDirectory(prefix="holdfast-") as name:
        folder = Path(name)
        apt, unpack = shutil.which("apt-get"), shutil.which("dpkg-deb")
        if apt and unpack:
            say(f"fetching {package} with apt, without installing it …")
            own = ["-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache"]
            for part in ("lists/partial", "cache/archives/partial"):
                (folder / part).mkdir(parents=True)
            # The lists of the machine may be missing, and only root may fetch those. So they are fetched into here.
            for order in (["update", "-qq"], ["download", "-qq", package]):
                run([apt, *own, *order], folder)
            for archive in folder.glob(f"{package}_*.deb"):
                run([unpack, "--extract", str(archive), str(folder)], folder)
        yield folder
