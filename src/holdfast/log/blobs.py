"""Content by its hash."""

from hashlib import sha256

from holdfast.ids import BlobId

SPILL_BYTES = 16 * 1024
"""Texts of tools and attachments above this size lie beside the log."""

PREVIEW_CHARACTERS = 1_000
"""How much of an attachment's text its line still shows."""

RESULT_HEAD, RESULT_TAIL = 5_000, 3_000
"""How many characters of a tool's long text its line still shows, and so the model: a command fails at its end."""


def result_preview(text: str) -> str:
    """The beginning and the end of a tool's long text."""
    left = len(text) - RESULT_HEAD - RESULT_TAIL
    return f"{text[:RESULT_HEAD]}\n[… {left:,} characters are left out here …]\n{text[-RESULT_TAIL:]}"


def blob_id(data: bytes) -> BlobId:
    """The name of these bytes."""
    return BlobId(sha256(data).hexdigest())
