"""Attachments in a request: which are sent, and as what.

What an attachment says it is counts for nothing, its bytes decide, because providers
look too and refuse what does not match. When a request has more than its family takes,
the newest stay; the oldest go several at a time, so that not every further picture
changes the beginning of the request, which is what a provider's cache knows it by.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence

from holdfast.ids import BlobId
from holdfast.records.images import image_type, is_half
from holdfast.records.parts import Blob, Value

PDF = "application/pdf"
JPEG, PNG, WEBP, GIF = "image/jpeg", "image/png", "image/webp", "image/gif"
HEIC, HEIF = "image/heic", "image/heif"

_BRANDS = {b"heic": HEIC, b"heix": HEIC, b"hevc": HEIC, b"mif1": HEIF, b"msf1": HEIF}
_TOGETHER = 8
"""How many of the oldest go at a time."""


class Media(Value, frozen=True, kw_only=True):
    """A picture or a document, ready to be sent."""

    media_type: str
    data: str
    """In base64."""
    name: str = ""


class Bounds(Value, frozen=True, kw_only=True):
    """How much of what kind a family takes. Sizes are of the base64 text."""

    media_types: frozenset[str]
    count: int
    each: int
    total: int


def media_type_of(data: bytes) -> str:
    """What bytes are: a picture, a PDF, or '' for anything else."""
    if data.startswith(b"%PDF-"):
        return PDF
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12], "")
    return image_type(data)


def media_of(blob: Blob, data: bytes) -> Media:
    """An attachment, ready to be sent."""
    return Media(media_type=media_type_of(data), data=b64encode(data).decode("ascii"), name=blob.name)


def why_not(blob: Blob, media: Mapping[BlobId, bytes], bounds: Bounds) -> str:
    """Why an attachment cannot be sent; '' if it can."""
    data = media.get(blob.blob)
    if data is None:
        return "its bytes are not at hand"
    found = media_type_of(data)
    if found not in bounds.media_types:
        return f"{found or 'its type'} is not taken"
    if encoded_size(len(data)) > bounds.each:
        return "it is too large"
    if is_half(data):
        return "it is cut off or damaged"
    return ""


def encoded_size(size: int) -> int:
    """How long bytes are in base64."""
    return (size + 2) // 3 * 4


def too_many(sizes: Sequence[int], bounds: Bounds) -> int:
    """How many of the oldest attachments cannot be sent, given the sizes of all that could."""
    steps = (*range(0, len(sizes), _TOGETHER), *range(len(sizes)))
    return next((cut for cut in steps if _within(sizes[cut:], bounds)), len(sizes))


def _within(sizes: Sequence[int], bounds: Bounds) -> bool:
    return len(sizes) <= bounds.count and sum(sizes) <= bounds.total
