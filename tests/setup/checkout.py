"""A copy of this checkout, and commands that are typed there by somebody who was never here."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("Makefile", "pyproject.toml", "README.md", "LICENSE", "requirements", "setup", "src")
PATIENCE = 400.0
"""Seconds until something that installs packages has failed."""


CACHE = os.environ.get("PIP_CACHE_DIR") or str(Path("~/.cache/pip").expanduser())
"""What pip has downloaded before."""


def copy_checkout(folder: Path) -> Path:
    """What is needed to install Holdfast, in another folder."""
    folder.mkdir()
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, folder / name)
    return folder


def settings_of_pip() -> dict[str, str]:
    """What pip is told on this machine, for somebody with another home folder."""
    named = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
    file = Path("~/.config/pip/pip.conf").expanduser()
    return {"PIP_CONFIG_FILE": str(file), **named} if file.is_file() else named


class Person:
    """Types commands, with a home folder of their own; settings of pip are those of the machine."""

    def __init__(self, home: Path, **more: str) -> None:
        """Somebody new."""
        self.home = home
        home.mkdir(exist_ok=True)
        self.environment = {
            **settings_of_pip(),
            "PIP_CACHE_DIR": CACHE,
            "HOME": str(home),
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm",
            # Nobody listens there, so nothing but what the test gives can answer.
            "OLLAMA_HOST": "127.0.0.1:9",
            **more,
        }

    def type(self, *words: str | Path, folder: Path, **more: str) -> "subprocess.CompletedProcess[str]":
        """Run a command; its two outputs come as one, as on a terminal."""
        return subprocess.run(
            words,
            cwd=folder,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
