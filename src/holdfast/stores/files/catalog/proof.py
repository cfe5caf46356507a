"""Whether a log is the one that was read, although its files have other numbers: after a store was copied or moved.

Each line ends in its checksum, and has its position and its time. So two logs with the same bytes
at the beginning, and before the place up to which one was read, are one log.
"""

import os
from hashlib import blake2b
from pathlib import Path

from holdfast.stores.files.segments import Cursor, opened, segment_path

BYTES = 256
"""How much is compared at either place."""


def proof(folder: Path, first: int, cursor: Cursor) -> str:
    """What a log has at its beginning, in the segment `first`, and where it was read up to."""
    found = blake2b(f"{cursor.segment} {cursor.offset}".encode(), digest_size=8)
    with opened(segment_path(folder, first)) as descriptor:
        found.update(os.pread(descriptor, min(BYTES, cursor.offset) if first == cursor.segment else BYTES, 0))
    with opened(segment_path(folder, cursor.segment)) as descriptor:
        found.update(os.pread(descriptor, min(BYTES, cursor.offset), max(0, cursor.offset - BYTES)))
    return found.hexdigest()
