"""Content by its hash."""

from hashlib import sha256

from holdfast.ids import BlobId

SPILL_BYTES = 16 * 1024
"""Texts of tools and attachments above this size lie beside the log."""

PREVIEW_CHARACTERS = 1_000
"""How much of a text that lies beside the log its line still shows."""


def blob_id(data: bytes) -> BlobId:
    """The name of these bytes."""
    return BlobId(sha256(data).hexdigest())
