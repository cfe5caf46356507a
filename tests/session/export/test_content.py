"""Which attachments a document shows, and as what."""

import pytest

from holdfast.ids import BlobId
from holdfast.records.entries import UserSaid
from holdfast.records.parts import Blob
from holdfast.session.export.content import (
    PICTURE_BYTES,
    TEXT_BYTES,
    is_text,
    name_of,
    text_of,
    worth_reading,
)

ID = BlobId("a" * 64)


def blob(media_type: str = "text/plain", *, size: int = 5, preview: str = "") -> Blob:
    """An attachment."""
    return Blob(blob=ID, media_type=media_type, size=size, preview=preview)


@pytest.mark.parametrize(
    ("attachment", "pictures", "read"),
    [
        (blob("text/plain"), False, True),
        (blob("application/json"), False, True),
        (blob("text/plain", size=TEXT_BYTES + 1), True, False),
        (blob("image/png"), True, True),
        (blob("image/png"), False, False),
        (blob("image/png", size=PICTURE_BYTES + 1), True, False),
        (blob("application/zip"), True, False),
    ],
)
def test_only_what_can_be_shown_is_read(attachment: Blob, pictures: bool, read: bool) -> None:
    """
    An export does not load what it has no use for, nor what would not fit.
    """
    entry = UserSaid(parts=(attachment,))

    assert ((ID,) if read else ()) == worth_reading(entry, pictures=pictures)


@pytest.mark.parametrize(
    ("attachment", "content", "text"),
    [
        (blob(preview="al"), {ID: b"all of it"}, "all of it"),
        (blob(preview="al"), {}, "al"),
        (blob(), {ID: b"bad \xff byte"}, "bad \ufffd byte"),
        (blob("image/png"), {ID: b"\x89PNG"}, ""),
    ],
)
def test_a_text_is_shown_as_far_as_it_is_at_hand(attachment: Blob, content: dict[BlobId, bytes], text: str) -> None:
    """
    All of a text if it was read, or else how it begins; a picture has no words.
    """
    assert text == text_of(attachment, content)
    assert is_text(attachment) == attachment.media_type.startswith("text/")


def test_a_name_says_when_only_the_beginning_follows() -> None:
    """
    Whoever reads an export can tell that there is more.
    """
    named = Blob(blob=ID, media_type="text/plain", size=5000, name="a.txt", preview="a")

    assert "a.txt, text/plain, 5,000 bytes, only its beginning is shown" == name_of(named, {})
    assert "a.txt, text/plain, 5,000 bytes" == name_of(named, {ID: b"a"})
    assert "attachment, image/png, 5 bytes" == name_of(blob("image/png"), {})
