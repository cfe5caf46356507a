"""Which bytes are a picture, and whether all of it is there."""

import pytest

from holdfast.records.images import image_type, is_half
from tests.records.pictures import GIF, JPEG, WEBP, png


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n...", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVE", ""),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", ""),
        (b"<html>", ""),
        (b"", ""),
    ],
)
def test_bytes_decide_what_is_a_picture(data: bytes, kind: str) -> None:
    """
    Only what cannot carry a program is one, whatever it calls itself.
    """
    assert kind == image_type(data)


@pytest.mark.parametrize("picture", [png(), JPEG, GIF, WEBP])
def test_half_a_picture_is_known_wherever_it_was_cut(picture: bytes) -> None:
    """
    And all of it is not taken for half, nor with something behind it.
    """
    assert [False, False] == [is_half(picture), is_half(picture + b"more")]
    assert [True, True] == [is_half(picture[:size]) for size in (13, len(picture) // 2)]


def test_a_thumbnail_does_not_make_half_a_photograph_whole() -> None:
    """
    Cameras put a small copy in front, with an end of its own; and may fill up before a mark.
    """
    front = b"\xff\xe1" + (2 + len(JPEG)).to_bytes(2, "big") + JPEG
    photograph = JPEG[:2] + front + b"\xff" + JPEG[2:]

    assert [False, True, True] == [is_half(photograph), is_half(photograph[:-2]), is_half(photograph[: len(front) + 2])]


@pytest.mark.parametrize("data", [b"", b"words", b"%PDF-1.7", b"....ftypheic"])
def test_what_is_no_picture_is_no_half_of_one(data: bytes) -> None:
    """
    It is judged by others.
    """
    assert not is_half(data)
