"""Small files of the user's own: written whole or not at all, and for nobody else to read."""

import os
import secrets
from errno import EINVAL
from pathlib import Path
from stat import S_ISREG

from holdfast.stores.files.disk import make_folder

LARGEST = 64_000_000


def stored(file: Path) -> bytes:
    """What is in a file. Raises `OSError`, also where a link, a pipe or a device stands in its place."""
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as opened:
        if not S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(EINVAL, "this is no regular file", str(file))
        return opened.read(LARGEST)


def keep(file: Path, data: bytes) -> None:
    """Write a file. Raises `OSError`; then the file is as it was."""
    make_folder(file.parent)
    new = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
