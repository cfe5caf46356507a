"""Attachments of a session, each in a file named after its content.

A fork gets second names for the files its part of the log mentions, so the file
system counts the references: the bytes go when the last session that has them goes.
"""

import os
import re
from pathlib import Path
from secrets import token_hex

from holdfast.errors import NoBlob
from holdfast.ids import BlobId
from holdfast.log.blobs import blob_id
from holdfast.stores.files import disk

BLOBS = "blobs"
# A quote inside a text is escaped in its line, so only real references look like this.
_NAME = re.compile(r"[0-9a-f]{64}")
_REFERENCE = re.compile(rb'"blob":"([0-9a-f]{64})"')


def put_blob(folder: Path, data: bytes) -> BlobId:
    """Keep bytes under their hash, on the disk."""
    name = blob_id(data)
    blobs = folder / BLOBS
    disk.make_folder(blobs)
    if not _is_kept(folder, name):
        new = blobs / f".{token_hex(8)}.new"
        os.close(disk.write_new(new, data))
        new.rename(blobs / name)  # over a damaged one, or over the same bytes
    disk.sync_folder(blobs)  # also for one whose writer died before it could
    return name


def _is_kept(folder: Path, name: BlobId) -> bool:
    try:
        get_blob(folder, name)
    except NoBlob:
        return False
    return True


def get_blob(folder: Path, name: BlobId) -> bytes:
    """The bytes under a hash. Raises `NoBlob` if they are missing or do not match it."""
    try:
        data = disk.read_file(folder / BLOBS / name) if _NAME.fullmatch(name) else None
    except FileNotFoundError:
        data = None
    except disk.NoFileError as error:
        raise NoBlob(
            f"The attachment {name} cannot be read: {error.strerror}.", hint="Restore it from a backup."
        ) from None
    if data is None:
        raise NoBlob(f"The attachment {name!r} is not there.", hint="`holdfast verify` lists what is missing.")
    if blob_id(data) != name:
        raise NoBlob(f"The attachment {name} is damaged.", hint="Restore it from a backup.")
    return data


def references(data: bytes) -> set[BlobId]:
    """The blobs that lines of a log mention."""
    return {BlobId(found.decode()) for found in _REFERENCE.findall(data)}
