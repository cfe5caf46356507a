"""An environment for each peer, made when a row first needs it, from pinned and hashed requirements.

A change of the pins makes a new environment. One that was not finished is made anew.
"""

import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from bench.peers.chosen import Peer


class CannotInstall(Exception):
    """The peer cannot be had on this machine now."""


def interpreter(peer: Peer, root: Path) -> Path:
    """The peer's own python; installs the peer first if it is not there. Ours, if it needs nothing but Python."""
    if not peer.requirements:
        return Path(sys.executable)
    pins = root / "requirements" / peer.requirements
    digest = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()[:12]
    home = root / ".bench" / "venvs" / f"{peer.name}-{digest}"
    python = home / "bin" / "python"
    finished = home / "finished"
    if not finished.exists():
        print(f"installing {peer.name} (once) …", file=sys.stderr)
        shutil.rmtree(home, ignore_errors=True)
        venv.create(home, with_pip=True)
        _install(python, pins)
        finished.touch()
    return python


def _install(python: Path, pins: Path) -> None:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    done = subprocess.run([*command, "-r", str(pins)], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        complaints = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
        raise CannotInstall(f"could not be installed here: {complaints[-1].removeprefix('ERROR: ')}")
