"""Attachments inside a document: which are shown, and as what.

What an attachment says it is counts for nothing; its bytes decide. Only pictures
that cannot carry a program are shown as pictures, so no SVG.
"""

from collections.abc import Mapping
from typing import TypeAlias

from holdfast.ids import BlobId
from holdfast.records.entries import Entry
from holdfast.records.parts import Blob
from holdfast.session.export.readable import blobs_of

Content: TypeAlias = Mapping[BlobId, bytes]
"""The bytes of attachments, by their names; an attachment that is missing is not in it."""

TEXT_BYTES = 1024 * 1024
"""A longer text is shown by its beginning, with a word about the rest."""
PICTURE_BYTES = 8 * 1024 * 1024
"""A larger picture is named, not shown."""


def is_text(blob: Blob) -> bool:
    """Whether an attachment is read rather than looked at."""
    return blob.media_type.startswith("text/") or blob.media_type == "application/json"


def worth_reading(entry: Entry, *, pictures: bool) -> tuple[BlobId, ...]:
    """The attachments of an entry whose bytes a document has a use for."""
    return tuple(
        blob.blob
        for blob in blobs_of(entry)
        if (is_text(blob) and blob.size <= TEXT_BYTES)
        or (pictures and blob.media_type.startswith("image/") and blob.size <= PICTURE_BYTES)
    )


def text_of(blob: Blob, content: Content) -> str:
    """The words of an attachment: all of them if they are at hand, or else how it begins; '' if it has none."""
    data = content.get(blob.blob)
    if data is not None and is_text(blob):
        return data.decode("utf-8", "replace")
    return blob.preview


def name_of(blob: Blob, content: Content) -> str:
    """One line about an attachment: its name, type and size, and whether all of it is shown."""
    said = [blob.name or "attachment", blob.media_type, f"{blob.size:,} bytes"]
    if blob.preview and blob.blob not in content:
        said.append("only its beginning is shown")
    return ", ".join(said)
