"""The local environment: .venv holds what a requirements list names, and this checkout.

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
from pathlib import Path

import packages
from packages import say

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv"
PYTHON = HOME / "bin" / "python"
STAMP = HOME / "holdfast-stamp.json"
LISTS = {"run": ["run"], "dev": ["run", "dev"]}
"""Each requirements list, and the lists that are satisfied once it is installed."""
ASK_IDENTITY = "import sys; print(sys.base_prefix, sys.version.replace('\\n', ' '))"


def main(arguments: list[str]) -> int:
    """Prepare .venv for one requirements list; with --packages the system's programs too."""
    wanted = arguments[0]
    if not is_ready(wanted):
        with only_one():
            if not is_ready(wanted):
                build(wanted)
    if "--packages" in arguments:
        packages.provide(HOME / "holdfast-packages-tried")
    return 0


def is_ready(wanted: str) -> bool:
    """Whether .venv is whole, on a living Python, and made of what the files say now."""
    stamp = read_stamp()
    return is_sound(stamp) and stamp.get(wanted) == list_digest(wanted) and stamp.get("project") == project_digest()


def is_sound(stamp: dict[str, str]) -> bool:
    """Whether .venv was finished, here, on the Python it still runs on (and on PYTHON, where that is given)."""
    if stamp.get("root") != str(ROOT) or stamp.get("python") != identity(PYTHON):
        return False
    return not os.environ.get("PYTHON") or stamp["python"] == identity(Path(sys.executable))


def build(wanted: str) -> None:
    """Make .venv satisfy a list, from scratch where what is there cannot be trusted."""
    began = time.monotonic()
    stamp = read_stamp()
    sound = is_sound(stamp)
    STAMP.unlink(missing_ok=True)
    say(f"{'updating' if sound else 'setting up'} .venv from requirements/{wanted}.txt …")
    if not sound:
        stamp = {}
        create()
    if stamp.get(wanted) != list_digest(wanted):
        # The list names everything, so nothing is resolved: an old pip would look at releases newer than the list.
        pip("--require-hashes", "--no-deps", "--requirement", str(ROOT / "requirements" / f"{wanted}.txt"))
        stamp.update({name: list_digest(name) for name in LISTS[wanted]})
    pip("--no-index", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    write_stamp({**stamp, "root": str(ROOT), "python": identity(PYTHON), "project": project_digest()})
    say(f"ready after {time.monotonic() - began:.0f} s; the command `holdfast` is .venv/bin/holdfast here.")


def create() -> None:
    """An empty virtual environment, in place of whatever was there."""
    if HOME.is_symlink() or HOME.is_file():
        HOME.unlink()
    elif HOME.exists():
        shutil.rmtree(HOME)
    if importlib.util.find_spec("ensurepip") is None:
        provide_ensurepip()
    run(str(base_python()), "-m", "venv", str(HOME))


def provide_ensurepip() -> None:
    """Debian keeps the part of Python that makes environments in a package of its own."""
    own = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    package = "python3-venv" if Path("/usr/bin/python3").resolve().name == own else f"{own}-venv"
    if packages.can_install():
        say(f"installing {package} with apt …")
        if packages.install([package]):
            return
    raise SystemExit(
        f"holdfast: {sys.executable} cannot make virtual environments: its ensurepip is missing.\n"
        f"holdfast: on Debian or Ubuntu, as root: apt-get install -y {package}\n"
        f"holdfast: or name another Python: make PYTHON=/path/to/python3 …"
    )


def base_python() -> Path:
    """The interpreter itself, also when this script was started by the one in a virtual environment."""
    own = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return own if own.exists() else Path(sys.executable)


def pip(*arguments: str) -> None:
    """Install something into .venv."""
    run(str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *arguments)


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


def read_stamp() -> dict[str, str]:
    """What .venv was made of; empty when unknown."""
    try:
        return {str(key): str(value) for key, value in json.loads(STAMP.read_text()).items()}
    except (OSError, ValueError):
        return {}


def write_stamp(stamp: dict[str, str]) -> None:
    """Declare .venv whole."""
    unfinished = STAMP.with_suffix(".new")
    unfinished.write_text(json.dumps(stamp, indent=1))
    unfinished.replace(STAMP)


@contextmanager
def only_one() -> Iterator[None]:
    """Two makes at once must not build the same environment; the second waits."""
    folder = os.open(ROOT / "setup", os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another make is preparing .venv; waiting for it …")
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
