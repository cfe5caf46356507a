"""Content by its hash."""

from hashlib import sha256

from holdfast.ids import BlobId

SPILL_BYTES = 16 * 1024
"""Texts of tools and attachments above this size lie beside the log."""

PREVIEW_CHARACTERS = 1_000
"""How much of an attachment's text its line still shows."""

RESULT_CHARACTERS = 8_000
"""How much of a tool's long text its line still shows, and so the model."""


def blob_id(data: bytes) -> BlobId:
    """The name of these bytes."""
    return BlobId(sha256(data).hexdigest())
