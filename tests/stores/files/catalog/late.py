"""A catalog that is behind for as long as a test wants it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.stores.files.catalog import schema
from holdfast.stores.files.catalog.dirty import FOLDER


@contextmanager
def kept_behind(root: Path) -> Iterator[None]:
    """Throw the catalog away, and hold the turn of those who would catch up, as another process does while it works."""
    schema.discard(root)
    turn = os.open(root / FOLDER, os.O_RDONLY)
    try:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield
    finally:
        os.close(turn)
