"""Small file systems that exist for one test: a tmpfs, or ext4 in an image.

Whether this machine allows mounting is found out by trying. Everything mounted here
is unmounted again, whatever happens in between.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.crash.programs import program
from tests.crash.record import scratch


class CannotMountError(RuntimeError):
    """This machine does not let us mount; the text says why, in plain words."""


@contextmanager
def mounted(device: Path | str, point: Path, *options: str) -> Iterator[Path]:
    """A mount for a block of code."""
    point.mkdir(exist_ok=True)
    done = subprocess.run(
        [program("mount"), *options, str(device), str(point)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CannotMountError(f"mounting is not allowed here: {done.stderr.strip()}")
    try:
        yield point
    finally:
        _unmount(point)


def _unmount(point: Path) -> None:
    done = subprocess.run([program("umount"), str(point)], capture_output=True, check=False)
    if done.returncode:
        # Something still has a file open there: take it out of the tree now, the kernel does the rest.
        subprocess.run([program("umount"), "--lazy", str(point)], capture_output=True, check=False)


def why_not(kind: str) -> str:
    """Why an `ext4` in an image, or a `tmpfs`, cannot be mounted here; empty when it can.

    A program that is missing is no reason: root installs it.
    """
    if os.geteuid() != 0:
        return "mounting needs root"
    with scratch() as folder:
        try:
            if kind == "ext4":
                image = make_image(folder / "image", megabytes=8)
                with mounted(image, folder / "point", "-o", "loop"):
                    return ""
            with mounted("tmpfs", folder / "point", "-t", "tmpfs"):
                return ""
        except CannotMountError as error:
            return str(error)


def make_image(path: Path, *, megabytes: int) -> Path:
    """A file with an empty ext4 in it."""
    with path.open("wb") as file:
        file.truncate(megabytes * 1024 * 1024)
    command = [program("mkfs.ext4"), "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotMountError(f"mkfs.ext4 failed: {done.stderr.strip()}")
    return path
