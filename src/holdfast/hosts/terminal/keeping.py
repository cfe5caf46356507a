"""Small files of the user's own: written whole or not at all, and for nobody else to read."""

import os
import secrets
from pathlib import Path

from holdfast.stores.files.disk import make_folder


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
