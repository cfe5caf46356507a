"""Virtual environments: each holds what a requirements list names, and Holdfast from this checkout.

Runs on the machine's own Python with nothing installed. A stamp, written last, says what the
environment was made of; the environment counts only while the stamp matches. Without a stamp
(interrupted), in another place (moved, copied) or on another Python it is built anew; when only
a list or the project's own description changed, it is brought up to date.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import packages
from packages import say

ROOT = Path(__file__).resolve().parent.parent
LISTS = {"run": ["run"], "dev": ["run", "dev"]}
"""Each requirements list, and the lists that are satisfied once it is installed."""
ASK_IDENTITY = "import sys; print(sys.base_prefix, sys.version.replace('\\n', ' '))"


def main(arguments: list[str]) -> int:
    """Prepare .venv for one requirements list; with --packages the system's programs too."""
    local = Environment(ROOT / ".venv")
    wanted = arguments[0]
    if not local.is_ready(wanted):
        with only_one(ROOT / "setup"):
            if not local.is_ready(wanted):
                took = local.build(wanted)
                say(f"ready after {took:.0f} s; the command `holdfast` is .venv/bin/holdfast here.")
    if "--packages" in arguments:
        packages.provide(local.home / "holdfast-packages-tried")
    return 0


@dataclass(frozen=True)
class Environment:
    """One virtual environment."""

    home: Path
    editable: bool = True
    """Whether it runs the files of the checkout; otherwise it has a copy of them."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.home / "bin" / "python"

    @property
    def stamp(self) -> Path:
        """The file that says what it was made of."""
        return self.home / "holdfast-stamp.json"

    def is_ready(self, wanted: str) -> bool:
        """Whether it is whole, on a living Python, and made of what the files say now."""
        made = self.read_stamp()
        return self.is_sound(made) and made.get(wanted) == list_digest(wanted) and made.get("project") == self.project()

    def is_sound(self, made: dict[str, str]) -> bool:
        """Whether it was finished, here, on the Python it still runs on (and on PYTHON, where that is given)."""
        if made.get("root") != str(self.home.parent) or made.get("python") != identity(self.python):
            return False
        return not os.environ.get("PYTHON") or made["python"] == identity(Path(sys.executable))

    def project(self) -> str:
        """What it needs to have of the project, in short."""
        return project_digest() if self.editable else f"{project_digest()} {source_digest()}"

    def build(self, wanted: str) -> float:
        """Make it satisfy a list, from scratch where what is there cannot be trusted; gives the seconds it took."""
        began = time.monotonic()
        made = self.read_stamp()
        sound = self.is_sound(made)
        self.stamp.unlink(missing_ok=True)
        shown = self.home.name if self.home.parent == ROOT else self.home
        say(f"{'updating' if sound else 'setting up'} {shown} from requirements/{wanted}.txt …")
        if not sound:
            made = {}
            self.create()
        if made.get(wanted) != list_digest(wanted):
            # The list names everything, so nothing is resolved: an old pip would look at releases newer than the list.
            self.pip("--require-hashes", "--no-deps", "--requirement", str(ROOT / "requirements" / f"{wanted}.txt"))
            made.update({name: list_digest(name) for name in LISTS[wanted]})
            packages.provide_libraries(self.python)
        how = ["--editable"] if self.editable else ["--force-reinstall"]
        self.pip("--no-index", "--no-deps", "--no-build-isolation", *how, str(ROOT))
        stamp = {**made, "root": str(self.home.parent), "python": identity(self.python), "project": self.project()}
        unfinished = self.stamp.with_suffix(".new")
        unfinished.write_text(json.dumps(stamp, indent=1))
        unfinished.replace(self.stamp)
        return time.monotonic() - began

    def create(self) -> None:
        """An empty virtual environment, in place of whatever was there."""
        if self.home.is_symlink() or self.home.is_file():
            self.home.unlink()
        elif self.home.exists():
            shutil.rmtree(self.home)
        make = [str(base_python()), "-m", "venv"]
        if importlib.util.find_spec("ensurepip") or provide_ensurepip():
            run(*make, str(self.home))
            return
        # Debian keeps ensurepip in a package of its own. Anybody may fetch a package, and pip is a file in one.
        with packages.unpacked("python3-pip-whl") as folder:
            wheel = next(folder.glob("usr/share/python-wheels/pip-*.whl"), None)
            if wheel is None:
                raise SystemExit(NO_ENSUREPIP.format(python=sys.executable, package=venv_package()))
            run(*make, "--without-pip", str(self.home))
            run(str(self.python), f"{wheel}/pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel))

    def pip(self, *arguments: str) -> None:
        """Install something into it."""
        run(
            str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *arguments
        )

    def read_stamp(self) -> dict[str, str]:
        """What it was made of; empty when unknown."""
        try:
            return {str(key): str(value) for key, value in json.loads(self.stamp.read_text()).items()}
        except (OSError, ValueError):
            return {}


NO_ENSUREPIP = """\
holdfast: {python} cannot make virtual environments: its ensurepip is missing.
holdfast: on Debian or Ubuntu, as root: apt-get update && apt-get install -y {package}
holdfast: or name another Python: make PYTHON=/path/to/python3 …"""


def venv_package() -> str:
    """The Debian package with the part of this Python that makes environments."""
    own = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return "python3-venv" if Path("/usr/bin/python3").resolve().name == own else f"{own}-venv"


def provide_ensurepip() -> bool:
    """Install the missing part of Debian's Python, where this process may."""
    if not packages.can_install():
        return False
    say(f"installing {venv_package()} with apt …")
    return packages.install([venv_package()])


def base_python() -> Path:
    """The interpreter itself, also when this script was started by the one in a virtual environment."""
    own = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return own if own.exists() else Path(sys.executable)


def run(*command: str) -> None:
    """Run a command quietly; when it fails, show all it said and stop."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout.decode(errors="replace"))
        raise SystemExit(f"holdfast: this failed: {' '.join(command)}\nholdfast: mend it, then run make again.")


def clean_environment() -> dict[str, str]:
    """The environment without what would send packages elsewhere or bring foreign ones in."""
    foreign = {"PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_NO_DEPS", "VIRTUAL_ENV"}
    env = {name: value for name, value in os.environ.items() if name not in foreign}
    if not env.get("HOME"):
        env.pop("HOME", None)  # an empty one would put pip's cache at the root of the file system
    return {**env, "PIP_USER": "0"}


def identity(python: Path) -> str:
    """Which Python this is; empty when it does not run."""
    try:
        done = subprocess.run([python, "-I", "-c", ASK_IDENTITY], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def list_digest(name: str) -> str:
    """What a requirements list says, in short."""
    return hashlib.sha256((ROOT / "requirements" / f"{name}.txt").read_bytes()).hexdigest()


def project_digest() -> str:
    """What pyproject.toml says about installing the project, in short; settings of tools do not count."""
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())
    parts = [said["project"], said["build-system"], said["tool"]["hatch"]]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def source_digest() -> str:
    """What the files of the package say, in short."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


@contextmanager
def only_one(folder_of_lock: Path) -> Iterator[None]:
    """Two makes at once must not build the same environment; the second waits."""
    folder = os.open(folder_of_lock, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another make is preparing it; waiting for it …")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(f"holdfast: cannot prepare .venv: {error}")
    except KeyboardInterrupt:
        sys.exit("\nholdfast: interrupted; the next make starts over.")
