"""Which attachments are sent, and as what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.context.legal.attachments import Bounds, encoded_size, media_type_of, too_many, why_not
from holdfast.ids import BlobId
from holdfast.records.parts import Blob
from tests.records.pictures import png

BOUNDS = Bounds(media_types=frozenset({"image/png"}), count=16, each=100, total=1000)
PNG = png()


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF....WEBP", "image/webp"),
        (b"....ftypheic", "image/heic"),
        (b"....ftypmif1", "image/heif"),
        (b"....ftypisom", ""),
        (b"%PDF-1.7", "application/pdf"),
        (b"<svg>", ""),
        (b"", ""),
    ],
)
def test_bytes_say_what_they_are(data: bytes, media_type: str) -> None:
    """
    Providers look at the bytes too, and refuse what does not match.
    """
    assert media_type == media_type_of(data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "its bytes are not at hand"),
        (b"GIF89a", "image/gif is not taken"),
        (b"noise", "its type is not taken"),
        (PNG + b"." * 100, "it is too large"),
        (PNG[:-2], "it is cut off or damaged"),
        (PNG, ""),
    ],
)
def test_an_attachment_that_is_not_sent_has_a_reason(data: bytes | None, why: str) -> None:
    """
    What is left out is told of, with why.
    """
    blob = Blob(blob=BlobId("a"), media_type="image/png", size=9)

    assert why == why_not(blob, {} if data is None else {blob.blob: data}, BOUNDS)


@given(st.lists(st.integers(1, 300), max_size=40))
def test_what_is_sent_is_within_bounds(sizes: list[int]) -> None:
    """
    The bound is a bound, and only what must go goes: one time of eight, or one at a time where that is too many.
    """
    cut = too_many(sizes, BOUNDS)
    kept = sizes[cut:]

    assert len(kept) <= BOUNDS.count
    assert sum(kept) <= BOUNDS.total
    assert not cut or cut % 8 == 0 or sum(sizes[cut - 1 :]) > BOUNDS.total


def test_the_oldest_go_several_at_a_time() -> None:
    """
    Between two jumps a further picture changes nothing before it, so that a provider's cache hits.
    """
    assert [0, 8, 8, 8, 16] == [too_many([1] * count, BOUNDS) for count in (16, 17, 20, 24, 25)]


def test_one_that_is_larger_than_all_may_be_goes() -> None:
    """
    Where nothing fits, nothing is sent.
    """
    assert 2 == too_many([500, 1001], BOUNDS)


@pytest.mark.parametrize(("size", "encoded"), [(0, 0), (1, 4), (3, 4), (4, 8)])
def test_sizes_are_those_of_base64(size: int, encoded: int) -> None:
    """
    Providers count what they are sent.
    """
    assert encoded == encoded_size(size)
