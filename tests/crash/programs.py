"""Where programs of the system are, also those that are not on everyone's PATH."""

import os
import shutil


class MissingProgramError(RuntimeError):
    """A program that the tests need is not installed; the text says what to do."""


def program(name: str) -> str:
    """The path of a program."""
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    found = shutil.which(name, path=places)
    if found is None:
        raise MissingProgramError(
            f"{name} is not installed; on Debian or Ubuntu, as root: apt-get install strace e2fsprogs mount"
        )
    return found
